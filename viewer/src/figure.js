// SPDX-License-Identifier: MIT
// A figure: the panels that `zwang plot` draws of a result. The wheel comes nearer, dragging moves or turns; the row that is nearest to the mouse is told with all its values, in every panel that
// shows it; what was found stands beside it. What a panel is, curve by curve, the data say: nothing here knows of kinds of results.
import { Chart } from "./chart.js";
import { paperColour } from "./ink.js";
import { element, nameNodes, numberNodes, pieceNodes, pieceText, unitText } from "./labels.js";
import { signAt, svg } from "./plane.js";
import { Space } from "./space.js";

const LONG = 240; // letters of a note; all of them stand below
const STEP = 1.25, MOVED = 4, NEAR = 60, PER_POINT = 1.5; // of a notch of the wheel; pixels from which on a press is no click, up to which a row is near

/** Notes on where a result comes from, which stand below, and words for the picture. */
const aside = /^(zwang|kind|model|file|text|variant|set|principle|method|on|off|command|parts|drawn|doubts|map|plan|param .*|part .*|orbit .*|mark \d+)$/;

/** What a sign or line of the legend looks like. */
function sampleOf(draw) {
    const root = svg("svg", { class: "sample", viewBox: "0 0 22 12", "aria-hidden": "true" });
    root.append(...[draw].flat());
    return root;
}

function curveSample(curve) {
    const colour = paperColour(curve.colour), dash = curve.dash.map((v) => PER_POINT * v).join(" ");
    if (curve.look === "band" || curve.look === "mesh") return sampleOf(svg("rect", { x: 1, y: 2, width: 20, height: 8, fill: colour, opacity: 0.4 }));
    if (curve.look === "line") return sampleOf(svg("line", { x1: 0, x2: 22, y1: 6, y2: 6, stroke: colour, "stroke-width": 1.8, "stroke-dasharray": dash || "none" }));
    const sign = signAt(curve.look === "signs" ? curve.shape : curve.look === "circles" ? "ring" : "disc", 11, 6);
    sign.setAttribute("fill", curve.look === "circles" ? "none" : colour);
    sign.setAttribute("stroke", colour);
    return sampleOf(sign);
}

/** The curves of a panel with their numbers. */
function readCurves(panel, tables) {
    for (const curve of panel.curves) {
        const { columns } = tables[curve.table], get = (k) => (k >= 0 ? columns[k].values : null);
        Object.assign(curve, { xs: get(curve.x), ys: get(curve.y), zs: get(curve.z), solidValues: get(curve.solid), edge: get(curve.band), hidden: false, column: columns[curve.z >= 0 ? curve.z : curve.y] });
    }
}

class Panel {
    /** @param figure is told what the mouse is near to */
    constructor(parent, panel, figure) {
        Object.assign(this, { panel, figure });
        this.head = document.createElement("figcaption");
        this.body = element("div");
        this.body.className = "body";
        this.body.tabIndex = 0;
        this.body.setAttribute("role", "application");
        this.body.setAttribute("aria-label", `${this.nameOf()}: arrow keys go from row to row, plus and minus nearer and away, 0 shows all`);
        this.body.title = panel.space ? "Drag turns it, with shift it moves; wheel: nearer; double click: as it was"
            : "Wheel: nearer (beside the frame only one axis); drag moves, with shift it frames; double click: all; click: the row stays";
        this.root = element("figure", this.head, this.body);
        this.root.classList.toggle("over", Boolean(panel.map));
        parent.append(this.root);
        this.caption();
        this.view = panel.space ? new Space(this.body, panel, figure.data.figure) : new Chart(this.body, panel);
        if (!panel.space) this.labelX();
        this.bind();
        this.tellHome();
    }

    nameOf() {
        const [x, y] = this.panel.axes.map((a) => pieceText(a.label));
        return `${y} over ${x}`;
    }

    labelX() {
        const axis = element("span", ...pieceNodes(this.panel.axes[0].label));
        axis.className = "axis";
        this.root.append(axis);
        this.view.plane.tail = axis;
        this.view.draw();
    }

    /* ---- what stands above ---- */

    caption() {
        const { panel } = this, up = element("span", ...pieceNodes(panel.title ?? (panel.space ? null : panel.axes[1].label)));
        up.className = "up";
        this.reset = element("button", "All");
        this.reset.title = panel.space ? "From where it was seen at first" : "All of it again (0, or a double click)";
        this.reset.addEventListener("click", () => this.all());
        const tail = element("span");
        tail.className = "tail";
        if (!panel.space && panel.axes[2]) tail.append(...pieceNodes(panel.axes[2].label));
        tail.append(this.reset);
        this.head.replaceChildren(up, ...this.entries(), tail);
    }

    /** The legend: curves that are drawn alike are one entry, and so are marks of a kind. */
    entries() {
        const { panel } = this, { curves } = panel, root = (c) => (c.like >= 0 ? root(curves[c.like]) : c);
        const lines = curves.filter((c) => c.look !== "map"), one = lines.length === 1 && !panel.map;
        const told = lines.filter((c) => c.label && (!one || c.named)), made = told.map((c) => this.entry(curveSample(c), [...pieceNodes(c.label), panel.axes[2] && !panel.space ? (c.right ? " (right)" : " (left)") : ""],
            (hidden) => curves.filter((o) => o === c || (root(o) === root(c) && !told.includes(o))).forEach((o) => { o.hidden = hidden; })));
        const kinds = new Map(panel.marks.filter((m) => m.label).map((m) => [pieceText(m.label), m]));
        for (const [name, m] of kinds) {
            made.push(this.entry(sampleOf(svg("g", { class: "mark" }, signAt(m.shape, 11, 6))), pieceNodes(m.label), (hidden) => (hidden ? this.view.hiddenMarks.add(name) : this.view.hiddenMarks.delete(name))));
        }
        const part = (label, dash) => this.said(sampleOf(svg("line", { x1: 0, x2: 22, y1: 6, y2: 6, class: "part", "stroke-dasharray": dash.map((v) => PER_POINT * v).join(" ") })), pieceNodes(label));
        const some = (test) => curves.some((c) => c.solidValues && c.solidValues.some(test));
        if (panel.dashed && some((v) => v === 0)) made.push(part(panel.dashed, panel.dashes));
        if (panel.undecided && curves.some((c) => c.solidValues && c.look === "line" && c.solidValues.some((v, i) => Number.isNaN(v) && Number.isFinite(c.xs[i]) && Number.isFinite(c.ys[i])))) made.push(part(panel.undecided, panel.dots));
        if (panel.map) made.push(...this.colours());
        else if (panel.bar) made.push(this.strip());
        return made;
    }

    entry(sample, name, hide) {
        const chip = element("button", sample, element("span", ...name));
        chip.className = "entry";
        chip.title = "Show or hide it";
        chip.setAttribute("aria-pressed", "true");
        chip.addEventListener("click", () => {
            const hidden = chip.getAttribute("aria-pressed") === "true";
            chip.setAttribute("aria-pressed", String(!hidden));
            hide(hidden);
            this.view.draw();
        });
        return chip;
    }

    said(sample, name) {
        const made = element("span", sample, element("span", ...name));
        made.className = "entry";
        return made;
    }

    colours() {
        const { map, bar } = this.panel, box = (rgb) => sampleOf(svg("rect", { x: 1, y: 1, width: 20, height: 10, fill: `rgb(${rgb.join(" ")})`, class: "cell" }));
        const made = map.classes.filter((c) => c.label).map((c) => this.said(box(c.colour), pieceNodes(c.label)));
        if (map.nothing) made.push(this.said(box(map.grey), pieceNodes(map.nothing)));
        return bar ? [...made, this.strip()] : made;
    }

    strip() {
        const { bar } = this.panel, strip = element("i");
        strip.className = "strip";
        strip.style.background = `linear-gradient(to right, ${bar.strip.map((c) => `rgb(${c.join(" ")})`).join(", ")})`;
        const made = element("span", ...pieceNodes(bar.label), " ", ...numberNodes(bar.low, 4), strip, ...numberNodes(bar.high, 4));
        made.className = "entry";
        return made;
    }

    /* ---- moving about ---- */

    tellHome() {
        this.reset.disabled = this.view.home;
    }

    all() {
        this.view.reset();
        this.tellHome();
    }

    zoom(factor, left = this.body.clientWidth / 2, top = this.body.clientHeight / 2) {
        this.view.zoom(factor, left, top);
        this.tellHome();
    }

    at(event) {
        const box = this.body.getBoundingClientRect();
        return [event.clientX - box.left, event.clientY - box.top];
    }

    bind() {
        const { body } = this;
        let press = null;
        body.addEventListener("wheel", (event) => {
            event.preventDefault();
            this.zoom(event.deltaY < 0 ? 1 / STEP : STEP, ...this.at(event));
        }, { passive: false });
        body.addEventListener("pointerdown", (event) => {
            body.setPointerCapture(event.pointerId);
            press = { from: this.at(event), before: this.view.begin(), framing: event.shiftKey, moved: false };
        });
        body.addEventListener("pointermove", (event) => {
            const at = this.at(event);
            if (press && event.buttons) this.drag(press, at);
            else this.figure.hover(this, at);
        });
        body.addEventListener("pointerup", (event) => {
            const done = press, at = this.at(event);
            press = null;
            if (!done) return;
            this.box?.remove();
            if (!done.moved) this.figure.pin(this, at);
            else if (done.framing && !this.panel.space && Math.abs(at[0] - done.from[0]) > MOVED && Math.abs(at[1] - done.from[1]) > MOVED) this.view.frame(done.from, at);
            this.tellHome();
        });
        body.addEventListener("pointercancel", () => {
            press = null;
            this.box?.remove();
        });
        body.addEventListener("dblclick", () => this.all());
        this.bindKeys();
    }

    drag(press, at) {
        const dx = at[0] - press.from[0], dy = at[1] - press.from[1];
        press.moved ||= Math.hypot(dx, dy) > MOVED;
        if (!press.moved) return;
        if (!press.framing) this.view.pan(dx, dy, press.before);
        else if (this.panel.space) {
            this.view.frame(press.last ?? press.from, at);
            press.last = at;
        } else this.drawBox(press.from, at);
        this.tellHome();
    }

    drawBox(from, to) {
        this.box ??= Object.assign(element("div"), { className: "framed" });
        this.body.append(this.box);
        Object.assign(this.box.style, { left: `${Math.min(from[0], to[0])}px`, top: `${Math.min(from[1], to[1])}px`, width: `${Math.abs(from[0] - to[0])}px`, height: `${Math.abs(from[1] - to[1])}px` });
    }

    bindKeys() {
        const step = (by) => () => this.figure.step(this, by);
        const keys = { "+": () => this.zoom(1 / STEP), "-": () => this.zoom(STEP), 0: () => this.all(), Escape: () => this.figure.release(),
            ArrowRight: step(1), ArrowLeft: step(-1), ArrowUp: step(1), ArrowDown: step(-1), PageUp: step(10), PageDown: step(-10) };
        this.body.addEventListener("keydown", (event) => {
            if (event.ctrlKey || event.metaKey || event.altKey || !Object.hasOwn(keys, event.key)) return;
            event.preventDefault();
            event.stopPropagation(); // elsewhere arrows move the time
            keys[event.key]();
        });
    }
}

export class Figure {
    constructor(data) {
        const { panels, tables, columns } = data.figure, main = document.querySelector("main");
        Object.assign(this, { data, tables, pinned: false, chosen: null });
        const parts = document.getElementById("figure-parts").content;
        if (data.result) main.after(parts);
        else main.append(parts);
        this.root = document.getElementById("figure");
        const room = document.getElementById("panels");
        room.style.setProperty("--columns", columns);
        this.root.classList.toggle("tall", Math.ceil(panels.length / columns) > 3);
        for (const panel of panels) readCurves(panel, tables);
        this.panels = panels.map((panel) => new Panel(room, panel, this));
        this.tellFound();
        this.tellRow();
        this.bindFile();
        matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.panels.forEach((p) => {
            p.caption();
            p.panel.curves.forEach((c) => { c.hidden = false; });
            p.view.hiddenMarks.clear();
            p.view.draw();
            p.tellHome();
        }));
    }

    /* ---- the row that is told ---- */

    hover(panel, at) {
        if (this.pinned) return;
        const found = panel.view.nearest(...at);
        if (found && found.away <= NEAR) this.choose(panel, found.curve, found.row);
    }

    /** A click lets the row stay, another one lets it go. */
    pin(panel, at) {
        const found = panel.view.nearest(...at), near = found && found.away <= NEAR;
        const again = this.pinned && near && this.chosen?.curve === found.curve && this.chosen.row === found.row;
        this.pinned = Boolean(near) && !again;
        if (near) this.choose(panel, found.curve, found.row);
    }

    release() {
        this.pinned = false;
        this.tellRow();
    }

    step(panel, by) {
        const shown = panel.panel.curves.filter((c) => !c.hidden), now = this.chosen?.panel === panel ? this.chosen : null;
        if (!shown.length) return;
        const curve = now?.curve ?? shown[0], last = curve.xs.length - 1, is = (row) => Number.isFinite(curve.xs[row]) && Number.isFinite(curve.ys[row]);
        let row = Math.min(Math.max((now?.row ?? (by > 0 ? -1 : last + 1)) + by, 0), last);
        while (!is(row) && row + Math.sign(by) >= 0 && row + Math.sign(by) <= last) row += Math.sign(by);
        this.pinned = true;
        this.choose(panel, curve, row);
    }

    choose(panel, curve, row) {
        this.chosen = { panel, curve, row };
        for (const p of this.panels) {
            const same = p.panel.curves.filter((c) => c.table === curve.table && c.look !== "map").map((c) => ({ curve: c, row, chosen: c === curve }));
            p.view.setCursor(panel.panel.map && p === panel ? [{ curve, row, chosen: true }, ...same] : same);
        }
        this.tellRow();
    }

    tellRow() {
        const told = document.getElementById("row-told"), place = document.getElementById("row");
        if (!this.chosen) {
            told.textContent = "The row under the mouse is told here; a click lets it stay.";
            return;
        }
        const { panel, curve, row } = this.chosen, table = this.tables[curve.table];
        const called = curve.label ? pieceNodes(curve.label) : nameNodes(curve.column.name);
        told.replaceChildren(...called, this.pinned ? ", this row stays until Esc or a click" : "");
        const axes = [curve.x, curve.y, curve.z], lines = [...axes.filter((k) => k >= 0), ...table.order.filter((k) => !axes.includes(k))].map((k) => {
            const { name: what, unit, values } = table.columns[k], axis = axes.indexOf(k);
            // what was drawn over a map has names that say nothing: there the axes tell
            const name = table.own || axis < 0 ? nameNodes(what) : pieceNodes(panel.panel.axes[axis === 1 && curve.right ? 2 : axis].label);
            const line = element("tr", element("th", ...name), element("td", ...numberNodes(values[row], values instanceof Float32Array ? 7 : 9)), element("td", table.own ? unitText(unit) : ""));
            if (axis >= 0) line.className = "axis-value";
            return line;
        });
        place.replaceChildren(element("table", element("tbody", ...lines)));
    }

    /* ---- what was found ---- */

    tellFound() {
        const place = document.getElementById("found"), { notes } = this.data, made = [];
        const doubts = (notes.get("doubts") ?? "none").split("\n").map((line) => line.split("\t")[0]).filter((line) => line && line !== "none");
        document.getElementById("doubts").replaceChildren(...doubts.map((doubt) => element("p", `doubtful: ${doubt}`)));
        if (notes.get("kind")) made.push(element("h3", notes.get("kind")));
        const marks = this.marks();
        if (marks) made.push(marks);
        const rows = [...notes].filter(([key, value]) => !aside.test(key) && value !== "").map(([key, value]) => element("tr", element("th", key), element("td", value.length > LONG ? `${value.slice(0, LONG)} …` : value)));
        if (rows.length) made.push(element("table", element("tbody", ...rows)));
        const kept = this.tables.reduce((n, t) => n + t.rows, 0), all = this.tables.reduce((n, t) => n + t.of, 0);
        if (kept < all) made.push(element("p", `The table is long: ${kept} of its ${all} rows are in this page.`));
        place.replaceChildren(...made);
    }

    /** Marks of the panels by their names; a click shows where they are. */
    marks() {
        const seen = new Map();
        for (const panel of this.panels.filter((p) => !p.panel.space)) {
            for (const m of panel.panel.marks) {
                const key = `${pieceText(m.label)} ${m.x}`; // on every curve there is one
                if (!seen.has(key) || (m.text && !seen.get(key).m.text)) seen.set(key, { panel, m });
            }
        }
        if (!seen.size) return null;
        const lines = [...seen.values()].slice(0, 60).map(({ panel, m }) => {
            const name = pieceNodes(m.label ?? m.text), axis = panel.panel.axes[0];
            const button = element("button", ...name, ...(m.label && m.text ? [" ", ...pieceNodes(m.text)] : []));
            button.title = "The row that is nearest to it";
            button.addEventListener("click", () => {
                const at = [panel.view.plane.px(m.x), panel.view.plane.py(m.y, m.right)], found = panel.view.nearest(...at);
                this.pinned = true;
                if (found) this.choose(panel, found.curve, found.row);
            });
            return element("tr", element("th", button), element("td", ...pieceNodes(axis.label), " ", ...numberNodes(m.x, 9)));
        });
        return element("table", element("tbody", ...lines));
    }

    /* ---- the figure as a file ---- */

    bindFile() {
        const { svg: file } = this.data.figure, name = `${(this.data.name || "figure").replace(/[^\w.-]+/g, "_")}.svg`;
        document.querySelector("#taking span").textContent = ` the figure as a file, ${Math.ceil(file.length / 1000)} kB`;
        document.getElementById("svg").addEventListener("click", () => {
            const link = document.createElement("a"), address = URL.createObjectURL(new Blob([file], { type: "image/svg+xml" }));
            Object.assign(link, { href: address, download: name });
            link.click();
            setTimeout(() => URL.revokeObjectURL(address), 10000);
        });
    }
}
