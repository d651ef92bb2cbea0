// SPDX-License-Identifier: MIT
// Curves on a canvas. Colours, dashes and what is drawn instead of a line are those of the paper, as Zwang tells them; on dark paper what is dark becomes light.
import { isDark } from "./theme.js";

const WIDTH = 1.5, FINE = 0.8, PER_POINT = 1.5, HEAD = 9, ARROW = 40; // pixels; of a dash; of heads, and of a line that has one
const LIGHT = 0.52;                                                   // of a colour on dark paper

/** A colour of the paper, [r, g, b], for this screen. */
export function paperColour(rgb) {
    const light = (0.3 * rgb[0] + 0.59 * rgb[1] + 0.11 * rgb[2]) / 255, more = isDark() && light < LIGHT ? (LIGHT - light) / (1 - light) : 0;
    return `rgb(${rgb.map((v) => Math.round(v + more * (255 - v))).join(" ")})`;
}

/** What a row says of its line: "solid", "dashed", "dotted"; between two rows the worse one counts. */
function partOf(curve, panel, row) {
    const v = curve.solidValues ? curve.solidValues[row] : 1;
    return v === 0 ? "dashed" : Number.isNaN(v) && panel.undecided ? "dotted" : "solid";
}

function partBetween(curve, panel, row) {
    const a = partOf(curve, panel, row - 1), b = partOf(curve, panel, row);
    if (a === "dashed" || b === "dashed") return "dashed";
    return a === b ? a : "solid";
}

const finite = (at, i) => Number.isFinite(at.x[i]) && Number.isFinite(at.y[i]);

/** Lines between rows, those of one part; a row alone is a dot. */
function pathOf(curve, panel, at, part) {
    const path = new Path2D(), n = at.x.length;
    let down = false;
    for (let i = 0; i < n; i++) {
        if (!finite(at, i)) {
            down = false;
            continue;
        }
        const follows = i > 0 && finite(at, i - 1);
        if (follows && (!curve.solidValues || partBetween(curve, panel, i) === part)) {
            if (!down) path.moveTo(at.x[i - 1], at.y[i - 1]);
            path.lineTo(at.x[i], at.y[i]);
            down = true;
            continue;
        }
        down = false;
        if (follows || (i + 1 < n && finite(at, i + 1)) || part !== "solid") continue;
        path.moveTo(at.x[i] + 1, at.y[i]);
        path.arc(at.x[i], at.y[i], 1, 0, 2 * Math.PI);
    }
    return path;
}

/** A head halfway, or of lines with gaps that were meant one for each. */
function drawHeads(ctx, curve, at) {
    const stretches = [];
    let now = null;
    for (let i = 0; i < at.x.length; i++) {
        if (!finite(at, i)) {
            if (curve.gaps) now = null;
            continue;
        }
        if (!now) stretches.push(now = []);
        now.push(i);
    }
    for (const rows of stretches) drawHead(ctx, rows, at);
}

function drawHead(ctx, rows, at) {
    const step = (k) => Math.hypot(at.x[rows[k]] - at.x[rows[k - 1]], at.y[rows[k]] - at.y[rows[k - 1]]);
    let length = 0, so = 0;
    for (let k = 1; k < rows.length; k++) length += step(k);
    if (!(length >= ARROW)) return;
    for (let k = 1; k < rows.length; k++) {
        so += step(k);
        if (so < length / 2) continue;
        const x = at.x[rows[k]], y = at.y[rows[k]], part = HEAD / step(k), dx = part * (x - at.x[rows[k - 1]]), dy = part * (y - at.y[rows[k - 1]]);
        ctx.beginPath();
        ctx.moveTo(x + dx / 2, y + dy / 2);
        ctx.lineTo(x - dx / 2 - 0.38 * dy, y - dy / 2 + 0.38 * dx);
        ctx.lineTo(x - dx / 4, y - dy / 4);
        ctx.lineTo(x - dx / 2 + 0.38 * dy, y - dy / 2 - 0.38 * dx);
        ctx.closePath();
        ctx.fill();
        return;
    }
}

function drawLine(ctx, curve, panel, at) {
    const dashed = { solid: curve.dash, dashed: panel.dashes, dotted: panel.dots };
    ctx.lineWidth = curve.fine ? FINE : WIDTH;
    ctx.lineJoin = "round";
    for (const part of curve.solidValues ? ["solid", "dotted", "dashed"] : ["solid"]) {
        ctx.setLineDash(dashed[part].map((v) => PER_POINT * v));
        ctx.stroke(pathOf(curve, panel, at, part));
    }
    ctx.setLineDash([]);
    if (curve.arrow) drawHeads(ctx, curve, at);
}

const corners = {
    square: [[-1, -1], [1, -1], [1, 1], [-1, 1]], diamond: [[-1.3, 0], [0, -1.3], [1.3, 0], [0, 1.3]],
    triangle: [[-1.2, 0.9], [0, -1.2], [1.2, 0.9]], down: [[-1.2, -0.9], [0, 1.2], [1.2, -0.9]],
};

/** A sign for each row: full, or hollow where a circle of the paper is. */
function drawSigns(ctx, curve, at, size) {
    const shape = curve.look === "signs" ? corners[curve.shape] : null, hollow = curve.look === "circles";
    const path = new Path2D();
    for (let i = 0; i < at.x.length; i++) {
        if (!finite(at, i)) continue;
        const x = at.x[i], y = at.y[i], full = !curve.solidValues || curve.solidValues[i] !== 0;
        if (shape) {
            shape.forEach(([dx, dy], k) => (k ? path.lineTo(x + size * dx, y + size * dy) : path.moveTo(x + size * dx, y + size * dy)));
            path.closePath();
        } else if (size < 1) path.rect(x - size, y - size, 2 * size, 2 * size);
        else {
            path.moveTo(x + size, y);
            path.arc(x, y, size, 0, 2 * Math.PI);
            if (!full && !hollow) path.arc(x, y, 0.6 * size, 0, 2 * Math.PI, true);
        }
    }
    ctx.lineWidth = 1.2;
    if (hollow) ctx.stroke(path);
    else ctx.fill(path, "evenodd");
}

/** One curve; at: its rows on the canvas, not finite where there is none. */
export function drawCurve(ctx, curve, panel, at) {
    ctx.save();
    // a map is the same by day and by night, and so is what is drawn over it
    ctx.strokeStyle = ctx.fillStyle = panel.map ? `rgb(${curve.colour.join(" ")})` : paperColour(curve.colour);
    const many = at.x.length > 5000;
    if (curve.look === "line") drawLine(ctx, curve, panel, at);
    else if (curve.look === "dots") {
        ctx.globalAlpha = many ? 0.5 : 0.9;
        drawSigns(ctx, curve, at, many ? 0.7 : 1.2);
    } else drawSigns(ctx, curve, at, curve.look === "points" && many ? 1.2 : curve.look === "points" ? 2.2 : 2.8);
    ctx.restore();
}

/** What lies between a curve and another one, in stretches. */
export function drawBand(ctx, curve, at, edge) {
    const path = new Path2D(), n = at.x.length, has = (i) => finite(at, i) && Number.isFinite(edge[i]);
    for (let from = 0; from < n; from++) {
        if (!has(from)) continue;
        let to = from;
        while (to + 1 < n && has(to + 1)) to++;
        path.moveTo(at.x[from], at.y[from]);
        for (let i = from + 1; i <= to; i++) path.lineTo(at.x[i], at.y[i]);
        for (let i = to; i >= from; i--) path.lineTo(at.x[i], edge[i]);
        path.closePath();
        from = to;
    }
    ctx.save();
    ctx.fillStyle = paperColour(curve.colour);
    ctx.globalAlpha = 0.25;
    ctx.fill(path);
    ctx.restore();
}

/** A canvas that is sharp, of this size in pixels of the page; its context is ready for them. */
export function readyCanvas(canvas, width, height) {
    const ratio = globalThis.devicePixelRatio || 1, ctx = canvas.getContext("2d");
    canvas.width = Math.max(1, Math.round(width * ratio));
    canvas.height = Math.max(1, Math.round(height * ratio));
    Object.assign(canvas.style, { width: `${width}px`, height: `${height}px` });
    ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
    return ctx;
}
