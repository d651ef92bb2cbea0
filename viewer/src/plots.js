// SPDX-License-Identifier: MIT
// Time plots that share their time with the animation: panels of curves, chosen by the reader; a line and
// dots at the present time; dragging over a plot moves the time.
import uPlot from "uplot";
import { between, locate } from "./data.js";
import { element, nameNodes, numberNodes, unitText } from "./labels.js";
import { curveColours, theme } from "./theme.js";

const PANELS = 3, CURVES = 3, HEIGHT = 156;

/** Is it a component of a quaternion? Nobody looks at these first. */
const isQuaternion = (name) => /\.p[0-3]$/.test(name);

/** The name of a column's scale: of its unit, but no name that uPlot has for its own ("x"). */
const scaleOf = (column) => `[${column.unit}]`;

/** What each panel shows at first: positions, then rates or observables, then the energies. */
function firstChoice(columns) {
    const all = columns.map((c, i) => ({ ...c, i })).filter((c) => c.name !== "t" && !isQuaternion(c.name));
    const energies = all.filter((c) => ["kinetic", "potential", "energy"].includes(c.name));
    const rates = all.filter((c) => c.name.includes("'") || /\.w[xyz]$/.test(c.name));
    const forces = all.filter((c) => c.name.startsWith("lambda("));
    const others = all.filter((c) => !energies.includes(c) && !rates.includes(c) && !forces.includes(c)).concat(forces);
    const panels = [];
    const take = (list) => {
        const free = list.filter((c) => !panels.flat().includes(c.i));
        if (!free.length) return;
        panels.push(free.filter((c) => c.unit === free[0].unit).slice(0, CURVES).map((c) => c.i));
    };
    take(others);
    take(others.length > 3 ? others : rates);
    if (panels.length < 2) take(rates);
    take(energies);
    while (panels.length < PANELS && panels.flat().length < all.length) take(all);
    return panels.slice(0, PANELS);
}

class Panel {
    constructor(parent, columns, time, chosen, timeline) {
        Object.assign(this, { columns, time, chosen, timeline });
        this.root = document.createElement("figure");
        this.head = document.createElement("figcaption");
        this.body = document.createElement("div");
        this.root.append(this.head, this.body);
        parent.append(this.root);
        new ResizeObserver(() => this.resize()).observe(this.body);
        this.build();
    }

    colour(k) {
        const colours = curveColours();
        return colours[k % colours.length];
    }

    /** One scale and axis for each unit: the first on the left, the second on the right. */
    axes(units) {
        const look = theme(), font = "11px system-ui, sans-serif";
        const common = { stroke: look.muted, font, ticks: { stroke: look.line, width: 1, size: 4 } };
        return [
            { ...common, grid: { stroke: look.line, width: 1 }, size: 26, gap: 2 },
            ...units.slice(0, 2).map((unit, k) => ({
                ...common, scale: unit, side: k ? 1 : 3, size: 52, gap: 3, space: 26,
                grid: { show: k === 0, stroke: look.line, width: 1 },
                values: (_, ticks) => ticks.map((v) => axisText(v, ticks)),
            })),
        ];
    }

    build() {
        this.plot?.destroy();
        const shown = this.chosen.map((i) => this.columns[i]);
        const units = [...new Set(shown.map(scaleOf))];
        this.plot = new uPlot({
            width: Math.max(this.body.clientWidth, 120),
            height: HEIGHT,
            padding: [8, units.length > 1 ? 0 : 12, 0, 0],
            legend: { show: false },
            cursor: { show: false },
            scales: { x: { time: false }, ...Object.fromEntries(units.map((u) => [u, { range: comfortable }])) },
            axes: this.axes(units),
            hooks: { draw: [() => this.show(this.timeline.now)] }, // its scales are settled only then
            series: [{}, ...shown.map((c, k) => ({
                scale: scaleOf(c), stroke: this.colour(k), width: 1.5, pxAlign: 0, points: { show: false },
            }))],
        }, [this.time, ...shown.map((c) => finite(c.values))], this.body);
        this.marks();
        this.scrub();
        this.caption(shown);
    }

    /** The line at the present time and a dot on each curve. */
    marks() {
        const mark = (className, colour) => {
            const element = document.createElement("div");
            element.className = className;
            element.style.setProperty("--curve", colour);
            this.plot.over.append(element);
            return element;
        };
        this.line = mark("now", "");
        this.dots = this.chosen.map((_, k) => mark("dot", this.colour(k)));
    }

    scrub() {
        const over = this.plot.over;
        const move = (event) => {
            const x = event.clientX - over.getBoundingClientRect().left;
            this.timeline.seek(this.plot.posToVal(x, "x"));
        };
        over.addEventListener("pointerdown", (event) => {
            this.timeline.pause();
            over.setPointerCapture(event.pointerId);
            move(event);
        });
        over.addEventListener("pointermove", (event) => {
            if (event.buttons) move(event);
        });
    }

    caption(shown) {
        this.head.replaceChildren();
        this.values = shown.map((column, k) => {
            const chip = document.createElement("button"), value = document.createElement("output");
            chip.className = "chip";
            chip.title = "Take this curve away";
            chip.style.setProperty("--curve", this.colour(k));
            const key = element("span");
            key.className = "key";
            chip.append(key, element("span", ...nameNodes(column.name)), value);
            chip.addEventListener("click", () => this.choose(this.chosen.filter((_, i) => i !== k)));
            this.head.append(chip);
            return value;
        });
        this.head.append(this.menu());
    }

    menu() {
        const select = document.createElement("select");
        select.setAttribute("aria-label", "Add a curve");
        select.add(new Option("add…", ""));
        const groups = new Map();
        this.columns.forEach((column, i) => {
            if (column.name === "t" || this.chosen.includes(i)) return;
            const unit = unitText(column.unit) || "no unit";
            if (!groups.has(unit)) groups.set(unit, Object.assign(document.createElement("optgroup"), { label: unit }));
            groups.get(unit).append(new Option(column.name, i));
        });
        select.append(...groups.values());
        select.addEventListener("change", () => this.choose([...this.chosen, Number(select.value)]));
        return select;
    }

    choose(chosen) {
        this.chosen = chosen;
        this.build();
    }

    resize() {
        const width = this.body.clientWidth;
        if (width < 40 || width === this.plot.width) return;
        this.plot.setSize({ width, height: HEIGHT });
        this.show(this.timeline.now);
    }

    show(t) {
        if (!this.plot || !this.values) return;
        const at = locate(this.time, t), x = this.plot.valToPos(t, "x");
        this.line.style.transform = `translateX(${x}px)`;
        this.chosen.forEach((i, k) => {
            const column = this.columns[i], value = between(column.values, at);
            const y = this.plot.valToPos(value, scaleOf(column));
            this.dots[k].hidden = !Number.isFinite(y);
            if (Number.isFinite(y)) this.dots[k].style.transform = `translate(${x}px, ${y}px)`;
            this.values[k].replaceChildren(...numberNodes(value, 4), ` ${unitText(column.unit)}`);
        });
    }
}

/** uPlot leaves a gap where it finds null. */
const finite = (values) => (values.every(Number.isFinite) ? values : Array.from(values, (v) => (Number.isFinite(v) ? v : null)));

/** Some room above and below; a constant is a line in the middle, not noise of its last digit. */
function comfortable(_, low, high) {
    if (low === null || high === null) return [-1, 1];
    const size = Math.max(Math.abs(low), Math.abs(high)), span = high - low;
    if (span <= 1e-6 * size || span === 0) {
        const half = size > 0 ? 0.1 * size : 1;
        return [(low + high) / 2 - half, (low + high) / 2 + half];
    }
    return [low - 0.06 * span, high + 0.06 * span];
}

function axisText(value, ticks) {
    if (value === null) return "";
    const largest = Math.max(...ticks.map((v) => Math.abs(v)));
    if (largest >= 1e5 || (largest < 1e-3 && largest > 0)) {
        return value === 0 ? "0" : value.toExponential(1).replaceAll("-", "−");
    }
    return String(Number(value.toPrecision(10))).replace("-", "−");
}

/** The panels of the page; returns a function that shows a time in all of them. */
export function createPlots(data, timeline) {
    const parent = document.getElementById("plots"), { columns } = data.result;
    const panels = firstChoice(columns).map((chosen) => new Panel(parent, columns, data.time, chosen, timeline));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => panels.forEach((p) => p.build()));
    timeline.listen((t) => panels.forEach((p) => p.show(t)));
    return panels;
}
