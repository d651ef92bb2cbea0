// SPDX-License-Identifier: MIT
// A plane with curves, signs and a cursor, drawn as SVG: what the time plots cannot show, since curves turn back in it.

const SVG = "http://www.w3.org/2000/svg";
const LEFT = 50, BOTTOM = 20, TOP = 8, RIGHT = 12, FAR_RIGHT = 46, SPACE = { x: 70, y: 34 }; // pixels; the least between two numbers

export function svg(tag, attributes = {}, ...children) {
    const made = document.createElementNS(SVG, tag);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children);
    return made;
}

/** Steps of 1, 2 or 5 times a power of ten, at most so many. */
export function ticks(low, high, most) {
    const raw = (high - low) / Math.max(most, 1), power = 10 ** Math.floor(Math.log10(raw)), rest = raw / power;
    const step = (rest <= 1 ? 1 : rest <= 2 ? 2 : rest <= 5 ? 5 : 10) * power, found = [];
    if (!(step > 0) || !Number.isFinite(step)) return [];
    for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step && found.length < 50; k++) found.push(k * step);
    return found;
}

/** Of a logarithmic axis: powers of ten, every so many-th; where there are few of them, also what lies between. */
export function logTicks(low, high, most) {
    const from = Math.log10(low), to = Math.log10(high), decades = to - from;
    if (!(decades > 0) || !Number.isFinite(decades)) return [];
    if (decades < 1) return ticks(low, high, most);
    const every = Math.max(1, Math.ceil(decades / Math.max(most, 1))), parts = decades * 3 <= most ? [1, 2, 5] : [1], found = [];
    for (let k = Math.floor(from); k <= to && found.length < 60; k++) {
        if (k % every !== 0) continue;
        for (const part of parts) {
            const v = part * 10 ** k;
            if (v >= low * (1 - 1e-9) && v <= high * (1 + 1e-9)) found.push(v);
        }
    }
    return found;
}

const logText = (v) => (v >= 1e-3 && v < 1e5 ? String(Number(v.toPrecision(6))) : v.toExponential(0).replace("e+", "e").replaceAll("-", "−"));

/** Numbers of an axis: as many digits as tell them apart, and powers of ten only where they are short. */
export function tickTexts(values) {
    const step = values.length > 1 ? values[1] - values[0] : 1, size = Math.max(...values.map(Math.abs), 0);
    if (size >= 1e6 || (size > 0 && size < 1e-3)) return values.map((v) => (v === 0 ? "0" : v.toExponential(1).replaceAll("-", "−")));
    const digits = Math.min(Math.max(0, -Math.floor(Math.log10(step) + 1e-9)), 12);
    return values.map((v) => (Math.abs(v) < 1e-9 * step ? 0 : v).toFixed(digits).replace("-", "−"));
}

function widened([low, high]) {
    if (!(low <= high)) return [-1, 1];
    const size = Math.max(Math.abs(low), Math.abs(high)), span = high - low;
    const more = span > 1e-9 * size && span > 0 ? 0.05 * span : size > 0 ? 0.1 * size : 1;
    return [low - more, high + more];
}

/** Lowest and highest of all finite values of lists. */
export function extent(lists) {
    let low = Infinity, high = -Infinity;
    for (const list of lists) {
        for (const v of list) {
            if (!Number.isFinite(v)) continue;
            low = Math.min(low, v);
            high = Math.max(high, v);
        }
    }
    return [low, high];
}

const shapes = {
    disc: (x, y) => svg("circle", { cx: x, cy: y, r: 3.5 }),
    square: (x, y) => svg("rect", { x: x - 3.2, y: y - 3.2, width: 6.4, height: 6.4 }),
    diamond: (x, y) => svg("path", { d: `M${x - 4.6} ${y}L${x} ${y - 4.6}L${x + 4.6} ${y}L${x} ${y + 4.6}Z` }),
    triangle: (x, y) => svg("path", { d: `M${x - 4.3} ${y + 3}L${x} ${y - 4.3}L${x + 4.3} ${y + 3}Z` }),
    down: (x, y) => svg("path", { d: `M${x - 4.3} ${y - 3}L${x} ${y + 4.3}L${x + 4.3} ${y - 3}Z` }),
    ring: (x, y) => svg("circle", { cx: x, cy: y, r: 3.5, class: "hollow" }),
    cross: (x, y) => svg("path", { d: `M${x - 3.6} ${y - 3.6}L${x + 3.6} ${y + 3.6}M${x - 3.6} ${y + 3.6}L${x + 3.6} ${y - 3.6}`, class: "strokes" }),
};

/** A sign of that shape at a place of the paper. */
export const signAt = (shape, x, y) => (shapes[shape] ?? shapes.disc)(x, y);

/** Where a value is on an axis from 0 to 1, and back; decades or not. */
const onto = (v, [low, high], log) => (log ? Math.log10(v / low) / Math.log10(high / low) : (v - low) / (high - low));
const back = (u, [low, high], log) => (log ? low * (high / low) ** u : low + u * (high - low));

export class Plane {
    /**
     * @param equal one unit is as long on both axes @param under draws something below the curves, whenever the plane is drawn
     * @param log which of x, y and the y on the right-hand side have decades; that one is there if `set` is given a third range
     */
    constructor(parent, { equal = false, under = null, log = [] } = {}) {
        Object.assign(this, { parent, equal, under, log, curves: [], marks: [], cursor: [], range: null });
        this.layers = Object.fromEntries(["grid", "curves", "marks", "cursor"].map((name) => [name, svg("g", { class: name })]));
        this.root = svg("svg", { class: "plane", "aria-hidden": "true" }, ...Object.values(this.layers));
        parent.append(this.root);
        new ResizeObserver(() => this.draw()).observe(parent);
    }

    /** curves: {x, y, class}; marks: {x, y, shape, text}; range: [[low, high], [low, high]] of x and y, or null: what the curves need */
    set({ curves, marks = [], range = null }) {
        Object.assign(this, { curves, marks, range });
        this.draw();
    }

    setCursor(points) {
        this.cursor = points;
        this.drawCursor();
    }

    measure() {
        const { clientWidth, clientHeight } = this.parent;
        this.width = Math.max(clientWidth, 100);
        this.height = Math.max(clientHeight, 80);
        this.root.setAttribute("viewBox", `0 0 ${this.width} ${this.height}`);
        const w = this.width - LEFT - (this.range?.[2] ? FAR_RIGHT : RIGHT), h = this.height - TOP - BOTTOM;
        let [x, y] = this.range ?? [extent(this.curves.map((c) => c.x)), extent(this.curves.map((c) => c.y))].map(widened);
        if (this.equal) {
            const per = Math.max((x[1] - x[0]) / w, (y[1] - y[0]) / h);
            const grown = ([low, high], length) => [(low + high - per * length) / 2, (low + high + per * length) / 2];
            [x, y] = [grown(x, w), grown(y, h)];
        }
        Object.assign(this, { x, y, w, h, right: this.range?.[2] ?? null });
    }

    px(v) {
        return LEFT + this.w * onto(v, this.x, this.log[0]);
    }

    /** @param right on the axis of the right-hand side */
    py(v, right = false) {
        return TOP + this.h * (1 - (right && this.right ? onto(v, this.right, this.log[2]) : onto(v, this.y, this.log[1])));
    }

    /** The values at a place of the paper. */
    vx(left) {
        return back((left - LEFT) / this.w, this.x, this.log[0]);
    }

    vy(top, right = false) {
        const u = 1 - (top - TOP) / this.h;
        return right && this.right ? back(u, this.right, this.log[2]) : back(u, this.y, this.log[1]);
    }

    isIn(x, y, right = false) {
        const up = right && this.right ? this.right : this.y;
        return x >= this.x[0] && x <= this.x[1] && y >= up[0] && y <= up[1];
    }

    draw() {
        this.measure();
        this.drawGrid();
        this.under?.(this);
        this.layers.curves.replaceChildren(...this.curves.map((c) => svg("path", { d: this.path(c), class: c.class })));
        const named = []; // where words are: others in the same place are left out
        this.layers.marks.replaceChildren(...this.marks.filter((m) => this.isIn(m.x, m.y, m.right)).flatMap((m) => {
            const at = [this.px(m.x), this.py(m.y, m.right)], free = named.every(([x, y]) => Math.abs(x - at[0]) > 24 || Math.abs(y - at[1]) > 11);
            if (free && m.text) named.push(at);
            return this.sign(free ? m : { ...m, text: "" });
        }));
        this.drawCursor();
    }

    path({ x, y }) {
        let text = "", down = false;
        for (let i = 0; i < x.length; i++) {
            if (!Number.isFinite(x[i]) || !Number.isFinite(y[i])) {
                down = false;
                continue;
            }
            // far outside only the direction counts
            const at = [this.px(x[i]), this.py(y[i])].map((v) => Math.max(-1e4, Math.min(v, 1e4)).toFixed(1));
            text += `${down ? "L" : "M"}${at[0]} ${at[1]}`;
            down = true;
        }
        return text;
    }

    sign({ x, y, shape, text, right }) {
        const at = [this.px(x), this.py(y, right)], made = [signAt(shape, ...at)];
        if (!text) return made;
        const room = at[0] < this.width - 60;
        made.push(svg("text", { x: at[0] + (room ? 7 : -7), y: at[1] - 7, "text-anchor": room ? "start" : "end" }, text));
        return made;
    }

    drawGrid() {
        const { w, h } = this, made = [svg("rect", { class: "frame", x: LEFT, y: TOP, width: w, height: h })];
        const numbers = (range, log, most) => {
            const values = log ? logTicks(...range, most) : ticks(...range, most);
            return [values, log ? values.map(logText) : tickTexts(values)];
        };
        const [xs, tx] = numbers(this.x, this.log[0], w / SPACE.x), [ys, ty] = numbers(this.y, this.log[1], h / SPACE.y);
        this.numbers = [xs, ys];
        const end = this.width - (this.tail?.offsetWidth ?? 0) - 4; // what the axis shows is said there
        xs.forEach((v, i) => {
            made.push(svg("line", { class: "rule", x1: this.px(v), x2: this.px(v), y1: TOP, y2: TOP + h }));
            if (this.px(v) + 3.2 * tx[i].length < end) made.push(svg("text", { x: this.px(v), y: TOP + h + 14, "text-anchor": "middle" }, tx[i]));
        });
        ys.forEach((v, i) => made.push(svg("line", { class: "rule", x1: LEFT, x2: LEFT + w, y1: this.py(v), y2: this.py(v) }),
            svg("text", { x: LEFT - 5, y: this.py(v) + 3.5, "text-anchor": "end" }, ty[i])));
        if (this.right) {
            const [rs, tr] = numbers(this.right, this.log[2], h / SPACE.y);
            rs.forEach((v, i) => made.push(svg("line", { x1: LEFT + w, x2: LEFT + w + 4, y1: this.py(v, true), y2: this.py(v, true) }),
                svg("text", { x: LEFT + w + 6, y: this.py(v, true) + 3.5 }, tr[i])));
        }
        this.layers.grid.replaceChildren(...made);
    }

    drawCursor() {
        if (!this.w) return;
        this.layers.cursor.replaceChildren(...this.cursor.filter((c) => this.isIn(c.x, c.y, c.right))
            .map((c) => svg("circle", { cx: this.px(c.x), cy: this.py(c.y, c.right), r: c.r ?? 5, class: c.class ?? "" })));
    }
}
