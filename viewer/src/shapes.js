// SPDX-License-Identifier: MIT
// Drawings as objects of three.js. A shape is made once, of unit size, with the axes of the model (discs
// and cylinders about z, rods along x), and is then only placed, turned and stretched.
import * as THREE from "three";
import { fatLine } from "./trace.js";
import { colour } from "./theme.js";

const SPANS = new Set(["line", "link", "spring", "damper", "arrow"]);
const isSpan = (shape) => SPANS.has(shape);
export const isHole = (shape) => shape.startsWith("hole ");

/** Stretch of the unit shape along its axes. */
function stretch(shape, n, small) {
    switch (shape) {
    case "cylinder": case "cone": return [n[0], n[0], n[1]];
    case "rod": return [n[0], Math.min(0.06 * n[0], small), Math.min(0.06 * n[0], small)];
    case "box": case "ellipsoid": return n;
    case "plane": return [n[0], n[1], 1];
    case "point": return Array(3).fill(small * (n[0] ?? 1));
    case "axes": return [8 * small, 8 * small, 8 * small];
    default: return [n[0], n[0], n[0]];
    }
}

/** Two tones in the quadrants or octants of a shape, so that its turning is seen. */
function twoTone(geometry, octants) {
    const faces = geometry.toNonIndexed(), at = faces.getAttribute("position");
    const colours = new Float32Array(at.count * 3);
    for (let i = 0; i < at.count; i += 3) {
        const centre = (get) => get.call(at, i) + get.call(at, i + 1) + get.call(at, i + 2);
        const light = (centre(at.getX) > 0) !== (centre(at.getY) > 0) !== (octants && centre(at.getZ) > 0);
        colours.fill(light ? 1 : 0.5, 3 * i, 3 * i + 9);
    }
    faces.setAttribute("color", new THREE.BufferAttribute(colours, 3));
    return faces;
}

const aboutZ = (geometry) => geometry.rotateX(Math.PI / 2);

const unit = {
    sphere: () => twoTone(aboutZ(new THREE.SphereGeometry(1, 48, 32)), true),
    ellipsoid: () => twoTone(aboutZ(new THREE.SphereGeometry(1, 48, 32)), true),
    shell: () => aboutZ(new THREE.SphereGeometry(1, 48, 32)),
    bowl: () => aboutZ(new THREE.SphereGeometry(1, 64, 32, 0, 2 * Math.PI, Math.PI / 2, Math.PI / 2)),
    disk: () => twoTone(aboutZ(new THREE.CylinderGeometry(1, 1, 0.03, 64)), false),
    cylinder: () => twoTone(aboutZ(new THREE.CylinderGeometry(1, 1, 1, 64)), false),
    cone: () => twoTone(aboutZ(new THREE.ConeGeometry(1, 1, 64)), false),
    ring: () => twoTone(new THREE.TorusGeometry(0.97, 0.03, 16, 96), false),
    rod: () => new THREE.CylinderGeometry(0.5, 0.5, 1, 24).rotateZ(Math.PI / 2),
    box: () => new THREE.BoxGeometry(1, 1, 1),
    plane: () => new THREE.PlaneGeometry(1, 1),
    point: () => new THREE.SphereGeometry(1, 32, 20),
};

/** A spring of unit length and radius; as a line on the screen it may be stretched without harm. */
function helix(name) {
    const turns = 9, straight = 0.1, steps = 540, points = new Float32Array(3 * (steps + 1));
    for (let i = 0; i <= steps; i++) {
        const s = i / steps, inner = Math.min(Math.max((s - straight) / (1 - 2 * straight), 0), 1);
        const radius = Math.min(1, 12 * inner, 12 * (1 - inner)), angle = 2 * Math.PI * turns * inner;
        points.set([radius * Math.cos(angle), s, radius * Math.sin(angle)], 3 * i);
    }
    return fatLine(points, name, 2, 1);
}
/** Material with a colour that follows the theme. */
function material(style) {
    const see = style.clear;
    const m = new THREE.MeshStandardMaterial({
        roughness: 0.62, metalness: 0.04, vertexColors: style.tones ?? false,
        transparent: see, opacity: see ? 0.24 : 1, depthWrite: !see,
        side: see || style.flat ? THREE.DoubleSide : THREE.FrontSide,
    });
    m.userData.name = style.colour;
    m.color.set(colour(style.colour));
    return m;
}

function mesh(geometry, m) {
    const object = new THREE.Mesh(geometry, m);
    object.castShadow = !m.transparent;
    object.receiveShadow = !m.transparent;
    return object;
}

const tube = (r, w) => new THREE.TorusGeometry(r, w, 32, 128);

/** A disc with a rounded rim has that as its second number. */
const isRounded = (item) => item.shape === "disk" && item.numbers.length > 1;

/** A ring of round wire, or a disc with a rounded rim, in its true size: it has two radii. */
function rounded(item, style) {
    const [r, w] = item.numbers;
    if (item.shape === "torus") return mesh(twoTone(tube(r, w), false), material(style));
    const edge = Math.max(r - w, 0), m = material(style);
    const object = mesh(twoTone(aboutZ(new THREE.CylinderGeometry(edge, edge, 2 * w, 64)), false), m);
    object.add(mesh(twoTone(tube(edge, w), false), m));
    return object;
}

/** A disc or cylinder with round holes, in its true size: holes keep their place when it turns. */
function pierced(item, holes, style) {
    const [size, second] = item.numbers, outline = new THREE.Shape(), rim = isRounded(item) ? second : 0;
    const r = size - rim, h = rim ? 2 * rim : second ?? 0.03 * size;
    outline.absarc(0, 0, r, 0, 2 * Math.PI);
    for (const hole of holes) {
        const path = new THREE.Path();
        path.absarc(hole.offset[0], hole.offset[1], hole.numbers[0], 0, 2 * Math.PI, true);
        outline.holes.push(path);
    }
    const geometry = new THREE.ExtrudeGeometry(outline, { depth: h, bevelEnabled: false, curveSegments: 64 });
    const object = mesh(geometry.translate(0, 0, -h / 2), material(style));
    if (rim) object.add(mesh(tube(r, rim), material(style)));
    return object;
}

function axes(style) {
    const group = new THREE.Group();
    for (const [name, turn] of [["red", [0, 0, -Math.PI / 2]], ["green", [0, 0, 0]], ["blue", [Math.PI / 2, 0, 0]]]) {
        const arm = new THREE.Group(), m = material({ ...style, colour: style.said ? style.colour : name });
        arm.add(mesh(new THREE.CylinderGeometry(0.02, 0.02, 0.85, 12).translate(0, 0.425, 0), m));
        arm.add(mesh(new THREE.ConeGeometry(0.06, 0.18, 20).translate(0, 0.91, 0), m));
        arm.rotation.set(...turn);
        group.add(arm);
    }
    return group;
}

/** Between two points: a group along y from the first one, its parts stretched to the distance. */
function span(shape, style, small) {
    const group = new THREE.Group(), m = material(style);
    if (shape === "spring") {
        group.add(helix(style.colour));
    } else {
        group.add(mesh(new THREE.CylinderGeometry(1, 1, 1, 24).translate(0, 0.5, 0), m));
        if (shape === "link") for (const end of [0, 1]) group.add(mesh(new THREE.SphereGeometry(1, 24, 16), m));
        if (shape === "arrow") group.add(mesh(new THREE.ConeGeometry(1, 1, 28).translate(0, -0.5, 0), m));
        if (shape === "damper") group.add(mesh(new THREE.CylinderGeometry(1, 1, 1, 24).translate(0, 0.5, 0), m));
    }
    const usual = { line: 0.22, link: 0.7, spring: 1.6, damper: 0.9, arrow: 0.3 }[shape] * small;
    const up = new THREE.Vector3(0, 1, 0), along = new THREE.Vector3();
    return {
        object: group,
        place(at, _, numbers) {
            along.set(numbers[0] - at[0], numbers[1] - at[1], numbers[2] - at[2]);
            const length = along.length(), radius = numbers[3] ?? usual;
            group.visible = length > 0 && Number.isFinite(length);
            if (!group.visible) return;
            group.position.set(...at);
            group.quaternion.setFromUnitVectors(up, along.divideScalar(length));
            stretchSpan(group.children, shape, length, radius);
        },
    };
}

function stretchSpan(parts, shape, length, radius) {
    const [body, ...ends] = parts, head = shape === "arrow" ? Math.min(8 * radius, 0.5 * length) : 0;
    const thick = shape === "damper" ? 0.3 * radius : radius; // the rod of a damper, in its cylinder
    body.scale.set(thick, Math.max(length - head, 1e-12), thick);
    if (shape === "arrow") ends[0].scale.set(3 * radius, head, 3 * radius);
    if (shape === "damper") ends[0].scale.set(radius, 0.4 * length, radius);
    if (shape === "link") ends.forEach((end) => end.scale.setScalar(radius));
    if (ends.length) ends[ends.length - 1].position.y = shape === "damper" ? 0.25 * length : length;
}

/** How a drawing looks: its colour was chosen by Zwang where the model says none. */
export function styles(items, colours) {
    return items.map((item, i) => {
        const clear = item.clear || item.shape === "bowl" || item.shape === "shell";
        return { colour: colours[i], clear, said: item.colour !== "", flat: item.shape === "plane",
            tones: !clear && ["sphere", "ellipsoid", "disk", "cylinder", "cone", "ring", "torus"].includes(item.shape) };
    });
}

/**
 * The object of a drawing and the function that places it.
 * @param item with its numbers at the start; holes: those that follow it, with their offset in its axes
 * @param small a length that is small on the screen
 */
export function makeShape(item, holes, style, small) {
    if (isSpan(item.shape)) return span(item.shape, style, small);
    const round = holes.filter((h) => h.shape === "hole cylinder" || h.shape === "hole disk");
    const holed = ["cylinder", "disk"].includes(item.shape) && round.length > 0;
    const solid = holed || item.shape === "torus" || isRounded(item);
    let object;
    if (holed) object = pierced(item, round, { ...style, tones: false });
    else if (solid) object = rounded(item, style);
    else if (item.shape === "axes") object = axes(style);
    else object = mesh((unit[item.shape] ?? unit.point)(), material(style));
    if (item.shape === "bowl") object.add(mesh(new THREE.TorusGeometry(1, 0.006, 8, 128), material({ ...style, clear: false })));
    return {
        object,
        place(at, turn, numbers) {
            object.visible = at.every(Number.isFinite);
            object.position.set(...at);
            object.quaternion.set(turn[1], turn[2], turn[3], turn[0]).normalize();
            if (!solid) object.scale.set(...stretch(item.shape, numbers, small).map((v) => Math.max(v, 1e-12)));
        },
    };
}

/** Give all materials under an object the colours of the present theme. */
export function recolour(object) {
    object.traverse((child) => {
        if (child.material?.userData.name) child.material.color.set(colour(child.material.userData.name));
    });
}
