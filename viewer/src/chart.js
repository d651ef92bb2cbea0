// SPDX-License-Identifier: MIT
// A panel of a figure that is a plane: curves, bands, points and maps, from as near as one likes.
import { numbers } from "./data.js";
import { drawBand, drawCurve, readyCanvas } from "./ink.js";
import { pieceText } from "./labels.js";
import { Plane } from "./plane.js";
import { theme } from "./theme.js";

const NEAREST = 1e-10, FARTHEST = 50, CROWD = 150; // of the whole range; rows

const forth = (v, log) => (log ? Math.log10(v) : v), back = (v, log) => (log ? 10 ** v : v);

/** Borders of cells about values that ascend: halfway. */
function borders(values, log) {
    const v = values.map((x) => forth(x, log)), n = v.length;
    if (n === 1) return [back(v[0] - 0.5, log), back(v[0] + 0.5, log)];
    const inner = v.slice(1).map((x, i) => (v[i] + x) / 2);
    return [v[0] - (v[1] - v[0]) / 2, ...inner, v[n - 1] + (v[n - 1] - v[n - 2]) / 2].map((x) => back(x, log));
}

/** For each of n pixels the cell that its middle lies in, -1: none. */
function cellsOf(n, valueAt, edges) {
    const found = new Int32Array(n).fill(-1);
    for (let k = 0; k < n; k++) {
        const v = valueAt(k + 0.5);
        if (!(v >= edges[0] && v <= edges[edges.length - 1])) continue;
        let low = 0, high = edges.length - 1;
        while (high - low > 1) {
            const middle = (low + high) >> 1;
            if (v >= edges[middle]) low = middle;
            else high = middle;
        }
        found[k] = low;
    }
    return found;
}

/** What lies below what; -1: it is none of these. Signs that touch each other would hide the lines, few ones lie above them. */
function rank(curve) {
    if (curve.look === "circles" || curve.look === "signs") return curve.xs.length > CROWD ? 1 : 4;
    return { dots: 0, points: 2, line: 3 }[curve.look] ?? -1;
}

export class Chart {
    /** @param panel of the data; its curves have their numbers: xs, ys, edge (of a band), solidValues */
    constructor(body, panel) {
        Object.assign(this, { body, panel, hiddenMarks: new Set(), cursor: [] });
        this.canvas = document.createElement("canvas");
        body.append(this.canvas);
        this.log = panel.axes.map((a) => a.log);
        this.plane = new Plane(body, { equal: panel.equal, log: this.log, under: () => this.paint() });
        if (panel.map) this.readMap(panel.map);
        this.reset();
    }

    /* ---- what is seen ---- */

    reset() {
        this.range = this.panel.axes.map((a) => [a.low, a.high]);
        this.home = true;
        this.draw();
    }

    /** Ranges as the scale of an axis has them, changed and back. */
    change(axes, by) {
        this.range = this.range.map((range, a) => (axes[a] ? by(range.map((v) => forth(v, this.log[a])), a).map((v) => back(v, this.log[a])) : range));
        this.home = false;
        this.draw();
    }

    /** What a plane with equal axes shows is more than what it was told. */
    settle() {
        if (this.panel.equal) this.range = [this.plane.x, this.plane.y].map((r) => [...r]);
    }

    /** Nearer by a factor; the place under the mouse stays. Beside the frame only that axis is meant. */
    zoom(factor, left, top) {
        this.settle();
        const { plane } = this, inX = left >= plane.px(plane.x[0]), inY = top <= plane.py(plane.y[0]), only = !this.panel.equal && inX !== inY;
        const u = Math.min(Math.max((left - plane.px(plane.x[0])) / plane.w, 0), 1), v = Math.min(Math.max((plane.py(plane.y[0]) - top) / plane.h, 0), 1);
        const axes = [only ? inX : true, only ? inY : true, only ? inY : true];
        this.change(axes, ([low, high], a) => {
            const whole = forth(this.panel.axes[a].high, this.log[a]) - forth(this.panel.axes[a].low, this.log[a]), size = Math.max(Math.abs(low), Math.abs(high), whole);
            const span = Math.min(Math.max((high - low) * factor, NEAREST * whole, 1e-13 * size), FARTHEST * whole), fixed = low + (a ? v : u) * (high - low);
            return [fixed - (a ? v : u) * span, fixed + (1 - (a ? v : u)) * span];
        });
    }

    /** @param dx pixels @param from the ranges when the drag began */
    pan(dx, dy, from) {
        this.range = from;
        this.change([true, true, true], ([low, high], a) => {
            const by = (a ? dy / this.plane.h : -dx / this.plane.w) * (high - low);
            return [low + by, high + by];
        });
    }

    begin() {
        this.settle();
        return this.range.map((r) => [...r]);
    }

    /** What lies between two places of the paper fills the frame. */
    frame(from, to) {
        const { plane } = this, xs = [from[0], to[0]].map((v) => plane.vx(v)).sort((a, b) => a - b);
        const up = (right) => [from[1], to[1]].map((v) => plane.vy(v, right)).sort((a, b) => a - b);
        this.range = [xs, up(false), ...(plane.right ? [up(true)] : [])];
        this.home = false;
        this.draw();
    }

    draw() {
        const marks = this.panel.marks.filter((m) => !this.hiddenMarks.has(pieceText(m.label))).map((m) => ({ ...m, text: pieceText(m.text) }));
        this.plane.set({ curves: [], marks, range: this.range });
        this.setCursor(this.cursor);
    }

    /* ---- drawing ---- */

    /** The rows of a curve on the canvas. */
    places(curve) {
        const { plane } = this, n = curve.xs.length, x = new Float64Array(n), y = new Float64Array(n), keep = (v) => Math.max(-1e5, Math.min(v, 1e5));
        const [left, top] = this.corner;
        for (let i = 0; i < n; i++) {
            const a = plane.px(curve.xs[i]) - left, b = plane.py(curve.ys[i], curve.right) - top;
            x[i] = Number.isFinite(a) ? keep(a) : NaN;
            y[i] = Number.isFinite(b) ? keep(b) : NaN;
        }
        return { x, y };
    }

    /** Under the axes, as large as the frame. */
    paint() {
        const { plane, panel } = this;
        this.corner = [plane.px(plane.x[0]), plane.py(plane.y[1])];
        Object.assign(this.canvas.style, { left: `${this.corner[0]}px`, top: `${this.corner[1]}px` });
        const ctx = readyCanvas(this.canvas, plane.w, plane.h), shown = panel.curves.filter((c) => !c.hidden);
        if (panel.map) this.paintMap(ctx);
        this.paintRules(ctx);
        for (const c of shown.filter((curve) => curve.look === "band")) drawBand(ctx, c, this.places(c), Array.from(c.edge, (v) => plane.py(v, c.right) - this.corner[1]));
        for (const c of shown.map((curve) => [rank(curve), curve]).filter(([r]) => r >= 0).sort(([a], [b]) => a - b)) drawCurve(ctx, c[1], panel, this.places(c[1]));
    }

    /** Lines at the numbers, and where x or y is zero, if that means something: under the curves. */
    paintRules(ctx) {
        const { plane, panel } = this, [left, top] = this.corner, look = theme();
        const rule = (xs, ys, colour) => {
            ctx.strokeStyle = colour;
            ctx.lineWidth = 1;
            ctx.beginPath();
            for (const x of xs) ctx.rect(plane.px(x) - left, -2, 0, plane.h + 4);
            for (const y of ys) ctx.rect(-2, plane.py(y) - top, plane.w + 4, 0);
            ctx.stroke();
        };
        ctx.globalAlpha = panel.map ? 0.35 : 1;
        rule(...plane.numbers, look.line);
        ctx.globalAlpha = 1;
        if (!panel.map) rule(panel.zero[0] && !this.log[0] ? [0] : [], panel.zero[1] && !this.log[1] ? [0] : [], look.grid);
    }

    /* ---- maps ---- */

    readMap(map) {
        this.ink = numbers({ bytes: 4, data: map.ink });
        if (!map.grid) return;
        this.cells = numbers({ bytes: 4, data: map.cells });
        this.edges = [borders(map.x, this.log[0]), borders(map.y, this.log[1])];
    }

    /** The colour of each pixel is that of the cell which it lies in. */
    paintMap(ctx) {
        const { plane, panel: { map } } = this, [left, top] = this.corner;
        if (!map.grid) {
            this.paintDots(ctx);
            return;
        }
        const { width, height } = this.canvas, ratio = width / plane.w, image = ctx.createImageData(width, height), nx = map.x.length;
        const is = cellsOf(width, (k) => plane.vx(left + k / ratio), this.edges[0]), js = cellsOf(height, (k) => plane.vy(top + k / ratio), this.edges[1]);
        for (let b = 0, at = 0; b < height; b++) {
            for (let a = 0; a < width; a++, at += 4) {
                const row = is[a] < 0 || js[b] < 0 ? -1 : this.cells[js[b] * nx + is[a]];
                if (row < 0) continue;
                const ink = this.ink[row];
                image.data[at] = ink >> 16;
                image.data[at + 1] = ink >> 8 & 255;
                image.data[at + 2] = ink & 255;
                image.data[at + 3] = 255;
            }
        }
        ctx.putImageData(image, 0, 0);
    }

    /** Rows that are no grid: a dot is as large as the room that each has. */
    paintDots(ctx) {
        const curve = this.panel.curves[0], at = this.places(curve), r = Math.min(Math.max(0.35 * Math.sqrt(this.plane.w * this.plane.h / at.x.length), 1), 5);
        for (let i = 0; i < at.x.length; i++) {
            if (!Number.isFinite(at.x[i]) || !Number.isFinite(at.y[i])) continue;
            ctx.fillStyle = `rgb(${this.ink[i] >> 16} ${this.ink[i] >> 8 & 255} ${this.ink[i] & 255})`;
            ctx.fillRect(at.x[i] - r, at.y[i] - r, 2 * r, 2 * r);
        }
    }

    /* ---- what is near ---- */

    /** Where a row of a curve is in the panel. */
    place(curve, row) {
        return [this.plane.px(curve.xs[row]), this.plane.py(curve.ys[row], curve.right)];
    }

    /** The row that is nearest to a place of the panel: {curve, row, away}; null: there is none. */
    nearest(left, top) {
        const { plane, panel } = this;
        if (panel.map?.grid) {
            const [i] = cellsOf(1, () => plane.vx(left), this.edges[0]), [j] = cellsOf(1, () => plane.vy(top), this.edges[1]);
            const row = i < 0 || j < 0 ? -1 : this.cells[j * panel.map.x.length + i];
            return row < 0 ? null : { curve: panel.curves[0], row, away: 0 };
        }
        let best = null, least = Infinity;
        for (const curve of panel.curves.filter((c) => !c.hidden)) {
            for (let row = 0; row < curve.xs.length; row++) {
                const dx = plane.px(curve.xs[row]) - left, dy = plane.py(curve.ys[row], curve.right) - top, away = dx * dx + dy * dy;
                if (away < least) [best, least] = [{ curve, row }, away];
            }
        }
        return best && { ...best, away: Math.sqrt(least) };
    }

    /** Rows of curves that are told of. */
    setCursor(rows) {
        this.cursor = rows;
        this.plane.setCursor(rows.filter(({ curve }) => !curve.hidden).map(({ curve, row, chosen }) => ({ x: curve.xs[row], y: curve.ys[row], right: curve.right, r: chosen ? 5 : 4, class: chosen ? "chosen" : "" })));
    }
}
