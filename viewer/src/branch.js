// SPDX-License-Identifier: MIT
// A branch of orbits: its diagram, in which a click or an arrow key chooses an orbit; the orbit in the plane of two of its quantities, among others of the branch, and
// its multipliers beside the unit circle.
import { between, locate } from "./data.js";
import { element, nameNodes, numberNodes, unitText } from "./labels.js";
import { Plane, extent } from "./plane.js";

const SHADES = 24; // orbits in the background
const TINY = 1e-12; // what is smaller is less than the digits of the others tell
const FAR = 10;    // multipliers so large are told in words, not shown
const ASIDE = new Set(["curve", "intervals", "error", "stable", "outside"]);

const shapeOf = new Map(Object.entries({ fold: "disc", branch: "square", "period-doubling": "triangle", "neimark-sacker": "diamond", hopf: "disc" }));
const letters = new Map(Object.entries({ fold: "LP", branch: "BP", "period-doubling": "PD", "neimark-sacker": "NS", hopf: "HB" }));

/** The notes "mark N: KIND VALUE #ROW ; LABEL" of the table. */
function readMarks(notes) {
    const count = new Map();
    return notes.filter(([key]) => /^mark \d+$/.test(key)).flatMap(([, text]) => {
        const [, kind, row] = /^(\S+) \S+ #(\d+)/.exec(text) ?? [];
        if (!kind) return [];
        count.set(kind, (count.get(kind) ?? 0) + 1);
        const label = /;\s*([A-Z]+\d+)\b/.exec(text)?.[1] ?? (letters.has(kind) ? `${letters.get(kind)}${count.get(kind)}` : kind);
        return [{ kind, row: Number(row), label }];
    });
}

/** What the diagram can show: max and min of a quantity as one thing, and every other column. */
function measuresOf(columns) {
    const find = (name) => columns.findIndex((c) => c.name === name), made = [];
    columns.forEach((column, i) => {
        const of = /^(max|min)\((.*)\)$/.exec(column.name);
        if (i === 0 || ASIDE.has(column.name)) return;
        if (!of || find(`max(${of[2]})`) < 0 || find(`min(${of[2]})`) < 0) made.push({ name: column.name, columns: [i] });
        else if (of[1] === "max") made.push({ name: `max, min of ${of[2]}`, columns: [i, find(`min(${of[2]})`)], pair: true });
    });
    return [...made.filter((m) => m.pair), ...made.filter((m) => m.columns.length === 1 && ["period", "multiplier"].includes(m.name)),
        ...made.filter((m) => !m.pair && !["period", "multiplier"].includes(m.name))];
}

/** Stretches of a column over the parameter that are stable, or not: {x, y, class}. */
function stretches(x, y, stable) {
    const made = [];
    let now = null;
    for (let i = 1; i < x.length; i++) {
        if (![x[i - 1], x[i], y[i - 1], y[i]].every(Number.isFinite)) {
            now = null;
            continue;
        }
        const said = stable ? [stable[i - 1], stable[i]] : [1];
        const kind = said.includes(0) ? "unstable" : said.every(Number.isNaN) ? "undecided" : "stable";
        if (now?.class !== kind) made.push(now = { x: [x[i - 1]], y: [y[i - 1]], class: kind });
        now.x.push(x[i]);
        now.y.push(y[i]);
    }
    return made;
}

function fillSelect(select, names, chosen) {
    select.replaceChildren(...names.map((name, i) => new Option(name, i, i === chosen, i === chosen)));
}

export class Branch {
    /** @param show is told the orbit that was chosen */
    constructor(data, timeline, show) {
        const { table, orbits, notes } = data.branch, get = (name) => table.columns.find((c) => c.name === name)?.values;
        Object.assign(this, { table, orbits, timeline, show, marks: readMarks(notes), stable: get("stable"), period: get("period"), outside: get("outside"), largest: get("multiplier") });
        this.parameter = table.columns[0];
        this.measures = measuresOf(table.columns);
        this.measure = this.measures[0];
        document.querySelector("main").prepend(document.getElementById("branch-parts").content);
        this.root = document.getElementById("branch");
        document.body.classList.add("branched");
        this.diagram = new Plane(this.root.querySelector("#diagram .body"));
        this.portrait = new Plane(this.root.querySelector("#portrait .body"));
        this.circle = new Plane(this.root.querySelector("#multipliers .body"), { equal: true });
        this.createDiagram(data.branch);
        this.createPortrait();
        this.bind();
        timeline.listen((t) => this.move(t));
    }

    /* ---- the diagram ---- */

    createDiagram({ table }) {
        const select = this.root.querySelector("#diagram select");
        fillSelect(select, this.measures.map((m) => m.name), 0);
        select.addEventListener("change", () => {
            this.measure = this.measures[Number(select.value)];
            this.drawDiagram();
        });
        const axis = this.root.querySelector("#diagram .axis"), unit = unitText(this.parameter.unit);
        axis.append(...nameNodes(this.parameter.name), unit && ` in ${unit}`);
        this.diagram.tail = axis;
        const points = Array.from(this.parameter.values).filter((_, row) => this.isOrbit(row)).length, seen = this.orbits.length;
        this.root.querySelector(".told").textContent = seen < points ? `${seen} of ${points} orbits can be chosen` : `${seen} orbits`;
        const stops = this.marks.filter((mark) => this.isOrbit(mark.row)).map((mark) => {
            const button = element("button", mark.label);
            button.title = `${mark.kind.replaceAll("-", " ")}: the orbit there`;
            button.addEventListener("click", () => this.choose(this.nearestTo(mark.row)));
            return button;
        });
        this.root.querySelector("#stops").replaceChildren(...stops);
        this.drawDiagram();
    }

    /** A row may be a gap, or a steady motion, which has no period. */
    isOrbit(row) {
        return Number.isFinite((this.period ?? this.parameter.values)[row]);
    }

    drawDiagram() {
        const x = this.parameter.values, shown = this.measure.columns.map((i) => this.table.columns[i]);
        const marks = this.marks.flatMap((m) => shown.map((c, k) => ({ x: x[m.row], y: c.values[m.row], shape: shapeOf.get(m.kind) ?? "triangle", text: k === 0 ? m.label : "" })));
        this.diagram.set({ curves: shown.flatMap((c) => stretches(x, c.values, this.stable)), marks });
        const unit = unitText(shown[0].unit);
        this.root.querySelector("#diagram .unit").textContent = unit ? `in ${unit}` : "";
        this.point();
    }

    /** The orbit that can be seen whose row is nearest. */
    nearestTo(row) {
        let best = 0;
        this.orbits.forEach((o, k) => {
            if (Math.abs(o.row - row) < Math.abs(this.orbits[best].row - row)) best = k;
        });
        return best;
    }

    /** The orbit that is nearest to a place on the screen. */
    nearestOnScreen(left, top) {
        const x = this.parameter.values, columns = this.measure.columns.map((i) => this.table.columns[i].values);
        let best = 0, least = Infinity;
        this.orbits.forEach((o, k) => {
            for (const y of columns) {
                const away = Math.hypot(this.diagram.px(x[o.row]) - left, this.diagram.py(y[o.row]) - top);
                if (away < least) [best, least] = [k, away];
            }
        });
        return best;
    }

    bind() {
        const body = this.root.querySelector("#diagram .body"), last = this.orbits.length - 1;
        body.setAttribute("aria-valuemin", 0);
        body.setAttribute("aria-valuemax", last);
        const pick = (event) => {
            const box = this.diagram.root.getBoundingClientRect();
            this.choose(this.nearestOnScreen(event.clientX - box.left, event.clientY - box.top));
        };
        body.addEventListener("pointerdown", (event) => {
            body.setPointerCapture(event.pointerId);
            pick(event);
        });
        body.addEventListener("pointermove", (event) => {
            if (event.buttons) pick(event);
        });
        const steps = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 10, PageDown: -10 };
        body.addEventListener("keydown", (event) => {
            if (event.ctrlKey || event.metaKey || event.altKey) return;
            const to = event.key === "Home" ? 0 : event.key === "End" ? last : Object.hasOwn(steps, event.key) ? this.chosen + steps[event.key] : null;
            if (to === null) return;
            event.preventDefault();
            event.stopPropagation(); // elsewhere these keys move the time
            this.choose(to);
        });
    }

    step(by) {
        this.choose(this.chosen + by);
    }

    choose(index) {
        const k = Math.min(Math.max(index, 0), this.orbits.length - 1);
        if (k === this.chosen) return;
        this.chosen = k;
        this.orbit = this.orbits[k];
        this.show(this.orbit);
        this.point();
        this.drawPortrait();
        this.drawMultipliers();
        this.tell();
    }

    /** Where the orbit is in the diagram. */
    point() {
        if (!this.orbit) return;
        const { row } = this.orbit, x = this.parameter.values[row];
        this.diagram.setCursor(this.measure.columns.map((i) => ({ x, y: this.table.columns[i].values[row], class: "chosen" })));
    }

    tell() {
        const { row } = this.orbit, unit = unitText(this.parameter.unit), label = this.marks.find((m) => m.row === row)?.label;
        const verdict = this.stable?.[row] === 1 ? "stable" : this.stable?.[row] === 0 ? "unstable" : "stability not decided";
        const parts = [...nameNodes(this.parameter.name), " = ", ...numberNodes(this.parameter.values[row], 9), unit && ` ${unit}`];
        if (this.period) parts.push(", period ", ...numberNodes(this.period[row], 7), " s");
        parts.push(`, ${verdict}`, label ? `, ${label}` : "");
        const told = this.root.querySelector("#orbit-told");
        told.replaceChildren(...parts);
        const body = this.root.querySelector("#diagram .body");
        body.setAttribute("aria-valuenow", this.chosen);
        body.setAttribute("aria-valuetext", told.textContent);
    }

    /* ---- the orbit in a plane ---- */

    createPortrait() {
        const { columns } = this.orbits[0].result, names = columns.map((c) => c.name);
        const first = names.findIndex((n) => n !== "t"), rate = names.indexOf(`${names[first]}'`);
        this.axes = [first, rate > 0 ? rate : Math.min(first + 1, names.length - 1)];
        this.root.querySelectorAll("#portrait select").forEach((select, k) => {
            const a = 1 - k; // what goes upwards is said first
            fillSelect(select, names, this.axes[a]);
            select.addEventListener("change", () => {
                this.axes[a] = Number(select.value);
                this.shades = null;
                this.drawPortrait();
            });
        });
    }

    /** Some of all orbits, and the room that all need. */
    makeShades() {
        const stride = Math.ceil(this.orbits.length / SHADES);
        const of = (o) => this.axes.map((i) => o.result.columns[i].values);
        const all = this.orbits.map(of), wide = ([low, high]) => {
            const more = high > low ? 0.06 * (high - low) : 1;
            return [low - more, high + more];
        };
        this.shades = all.filter((_, k) => k % stride === 0).map(([x, y]) => ({ x, y, class: "shade" }));
        this.room = [0, 1].map((a) => wide(extent(all.map((c) => c[a]))));
    }

    /** How the curve of a row is drawn. */
    looks(row) {
        const said = this.stable ? this.stable[row] : 1;
        return said === 0 ? "unstable" : Number.isNaN(said) ? "undecided" : "stable";
    }

    drawPortrait() {
        if (!this.shades) this.makeShades();
        const [x, y] = this.axes.map((i) => this.orbit.result.columns[i]);
        this.portrait.set({ curves: [...this.shades, { x: x.values, y: y.values, class: this.looks(this.orbit.row) }], range: this.room });
        this.move(this.timeline.now);
    }

    /** The present point of the orbit. */
    move(t) {
        if (!this.orbit) return;
        const at = locate(this.orbit.time, t), [x, y] = this.axes.map((i) => between(this.orbit.result.columns[i].values, at));
        this.portrait.setCursor([{ x, y, class: "present" }]);
    }

    /* ---- multipliers ---- */

    drawMultipliers() {
        const { re, im } = this.orbit, angles = Array.from({ length: 181 }, (_, i) => i * Math.PI / 90);
        const size = re.map((v, i) => Math.hypot(v, im[i])), near = size.filter((v) => v <= FAR), reach = 1.15 * Math.max(1.1, ...near);
        this.circle.set({
            curves: [{ x: [-reach, reach], y: [0, 0], class: "zero" }, { x: [0, 0], y: [-reach, reach], class: "zero" },
                { x: angles.map(Math.cos), y: angles.map(Math.sin), class: "unit" }],
            range: [[-reach, reach], [-reach, reach]],
        });
        // how many are outside the branch tells, which knows how accurate they are: the largest
        const count = this.outside?.[this.orbit.row], known = Number.isFinite(count), least = [...size].sort((a, b) => b - a)[count - 1];
        const isOutside = (v) => (known ? count > 0 && v >= least : v > 1 + 1e-6);
        const dots = re.map((v, i) => ({ x: v, y: im[i], r: 4, class: isOutside(size[i]) ? "outside" : "inside" }));
        this.circle.setCursor([...dots.filter((d) => d.class === "inside"), ...dots.filter((d) => d.class === "outside")]);
        const list = this.root.querySelector("#multipliers .list"), parts = re.slice(0, 8).flatMap((v, i) => {
            const sign = im[i] < 0 ? " − " : " + ", imaginary = im[i] === 0 ? [] : [sign, ...numberNodes(Math.abs(im[i]), 4), "i"];
            if (size[i] < TINY) return [i ? ", " : "", "≈ 0"];
            return [i ? ", " : "", ...numberNodes(v, 5), ...imaginary, size[i] > FAR ? " (beyond the picture)" : ""];
        });
        const largest = this.largest?.[this.orbit.row], alone = Number.isFinite(largest) ? ["the largest in size: ", ...numberNodes(largest, 5)] : ["not known"];
        list.replaceChildren(...(re.length ? parts : alone), re.length > 8 ? " …" : "");
    }
}
