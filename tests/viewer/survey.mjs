// SPDX-License-Identifier: MIT
// Tables of many motions as pages: a map of basins in which a click tells the numbers of a start, the command for its motion and a motion; the wheel and the mouse move about in it.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

const NX = 48, NY = 36; // of the grid

const model = `model wells "Two wells"
units none
param c = 0.3
coord x
particle mass_1 : 1 at (x, 0)
potential 1/4*x^4 - 1/2*x^2
dissipation 1/2*c*x'^2
start x = 0.1, x' = 0`;

/** Which well a start goes to, and when: by steps of Runge and Kutta, written here. */
function follow(x, v) {
    const rate = ([a, b]) => [b, a - a ** 3 - 0.3 * b], h = 0.05, plus = (s, k, by) => [s[0] + by * k[0], s[1] + by * k[1]];
    let s = [x, v];
    for (let t = h; t < 100; t += h) {
        const k1 = rate(s), k2 = rate(plus(s, k1, h / 2)), k3 = rate(plus(s, k2, h / 2)), k4 = rate(plus(s, k3, h));
        s = [0, 1].map((i) => s[i] + h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]));
        if (s[0] ** 2 * 0.5 > s[0] ** 4 / 4 + s[1] ** 2 / 2) return { attractor: s[0] < 0 ? 1 : 2, time: t }; // too little energy for the hill
    }
    return { attractor: 0, time: NaN };
}

function writeBasins(path, label) {
    const notes = ["kind: basin", "model: wells", "file: wells.zw", "variant: ", "principle: lagrange", "map: x x' attractor time", `attractor 1: ${label}; stable\n#| x = -1, x' = 0`,
        "attractor 2: rest on the right; stable\n#| x = 1, x' = 0", "doubts: none", `text: ${model.replaceAll("\n", "\n#| ")}\n#| `];
    const rows = [];
    for (let j = 0; j < NY; j++) {
        for (let i = 0; i < NX; i++) {
            const x = -2 + 4 * i / (NX - 1), v = -1.5 + 3 * j / (NY - 1), { attractor, time } = follow(x, v);
            if (!(i === 3 && j === 5)) rows.push([x, v, attractor, time]); // a hole
        }
    }
    rows.reverse(); // in any order
    writeFileSync(path, `${notes.map((n) => `# ${n}`).join("\n")}\nx,x'[1/s],attractor,time[s]\n${rows.map((r) => r.join(",")).join("\n")}\n`);
    return rows;
}

const state = `(() => {
    const { branch, timeline } = zwang, columns = branch.orbit.result.columns, last = branch.orbit.time.length - 1, get = (name) => columns.find((c) => c.name === name).values;
    return { row: branch.row, at: branch.at(branch.row), run: branch.at(branch.orbit.row), told: document.getElementById("orbit-told").textContent, range: branch.range,
        command: document.querySelector("#order code").textContent, shown: document.querySelector("#order .shown").textContent, first: [get("x")[0], get("x'")[0]], last: [get("x")[last], get("x'")[last]],
        until: timeline.last };
})()`;

/** The place of a cell in the window, and its colour on the canvas: read when the layout rests, since a longer text beside it may move it. */
const placeAt = async (browser, x, y) => {
    await browser.settle();
    return browser.evaluate(`(() => {
        const { diagram, canvas } = zwang.branch, box = diagram.root.getBoundingClientRect(), at = [box.left + diagram.px(${x}), box.top + diagram.py(${y})];
        const c = canvas.getBoundingClientRect(), p = canvas.getContext("2d").getImageData(Math.round((at[0] - c.left) * canvas.width / c.width), Math.round((at[1] - c.top) * canvas.height / c.height), 1, 1).data;
        return { at, colour: [...p] };
    })()`);
};

export async function showsManyMotions(browser, { zwang, run, folder, near, open, quiet }) {
    writeFileSync(join(folder, "wells.zw"), model);
    const rows = writeBasins(join(folder, "wells.csv"), "rest on the left");
    run("view", "wells.csv", "--out", "wells.html", "--quiet", "--until", "60");
    await open(browser, "wells.html");
    assert.equal(await browser.evaluate("zwang.branch.orbits.length"), 36);
    const classes = await browser.evaluate("zwang.branch.survey.classes");
    assert.deepEqual(classes.map((c) => c.label), ["rest on the left", "rest on the right"]);

    // a click on a cell: its numbers, its colour, its command; the map stays where it is
    const corner = "JSON.stringify(zwang.branch.canvas.getBoundingClientRect())", first = await browser.evaluate(corner);
    for (const index of [100, 900, 1500]) {
        const [x, v, attractor, time] = rows[index], { at, colour } = await placeAt(browser, x, v);
        assert.deepEqual(colour.slice(0, 3), classes.find((c) => c.value === attractor).colour, "the cell has the colour of its class");
        await browser.click(...at);
        await browser.settle();
        const now = await browser.evaluate(state);
        assert.deepEqual(now.at, [x, v], "the cell under the mouse, exactly");
        assert.ok(now.told.startsWith(`row ${index + 1}: `) && now.told.includes(classes.find((c) => c.value === attractor).label), now.told);
        assert.ok(now.told.includes(String(Number(time.toPrecision(6)))), now.told);
        assert.equal(now.command, `zwang view wells.zw --until 60 --set x=${x} --set 'x'\\''=${v}'`);
        assert.ok(now.shown.includes("nearest neighbour"), now.shown);
        near(now.until, 60, 1e-9, "as long as was asked for");
        assert.equal(await browser.evaluate(corner), first);
    }

    const { command } = await browser.evaluate(state);

    // motions of the page begin at their cells and go where these say
    for (const k of [0, 13, 30]) {
        await browser.evaluate(`zwang.branch.choose(${k})`);
        const now = await browser.evaluate(state), of = rows.find(([a, b]) => a === now.at[0] && b === now.at[1]);
        assert.ok(now.shown.includes("It is the motion that is shown"), now.shown);
        for (const i of [0, 1]) near(now.first[i], now.at[i], 1e-6, "it begins there");
        near(now.last[0], of[2] === 1 ? -1 : 1, 1e-3, "it goes where the table says");
    }

    // a hole cannot be chosen
    const before = await browser.evaluate(state), hole = await placeAt(browser, -2 + 12 / (NX - 1), -1.5 + 15 / (NY - 1));
    assert.equal(hole.colour[3], 0, "a hole has no colour");
    await browser.click(...hole.at);
    assert.equal((await browser.evaluate(state)).row, before.row);
    await browser.screenshot(join(folder, "survey.png"));

    // the wheel comes nearer, the place under the mouse stays; dragging moves; 0 shows all
    const { at } = await placeAt(browser, 0.5, 0.25), whole = before.range;
    for (let i = 0; i < 5; i++) await browser.wheel(...at, -100);
    await browser.settle();
    const zoomed = await browser.evaluate(state), width = ([low, high]) => high - low;
    near(width(zoomed.range[0]) / width(whole[0]), 1.25 ** -5, 1e-9, "nearer");
    const still = (await placeAt(browser, 0.5, 0.25)).at;
    near(Math.hypot(still[0] - at[0], still[1] - at[1]), 0, 1.5, "the place stays");
    await browser.screenshot(join(folder, "survey_near.png"));
    await browser.drag(at, [at[0] + 40, at[1] - 30]);
    await browser.settle();
    const moved = (await placeAt(browser, 0.5, 0.25)).at;
    near(moved[0] - at[0], 40, 2, "dragged to the right");
    near(moved[1] - at[1], -30, 2, "and upwards");
    assert.equal((await browser.evaluate(state)).row, before.row, "dragging chooses nothing");
    await browser.evaluate("document.querySelector('#diagram .body').focus()");
    await browser.press("0");
    assert.deepEqual((await browser.evaluate(state)).range, whole);
    await browser.press("\uE014"); // right: the neighbour
    assert.equal((await browser.evaluate(state)).row, before.row + 1);

    // another column: numbers, with their scale
    await browser.evaluate(`(() => {
        const s = document.querySelector("#diagram select");
        s.value = [...s.options].find((o) => o.text === "time").value;
        s.dispatchEvent(new Event("change"));
    })()`);
    await browser.settle();
    const longest = rows.reduce((a, b) => (b[3] > a[3] ? b : a)), light = await placeAt(browser, longest[0], longest[1]);
    assert.deepEqual(light.colour.slice(0, 3), await browser.evaluate("zwang.branch.survey.even.at(-1)"), "the largest has the last colour");
    await quiet(browser, "wells.html");

    // a chart: curves and named points over pale colours
    writeFileSync(join(folder, "chart.csv"), `# kind: chart\n# model: wells\n# file: wells.zw\n# map: c x region\n# region 1: left; with much\n# region 2: right\n# curve 0: border\n#| 0.1 0; 0.2 1; nan nan; 0.3 2; \n`
        + `# curve 1: \n#| 0.1 1; 0.2 1; \n# specimen 0: V1\n#| 0.15 0.5\n# text: ${model.replaceAll("\n", "\n#| ")}\n#| \nc,x,region\n0.1,0,1\n0.2,0,1\n0.3,0,2\n0.1,2,1\n0.2,2,2\n0.3,2,2\n`);
    run("view", "chart.csv", "--out", "chart.html", "--quiet");
    await open(browser, "chart.html");
    const chart = await browser.evaluate(`({ classes: zwang.branch.survey.classes, key: document.getElementById("key").textContent, paths: [...document.querySelectorAll("#diagram .curves path")].map((p) => [p.getAttribute("class"),
        p.getAttribute("d").split("M").length - 1, getComputedStyle(p).stroke]), spot: document.querySelector("#diagram .marks text").textContent })`);
    assert.equal(chart.key, "leftrightborder", "what all have is not in the key, nor is a border without a name");
    assert.deepEqual(chart.paths, [["over over-0", 2, "rgb(0, 0, 0)"], ["over border", 1, "rgb(0, 0, 0)"]], "a curve is parted where its numbers end");
    assert.equal(chart.spot, "V1");
    assert.ok(chart.classes.every((c, i) => c.colour.every((v, k) => v > classes[i].colour[k])), "pale");
    await browser.screenshot(join(folder, "chart.png"));
    await quiet(browser, "chart.html");

    // the command does what it says
    const [x, v, attractor] = rows[1500];
    execFileSync("sh", ["-c", `${command.replace(/^zwang/, '"$0"')} --out from_there.html --quiet`, zwang], { cwd: folder });
    await open(browser, "from_there.html");
    const own = await browser.evaluate("zwang.data.result.columns.map((c) => [c.name, c.values[0], c.values[c.values.length - 1]])"), value = (name) => own.find((c) => c[0] === name);
    near(value("x")[1], x, 1e-6, "it begins there");
    near(value("x'")[1], v, 1e-6, "with this velocity");
    near(value("x")[2], attractor === 1 ? -1 : 1, 1e-3, "and goes where the table says");
    await showsPoints(browser, { run, folder, open, quiet });
    await showsDots(browser, { run, folder, open, quiet });
    await showsHostileSurvey(browser, { run, folder, open, quiet });
}

/** A sweep of a parameter: points, of which the nearest is chosen. */
async function showsPoints(browser, { run, folder, open, quiet }) {
    const rows = Array.from({ length: 400 }, (_, k) => [0.1 + 0.01 * Math.floor(k / 4), k % 4 + 0.001 * k]);
    const notes = ["kind: sweep", "model: wells", "file: wells.zw", "variant: ", "principle: lagrange", "axis c: 100 values", "state: up", "doubts: none", `text: ${model.replaceAll("\n", "\n#| ")}\n#| `];
    writeFileSync(join(folder, "sweep.csv"), `${notes.map((n) => `# ${n}`).join("\n")}\nc,max(x)\n${rows.map((r) => r.join(",")).join("\n")}\n`);
    run("view", "sweep.csv", "--out", "sweep.html", "--quiet", "--orbits", "10");
    await open(browser, "sweep.html");
    const [c, y] = rows[222], { at } = await placeAt(browser, c, y);
    await browser.click(...at);
    await browser.settle();
    const now = await browser.evaluate("({ row: zwang.branch.row, command: document.querySelector('#order code').textContent, said: document.querySelector('#order .said').textContent, shown: zwang.branch.at(zwang.branch.orbit.row)[0], n: zwang.branch.orbits.length })");
    assert.equal(now.row, 222);
    assert.ok(Math.abs(now.shown - c) <= 0.051, `the motion with the nearest parameter: ${now.shown}`);
    assert.equal(now.n, 10);
    assert.ok(now.command.endsWith(`--set c=${c}`), now.command);
    assert.ok(now.said.includes("took its state along"), now.said);
    await browser.screenshot(join(folder, "survey_points.png"));
    await quiet(browser, "sweep.html");
}

/** Starts that were drawn by chance: dots in the colours of their classes. */
async function showsDots(browser, { run, folder, open, quiet }) {
    const rows = Array.from({ length: 60 }, (_, k) => [-2 + 4 * ((k * 0.6180339887) % 1), -1.5 + 3 * ((k * 0.7548776662) % 1)]).map(([x, v]) => [x, v, follow(x, v).attractor, 1]);
    const notes = ["kind: basin", "model: wells", "file: wells.zw", "principle: lagrange", "attractor 1: left", "attractor 2: right", `text: ${model.replaceAll("\n", "\n#| ")}\n#| `];
    writeFileSync(join(folder, "dots.csv"), `${notes.map((n) => `# ${n}`).join("\n")}\nx,x'[1/s],attractor,time[s]\n${rows.map((r) => r.join(",")).join("\n")}\n`);
    run("view", "dots.csv", "--out", "dots.html", "--quiet", "--orbits", "5");
    await open(browser, "dots.html");
    const classes = await browser.evaluate("zwang.branch.survey.classes");
    for (const k of [7, 33]) {
        const [x, v, attractor] = rows[k], { at, colour } = await placeAt(browser, x, v);
        assert.deepEqual(colour.slice(0, 3), classes.find((c) => c.value === attractor).colour, "the dot has the colour of its class");
        await browser.click(...at);
        assert.equal(await browser.evaluate("zwang.branch.row"), k);
        assert.ok((await browser.evaluate("document.querySelector('#order code').textContent")).includes(`x=${x} `), "x is a start here");
    }
    await quiet(browser, "dots.html");
}

/** Words of a table are texts, in the page and in the command. */
async function showsHostileSurvey(browser, { run, folder, open, quiet }) {
    const bad = "<img src=x onerror=stolen=1>$(touch stolen)";
    writeBasins(join(folder, "hostile_survey.csv"), bad);
    run("view", "hostile_survey.csv", "--out", "hostile_survey.html", "--quiet");
    await open(browser, "hostile_survey.html");
    await browser.evaluate("zwang.branch.choose(3)");
    await browser.settle();
    assert.equal(await browser.evaluate("typeof stolen"), "undefined", "nothing of the texts ran");
    assert.equal(await browser.evaluate("document.querySelectorAll('img').length"), 0);
    assert.ok((await browser.evaluate("document.querySelector('#key').textContent")).includes(bad), "the words are shown as they stand");
    await quiet(browser, "hostile_survey.html");
}
