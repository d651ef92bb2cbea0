// SPDX-License-Identifier: MIT
// The page in a browser: it loads without a word on the console, draws, plots, sets its equations, and what it
// shows at a time is what the result says for that time; what a result says is shown and never run.
//   node test_viewer.mjs path/to/zwang folder-of-models folder-for-pages-and-screenshots
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { lookup } from "node:dns/promises";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { blockTex } from "../../viewer/src/tex.js";
import { showsABranch } from "./branch.mjs";
import { Browser } from "./browser.mjs";
import { showsManyMotions } from "./survey.mjs";

const [zwang, models, folder] = process.argv.slice(2).map((path) => resolve(path));
mkdirSync(folder, { recursive: true });

const run = (...words) => execFileSync(zwang, words, { cwd: folder, stdio: ["ignore", "pipe", "inherit"] });

/** The columns of a result as Zwang wrote it. */
function readCsv(path) {
    const lines = readFileSync(path, "utf8").split("\n").filter((l) => l && !l.startsWith("#"));
    const names = lines[0].split(",").map((n) => n.replace(/\[.*/, ""));
    const rows = lines.slice(1).map((l) => l.split(",").map(Number));
    return { rows, column: (name) => rows.map((r) => r[names.indexOf(name)]) };
}

const near = (a, b, tolerance, what) => assert.ok(Math.abs(a - b) <= tolerance, `${what}: ${a} against ${b}`);

/** How many pixels of the canvas are drawn on, and how many colours there are. */
const pixels = `(() => {
    const canvas = document.querySelector("#canvas canvas"), copy = document.createElement("canvas");
    copy.width = canvas.width; copy.height = canvas.height;
    const context = copy.getContext("2d");
    context.drawImage(canvas, 0, 0);
    const data = context.getImageData(0, 0, copy.width, copy.height).data, colours = new Set();
    let drawn = 0;
    for (let i = 0; i < data.length; i += 4) {
        if (data[i + 3] === 0) continue;
        drawn++;
        if (data[i + 3] === 255) colours.add(data[i] << 16 | data[i + 1] << 8 | data[i + 2]);
    }
    return { drawn: drawn / (copy.width * copy.height), colours: colours.size };
})()`;

async function open(browser, page, hash = "") {
    await browser.go(`file://${join(folder, page)}${hash}`);
    await browser.settle();
}

async function quiet(browser, what) {
    const said = (await browser.log()).filter((entry) => !/GPU stall due to ReadPixels|readback operations using getImageData/.test(entry.message));
    assert.deepEqual(said, [], `${what}: the console is silent`);
}

/** Equations are set when the reader comes to them, long ones when they are opened. */
async function setsItsEquations(browser, blocks) {
    await browser.evaluate("document.getElementById('equations').scrollIntoView({ behavior: 'instant' })");
    await browser.evaluate(`new Promise((done) => {
        const look = () => {
            for (const details of document.querySelectorAll("#equations details")) details.open = true;
            if (document.querySelectorAll("#equations .display .katex").length >= ${blocks}) done(true);
            else setTimeout(look, 20);
        };
        look();
    })`);
    assert.equal(await browser.evaluate("document.querySelectorAll('#equations .display').length"), blocks);
    assert.equal(await browser.evaluate("document.querySelectorAll('#equations .katex-error').length"), 0);
}

/** A result shown as a page: everything is there and moves to the right place. */
async function showsTheResult(browser) {
    run("run", join(models, "turntable_ball.zw"), "--until", "5", "--out", "ball.csv", "--quiet");
    run("view", "ball.csv", "--out", "ball.html", "--quiet");
    const csv = readCsv(join(folder, "ball.csv")), t = csv.column("t"), x = csv.column("x"), y = csv.column("y");
    await open(browser, "ball.html");
    assert.equal(await browser.evaluate("document.querySelector('#title').textContent"),
        "Ball rolling on a turntable (Lewis & Murray 1995)");
    const { drawn, colours } = await browser.evaluate(pixels);
    assert.ok(drawn > 0.1 && colours > 100, `the canvas is not blank (${drawn}, ${colours})`);

    for (const row of [0, 137, 640, 1000]) {
        // as a reader does: move the slider
        await browser.evaluate(`(() => { const s = document.getElementById("slider"); s.value = ${t[row]}; s.dispatchEvent(new Event("input")); })()`);
        const place = await browser.evaluate("zwang.position('ball')");
        near(place[0], x[row], 1e-7, `x in row ${row}`);
        near(place[1], y[row], 1e-7, `y in row ${row}`);
        near(place[2], 0.0127, 1e-7, `z in row ${row}`);
        const object = await browser.evaluate("zwang.stage.placed[0].shape.object.position.toArray()");
        near(object[0], x[row], 1e-7, `the ball itself in row ${row}`);
    }
    const middle = (t[300] + t[301]) / 2; // between two rows
    await browser.evaluate(`zwang.seek(${middle})`);
    near((await browser.evaluate("zwang.position('ball')"))[0], (x[300] + x[301]) / 2, 1e-7, "between rows");

    assert.equal(await browser.evaluate("document.querySelectorAll('#plots .uplot canvas').length"), 3);
    await browser.settle();
    const before = await browser.evaluate("document.querySelector('.now').style.transform");
    await browser.evaluate("zwang.seek(1)");
    assert.notEqual(await browser.evaluate("document.querySelector('.now').style.transform"), before, "the plots follow");
    const chips = await browser.evaluate("[...document.querySelectorAll('figure:first-child .chip')].map((c) => c.textContent)");
    assert.equal(chips.length, 2);
    assert.ok(chips[0].startsWith("x") && chips[0].endsWith("m"), chips[0]);
    await browser.evaluate("(() => { const s = document.querySelector('figure select'); s.value = [...s.options].find((o) => o.text === 'distance').value; s.dispatchEvent(new Event('change')); })()");
    assert.equal(await browser.evaluate("document.querySelectorAll('figure:first-child .chip').length"), 3, "a curve was added");
    await browser.settle();
    await browser.screenshot(join(folder, "ball.png"));

    await setsItsEquations(browser, 5);
    assert.ok(await browser.evaluate("document.fonts.ready.then(() => document.fonts.check('16px KaTeX_Math'))"), "the fonts are in the page");
    const parameters = await browser.evaluate("document.querySelector('#parameters table').textContent");
    assert.ok(parameters.includes("4.712389"), "Omega = 45 rpm");
    const text = await browser.evaluate("document.querySelector('#model pre').textContent");
    assert.equal(text, readFileSync(join(models, "turntable_ball.zw"), "utf8"), "the model's text is in the page");
    await quiet(browser, "ball.html");
}

/** A mode as a page: it says what it is, and swings with its frequency. */
async function showsAMode(browser) {
    run("view", join(models, "double_pendulum.zw"), "--set", "phi_1=0", "--set", "phi_2=0", "--mode", "1",
        "--amplitude", "0.1", "--out", "mode.html", "--quiet");
    await open(browser, "mode.html");
    const said = await browser.evaluate("document.querySelector('#subtitle').textContent");
    const [, rate, frequency] = /^mode 1: 0 ± ([\d.]+)i 1\/s, ([\d.]+) Hz, damping 0: /.exec(said) ?? [];
    assert.ok(rate, said);
    near(rate / (2 * Math.PI), frequency, 1e-4, "the frequency in the caption");
    assert.ok(said.includes("amplitude 0.1 rad of phi_2"), said);
    const [start, half, whole] = await browser.evaluate(`[0, Math.PI, 2 * Math.PI].map((phase) => {
        zwang.seek(phase / ${rate});
        return zwang.stage.placed[3].shape.object.position.x; // the second bob
    })`);
    near(half, -start, 1e-3 * Math.abs(start), "half a period later it is on the other side");
    near(whole, start, 1e-3 * Math.abs(start), "and comes back");
    const { drawn, colours } = await browser.evaluate(pixels);
    assert.ok(drawn > 0.01 && colours > 20, `the canvas is not blank (${drawn}, ${colours})`);
    await browser.screenshot(join(folder, "mode.png"));
    await quiet(browser, "mode.html");
}

async function obeysKeysAndAddress(browser) {
    await browser.evaluate("(location.hash = '#t=2.5', new Promise((done) => setTimeout(done)))");
    near(await browser.evaluate("zwang.timeline.now"), 2.5, 0, "the time in the address");
    await browser.press("\uE014"); // right arrow
    near(await browser.evaluate("zwang.timeline.now"), 2.505, 1e-9, "one row on");
    await browser.press("\uE012");
    near(await browser.evaluate("zwang.timeline.now"), 2.5, 1e-9, "and back");
    await browser.evaluate("(zwang.timeline.speed = 1e-4)"); // a busy machine must not come to the end meanwhile
    await browser.press(" ");
    assert.equal(await browser.evaluate("zwang.timeline.playing"), true);
    await browser.evaluate("new Promise((done) => { const look = () => zwang.timeline.now > 2.5 ? done(true) : requestAnimationFrame(look); look(); })");
    await browser.press(" ");
    assert.equal(await browser.evaluate("zwang.timeline.playing"), false);
    await browser.evaluate("document.getElementById('play').focus()");
    await browser.press(" ");
    assert.equal(await browser.evaluate("zwang.timeline.playing"), true, "the space bar on the button counts once");
    await browser.press(" ");
    assert.equal(await browser.evaluate("zwang.timeline.playing"), false);
    await browser.press("\uE010"); // end
    near(await browser.evaluate("zwang.timeline.now"), 5, 0, "the end");
    await quiet(browser, "keys");
}

/** A model without drawings: a cart, a spring, a rod and a bob, as thick on a long way as on a short one. */
async function sketchesWhatIsNotDrawn(browser) {
    const sizes = [];
    for (const speed of [0, 300]) {
        writeFileSync(join(folder, "plain.zw"), `model plain
param m = 1 [kg], l = 0.5 [m], k = 20 [N/m]
coord x [m], y [m], phi [rad]
particle cart : 8*m at (x, 0, 0)
particle bob : m at (x + l*sin(phi), 0, -l*cos(phi))
spring s : k, (y, 0, 0) to cart, length l
kinetic 1/2*m*y'^2
gravity 9.81 [m/s^2] along -z
start phi = 1 [rad], y = -0.5 [m], y' = ${speed} [m/s], x' = ${speed} [m/s]
`);
        run("view", "plain.zw", "--until", "2", "--out", `plain_${speed}.html`, "--quiet");
        await open(browser, `plain_${speed}.html`, "#t=1");
        assert.deepEqual(await browser.evaluate("zwang.data.scene.items.map((i) => `${i.shape} ${i.name}`.trim())"),
            ["point cart", "point bob", "spring s", "link", "trace bob"]);
        assert.equal(await browser.evaluate("document.getElementById('trouble').hidden"), true);
        // the rod is as long as it should be, and ends in the bob
        const { length, radius, away } = await browser.evaluate(`(() => {
            const [cart, bob, , link] = zwang.stage.placed, [shaft] = link.shape.object.children;
            const end = shaft.localToWorld(shaft.position.clone().set(0, 1, 0)), p = bob.shape.object.position;
            return { length: shaft.scale.y, radius: shaft.scale.x, away: end.distanceTo(p) };
        })()`);
        near(length, 0.5, 1e-4, "the length of the rod");
        near(away, 0, 1e-3, "the end of the rod");
        sizes.push(radius);
        await browser.screenshot(join(folder, `plain_${speed}.png`));
    }
    assert.ok(sizes[1] < 2 * sizes[0], `links follow the bodies, not their way of 600 m: ${sizes}`);
    await quiet(browser, "plain.html");
}

/** A body that turns, with a hole, thinned rows; a model without drawings, with a title that looks like a tag. */
async function drawsOtherThings(browser) {
    run("view", join(models, "tippedisk.zw"), "--until", "1", "--rows", "51", "--out", "disk.html", "--quiet");
    await open(browser, "disk.html", "#t=0.4");
    assert.equal(await browser.evaluate("zwang.data.result.rows"), 51);
    await browser.screenshot(join(folder, "disk.png"));
    // the axis of the disc as Euler's angles z-x-z have it
    const { alpha, beta, axis } = await browser.evaluate(`(() => {
        const value = (name) => zwang.data.result.columns.find((c) => c.name === name).values[20];
        const disk = zwang.stage.placed[0].shape.object, axis = disk.position.clone().set(0, 0, 1).applyQuaternion(disk.quaternion);
        return { alpha: value("alpha"), beta: value("beta"), axis: axis.toArray() };
    })()`);
    near(axis[0], Math.sin(alpha) * Math.sin(beta), 1e-5, "x of the axis"); // alpha is 16 with seven digits
    near(axis[1], -Math.cos(alpha) * Math.sin(beta), 1e-5, "y of the axis");
    near(axis[2], Math.cos(beta), 1e-5, "z of the axis");
    await setsItsEquations(browser, 5);
    await sketchesWhatIsNotDrawn(browser);
    writeFileSync(join(folder, "still.zw"), 'model still "</script><!-- <b>bold</b>"\ncoord x [m]\nkinetic 1 [kg]*x\'^2\nstart x\' = 1 [m/s]\n');
    run("view", "still.zw", "--until", "1", "--out", "still.html", "--quiet");
    await open(browser, "still.html");
    assert.equal(await browser.evaluate("document.getElementById('title').textContent"), "</script><!-- <b>bold</b>");
    assert.ok((await browser.evaluate("document.getElementById('trouble').textContent")).includes("draws nothing"));
    await quiet(browser, "other pages");
}

/** Long sides are broken, short lines beside them are not, and keep their words. */
function breaksLongLinesOnly() {
    const line = (left, label) => ({ left, relation: "=", right: "0", label }), long = Array(40).fill("x_{1}").join(" + ");
    const rows = (lines) => blockTex(lines).split("\\\\").length;
    assert.equal(rows([line("x", "a"), line(Array(12).fill("\\dot{\\varphi}_{\\mathrm{left}}").join(" + "), "b")]), 2, "long to type, not to read");
    assert.equal(rows([line("x", "a"), line(long, "b")]), 3);
    assert.match(blockTex([line("x", "a"), line(long, "b")]), /& x = 0 && [^&]*\{a\}/);
}

/** Where an element is on the screen: all of it inside the window? */
const inSight = (selector) => `[...document.querySelectorAll(${JSON.stringify(selector)})].map((e) => e.getBoundingClientRect())
    .every((r) => r.width > 0 && r.height > 0 && r.top >= 0 && r.left >= 0 && r.bottom <= innerHeight && r.right <= innerWidth)`;

/** Angles and lengths are plotted, what differs in size has an axis of its own, and all of it is in sight. */
async function plotsWhatIsWorthIt(browser) {
    writeFileSync(join(folder, "slide.zw"), `model slide
param m = 1 [kg], l = 1 [m], far = 100 [m]
coord x, y [m], phi [rad]
let s = (x^2 + y^2 + (x - y)^2 + (x + y)^2 + (x + 2*y)^2 + (2*x + y)^2 + (3*x + y)^2 + (x + 3*y)^2 + (5*x + y)^2)/far^2
kinetic 1/2*m*(x'^2 + y'^2) + 1/2*m*l^2*phi'^2*(1 + s + sin(phi)^2*cos(x/l)^2)
potential m*9.81 [m/s^2]*l*cos(phi) + 1/2*1 [N/m]*y^2
constraint link : x + 40*y = far
constraint cosine : cos(phi) = y/(5*l)
start y = 1 [m], y' = 0.5 [m/s]
`);
    run("view", "slide.zw", "--until", "2", "--out", "slide.html", "--quiet");
    await browser.resize(1280, 720);
    await open(browser, "slide.html");
    const chips = await browser.evaluate("[...document.querySelectorAll('figure')].map((f) => [...f.querySelectorAll('.chip > span:nth-child(2)')].map((c) => c.textContent).join(' '))");
    assert.deepEqual(chips, ["x y", "φ", "kinetic potential energy"]);
    assert.equal(await browser.evaluate("document.querySelectorAll('figure:first-child .u-axis').length"), 3, "x and y have axes of their own");
    assert.deepEqual(await browser.evaluate("[...document.querySelectorAll('figure .axis')].map((a) => a.textContent)"), ["t in s", "t in s", "t in s"]);
    assert.ok(await browser.evaluate(inSight("#timeline > *, figure, figure .uplot, figure .axis")), "nothing is cut at 1280 x 720");
    await setsItsEquations(browser, await browser.evaluate("zwang.data.equations.blocks.length"));
    await quiet(browser, "slide.html");
    for (const [width, height] of [[844, 390], [667, 375], [390, 844]]) {
        await browser.resize(width, height);
        if (process.env.ZWANG_TEST_LONG) await open(browser, "slide.html"); // opened like this, not only made so
        else await browser.evaluate("(scrollTo({ top: 0, behavior: 'instant' }), true)").then(() => browser.settle());
        assert.ok(await browser.evaluate(inSight("#timeline > *, #stage")), `the controls are in sight at ${width} x ${height}`);
        assert.ok(await browser.evaluate("document.documentElement.scrollWidth <= innerWidth"), `nothing sticks out at ${width} x ${height}`);
        await browser.screenshot(join(folder, `slide_${width}.png`));
    }
    await browser.resize(1280, 800);
}

async function isLegibleWhenNarrowAndDark(browser) {
    await browser.evaluate("(zwang.seek(3), scrollTo({ top: 0, behavior: 'instant' }))");
    await browser.prefer("dark");
    await browser.resize(500, 900);
    await browser.settle();
    assert.ok(await browser.evaluate("document.documentElement.scrollWidth <= innerWidth"), "nothing sticks out");
    assert.equal(await browser.evaluate("getComputedStyle(document.body).backgroundColor"), "rgb(23, 25, 28)");
    await browser.screenshot(join(folder, "ball_narrow_dark.png"));
    await browser.prefer("light");
    await browser.resize(1280, 800);
    await quiet(browser, "narrow and dark");
}

/** Contacts: the arrow of a row is the force of its columns, what plays misses no impact, and all of it can be put away. */
async function showsContacts(browser) {
    writeFileSync(join(folder, "bounce.zw"), `model bounce "A ball bounces and comes to roll"
param m = 0.2 [kg], r = 0.1 [m], mu = 0.05, e = 0.6
coord x, y, z [m]
rotation turn
body ball : turn at (x, y, z), sphere(m, r)
gravity 9.81 [m/s^2] along -z
contact floor : sphere ball radius r on plane, law newton(e) + coulomb(mu)
contact lid : gap 3 [m] - z
start z = 0.3 [m], x' = 3 [m/s]
`);
    run("run", "bounce.zw", "--contacts", "moreau", "--until", "3", "--step-out", "0.01", "--out", "bounce.csv", "--quiet");
    run("view", "bounce.csv", "--out", "bounce.html", "--quiet");
    const csv = readCsv(join(folder, "bounce.csv")), t = csv.column("t"), x = csv.column("x"), z = csv.column("z");
    const N = csv.column("lambda(floor)"), T = ["lambda(floor.1)", "lambda(floor.2)"].map(csv.column), status = csv.column("status(floor)");
    await open(browser, "bounce.html");
    const now = () => browser.evaluate("zwang.stage.contacts.now[0]");
    const impact = N.findIndex((n) => n > 20), slips = status.indexOf(2), sticks = status.lastIndexOf(1);
    assert.ok(impact > 0 && slips > 0 && sticks > 0, "the ball bounces, slips and rolls");
    for (const row of [1, impact, slips, sticks, t.length - 1]) {
        await browser.evaluate(`zwang.seek(${t[row]})`);
        const c = await now(), size = Math.hypot(...c.force);
        near(size, Math.hypot(N[row], T[0][row], T[1][row]), 1e-5 * (1 + N[row]), `the force in row ${row}`);
        near(c.force[2], N[row], 1e-5 * (1 + N[row]), `its normal part in row ${row}`);
        near(c.at[0], x[row], 1e-6, `where it is in row ${row}`);
        near(c.at[2], z[row] - 0.1, 1e-6, `how high in row ${row}`);
        assert.equal(c.state, status[row] === 0 && N[row] > 0 ? 4 : status[row], `the state in row ${row}`);
    }
    // the arrow is drawn where the scale says: in the colour of its state, from the point to its end
    await browser.evaluate(`zwang.seek(${t[sticks]})`);
    await browser.settle();
    const arrow = `(() => {
        const { contacts, camera, parent } = zwang.stage, c = contacts.now[0], { end } = contacts.end(c), pen = contacts.canvas.getContext("2d");
        const ratio = contacts.canvas.width / parent.clientWidth, at = end.clone().set(...c.at);
        const colours = [0, 0.6, 1.2].map((part) => {
            const p = at.clone().lerp(end, part).project(camera);
            const x = Math.round(ratio * (p.x + 1) / 2 * parent.clientWidth), y = Math.round(ratio * (1 - p.y) / 2 * parent.clientHeight);
            return [...pen.getImageData(x, y, 1, 1).data].join();
        });
        return { colours, length: at.distanceTo(end), force: Math.hypot(...c.force), perNewton: contacts.style.perNewton };
    })()`;
    const { colours, length, force, perNewton } = await browser.evaluate(arrow);
    near(length, force * perNewton, 1e-6 * length, "the length of the arrow");
    assert.deepEqual(colours, ["0,121,140,255", "0,121,140,255", "0,0,0,0"], "mark, arrow, nothing behind it");
    const [, a, b] = /^([\d.]+) cm = ([\d.]+) N$/.exec(await browser.evaluate("zwang.data.stage.forces.key")) ?? [];
    near(b / (a / 100) * perNewton, 1, 1e-6, "the scale as it is told");
    const legend = await browser.evaluate("[...document.querySelectorAll('#legend span')].map((s) => s.textContent)");
    assert.deepEqual(legend.slice(0, 3), ["sticks", "slips", "open again"]);
    assert.ok(legend[3].includes(" = ") && legend[4].startsWith("more than "), legend.join());
    assert.ok(await browser.evaluate(inSight("#legend span, #forces")), "the legend is in sight");
    assert.equal(await browser.evaluate("document.getElementById('trouble').textContent"), "the model does not say where the contact lid is: at POINT");
    const plotted = await browser.evaluate("[...document.querySelectorAll('figure')].map((f) => [...f.querySelectorAll('.chip > span:nth-child(2)')].map((c) => c.textContent).join(' '))");
    assert.ok(plotted[1].startsWith("λ(floor)"), `forces are plotted, not bookkeeping: ${plotted}`);
    await browser.screenshot(join(folder, "bounce.png"));
    // frames of any length have all of the impulse
    const impulse = N.reduce((sum, n, i) => sum + (i ? n * (t[i] - t[i - 1]) : 0), 0);
    const shown = await browser.evaluate(`(() => {
        const { contacts } = zwang.stage, floor = contacts.list[0];
        return [0.004, 1 / 60, 0.07].map((step) => {
            let sum = 0;
            for (let from = 0; from < 3; from += step) {
                const until = Math.min(from + step, 3);
                sum += contacts.at(floor, until, until - from).force[2] * (until - from);
            }
            return sum;
        });
    })()`);
    for (const sum of shown) near(sum, impulse, 1e-5 * impulse, "the impulse of all frames");
    // the switch, and its key
    const inked = "zwang.stage.contacts.canvas.getContext('2d').getImageData(0, 0, 3000, 3000).data.some((v) => v > 0)";
    assert.equal(await browser.evaluate(inked), true);
    await browser.evaluate("document.getElementById('forces').click()");
    await browser.settle();
    assert.equal(await browser.evaluate(inked), false, "nothing is drawn of contacts");
    assert.equal(await browser.evaluate("getComputedStyle(document.getElementById('legend')).display"), "none");
    await browser.press("k");
    await browser.settle();
    assert.equal(await browser.evaluate(inked), true, "and all of it again");
    // dark paper has colours of its own
    await browser.prefer("dark");
    await browser.settle();
    assert.equal((await browser.evaluate(arrow)).colours[1], "63,182,201,255", "on dark paper");
    await browser.screenshot(join(folder, "bounce_dark.png"));
    await browser.prefer("light");
    await quiet(browser, "bounce.html");
    await showsImpulses(browser);
}

/** A run from event to event has its impacts as impulses beside the forces. */
async function showsImpulses(browser) {
    run("run", "bounce.zw", "--contacts", "events", "--until", "0.6", "--step-out", "0.01", "--out", "hits.csv", "--quiet");
    run("view", "hits.csv", "--out", "hits.html", "--quiet");
    const csv = readCsv(join(folder, "hits.csv")), t = csv.column("t"), P = csv.column("impulse(floor)"), hit = P.findIndex((p) => p > 0);
    await open(browser, "hits.html", `#t=${t[hit]}`);
    const shown = await browser.evaluate(`(() => {
        const { contacts } = zwang.stage, at = (t, frame) => contacts.at(contacts.list[0], t, frame);
        return { row: at(zwang.data.time[${hit}], 0), frame: at(${t[hit] + 0.003}, 0.02), before: at(${t[hit] - 0.003}, 0.02) };
    })()`);
    near(shown.row.force[2], P[hit] / (t[t.length - 1] / (t.length - 1)), 1e-4 * P[hit], "the impulse in the time of a row");
    near(shown.frame.force[2], P[hit] / 0.02, 1e-4 * P[hit] / 0.02, "the impulse in the time of a frame");
    assert.equal(shown.frame.state, 4, "it has opened again");
    near(shown.before.force[2], 0, 0, "nothing before");
    await quiet(browser, "hits.html");
}

/** A result whose every text is HTML: all of it is shown as it stands, and nothing of it becomes part of the page. */
async function showsHostileTexts(browser) {
    const bad = (mark) => `<img src=x onerror=stolen=${mark}><script>stolen=${mark}</script>`, title = bad("title");
    writeFileSync(join(folder, "hostile.zw"), `model hostile "${title}"\n# ${bad("text")}\ncoord x [m]\nparam m = 1 [kg]\n` +
        "kinetic 1/2*m*x'^2\nstart x' = 1 [m/s]\ndraw sphere(0.1 [m]) at (x, 0 [m], 0 [m])\n");
    run("run", "hostile.zw", "--until", "1", "--step-out", "0.5", "--out", "hostile.csv", "--quiet");
    const lines = readFileSync(join(folder, "hostile.csv"), "utf8").split("\n").filter((l) => !l.startsWith("# checksum"));
    const head = lines.findIndex((l) => l.startsWith("t[s]")), end = lines.length - 1;
    for (let i = head + 1; i < end; i++) lines[i] += ",1e-9,2";
    lines[head] = lines[head].replace(",x[m]", `,"x[${bad("unit")}]"`) + `,"${bad("name")}[x]",constructor_constructor[__proto__]`;
    lines.splice(head, 0, `# ${bad("key")}: ${bad("value")}`, `# param ${bad("parameter")}: 1e-9 ${bad("of")}`, "# param constructor: 1");
    const notes = lines.map((l) => l.replace(/^# (method): .*/, (_, key) => `# ${key}: ${bad(key)}`));
    writeFileSync(join(folder, "hostile.csv"), notes.join("\n"));
    run("view", "hostile.csv", "--out", "hostile.html", "--quiet");
    // what is safe without the policy does not live by it
    const page = readFileSync(join(folder, "hostile.html"), "utf8"), policy = /<meta http-equiv="Content-Security-Policy"[^>]*>/;
    assert.match(page, policy);
    writeFileSync(join(folder, "hostile_bare.html"), page.replace(policy, ""));
    for (const name of ["hostile_bare.html", "hostile.html"]) {
        await open(browser, name);
        await browser.evaluate("(() => { for (let s; (s = [...document.querySelectorAll('figure select')].find((s) => s.options.length > 1));) " +
            "{ s.value = s.options[1].value; s.dispatchEvent(new Event('change')); if (document.querySelectorAll('.chip').length > 20) break; } })()");
        await browser.evaluate("zwang.seek(0.5)");
        await setsItsEquations(browser, await browser.evaluate("zwang.data.equations.blocks.length"));
        await browser.settle();
        assert.equal(await browser.evaluate("typeof stolen"), "undefined", `${name}: nothing of the texts ran`);
        assert.equal(await browser.evaluate("document.querySelectorAll('img, script:not(#data)').length"), 1, `${name}: no elements from texts`);
        const shown = await browser.evaluate("document.body.innerText + document.querySelector('#model pre').textContent");
        for (const mark of ["title", "text", "unit", "name", "key", "value", "parameter", "of", "method"])
            assert.ok(shown.replaceAll("\u2032", "'").includes(`onerror=stolen=${mark}>`), `${name}: the ${mark} is shown as it stands`);
        assert.ok(!shown.includes("native code"), `${name}: names are no keys of objects`);
        await quiet(browser, name);
    }
    // and the policy alone keeps what would be put in by mistake
    await browser.evaluate(`new Promise((done) => {
        addEventListener("securitypolicyviolation", () => setTimeout(done, 50));
        document.body.insertAdjacentHTML("beforeend", "<img src='data:,' onerror='globalThis.stolen = 1'>");
    })`);
    assert.equal(await browser.evaluate("typeof stolen"), "undefined", "the policy keeps handlers from running");
    assert.ok((await browser.log()).some((entry) => /Content Security Policy/.test(entry.message)));
}

/** Where there is no browser to talk to, what is missing is said in one line. */
async function sayWhatIsMissing(fault) {
    console.error(`the browser does not start: ${fault.message}`);
    const found = await lookup("localhost").catch(() => null);
    if (!found) console.error("localhost has no address here, and chromedriver needs it: /etc/hosts wants a line '127.0.0.1 localhost'");
    process.exit(found ? 1 : 77);
}

breaksLongLinesOnly();
const browser = await Browser.open().catch(sayWhatIsMissing);
try {
    await showsTheResult(browser);
    await obeysKeysAndAddress(browser);
    await isLegibleWhenNarrowAndDark(browser);
    await showsAMode(browser);
    await showsContacts(browser);
    await drawsOtherThings(browser);
    await plotsWhatIsWorthIt(browser);
    await showsHostileTexts(browser);
    await showsABranch(browser, { run, models, folder, readCsv, near, open, quiet, pixels });
    await showsManyMotions(browser, { zwang, run, folder, near, open, quiet });
} finally {
    await browser.close();
}
console.log(`the pages do what they should${process.env.ZWANG_TEST_LONG ? `; screenshots are in ${folder}` : ""}`);
