// SPDX-License-Identifier: MIT
// A branch of orbits as a page: a click on its diagram shows that orbit, its multipliers and what moves in it.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const told = "document.getElementById('orbit-told').textContent";

/** What the page shows of the orbit that is chosen. */
const shown = `(() => {
    const { branch, timeline, stage } = zwang, { orbit } = branch;
    return { row: orbit.row, period: timeline.last, re: orbit.re, im: orbit.im, list: document.querySelector("#multipliers .list").textContent,
        outside: document.querySelectorAll("#multipliers .cursor .outside").length, dots: document.querySelectorAll("#multipliers .cursor circle").length, cursor: document.querySelectorAll("#diagram .cursor circle").length,
        curve: document.querySelector("#portrait .curves path:last-child").getAttribute("d"),
        place: stage.placed[0].shape.object.position.toArray(), first: [1, 2, 3].map((i) => orbit.result.columns[i].values[0]),
        told: ${told}, now: document.querySelector("#diagram .body").getAttribute("aria-valuetext") };
})()`;

export async function showsABranch(browser, { run, models, folder, readCsv, near, open, quiet, pixels }) {
    run("orbit", join(models, "lorenz.zw"), "--set", "x=8", "--set", "y=8", "--set", "z=23", "--over", "rho=14:25", "--from", "hopf", "--out", "branch.csv");
    run("view", "branch.csv", "--out", "branch.html", "--quiet");
    const csv = readCsv(join(folder, "branch.csv")), rho = csv.column("rho"), period = csv.column("period"), multiplier = csv.column("multiplier"), max = csv.column("max(x)");
    await open(browser, "branch.html");
    assert.equal(await browser.evaluate("zwang.branch.orbits.length"), rho.filter(Number.isFinite).length);

    const seen = [];
    for (const row of [10, 40]) {
        // as a reader does: click on the curve
        const [left, top] = await browser.evaluate(`(() => {
            const { diagram } = zwang.branch, box = diagram.root.getBoundingClientRect();
            return [box.left + diagram.px(${rho[row]}), box.top + diagram.py(${max[row]})];
        })()`);
        await browser.click(left, top);
        await browser.settle();
        const now = await browser.evaluate(shown);
        assert.equal(now.row, row, "the orbit under the mouse");
        near(now.period, period[row], 1e-12 * period[row], "one period is shown");
        assert.ok(now.told.includes(String(Number(rho[row].toPrecision(9)))) && now.told.includes("unstable"), now.told);
        assert.equal(now.now, now.told, "who does not see it is told, too");
        assert.equal(now.dots, 3, "its multipliers");
        assert.equal(now.outside, csv.column("outside")[row], "those outside have a colour of their own");
        assert.equal(now.cursor, 2, "where it is on both curves");
        near(Math.max(...now.re.map((v, i) => Math.hypot(v, now.im[i]))), multiplier[row], 1e-12 * multiplier[row], "the largest one");
        // volumes shrink by exp(-(sigma + 1 + beta) t), and one multiplier is 1
        const [product] = now.re.reduce(([a, b], v, i) => [a * v - b * now.im[i], a * now.im[i] + b * v], [1, 0]), exact = Math.exp(-(10 + 1 + 8 / 3) * period[row]);
        near(product / exact, 1, 1e-3, "the product of the multipliers");
        near(Math.min(...now.re.map((v, i) => Math.hypot(v - 1, now.im[i]))), 0, 1e-5, "the one that is 1");
        for (let i = 0; i < 3; i++) near(now.place[i], now.first[i], 1e-5, "what moves begins where the orbit does");
        seen.push(now);
    }
    for (const part of ["period", "list", "curve", "place", "told"]) assert.notDeepEqual(seen[0][part], seen[1][part], `another orbit has another ${part}`);
    const { drawn, colours } = await browser.evaluate(pixels);
    assert.ok(drawn > 0.05 && colours > 20, `the bodies are drawn (${drawn}, ${colours})`);
    await browser.screenshot(join(folder, "branch.png"));

    // by keys: on the diagram arrows go from orbit to orbit, elsewhere n and p do, and arrows move the time
    await browser.evaluate("document.querySelector('#diagram .body').focus()");
    await browser.press("\uE014"); // right
    assert.equal((await browser.evaluate(shown)).row, 41);
    await browser.press("\uE010"); // end
    assert.equal((await browser.evaluate(shown)).row, rho.length - 1);
    await browser.evaluate("document.activeElement.blur()");
    await browser.press("p");
    assert.equal((await browser.evaluate(shown)).row, rho.length - 2);
    const before = await browser.evaluate("zwang.timeline.now");
    await browser.press("\uE014");
    assert.ok(await browser.evaluate("zwang.timeline.now") > before, "elsewhere it is the time that moves");
    assert.equal((await browser.evaluate(shown)).row, rho.length - 2);

    // another measure
    const y = await browser.evaluate(`(() => {
        const s = document.querySelector("#diagram select");
        s.value = [...s.options].find((o) => o.text === "period").value;
        s.dispatchEvent(new Event("change"));
        return zwang.branch.diagram.cursor.map((c) => c.y);
    })()`);
    assert.deepEqual(y, [period[rho.length - 2]]);

    // it plays round and round
    await browser.evaluate("(zwang.seek(zwang.timeline.last * 0.999), zwang.timeline.speed = 5, zwang.timeline.play(), new Promise((done) => setTimeout(done, 400)))");
    assert.equal(await browser.evaluate("zwang.timeline.playing"), true);
    await browser.evaluate("zwang.timeline.pause()");
    await quiet(browser, "branch.html");
    await showsHostileBranch(browser, { run, folder, open, quiet });
}

/** Names and labels of a branch are texts. */
async function showsHostileBranch(browser, { run, folder, open, quiet }) {
    const bad = "<img src=x onerror=stolen=1>";
    const text = readFileSync(join(folder, "branch.csv"), "utf8").replace(/^# checksum: .*\n/m, "").replace("rms(x)", bad).replace(/^# model: .*$/m, `# model: ${bad}\n# mark 0: ${bad.replaceAll(" ", "_")} 20 #5 ; ${bad}`);
    writeFileSync(join(folder, "hostile_branch.csv"), text);
    run("view", "hostile_branch.csv", "--out", "hostile_branch.html", "--quiet");
    await open(browser, "hostile_branch.html");
    await browser.evaluate("document.querySelectorAll('#diagram select option').forEach((o, i) => { const s = o.parentElement; s.value = String(i); s.dispatchEvent(new Event('change')); })");
    await browser.settle();
    assert.equal(await browser.evaluate("typeof stolen"), "undefined", "nothing of the texts ran");
    assert.equal(await browser.evaluate("document.querySelectorAll('img').length"), 0);
    assert.ok((await browser.evaluate("document.querySelector('#diagram').textContent")).includes(bad), "the name is shown as it stands");
    await quiet(browser, "hostile_branch.html");
}
