// SPDX-License-Identifier: MIT
// The animation: drawings placed by the motion, the camera, light and ground.
import * as THREE from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { between, locate } from "./data.js";
import { createCompass } from "./compass.js";
import { Contacts } from "./contacts.js";
import { Ground, gridStep } from "./ground.js";
import { isHole, makeShape, recolour, styles } from "./shapes.js";
import { makeTrace } from "./trace.js";

/** Values of the scene file: numbers, or [column] of the motion. */
class Motion {
    constructor(data) {
        this.columns = data.motion.columns.map((c) => c.values);
    }
    at(value, place) {
        return Array.isArray(value) ? between(this.columns[value[0]], place) : value ?? NaN;
    }
    all(values, place) {
        return values.map((v) => this.at(v, place));
    }
}

const moving = (values) => values.some(Array.isArray);

const corners = ({ min, max }) => [0, 1, 2, 3, 4, 5, 6, 7].map((k) =>
    new THREE.Vector3(k & 1 ? max.x : min.x, k & 2 ? max.y : min.y, k & 4 ? max.z : min.z));

export class Stage {
    constructor(data, timeline) {
        this.time = data.time;
        this.motion = new Motion(data);
        this.items = data.scene.items;
        this.up = new THREE.Vector3(...data.scene.up).normalize();
        this.parent = document.getElementById("canvas");
        // Zwang measured the scene and chose from where it is seen, as for its stills and films
        const { stage } = data, vector = (list) => new THREE.Vector3(...list);
        this.box = new THREE.Box3(vector(stage.low), vector(stage.high));
        this.direction = vector(stage.direction);
        Object.assign(this, { size: stage.size, bodySize: stage.bodySize, small: stage.small, groundHeight: stage.ground,
            follows: stage.follows, colours: stage.colours });
        this.createRenderer();
        this.createLight();
        this.createGround(data);
        this.createShapes();
        this.createCamera();
        this.compass = createCompass();
        this.contacts = data.scene.contacts.length ? new Contacts(data, this.motion, this.parent) : null;
        this.timeline = timeline;
        timeline.listen((t) => this.show(t));
        new ResizeObserver(() => this.resize()).observe(this.parent);
        matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.recolour());
        this.resize();
    }

    /** A length that belongs to what the camera sees first. */
    get scale() {
        return this.follows ? 4 * this.bodySize : this.size;
    }

    createRenderer() {
        this.renderer = new THREE.WebGLRenderer({ antialias: true, alpha: true, preserveDrawingBuffer: true });
        this.renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
        this.renderer.shadowMap.enabled = true;
        this.renderer.shadowMap.type = THREE.PCFShadowMap;
        this.parent.append(this.renderer.domElement);
        this.scene = new THREE.Scene();
    }

    createLight() {
        const sun = new THREE.DirectionalLight(0xffffff, 2), half = 0.8 * this.scale;
        sun.castShadow = true;
        sun.shadow.mapSize.set(2048, 2048);
        sun.shadow.radius = 4;
        Object.assign(sun.shadow.camera, { left: -half, right: half, top: half, bottom: -half, near: 0, far: 6 * half });
        sun.shadow.normalBias = 0.002 * this.scale;
        this.sun = sun;
        const sky = new THREE.HemisphereLight(0xffffff, 0xcfc8ba, 1.9);
        sky.position.copy(this.up);
        this.lamp = new THREE.DirectionalLight(0xffffff, 0.9);
        this.scene.add(sun, sun.target, sky, this.lamp, this.lamp.target);
    }

    createGround(data) {
        this.ground = new Ground(this.up, this.groundHeight, this.scale);
        this.scene.add(this.ground.object);
        document.getElementById("scale").textContent = `grid ${gridText(gridStep(this.scale), data.scene.length)}`;
    }

    createShapes() {
        const style = styles(this.items, this.colours), start = { row: 0, next: 0, part: 0 };
        this.placed = [];
        this.traces = [];
        this.items.forEach((item, i) => {
            if (isHole(item.shape)) return;
            if (item.shape === "trace") {
                if (moving(item.at)) this.addTrace(item, style[i]);
                return;
            }
            const holes = [];
            for (let k = i + 1; k < this.items.length && isHole(this.items[k].shape); k++) holes.push(this.hole(item, this.items[k]));
            const shape = makeShape({ ...item, numbers: this.motion.all(item.numbers, start) }, holes, style[i], this.small);
            this.scene.add(shape.object);
            this.placed.push({ item, shape });
        });
    }

    /** A hole's lengths and its place in the axes of the drawing it is taken from. */
    hole(item, hole) {
        const start = { row: 0, next: 0, part: 0 }, get = (v) => this.motion.all(v, start);
        const turn = get(item.turn), back = new THREE.Quaternion(turn[1], turn[2], turn[3], turn[0]).invert();
        const offset = new THREE.Vector3(...get(hole.at)).sub(new THREE.Vector3(...get(item.at))).applyQuaternion(back);
        return { shape: hole.shape, numbers: get(hole.numbers), offset: offset.toArray() };
    }

    /** The same drawings along another motion, seen from where the reader is. */
    load(data) {
        for (const { shape } of this.placed) this.scene.remove(shape.object);
        for (const { trace } of this.traces) this.scene.remove(...trace.objects);
        for (const { shape } of this.placed) release(shape.object);
        for (const { trace } of this.traces) trace.objects.forEach(release);
        Object.assign(this, { time: data.time, motion: new Motion(data), items: data.scene.items });
        this.createShapes();
        if (this.contacts) {
            const { visible } = this.contacts;
            this.contacts.canvas.remove();
            this.contacts = new Contacts(data, this.motion, this.parent);
            this.contacts.setVisible(visible);
        }
    }

    addTrace(item, style) {
        const rows = this.time.length, points = new Float32Array(3 * rows);
        for (let row = 0; row < rows; row++) points.set(this.motion.all(item.at, { row, next: row, part: 0 }), 3 * row);
        if (rows < 2 || !points.every(Number.isFinite)) return;
        const trace = makeTrace(points, style.colour);
        this.scene.add(...trace.objects);
        this.traces.push({ item, trace });
    }

    createCamera() {
        this.camera = new THREE.PerspectiveCamera(32, 1, 1e-3 * this.scale, 100 * this.size);
        this.camera.up.copy(this.up);
        this.controls = new OrbitControls(this.camera, this.renderer.domElement);
        this.controls.addEventListener("change", () => this.render());
        this.controls.addEventListener("start", () => { this.turned = true; }); // by the reader
        this.fit();
    }

    /** The middle of what moves. */
    motionCentre(place) {
        const sum = new THREE.Vector3();
        let count = 0;
        for (const { item } of this.placed) {
            const at = this.motion.all(item.at, place);
            if (!moving(item.at) || !at.every(Number.isFinite)) continue;
            sum.add(new THREE.Vector3(...at));
            count++;
        }
        return count ? sum.divideScalar(count) : this.box.getCenter(new THREE.Vector3());
    }

    /** The whole motion (or what is followed) in view, seen from the first direction. */
    fit() {
        this.turned = false;
        const place = locate(this.time, this.now ?? this.time[0]);
        const target = this.follows ? this.motionCentre(place) : this.box.getCenter(new THREE.Vector3());
        const radius = this.follows ? 1.3 * this.bodySize : 0.5 * this.box.getSize(new THREE.Vector3()).length();
        const vertical = Math.tan(this.camera.fov * Math.PI / 360), half = Math.atan(vertical * Math.min(this.camera.aspect, 1));
        const { direction } = this;
        this.controls.target.copy(target);
        this.camera.position.copy(target).addScaledVector(direction, radius / Math.sin(half));
        if (!this.follows) this.tighten(direction, target);
        this.followed = this.follows ? target : null;
        this.controls.update();
        this.render();
    }

    /** Nearer, until the corners of the box touch the border: a sphere around it is too large for flat motions. */
    tighten(direction, target) {
        let distance = this.camera.position.distanceTo(target);
        for (let pass = 0; pass < 4; pass++) {
            this.camera.lookAt(target);
            this.camera.updateMatrixWorld();
            const seen = corners(this.box).map((c) => c.project(this.camera)); // the border is at 1 and -1
            const most = Math.max(...seen.map((c) => Math.max(Math.abs(c.x), Math.abs(c.y))));
            distance *= Math.min(Math.max(most / 0.86, 0.3), 3);
            this.camera.position.copy(target).addScaledVector(direction, distance);
        }
    }

    setFollow(follows) {
        this.follows = follows;
        this.fit();
    }

    show(t) {
        // what plays shows the mean force since the frame before, so that no impact is missed
        this.contacts?.show(t, this.timeline.playing && t > this.now ? t - this.now : 0);
        this.now = t;
        const place = locate(this.time, t);
        for (const { item, shape } of this.placed) {
            shape.place(this.motion.all(item.at, place), this.motion.all(item.turn, place), this.motion.all(item.numbers, place));
        }
        for (const { item, trace } of this.traces) trace.show(place, this.motion.all(item.at, place));
        if (this.followed) {
            const centre = this.motionCentre(place), step = centre.clone().sub(this.followed);
            this.camera.position.add(step);
            this.controls.target.add(step);
            this.followed = centre;
        }
        this.render();
    }

    /** The inertial position of a drawing by its name at the present time. */
    position(name) {
        const found = this.items.find((item) => item.name === name);
        return found ? this.motion.all(found.at, locate(this.time, this.now)) : null;
    }

    render() {
        if (this.waiting) return;
        this.waiting = true;
        requestAnimationFrame(() => {
            this.waiting = false;
            this.draw();
        });
    }

    draw() {
        const { target } = this.controls, back = this.camera.position.clone().sub(target).normalize();
        const side = new THREE.Vector3().crossVectors(this.up, back).normalize();
        this.sun.target.position.copy(target); // the sun stands high, to the left of the reader
        this.sun.position.copy(target).addScaledVector(this.up, 2 * this.scale)
            .addScaledVector(side, -0.7 * this.scale).addScaledVector(back, 0.6 * this.scale);
        this.lamp.position.copy(this.camera.position);
        this.lamp.target.position.copy(target);
        this.ground.follow(target);
        this.renderer.render(this.scene, this.camera);
        this.compass(this.camera);
        this.contacts?.draw(this.camera, this.parent.clientWidth, this.parent.clientHeight);
    }

    setForces(visible) {
        this.contacts.setVisible(visible);
        this.render();
    }

    resize() {
        const { clientWidth: width, clientHeight: height } = this.parent;
        if (!width || !height) return;
        this.renderer.setSize(width, height);
        this.camera.aspect = width / height;
        this.camera.updateProjectionMatrix();
        if (this.turned) this.render();
        else this.fit();
    }

    recolour() {
        recolour(this.scene);
        this.ground.recolour();
        this.contacts?.fillLegend();
        this.render();
    }
}

/** What a drawing holds on the graphics card. */
function release(object) {
    object.traverse((part) => {
        part.geometry?.dispose();
        for (const material of [part.material].flat()) material?.dispose();
    });
}

function gridText(step, unit) {
    if (!unit) return String(Number(step.toPrecision(3)));
    if (step >= 1000) return `${step / 1000} km`;
    if (step >= 1) return `${step} m`;
    if (step >= 0.01) return `${Number((100 * step).toPrecision(3))} cm`;
    return `${Number((1000 * step).toPrecision(3))} mm`;
}
