// SPDX-License-Identifier: MIT
// Many motions: a map, or points, in which a click chooses one of them. Its numbers are told, and the command that shows it; what moves is the nearest one of those that are
// in the page. The wheel comes nearer, dragging moves, as in a map of a land.
import { between, locate } from "./data.js";
import { element, nameNodes, numberNodes, unitText } from "./labels.js";
import { Plane, extent, svg } from "./plane.js";

const NEAREST = 1e-7, STEP = 1.25; // of the whole range; of a notch of the wheel
const LOOKS = 8;                   // of curves over the map
const MOVED = 4;                   // pixels, from which on a press is no click
const HOLE = [0, 0, 0, 0], NOTHING = [184, 184, 184, 255];

/** Borders of cells around values that ascend: halfway. */
function borders(values) {
    const n = values.length, made = [values[0] - (values[1] - values[0]) / 2];
    for (let i = 1; i < n; i++) made.push((values[i - 1] + values[i]) / 2);
    made.push(values[n - 1] + (values[n - 1] - values[n - 2]) / 2);
    return made;
}

/** The cell of borders that has v, -1: none. */
function cellOf(edges, v) {
    if (!(v >= edges[0] && v <= edges[edges.length - 1])) return -1;
    let low = 0, high = edges.length - 1;
    while (high - low > 1) {
        const middle = (low + high) >> 1;
        if (v >= edges[middle]) low = middle;
        else high = middle;
    }
    return low;
}

/** A word for a shell. */
export function quoted(word) {
    return /^[\w./:,=+^%@-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

function fillSelect(select, names, chosen) {
    select.replaceChildren(...names.map(([name, value]) => new Option(name, value, value === chosen, value === chosen)));
}

export class Survey {
    /** @param show is told the motion that is to be seen */
    constructor(data, timeline, show) {
        const { table, orbits, survey } = data.branch;
        Object.assign(this, { table, orbits, survey, timeline, show, column: survey.shown });
        this.rows = table.rows;
        this.isMap = survey.nx > 0;
        this.isColoured = this.isMap || survey.shown !== survey.y.column;
        document.querySelector("main").prepend(document.getElementById("survey-parts").content);
        this.root = document.getElementById("branch");
        document.body.classList.add("branched");
        this.body = this.root.querySelector("#diagram .body");
        this.canvas = this.body.querySelector("canvas");
        this.diagram = new Plane(this.body, { under: (plane) => this.paint(plane) });
        this.portrait = new Plane(this.root.querySelector("#portrait .body"));
        this.createPlane();
        this.createPortrait();
        this.bind();
        timeline.listen((t) => this.move(t));
    }

    /* ---- where rows are ---- */

    at(row) {
        const { survey } = this;
        if (this.isMap) return [survey.x.values[row % survey.nx], survey.y.values[Math.floor(row / survey.nx)]];
        return [this.table.columns[survey.x.column].values[row], this.table.columns[survey.y.column].values[row]];
    }

    isThere(row) {
        return Number.isFinite(this.table.columns[this.survey.number].values[row]);
    }

    /** The row at a place of the plane, -1: none. */
    rowAt(x, y) {
        if (this.isMap) {
            const i = cellOf(this.edges[0], x), j = cellOf(this.edges[1], y), row = j * this.survey.nx + i;
            return i >= 0 && j >= 0 && this.isThere(row) ? row : -1;
        }
        const left = this.diagram.px(x), top = this.diagram.py(y), [xs, ys] = this.lists;
        let best = -1, least = Infinity;
        for (let k = 0; k < this.rows; k++) {
            const away = (this.diagram.px(xs[k]) - left) ** 2 + (this.diagram.py(ys[k]) - top) ** 2;
            if (away < least) [best, least] = [k, away];
        }
        return best;
    }

    createPlane() {
        const { survey, table } = this;
        if (this.isMap) {
            this.edges = [borders(survey.x.values), borders(survey.y.values)];
            this.whole = this.edges.map((e) => [e[0], e[e.length - 1]]);
        } else {
            this.lists = [survey.x.column, survey.y.column].map((k) => table.columns[k].values);
            this.whole = this.lists.map((list) => {
                const [low, high] = extent([list]), more = high > low ? 0.03 * (high - low) : 1;
                return [low - more, high + more];
            });
        }
        this.range = this.whole.map((r) => [...r]);
        this.createOverlay();
        const select = this.root.querySelector("#diagram select"), others = table.columns.map((c, k) => [c.name, k]).filter(([, k]) => k !== survey.number);
        fillSelect(select, this.isColoured ? others : [[survey.y.name, survey.shown]], survey.shown);
        select.addEventListener("change", () => {
            this.column = Number(select.value);
            this.colour();
            this.diagram.draw();
        });
        const axis = this.root.querySelector("#diagram .axis"), unit = unitText(survey.x.unit);
        axis.append(...nameNodes(survey.x.name), unit && ` in ${unit}`, ...(this.isColoured ? [", ", ...nameNodes(survey.y.name), survey.y.unit && ` in ${unitText(survey.y.unit)} upwards`] : []));
        this.diagram.tail = axis;
        const seen = `${this.orbits.length} motions are in this page`;
        this.root.querySelector("#diagram .told").textContent = survey.stride > 1 ? `${seen}, every ${survey.stride}. row and column of the grid` : seen;
        this.root.querySelector("#order .said").textContent = survey.told;
        this.colour();
        this.draw();
    }

    /** Curves and named points over the map; a curve without a name is the border of a region. */
    createOverlay() {
        let named = 0;
        const { lines, spots } = this.survey;
        this.lines = lines.map(({ name, at }) => ({ name, x: at.filter((_, i) => i % 2 === 0).map((v) => v ?? NaN), y: at.filter((_, i) => i % 2).map((v) => v ?? NaN),
            class: name ? `over over-${named++ % LOOKS}` : "over border" }));
        this.root.querySelector("#diagram").classList.toggle("over", lines.length + spots.length > 0);
        this.spots = spots.map(({ name, x, y }) => ({ x, y, shape: "disc", text: name }));
    }

    draw() {
        this.diagram.set({ curves: this.lines, marks: this.spots, range: this.range });
        this.point();
    }

    /* ---- colours ---- */

    /** One pixel for each cell, and the key of the colours. */
    colour() {
        const { survey } = this, column = this.table.columns[this.column], unit = unitText(column.unit);
        this.root.querySelector("#diagram .unit").textContent = unit ? `in ${unit}` : "";
        if (!this.isColoured) return;
        const named = this.column === survey.shown && survey.classes.length > 0;
        const [low, high] = extent([column.values]), both = low < 0 && high > 0, scale = both ? survey.diverging : survey.even;
        const place = (v) => (!both ? (high > low ? (v - low) / (high - low) : 0.5) : v < 0 ? 0.5 - 0.5 * v / low : 0.5 + 0.5 * v / high);
        const classes = new Map(survey.classes.map((c) => [c.value, [...c.colour, 255]]));
        const of = (v, row) => {
            if (!this.isThere(row)) return HOLE;
            if (!Number.isFinite(v)) return NOTHING;
            return named ? classes.get(v) ?? NOTHING : [...scale[Math.round(place(v) * (scale.length - 1))], 255];
        };
        this.tellColours(named, scale, low, high);
        if (this.isMap) this.fillCells((row) => of(column.values[row], row));
        else this.dotColours = Array.from(column.values, (v, row) => `rgb(${of(v, row).slice(0, 3).join(" ")})`);
    }

    fillCells(of) {
        const { nx, ny } = this.survey, image = new ImageData(nx, ny);
        for (let row = 0; row < nx * ny; row++) image.data.set(of(row), 4 * ((ny - 1 - Math.floor(row / nx)) * nx + row % nx));
        this.cells = Object.assign(document.createElement("canvas"), { width: nx, height: ny });
        this.cells.getContext("2d").putImageData(image, 0, 0);
    }

    tellColours(named, scale, low, high) {
        const key = this.root.querySelector("#key"), css = (c) => `rgb(${c.slice(0, 3).join(" ")})`;
        if (named) {
            key.replaceChildren(...this.survey.classes.map((c) => {
                const swatch = element("i"), entry = element("span");
                swatch.style.background = css(c.colour);
                entry.append(swatch, c.label);
                return entry;
            }), ...this.lines.filter((l) => l.name).map((l) => {
                const entry = element("span");
                entry.append(svg("svg", { class: "plane-sample", viewBox: "0 0 26 8" }, svg("path", { d: "M0 4L26 4", class: l.class })), l.name);
                return entry;
            }));
            return;
        }
        const strip = element("i");
        strip.className = "strip";
        // zero is in the middle of the colours, wherever it is between the numbers
        const zero = low < 0 && high > 0 ? -low / (high - low) : 0.5, stops = scale.map((c, i) => {
            const u = i / (scale.length - 1), at = u < 0.5 ? 2 * u * zero : zero + (2 * u - 1) * (1 - zero);
            return `${css(c)} ${(100 * at).toFixed(1)}%`;
        });
        strip.style.background = `linear-gradient(to right, ${stops.join(", ")})`;
        const entry = element("span");
        entry.append(...numberNodes(low, 4), " ", strip, " ", ...numberNodes(high, 4));
        key.replaceChildren(entry);
    }

    /** Under the axes: the part of the cells that is seen, or the points. */
    paint(plane) {
        const { canvas } = this, ratio = globalThis.devicePixelRatio || 1, left = plane.px(plane.x[0]), top = plane.py(plane.y[1]);
        canvas.width = Math.max(1, Math.round(plane.w * ratio));
        canvas.height = Math.max(1, Math.round(plane.h * ratio));
        Object.assign(canvas.style, { left: `${left}px`, top: `${top}px`, width: `${plane.w}px`, height: `${plane.h}px` });
        const ctx = canvas.getContext("2d");
        ctx.setTransform(ratio, 0, 0, ratio, -left * ratio, -top * ratio);
        if (this.isMap) this.paintCells(ctx, plane);
        else this.paintPoints(ctx, plane);
    }

    paintCells(ctx, plane) {
        const { nx, ny } = this.survey, [ex, ey] = this.edges;
        if (!this.cells) return;
        ctx.imageSmoothingEnabled = false;
        const even = (e) => e.every((v, i) => i < 2 || Math.abs(v - e[0] - i * (e[1] - e[0])) < 1e-6 * Math.abs(e[e.length - 1] - e[0]));
        if (even(ex) && even(ey)) {
            const x = plane.px(ex[0]), y = plane.py(ey[ny]);
            ctx.drawImage(this.cells, x, y, plane.px(ex[nx]) - x, plane.py(ey[0]) - y);
            return;
        }
        for (let j = 0; j < ny; j++) {
            for (let i = 0; i < nx; i++) {
                const x = plane.px(ex[i]), y = plane.py(ey[j + 1]);
                ctx.drawImage(this.cells, i, ny - 1 - j, 1, 1, x, y, plane.px(ex[i + 1]) - x + 0.5, plane.py(ey[j]) - y + 0.5);
            }
        }
    }

    paintPoints(ctx, plane) {
        const [x, y] = this.lists, size = (this.rows > 20000 ? 1 : this.rows > 1000 ? 1.6 : 3) * (this.isColoured ? 2 : 1);
        ctx.fillStyle = getComputedStyle(this.body).getPropertyValue("--accent");
        ctx.globalAlpha = this.isColoured ? 1 : this.rows > 20000 ? 0.35 : 0.8;
        for (let k = 0; k < this.rows; k++) {
            const left = plane.px(x[k]), top = plane.py(y[k]);
            if (this.dotColours) ctx.fillStyle = this.dotColours[k];
            if (left >= 0 && left <= plane.width && top >= 0 && top <= plane.height) ctx.fillRect(left - size / 2, top - size / 2, size, size);
        }
    }

    /* ---- moving about ---- */

    /** Nearer by a factor, the place under the mouse stays. */
    zoom(factor, x, y) {
        this.range = this.range.map(([low, high], a) => {
            const fixed = a ? y : x, [first, last] = this.whole[a], span = Math.min(Math.max((high - low) * factor, NEAREST * (last - first)), last - first);
            const from = fixed - (fixed - low) / (high - low) * span;
            return this.kept([from, from + span], a);
        });
        this.draw();
    }

    /** No part of the plane is beyond the whole. */
    kept([low, high], a) {
        const [first, last] = this.whole[a], shift = Math.max(0, first - low) - Math.max(0, high - last);
        return [low + shift, high + shift];
    }

    shift(dx, dy) {
        this.range = this.range.map(([low, high], a) => this.kept([low + (a ? dy : dx), high + (a ? dy : dx)], a));
        this.draw();
    }

    placeOf(event) {
        const box = this.diagram.root.getBoundingClientRect(), { diagram } = this;
        return [diagram.vx(event.clientX - box.left), diagram.vy(event.clientY - box.top)];
    }

    bind() {
        const { body, diagram } = this;
        let press = null;
        body.addEventListener("wheel", (event) => {
            event.preventDefault();
            this.zoom(event.deltaY < 0 ? 1 / STEP : STEP, ...this.placeOf(event));
        }, { passive: false });
        body.addEventListener("pointerdown", (event) => {
            body.setPointerCapture(event.pointerId);
            press = { x: event.clientX, y: event.clientY, range: this.range, moved: false };
        });
        body.addEventListener("pointermove", (event) => {
            if (!press || !event.buttons) return;
            const dx = event.clientX - press.x, dy = event.clientY - press.y;
            press.moved ||= Math.hypot(dx, dy) > MOVED;
            if (!press.moved) return;
            const [x, y] = press.range;
            this.range = [[x, -dx / diagram.w * (x[1] - x[0])], [y, dy / diagram.h * (y[1] - y[0])]].map(([r, by], a) => this.kept([r[0] + by, r[1] + by], a));
            this.draw();
        });
        body.addEventListener("pointerup", (event) => {
            if (press && !press.moved) this.pick(...this.placeOf(event));
            press = null;
        });
        body.addEventListener("dblclick", () => this.all());
        const middle = () => this.range.map(([low, high]) => (low + high) / 2);
        const keys = { "+": () => this.zoom(1 / STEP, ...middle()), "-": () => this.zoom(STEP, ...middle()), 0: () => this.all(),
            ArrowRight: () => this.neighbour(1, 0), ArrowLeft: () => this.neighbour(-1, 0), ArrowUp: () => this.neighbour(0, 1), ArrowDown: () => this.neighbour(0, -1) };
        body.addEventListener("keydown", (event) => {
            if (event.ctrlKey || event.metaKey || event.altKey || !Object.hasOwn(keys, event.key)) return;
            event.preventDefault();
            event.stopPropagation(); // elsewhere arrows move the time
            keys[event.key]();
        });
        this.root.querySelector("#copy").addEventListener("click", () => {
            const code = this.root.querySelector("#order code");
            getSelection().selectAllChildren(code);
            navigator.clipboard?.writeText(code.textContent).catch(() => {});
        });
    }

    all() {
        this.range = this.whole.map((r) => [...r]);
        this.draw();
    }

    /* ---- the motion that is chosen ---- */

    pick(x, y) {
        const row = this.rowAt(x, y);
        if (row >= 0) this.chooseRow(row);
    }

    neighbour(dx, dy) {
        const { nx, ny } = this.survey;
        if (!this.isMap) {
            this.chooseRow(Math.min(Math.max(this.row + dx + dy, 0), this.rows - 1));
            return;
        }
        const i = Math.min(Math.max(this.row % nx + dx, 0), nx - 1), j = Math.min(Math.max(Math.floor(this.row / nx) + dy, 0), ny - 1), row = j * nx + i;
        if (this.isThere(row)) this.chooseRow(row);
    }

    /** Motions of the page by their number: as branches have it. */
    choose(index) {
        const k = Math.min(Math.max(index, 0), this.orbits.length - 1);
        this.chooseRow(this.orbits[k].row);
    }

    step(by) {
        this.choose(this.chosen + by);
    }

    /** The motion of the page that begins most nearly as that of the row does. */
    nearestMotion(row) {
        const { settings } = this.survey, ranges = this.ranges ??= settings.map((s) => {
            const [low, high] = s.column >= 0 ? extent([this.table.columns[s.column].values]) : this.whole[s.column === -1 ? 0 : 1];
            return high > low ? high - low : 1;
        });
        let best = 0, least = Infinity;
        this.orbits.forEach((o, k) => {
            const away = Math.hypot(...settings.map((s, i) => (this.setting(s, o.row) - this.setting(s, row)) / ranges[i]));
            if (away < least) [best, least] = [k, away];
        });
        return best;
    }

    chooseRow(row) {
        const best = this.nearestMotion(row);
        this.row = row;
        if (best !== this.chosen) {
            this.chosen = best;
            this.orbit = this.orbits[best];
            this.show(this.orbit);
            this.drawPortrait();
        }
        this.point();
        this.tell();
    }

    /** Where it is, and where those are that can be seen. */
    point() {
        if (this.row === undefined) return;
        const spot = (row, more) => ({ x: this.at(row)[0], y: this.at(row)[1], ...more }), { marks } = this.survey;
        this.diagram.setCursor([...this.orbits.map((o) => spot(o.row, { r: 2.5, class: "offered" })),
            ...Array.from({ length: marks.length / 2 }, (_, i) => ({ x: marks[2 * i], y: marks[2 * i + 1], r: 4, class: "attractor" })),
            spot(this.orbit.row, { r: 6, class: "run" }), spot(this.row, { r: 4.5, class: "chosen" })]);
    }

    /** The value of a setting for a row. */
    setting(s, row) {
        return s.column >= 0 ? this.table.columns[s.column].values[row] : this.at(row)[s.column === -1 ? 0 : 1];
    }

    /** Of points, many may be of one motion. */
    isAlike(row) {
        return this.survey.settings.every((s) => this.setting(s, row) === this.setting(s, this.orbit.row));
    }

    command(row) {
        const { words, settings } = this.survey;
        const set = settings.flatMap((s) => ["--set", `${s.name}=${this.setting(s, row)}${s.unit ? ` [${s.unit}]` : ""}`]);
        return [...words, ...set].map(quoted).join(" ");
    }

    tell() {
        const { survey, row } = this, told = this.root.querySelector("#orbit-told"), parts = [`row ${this.table.columns[survey.number].values[row]}: `];
        const [x, y] = this.at(row), put = (name, value, unit, digits = 9) => parts.push(parts.length > 1 ? ", " : "", ...nameNodes(name), " = ", ...numberNodes(value, digits), unit && ` ${unitText(unit)}`);
        put(survey.x.name, x, survey.x.unit);
        put(survey.y.name, y, survey.y.unit);
        this.table.columns.forEach((c, k) => {
            if (k === survey.number || k === survey.x.column || k === survey.y.column) return;
            const named = k === survey.shown && survey.classes.find((s) => s.value === c.values[row]);
            if (named) parts.push(", ", ...nameNodes(c.name), `: ${named.label}`);
            else if (Number.isFinite(c.values[row])) put(c.name, c.values[row], c.unit, c.values instanceof Float32Array ? 7 : 9);
            else parts.push(", ", ...nameNodes(c.name), ": no value");
        });
        told.replaceChildren(...parts);
        this.root.querySelector("#order code").textContent = this.command(row);
        const shown = this.root.querySelector("#order .shown"), own = this.orbit.row === row, [a, b] = this.at(this.orbit.row);
        shown.replaceChildren(...(own || this.isAlike(row) ? ["It is the motion that is shown."] : ["Shown is its nearest neighbour in this page: ", ...nameNodes(survey.x.name), " = ", ...numberNodes(a, 6), ", ",
            ...nameNodes(survey.y.name), " = ", ...numberNodes(b, 6), ". The command shows its own."]));
        this.body.setAttribute("aria-description", told.textContent);
    }

    /* ---- the motion in a plane ---- */

    createPortrait() {
        const { columns } = this.orbits[0].result, names = columns.map((c) => c.name);
        const first = names.findIndex((n) => n !== "t"), rate = names.indexOf(`${names[first]}'`);
        this.axes = [first, rate > 0 ? rate : Math.min(first + 1, names.length - 1)];
        this.root.querySelectorAll("#portrait select").forEach((select, k) => {
            const a = 1 - k; // what goes upwards is said first
            fillSelect(select, names.map((n, i) => [n, i]), this.axes[a]);
            select.addEventListener("change", () => {
                this.axes[a] = Number(select.value);
                this.drawPortrait();
            });
        });
    }

    drawPortrait() {
        const [x, y] = this.axes.map((i) => this.orbit.result.columns[i].values);
        this.portrait.set({ curves: [{ x, y, class: "stable" }] });
        this.move(this.timeline.now);
    }

    move(t) {
        if (!this.orbit) return;
        const at = locate(this.orbit.time, t), [x, y] = this.axes.map((i) => between(this.orbit.result.columns[i].values, at));
        this.portrait.setCursor([{ x, y, class: "present" }]);
    }
}
