// SPDX-License-Identifier: MIT
// Time plots that share their time with the animation: panels of curves, chosen by the reader; a line and
// dots at the present time; dragging over a plot moves the time.
import uPlot from "uplot";
import { between, locate } from "./data.js";
import { element, nameNodes, numberNodes, unitText } from "./labels.js";
import { curveColours, theme } from "./theme.js";

const PANELS = 3, CURVES = 3, LEAST = 104; // pixels that a plot is high at least
const FLAT = 20; // a curve that would be lower than this part of its panel gets an axis of its own

/** Is it a component of a quaternion? Nobody looks at these first. */
const isQuaternion = (name) => /\.p[0-3]$/.test(name);

/** Lowest and highest of the finite values. */
function extremes(values) {
    let low = Infinity, high = -Infinity;
    for (const v of values) {
        if (!Number.isFinite(v)) continue;
        low = Math.min(low, v);
        high = Math.max(high, v);
    }
    return [low, high];
}

/** Is it flat on every scale that shows where it is, too? */
function isConstant(values) {
    const [low, high] = extremes(values);
    return !(high - low > 1e-4 * Math.max(Math.abs(low), Math.abs(high)));
}

/** What each panel shows at first: lengths and angles, forces of contacts, then what is left of positions, rates and
 * observables, and the energies. What has another unit has another panel; what is told of contacts beside their forces
 * comes last. */
export function firstChoice(columns) {
    const inQuestion = columns.map((c, i) => ({ ...c, i })).filter((c) => c.name !== "t" && !isQuaternion(c.name));
    const moving = inQuestion.filter((c) => !isConstant(c.values)), all = moving.length ? moving : inQuestion;
    const energies = inQuestion.filter((c) => ["kinetic", "potential", "energy"].includes(c.name));
    const forces = all.filter((c) => c.name.startsWith("lambda("));
    const isRate = (c) => c.name.includes("'") || /\.w[xyz]$/.test(c.name) || /\/s(\^\d)?$/.test(c.unit);
    const touching = new Set(inQuestion.flatMap((c) => /^status\((.*)\)$/.exec(c.name)?.[1] ?? []));
    const pressing = forces.filter((c) => touching.has(c.name.slice("lambda(".length, -1)));
    const isAside = (c) => touching.size > 0 && /^(status|gap|slip|impulse|work)\(|^contact (iterations|residual)$/.test(c.name);
    const others = all.filter((c) => !energies.includes(c) && !forces.includes(c) && !isAside(c));
    const inOrder = [...others.filter((c) => !isRate(c)), ...pressing, ...others.filter(isRate),
        ...forces.filter((c) => !pressing.includes(c)), ...all.filter(isAside)];
    const groups = new Map();
    for (const column of inOrder) groups.set(column.unit, [...(groups.get(column.unit) ?? []), column]);
    const panels = [...groups.values()].slice(0, energies.length ? PANELS - 1 : PANELS);
    const rest = inOrder.filter((c) => !panels.some((p) => p.slice(0, CURVES).includes(c)));
    if (energies.length) panels.push(energies);
    while (panels.length < PANELS && rest.length) panels.splice(-1, 0, rest.splice(0, CURVES));
    return panels.map((panel) => panel.slice(0, CURVES).map((c) => c.i));
}

/**
 * The scale of each column that is shown together with the others: columns share one if they have one unit and none
 * of them would be flat on it. Names of scales begin with a bracket: uPlot has names of its own ("x").
 */
export function scalesOf(shown) {
    const scales = [];
    return shown.map(({ unit, values }) => {
        const [low, high] = extremes(values), span = high - low, still = isConstant(values);
        const fits = (s) => {
            const whole = Math.max(high, s.high) - Math.min(low, s.low);
            return s.unit === unit && (still || span * FLAT >= whole) && s.least * FLAT >= whole;
        };
        let found = scales.find(fits);
        if (!found) scales.push(found = { unit, name: `[${unit}]${scales.length}`, low, high, least: Infinity });
        Object.assign(found, { low: Math.min(low, found.low), high: Math.max(high, found.high) });
        if (!still) found.least = Math.min(found.least, span);
        return found.name;
    });
}

class Panel {
    constructor(parent, columns, time, chosen, timeline) {
        Object.assign(this, { columns, time, chosen, timeline });
        this.root = document.createElement("figure");
        this.head = document.createElement("figcaption");
        this.body = document.createElement("div");
        this.body.className = "body";
        const axis = element("span", element("i", "t"), " in s");
        axis.className = "axis";
        this.root.append(this.head, this.body, axis);
        parent.append(this.root);
        new ResizeObserver(() => this.resize()).observe(this.body);
        this.build();
    }

    colour(k) {
        const colours = curveColours();
        return colours[k % colours.length];
    }

    /** An axis for each scale, in turn on the left and on the right, in the colour of its curve if it has but one. */
    axes(names) {
        const look = theme(), font = "11px system-ui, sans-serif";
        const common = { stroke: look.muted, font, ticks: { stroke: look.line, width: 1, size: 4 } };
        const owner = (name) => (names.length > 1 && this.scale.filter((s) => s === name).length === 1 ? this.scale.indexOf(name) : -1);
        return [
            { ...common, grid: { stroke: look.line, width: 1 }, size: 26, gap: 2, space: 44 },
            ...names.map((scale, k) => ({
                ...common, scale, side: k % 2 ? 1 : 3, size: 52, gap: 3, space: 26,
                stroke: owner(scale) < 0 ? look.muted : this.colour(owner(scale)),
                grid: { show: k === 0, stroke: look.line, width: 1 },
                values: (_, ticks) => ticks.map((v) => axisText(v, ticks)),
            })),
        ];
    }

    build() {
        this.plot?.destroy();
        const shown = this.chosen.map((i) => this.columns[i]);
        this.scale = scalesOf(shown);
        const names = [...new Set(this.scale)], room = names.length > 1 ? 0 : 44; // of the word under the end of the axis
        this.plot = new uPlot({
            ...this.size(),
            padding: [8, room, 0, 0],
            legend: { show: false },
            cursor: { show: false },
            scales: { x: { time: false }, ...Object.fromEntries(names.map((n) => [n, { range: comfortable }])) },
            axes: this.axes(names),
            hooks: { draw: [() => this.show(this.timeline.now)] }, // its scales are settled only then
            series: [{}, ...shown.map((c, k) => ({
                scale: this.scale[k], stroke: this.colour(k), width: 1.5, pxAlign: 0, points: { show: false },
            }))],
        }, [this.time, ...shown.map((c) => finite(c.values))], this.body);
        this.marks();
        this.scrub();
        this.caption(shown);
    }

    /** The same columns of another motion. */
    load(columns, time) {
        Object.assign(this, { columns, time });
        this.build();
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

    /** The panel's room: the plot is not what gives it its size. */
    size() {
        return { width: Math.max(this.body.clientWidth, 120), height: Math.max(this.body.clientHeight, LEAST) };
    }

    resize() {
        const { width, height } = this.size();
        if (this.body.clientWidth < 40 || (width === this.plot.width && height === this.plot.height)) return;
        this.plot.setSize({ width, height });
        this.show(this.timeline.now);
    }

    show(t) {
        if (!this.plot || !this.values) return;
        const at = locate(this.time, t), x = this.plot.valToPos(t, "x");
        this.line.style.transform = `translateX(${x}px)`;
        this.chosen.forEach((i, k) => {
            const column = this.columns[i], value = between(column.values, at);
            const y = this.plot.valToPos(value, this.scale[k]);
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
    if (span <= 1e-5 * size || span === 0) {
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
