// SPDX-License-Identifier: MIT
// A plane with curves, signs and a cursor, drawn as SVG: what the time plots cannot show, since curves turn back in it.

const SVG = "http://www.w3.org/2000/svg";
const LEFT = 50, BOTTOM = 20, TOP = 8, RIGHT = 12, SPACE = { x: 70, y: 34 }; // pixels; the least between two numbers

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
};

export class Plane {
    /** @param equal one unit is as long on both axes @param under draws something below the curves, whenever the plane is drawn */
    constructor(parent, { equal = false, under = null } = {}) {
        Object.assign(this, { parent, equal, under, curves: [], marks: [], cursor: [], range: null });
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
        const w = this.width - LEFT - RIGHT, h = this.height - TOP - BOTTOM;
        let [x, y] = this.range ?? [extent(this.curves.map((c) => c.x)), extent(this.curves.map((c) => c.y))].map(widened);
        if (this.equal) {
            const per = Math.max((x[1] - x[0]) / w, (y[1] - y[0]) / h);
            const grown = ([low, high], length) => [(low + high - per * length) / 2, (low + high + per * length) / 2];
            [x, y] = [grown(x, w), grown(y, h)];
        }
        Object.assign(this, { x, y, w, h });
    }

    px(v) {
        return LEFT + this.w * (v - this.x[0]) / (this.x[1] - this.x[0]);
    }

    py(v) {
        return TOP + this.h * (1 - (v - this.y[0]) / (this.y[1] - this.y[0]));
    }

    /** The values at a place of the paper. */
    vx(left) {
        return this.x[0] + (left - LEFT) / this.w * (this.x[1] - this.x[0]);
    }

    vy(top) {
        return this.y[1] - (top - TOP) / this.h * (this.y[1] - this.y[0]);
    }

    isIn(x, y) {
        return x >= this.x[0] && x <= this.x[1] && y >= this.y[0] && y <= this.y[1];
    }

    draw() {
        this.measure();
        this.under?.(this);
        this.drawGrid();
        this.layers.curves.replaceChildren(...this.curves.map((c) => svg("path", { d: this.path(c), class: c.class })));
        const named = []; // where words are: others in the same place are left out
        this.layers.marks.replaceChildren(...this.marks.filter((m) => this.isIn(m.x, m.y)).flatMap((m) => {
            const at = [this.px(m.x), this.py(m.y)], free = named.every(([x, y]) => Math.abs(x - at[0]) > 24 || Math.abs(y - at[1]) > 11);
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

    sign({ x, y, shape, text }) {
        const at = [this.px(x), this.py(y)], made = [(shapes[shape] ?? shapes.disc)(...at)];
        if (!text) return made;
        const right = at[0] < this.width - 60;
        made.push(svg("text", { x: at[0] + (right ? 7 : -7), y: at[1] - 7, "text-anchor": right ? "start" : "end" }, text));
        return made;
    }

    drawGrid() {
        const { w, h } = this, made = [svg("rect", { class: "frame", x: LEFT, y: TOP, width: w, height: h })];
        const xs = ticks(...this.x, w / SPACE.x), ys = ticks(...this.y, h / SPACE.y), tx = tickTexts(xs), ty = tickTexts(ys);
        const end = this.width - (this.tail?.offsetWidth ?? 0) - 4; // what the axis shows is said there
        xs.forEach((v, i) => {
            made.push(svg("line", { x1: this.px(v), x2: this.px(v), y1: TOP, y2: TOP + h }));
            if (this.px(v) + 3.2 * tx[i].length < end) made.push(svg("text", { x: this.px(v), y: TOP + h + 14, "text-anchor": "middle" }, tx[i]));
        });
        ys.forEach((v, i) => made.push(svg("line", { x1: LEFT, x2: LEFT + w, y1: this.py(v), y2: this.py(v) }),
            svg("text", { x: LEFT - 5, y: this.py(v) + 3.5, "text-anchor": "end" }, ty[i])));
        this.layers.grid.replaceChildren(...made);
    }

    drawCursor() {
        if (!this.w) return;
        this.layers.cursor.replaceChildren(...this.cursor.filter((c) => this.isIn(c.x, c.y))
            .map((c) => svg("circle", { cx: this.px(c.x), cy: this.py(c.y), r: c.r ?? 5, class: c.class ?? "" })));
    }
}
