// SPDX-License-Identifier: MIT
// Contacts: marks at their points while they are closed, arrows of the forces there. They are flat signs over everything
// else, drawn as in the stills (src/out/scene/contact.c, sign.c): a force acts inside of the body that it holds up.
import * as THREE from "three";
import { locate } from "./data.js";
import { element } from "./labels.js";
import { colour, theme } from "./theme.js";

// numbers of zw_view_touch; the last one is never a value: open, with a force since the row or the frame before
const OPEN = 0, STICKS = 1, SLIPS = 2, CLOSED = 3, MEANWHILE = 4;
const COLOURS = ["steel", "stick", "slip", "touch", "steel"];
const NEAR = 2.5;              // radii of a mark: a gap that is seen coming
const LEAST = 3, RIM = 1.3;    // pixels
const HOLE = 0.52;             // of a mark that slips

/** The path of an arrow from a to b: a shaft of half the width w, one head or two. */
function arrowPath(pen, a, b, w, two) {
    const length = Math.hypot(b.x - a.x, b.y - a.y), cos = (b.x - a.x) / length, sin = (b.y - a.y) / length;
    const head = Math.min(8 * w, 0.6 * length), wide = Math.min(3 * w, 0.45 * head), thin = Math.min(w, wide);
    const neck = two ? Math.max(length - 1.75 * head, 0.2 * length) : length - head;
    const half = [[0, thin], [neck, thin], [neck, wide]];
    if (two) half.push([length - head, wide * (neck + 2 * head - length) / head], [length - head, wide]);
    const points = [...half.map(([x, y]) => [x, -y]), [length, 0], ...half.reverse()];
    pen.beginPath();
    for (const [x, y] of points) pen.lineTo(a.x + cos * x - sin * y, a.y + sin * x + cos * y);
    pen.closePath();
}

function drawArrow(pen, a, b, w, two, fill, paper) {
    if (!(Math.hypot(b.x - a.x, b.y - a.y) > 1e-6)) return; // it points at the reader
    arrowPath(pen, a, b, w, two);
    Object.assign(pen, { lineJoin: "round", lineWidth: 2 * RIM, strokeStyle: paper, fillStyle: fill });
    pen.stroke();
    pen.fill();
}

function disc(pen, at, r, fill) {
    pen.beginPath();
    pen.arc(at.x, at.y, r, 0, 2 * Math.PI);
    pen.fillStyle = fill;
    pen.fill();
}

function drawMark(pen, at, r, state, fill, paper) {
    if (state === OPEN || state === MEANWHILE) { // nearly closed: a thin line only
        pen.beginPath();
        pen.arc(at.x, at.y, r, 0, 2 * Math.PI);
        Object.assign(pen, { lineWidth: 0.35 * r, strokeStyle: fill, globalAlpha: 0.5 });
        pen.stroke();
        pen.globalAlpha = 1;
        return;
    }
    disc(pen, at, r + RIM, paper);
    disc(pen, at, r, fill);
    if (state === SLIPS) disc(pen, at, HOLE * r, paper);
}

/** A mark or an arrow as a picture of its own, for the legend. */
function icon(width, draw) {
    const canvas = document.createElement("canvas"), ratio = 2, pen = canvas.getContext("2d");
    Object.assign(canvas, { width: ratio * width, height: ratio * 14 });
    canvas.style.width = `${width}px`;
    canvas.style.height = "14px";
    pen.scale(ratio, ratio);
    draw(pen);
    return canvas;
}

export class Contacts {
    /** @param motion gives values at a place in time; parent: the element that the signs lie over */
    constructor(data, motion, parent) {
        this.list = data.scene.contacts;
        this.style = data.stage.forces;
        Object.assign(this, { time: data.time, motion, parent, visible: true });
        this.canvas = document.createElement("canvas");
        this.canvas.className = "signs";
        parent.append(this.canvas);
        this.legend = document.getElementById("legend");
        this.fillLegend();
    }

    /** Force and state of a contact at a time; means are those of a frame of so many seconds, 0: since the row before. */
    at(contact, t, frame) {
        const place = locate(this.time, t), end = place.part > 0 ? place.next : place.row, here = { row: end, next: end, part: 0 };
        const { motion } = this;
        let force = contact.mean ? this.ofRow(contact, end) : motion.all(contact.force, place), state = motion.at(contact.state[0], contact.mean ? here : { ...place, part: 0 });
        if (contact.mean && frame > 0 && t > this.time[0]) force = this.mean(contact, t - frame, t, end);
        if (state === OPEN && force.some((f) => f !== 0)) state = MEANWHILE;
        return { name: contact.name, at: motion.all(contact.at, place), gap: motion.at(contact.gap[0], place), force, state };
    }

    /** The force of a row, with impulses since the row before as if they took the usual time of a row. */
    ofRow(contact, row) {
        const { time, motion } = this, here = { row, next: row, part: 0 }, step = (time[time.length - 1] - time[0]) / (time.length - 1);
        const impulse = motion.all(contact.impulse, here);
        return motion.all(contact.force, here).map((f, i) => (impulse[i] === 0 ? f : f + impulse[i] / step));
    }

    /** Each row has the mean since the row before, and impulses beside it. */
    mean(contact, since, t, last) {
        const { time, motion } = this, from = Math.max(since, time[0]), sum = [0, 0, 0];
        for (let k = last; k > 0 && time[k] > from; k--) {
            const part = Math.min(time[k], t) - Math.max(time[k - 1], from), force = motion.all(contact.force, { row: k, next: k, part: 0 });
            if (part > 0) force.forEach((f, i) => { sum[i] += f * part / (t - from); });
            if (time[k] <= t) motion.all(contact.impulse, { row: k, next: k, part: 0 }).forEach((p, i) => { sum[i] += p / (t - from); });
        }
        return sum;
    }

    show(t, frame) {
        this.now = this.list.map((contact) => this.at(contact, t, frame))
            .filter((c) => [...c.at, ...c.force, c.gap].every(Number.isFinite) && c.state >= OPEN && c.state <= MEANWHILE);
    }

    /** The end of the arrow of a contact; null if it is too short to be drawn. */
    end(c) {
        const { perNewton, longest, sign } = this.style, force = new THREE.Vector3(...c.force), length = force.length() * perNewton;
        if (!(length >= 0.5 * sign)) return null;
        const end = force.setLength(Math.min(length, longest)).add(new THREE.Vector3(...c.at));
        return { end, cut: length > longest * (1 + 1e-5) }; // numbers in the page have seven digits
    }

    /** Over the scene, as the camera sees it. */
    draw(camera, width, height) {
        const pen = this.canvas.getContext("2d"), ratio = Math.min(devicePixelRatio, 2);
        if (this.canvas.width !== Math.round(ratio * width) || this.canvas.height !== Math.round(ratio * height)) {
            Object.assign(this.canvas, { width: Math.round(ratio * width), height: Math.round(ratio * height) });
        }
        pen.setTransform(ratio, 0, 0, ratio, 0, 0);
        pen.clearRect(0, 0, width, height);
        if (!this.visible || !this.now) return;
        const focus = height / 2 / Math.tan(camera.fov * Math.PI / 360), { sign } = this.style, paper = theme().sheet;
        const see = (x) => { // on paper, and pixels per length there
            const eye = x.clone().applyMatrix4(camera.matrixWorldInverse), far = -eye.z;
            return far > camera.near ? { x: width / 2 + focus * eye.x / far, y: height / 2 - focus * eye.y / far, far, scale: focus / far } : null;
        };
        const seen = this.now.map((c) => ({ c, a: see(new THREE.Vector3(...c.at)) })).filter(({ a }) => a).sort((p, q) => q.a.far - p.a.far);
        for (const { c, a } of seen) {
            const arrow = this.end(c), b = arrow && see(arrow.end);
            if (b) drawArrow(pen, a, b, Math.max(0.3 * sign * a.scale, 0.3 * LEAST), arrow.cut, colour(COLOURS[c.state]), paper);
        }
        for (const { c, a } of seen) {
            const open = c.state === OPEN || c.state === MEANWHILE;
            if (!open || c.gap <= NEAR * sign) drawMark(pen, a, Math.max(sign * a.scale, LEAST), c.state, colour(COLOURS[c.state]), paper);
        }
    }

    setVisible(visible) {
        this.visible = visible;
        this.legend.hidden = !visible;
    }

    fillLegend() {
        const { touches, key, cut } = this.style, paper = theme().sheet, y = 7, entries = [];
        const add = (width, text, draw) => entries.push(element("span", icon(width, draw), text));
        const arrow = (two, fill) => (pen) => drawArrow(pen, { x: 1, y }, { x: 25, y }, 1.3, two, fill, paper);
        for (const [state, text] of [[STICKS, "sticks"], [SLIPS, "slips"], [CLOSED, "closed"]]) {
            if (touches & 1 << state) add(14, text, (pen) => drawMark(pen, { x: 7, y }, 4.6, state, colour(COLOURS[state]), paper));
        }
        if (touches & 1 << MEANWHILE) add(26, "open again", arrow(false, colour(COLOURS[MEANWHILE])));
        if (key) add(26, key, arrow(false, theme().ink));
        if (cut) add(26, cut, arrow(true, theme().ink));
        this.legend.replaceChildren(...entries);
    }
}
