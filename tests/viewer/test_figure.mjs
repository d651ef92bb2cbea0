// SPDX-License-Identifier: MIT
// Results in which nothing moves, as pages: what is drawn is where the numbers say, the row under the mouse is told, one can come nearer and go back, curves can be switched off, a surface turns,
// and texts of the file stay texts.
//   node test_figure.mjs path/to/zwang folder-of-models folder-for-pages-and-screenshots
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { Browser } from "./browser.mjs";

const [zwang, , parent] = process.argv.slice(2).map((path) => resolve(path)), folder = join(parent, "figure");
mkdirSync(folder, { recursive: true });
const bad = "<img src=x onerror=stolen=1>";

/** A result as a verb writes it, and its page. */
function write(name, notes, head, rows, ...words) {
    const lines = [...Object.entries(notes).map(([key, value]) => `# ${key}: ${value}`), head, ...rows.map((r) => r.join(","))];
    writeFileSync(join(folder, `${name}.csv`), `${lines.join("\n")}\n`);
    execFileSync(zwang, ["view", `${name}.csv`, "--out", `${name}.html`, "--quiet", ...words], { cwd: folder, stdio: ["ignore", "pipe", "inherit"] });
}

async function open(browser, name) {
    await browser.go(`file://${join(folder, `${name}.html`)}`);
    await browser.settle();
}

async function quiet(browser, what) {
    const said = (await browser.log()).filter((entry) => !/GPU stall|getImageData/.test(entry.message));
    assert.deepEqual(said, [], `${what}: the console is silent`);
}

/** Where a row of a curve is in the window, and the colour that the canvas has about there: [left, top, r, g, b of what is least like paper]. */
const placeOf = (panel, curve, row) => `(() => {
    const { view, body } = zwang.figure.panels[${panel}], [x, y] = view.place(view.panel.curves[${curve}], ${row}), box = body.getBoundingClientRect();
    const area = view.canvas.getBoundingClientRect(), ratio = view.canvas.width / area.width;
    const data = view.canvas.getContext("2d").getImageData((box.left + x - area.left) * ratio - 2, (box.top + y - area.top) * ratio - 2, 5, 5).data;
    let best = [0, 0, 0], most = -1;
    for (let i = 0; i < data.length; i += 4) {
        const ink = data[i + 3] / 255 * (Math.max(data[i], data[i + 1], data[i + 2]) - Math.min(data[i], data[i + 1], data[i + 2]));
        if (ink > most) [best, most] = [[data[i], data[i + 1], data[i + 2]], ink];
    }
    return [box.left + x, box.top + y, ...best];
})()`;
const told = "document.getElementById('row').textContent";
const seen = (panel) => `zwang.figure.panels[${panel}].view.range`;

/** Two curves over a parameter with a mark, dashed where they are not stable; everything that can be done with a plane. */
async function showsCurves(browser) {
    const rows = Array.from({ length: 41 }, (_, i) => [i / 10, Math.sin(i / 10), 3 + i / 100, i < 20 ? 0 : 1, 100 + i]);
    write("curves", { kind: "melnikov cycles", model: "none", conserved: "height", "mark 0": "fold 2 #20; LP1", doubts: "none" },
        "p[rad/s],amplitude[m],period[s],stable,extra[N]", rows);
    await open(browser, "curves");
    assert.equal(await browser.evaluate("zwang.figure.panels.length"), 2, "as zwang plot draws it: amplitude, period");
    assert.equal(await browser.evaluate("document.querySelectorAll('#stage, #timeline, #equations').length"), 0, "nothing moves");
    // the curve is where the numbers say, in the blue of the paper
    const [left, top, r, , b] = await browser.evaluate(placeOf(0, 0, 31));
    assert.ok(b > r + 60, `there is ink at row 31: ${[r, b]}`);
    await browser.click(left, top);
    await browser.settle();
    const row = await browser.evaluate(told);
    for (const part of ["p3.1rad/s", `amplitude${Number(Math.sin(3.1).toPrecision(9))}m`, "period3.31s", "extra131N"]) assert.ok(row.includes(part), `${part} in ${row}`);
    assert.deepEqual(await browser.evaluate("zwang.figure.panels.map((p) => p.view.plane.cursor.map((c) => c.x))"), [[3.1], [3.1]], "both panels show it");
    // what was found
    const found = await browser.evaluate("document.getElementById('found').textContent");
    assert.ok(found.includes("fold LP1") && found.includes("height"), found);
    assert.deepEqual(await browser.evaluate("[...document.querySelectorAll('#panels figure:first-child .entry')].map((e) => e.textContent)"), ["fold", "unstable"]);
    await browser.screenshot(join(folder, "curves.png"));

    // nearer: the place under the mouse stays
    const before = await browser.evaluate(seen(0)), at = "(([x, y]) => [zwang.figure.panels[0].view.plane.vx(x), zwang.figure.panels[0].view.plane.vy(y)])";
    await browser.evaluate("zwang.figure.release()");
    await browser.wheel(left, top, -120);
    await browser.settle();
    const after = await browser.evaluate(seen(0)), near = await browser.evaluate(`${at}(zwang.figure.panels[0].view.place(zwang.figure.panels[0].panel.curves[0], 31))`);
    assert.ok(Math.abs((after[0][1] - after[0][0]) / (before[0][1] - before[0][0]) - 1 / 1.25) < 1e-9, "by a notch of the wheel");
    assert.ok(Math.abs(near[0] - 3.1) < 1e-9);
    const [still] = await browser.evaluate(placeOf(0, 0, 31));
    assert.ok(Math.abs(still - left) < 1.5, `${still} against ${left}`);
    await browser.drag([left, top], [left - 50, top + 20]);
    const [moved] = await browser.evaluate(placeOf(0, 0, 31));
    assert.ok(Math.abs(moved - (left - 50)) < 1.5, "it goes along with the mouse");
    await browser.evaluate("zwang.figure.panels[0].reset.click()");
    assert.deepEqual(await browser.evaluate(seen(0)), before, "and all of it again");
    // keys
    await browser.evaluate("document.querySelector('#panels .body').focus()");
    await browser.press("\uE014");
    assert.equal(await browser.evaluate("zwang.figure.chosen.row"), 32);
    // the file
    assert.match(await browser.evaluate("zwang.data.figure.svg.slice(0, 200)"), /<svg/);
    await quiet(browser, "curves");
}

/** The legend switches curves; names of a stranger are texts; a narrow window in the dark. */
async function switchesCurvesAndShowsTexts(browser) {
    write("hostile", { kind: bad, model: `../${bad}`, [`${bad}`]: bad, "mark 0": `${bad.replaceAll(" ", "_")} 1 #1`, parts: "q", "part q 0": `"${bad}"`, "part q 1": "second" },
        `p[s],${bad}[<b>],q`, [[0, 1, 0], [1, 2, 0], [0, 3, 1], [1, 4, 1]], "--plot", "q:p");
    await browser.prefer("dark");
    await browser.resize(420, 800);
    await open(browser, "hostile");
    assert.equal(await browser.evaluate("typeof stolen"), "undefined", "nothing of the texts ran");
    assert.equal(await browser.evaluate("document.querySelectorAll('img, #figure b').length"), 0);
    const legend = await browser.evaluate("[...document.querySelectorAll('#panels button.entry')].map((e) => e.textContent)");
    assert.deepEqual(legend.slice(0, 2), [bad, "second"]);
    await browser.evaluate("zwang.figure.choose(zwang.figure.panels[0], zwang.figure.panels[0].panel.curves[0], 1)");
    assert.ok((await browser.evaluate(told)).includes(bad), "the name is shown as it stands");
    assert.ok((await browser.evaluate("document.getElementById('found').textContent")).includes(bad));
    assert.ok(await browser.evaluate("document.documentElement.scrollWidth <= innerWidth"), "nothing sticks out");
    const ink = async () => (await browser.evaluate(placeOf(0, 1, 0))).slice(2);
    const [r, , b] = await ink();
    assert.ok(r > b + 60, `the second curve is drawn: ${[r, b]}`);
    await browser.evaluate("document.querySelectorAll('#panels button.entry')[1].click()");
    await browser.settle();
    const [r2, , b2] = await ink();
    assert.ok(Math.abs(r2 - b2) < 30, `and now it is not: ${[r2, b2]}`);
    await browser.screenshot(join(folder, "hostile_dark.png"));
    await browser.prefer("light");
    await browser.resize(1280, 800);
    await quiet(browser, "hostile");
}

/** A surface turns with the mouse, a map tells its cells. */
async function turnsASurfaceAndTellsAMap(browser) {
    const rows = Array.from({ length: 35 }, (_, i) => [Math.floor(i / 7), i % 7, (i % 7) * Math.floor(i / 7)]);
    write("surface", { kind: "slow manifold", drawn: "mesh 7" }, "a[m],b[s],c[N]", rows); // three units: the box has the shape of the house
    await open(browser, "surface");
    const [x, y] = await browser.evaluate(placeOf(0, 0, 17)), view = "zwang.figure.panels[0].view";
    await browser.evaluate(`(${view}.reset(), 0)`);
    await browser.drag([x, y], [x + 60, y + 20]);
    await browser.settle();
    assert.deepEqual(await browser.evaluate(`[${view}.azimuth, ${view}.elevation]`), [-90, 35], "from -60, 25: half a degree for a pixel");
    // seen along y now: x goes to the right, at 35 degrees from above
    const [[x0, y0], [x1, y1]] = await browser.evaluate(`[${view}.at([0, 0.5, 0.5]), ${view}.at([1, 0.5, 0.5])]`);
    assert.ok(x1 > x0 + 50 && Math.abs(y1 - y0) < 1e-6);
    const [height, depth, unit] = await browser.evaluate(`[${view}.at([0.5, 0.5, 0])[1] - ${view}.at([0.5, 0.5, 1])[1], ${view}.at([0.5, 0, 0.5])[1] - ${view}.at([0.5, 1, 0.5])[1], ${view}.pixels]`);
    assert.ok(Math.abs(height - 0.8 * unit * Math.cos(35 * Math.PI / 180)) < 1e-6 && Math.abs(depth - unit * Math.sin(35 * Math.PI / 180)) < 1e-6);
    await browser.screenshot(join(folder, "surface.png"));
    await quiet(browser, "surface");

    write("map", {}, "a,b,c", rows, "--plot", "c:a,b");
    await open(browser, "map");
    const colours = [];
    for (const row of [0, 34]) {
        const [left, top, ...rgb] = await browser.evaluate(placeOf(0, 0, row));
        await browser.click(left, top);
        await browser.settle();
        assert.equal(await browser.evaluate(told), `a${rows[row][0]}b${rows[row][1]}c${rows[row][2]}`);
        colours.push(rgb.join());
    }
    assert.notEqual(...colours, "least and largest have colours of their own");
    await quiet(browser, "map");
}

const browser = await Browser.open();
try {
    for (const part of [showsCurves, switchesCurvesAndShowsTexts, turnsASurfaceAndTellsAMap]) {
        await part(browser);
        console.log("ok", part.name);
    }
} finally {
    await browser.close();
}
