// SPDX-License-Identifier: MIT
// A panel of a figure that is a space: the axonometric view of the paper, which the mouse turns. With the direction n to the eye, r to the right and u upwards on the screen, a point p
// of the box is at (p.r, -p.u), and p.n tells which is in front.
import { drawCurve, paperColour, readyCanvas } from "./ink.js";
import { element, pieceNodes } from "./labels.js";
import { tickTexts, ticks } from "./plane.js";
import { theme } from "./theme.js";

const TURN = 0.5, DEGREE = Math.PI / 180, HEIGHT = 0.8; // degrees for a pixel; of a box whose axes have units of their own
const GLASS = 0.75, SIDES = [0, 1];

const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];

export class Space {
    constructor(body, panel, { azimuth, elevation }) {
        Object.assign(this, { body, panel, start: { azimuth, elevation }, cursor: [], hiddenMarks: new Set() });
        this.canvas = document.createElement("canvas");
        this.names = panel.axes.map((axis) => element("span", ...pieceNodes(axis.label)));
        for (const name of this.names) name.className = "edge";
        body.append(this.canvas, ...this.names);
        const spans = panel.axes.map((a) => a.high - a.low), most = Math.max(...spans);
        this.lengths = panel.equal ? spans.map((s) => s / most) : [1, 1, HEIGHT];
        new ResizeObserver(() => this.draw()).observe(body);
        this.reset();
    }

    reset() {
        Object.assign(this, { ...this.start, scale: 1, shift: [0, 0], home: true });
        this.draw();
    }

    zoom(factor, left, top) {
        const scale = Math.min(Math.max(this.scale / factor, 0.3), 100), part = scale / this.scale, middle = [this.width / 2, this.height / 2];
        this.shift = [left, top].map((v, i) => v - middle[i] - part * (v - middle[i] - this.shift[i]));
        this.scale = scale;
        this.home = false;
        this.draw();
    }

    begin() {
        return { azimuth: this.azimuth, elevation: this.elevation, shift: [...this.shift] };
    }

    /** The mouse turns it. */
    pan(dx, dy, from) {
        this.azimuth = from.azimuth - TURN * dx;
        this.elevation = Math.min(Math.max(from.elevation + TURN * dy, -90), 90);
        this.home = false;
        this.draw();
    }

    /** With shift it moves. */
    frame(from, to) {
        this.shift = [this.shift[0] + to[0] - from[0], this.shift[1] + to[1] - from[1]];
        this.home = false;
        this.draw();
    }

    /* ---- where things are ---- */

    look() {
        const { body, lengths } = this, a = this.azimuth * DEGREE, e = this.elevation * DEGREE;
        this.width = Math.max(body.clientWidth, 100);
        this.height = Math.max(body.clientHeight, 80);
        this.n = [Math.cos(e) * Math.cos(a), Math.cos(e) * Math.sin(a), Math.sin(e)];
        this.r = [-Math.sin(a), Math.cos(a), 0];
        this.u = [-Math.sin(e) * Math.cos(a), -Math.sin(e) * Math.sin(a), Math.cos(e)];
        // as large as the box is from any side, so that it does not breathe while it turns
        const wide = Math.hypot(lengths[0], lengths[1]), high = Math.hypot(wide, lengths[2]);
        this.pixels = this.scale * Math.min((this.width - 90) / wide, (this.height - 56) / (0.5 * (high + lengths[2] + 0.42 * wide)));
    }

    /** A point of the box, whose corners are 0 and 1. */
    at(f) {
        const p = f.map((v, i) => (v - 0.5) * this.lengths[i]);
        return [this.width / 2 + this.shift[0] + this.pixels * dot(p, this.r), this.height / 2 + this.shift[1] - this.pixels * dot(p, this.u)];
    }

    fraction(v, axis) {
        const { low, high } = this.panel.axes[axis];
        return (v - low) / (high - low);
    }

    values(curve, row) {
        return [curve.xs[row], curve.ys[row], curve.zs[row]];
    }

    /** What lies beyond the box is not shown, as on paper. */
    place(curve, row) {
        const f = this.values(curve, row).map((v, i) => this.fraction(v, i));
        return f.every((v) => v >= -1e-9 && v <= 1 + 1e-9) ? this.at(f) : [NaN, NaN];
    }

    places(curve) {
        const x = new Float64Array(curve.xs.length), y = new Float64Array(curve.xs.length);
        for (let i = 0; i < x.length; i++) [x[i], y[i]] = this.place(curve, i);
        return { x, y };
    }

    nearest(left, top) {
        let best = null, least = Infinity;
        for (const curve of this.panel.curves.filter((c) => !c.hidden)) {
            for (let row = 0; row < curve.xs.length; row++) {
                const [x, y] = this.place(curve, row), away = Math.hypot(x - left, y - top);
                // of two at one place the one in front is meant
                const front = best && Math.abs(away - least) < 3 && this.depth(curve, row) > this.depth(best.curve, best.row);
                if (away < least - 3 || front || (best === null && away < least)) [best, least] = [{ curve, row }, away];
            }
        }
        return best && { ...best, away: least };
    }

    depth(curve, row) {
        return dot(this.values(curve, row).map((v, i) => this.fraction(v, i) * this.lengths[i]), this.n);
    }

    /* ---- drawing ---- */

    draw() {
        this.look();
        const ctx = this.ctx = readyCanvas(this.canvas, this.width, this.height), shown = this.panel.curves.filter((c) => !c.hidden);
        this.drawWalls(ctx);
        for (const curve of shown.filter((c) => c.look === "mesh")) this.drawMesh(ctx, curve);
        for (const curve of shown.filter((c) => c.look !== "mesh")) drawCurve(ctx, curve, this.panel, this.places(curve));
        this.drawMarks(ctx);
        this.drawCursor(ctx);
    }

    line(ctx, a, b) {
        ctx.beginPath();
        ctx.moveTo(...this.at(a));
        ctx.lineTo(...this.at(b));
        ctx.stroke();
    }

    /** The walls behind, with lines at the numbers, and the numbers along the edges that are free. */
    drawWalls(ctx) {
        const look = theme(), marks = this.panel.axes.map((a) => ticks(a.low, a.high, 6));
        ctx.lineWidth = 1;
        for (let axis = 0; axis < 3; axis++) {
            const wall = this.n[axis] > 0 ? 0 : 1, [i, j] = [0, 1, 2].filter((k) => k !== axis);
            const point = (a, b) => Object.assign([0, 0, 0], { [axis]: wall, [i]: a, [j]: b });
            ctx.strokeStyle = look.line;
            for (const v of marks[i]) this.line(ctx, point(this.fraction(v, i), 0), point(this.fraction(v, i), 1));
            for (const v of marks[j]) this.line(ctx, point(0, this.fraction(v, j)), point(1, this.fraction(v, j)));
            ctx.strokeStyle = look.grid;
            for (const side of SIDES) {
                this.line(ctx, point(side, 0), point(side, 1));
                this.line(ctx, point(0, side), point(1, side));
            }
        }
        this.drawNumbers(ctx, marks, look);
    }

    /** The edge that the numbers of an axis stand at, from 0 to 1. */
    edgeOf(axis) {
        const floor = this.n[2] >= 0 ? 0 : 1;
        if (axis < 2) return (f) => Object.assign([0, 0, floor], { [axis]: f, [1 - axis]: this.n[1 - axis] > 0 ? 1 : 0 });
        const corners = SIDES.flatMap((x) => SIDES.map((y) => [x, y])), [x, y] = corners.reduce((a, b) => (this.at([...a, 0])[0] <= this.at([...b, 0])[0] ? a : b));
        return (f) => [x, y, f];
    }

    drawNumbers(ctx, marks, look) {
        ctx.fillStyle = look.muted;
        ctx.font = "11px system-ui, sans-serif";
        for (let axis = 0; axis < 3; axis++) {
            const edge = this.edgeOf(axis), texts = tickTexts(marks[axis]), from = this.at(edge(0)), to = this.at(edge(1)), middle = this.at([0.5, 0.5, 0.5]);
            const length = Math.hypot(to[0] - from[0], to[1] - from[1]), name = this.names[axis];
            // outwards, across the edge
            let out = length > 0 ? [(to[1] - from[1]) / length, -(to[0] - from[0]) / length] : [0, 1];
            const half = [(from[0] + to[0]) / 2, (from[1] + to[1]) / 2];
            if (out[0] * (half[0] - middle[0]) + out[1] * (half[1] - middle[1]) < 0) out = out.map((v) => -v);
            name.hidden = length < 40;
            ctx.textAlign = out[0] < -0.4 ? "right" : out[0] > 0.4 ? "left" : "center";
            ctx.textBaseline = out[1] > 0.4 ? "top" : out[1] < -0.4 ? "bottom" : "middle";
            const every = length > 0 ? Math.max(1, Math.ceil(marks[axis].length * 26 / length)) : 1;
            marks[axis].forEach((v, k) => {
                if (k % every || length < 40) return;
                const [x, y] = this.at(edge(this.fraction(v, axis)));
                ctx.fillText(texts[k], x + 5 * out[0], y + 5 * out[1]);
            });
            // of the upright axis above it, where there is room in narrow windows too
            const upper = to[1] < from[1] ? to : from, left = axis === 2 ? upper[0] : half[0] + 26 * out[0], top = axis === 2 ? upper[1] - 14 : half[1] + 26 * out[1];
            const across = axis === 2 ? "-50%" : out[0] < -0.4 ? "-100%" : out[0] > 0.4 ? "0" : "-50%";
            Object.assign(name.style, { left: `${Math.max(left, axis === 2 ? name.offsetWidth / 2 + 2 : 0)}px`, top: `${top}px`, transform: `translate(${across}, -50%)` });
        }
    }

    drawMesh(ctx, curve) {
        const at = this.places(curve), m = curve.mesh, rows = curve.xs.length, all = [];
        for (let i = 0; i + m + 1 < rows; i++) {
            if (i % m + 1 === m) continue;
            const corner = [i, i + 1, i + 1 + m, i + m];
            if (corner.every((k) => Number.isFinite(at.x[k]))) all.push({ corner, depth: this.depth(curve, i) + this.depth(curve, i + m + 1) });
        }
        all.sort((a, b) => a.depth - b.depth);
        const colour = paperColour(curve.colour), paper = theme().sheet;
        ctx.lineWidth = 0.5;
        for (const { corner } of all) {
            ctx.beginPath();
            corner.forEach((k, n) => (n ? ctx.lineTo(at.x[k], at.y[k]) : ctx.moveTo(at.x[k], at.y[k])));
            ctx.closePath();
            // glass in a light tint of the colour
            ctx.globalAlpha = GLASS;
            ctx.fillStyle = paper;
            ctx.fill();
            ctx.globalAlpha = 0.42;
            ctx.fillStyle = colour;
            ctx.fill();
            ctx.globalAlpha = 0.7;
            ctx.strokeStyle = colour;
            ctx.stroke();
        }
        ctx.globalAlpha = 1;
    }

    drawMarks(ctx) {
        ctx.fillStyle = theme().ink;
        for (const m of this.panel.marks) {
            const [x, y] = this.at([m.x, m.y, m.z].map((v, i) => this.fraction(v, i)));
            ctx.beginPath();
            ctx.arc(x, y, 3.5, 0, 2 * Math.PI);
            ctx.fill();
        }
    }

    drawCursor(ctx) {
        const style = getComputedStyle(this.body);
        for (const { curve, row, chosen } of this.cursor.filter((c) => !c.curve.hidden)) {
            const [x, y] = this.place(curve, row);
            if (!Number.isFinite(x)) continue;
            ctx.fillStyle = style.getPropertyValue(chosen ? "--chosen" : "--accent");
            ctx.strokeStyle = style.getPropertyValue("--sheet");
            ctx.lineWidth = 1.5;
            ctx.beginPath();
            ctx.arc(x, y, 5, 0, 2 * Math.PI);
            ctx.fill();
            ctx.stroke();
        }
    }

    setCursor(rows) {
        this.cursor = rows;
        this.draw();
    }
}
