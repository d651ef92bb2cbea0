// SPDX-License-Identifier: MIT
// The ground: a grid of 1, 2 or 5 times a power of ten metres that fades away, and what receives shadows.
import * as THREE from "three";
import { theme } from "./theme.js";

/** About one tenth of a length, as 1, 2 or 5 times a power of ten. */
export function gridStep(length) {
    const raw = length / 10, power = 10 ** Math.floor(Math.log10(raw)), rest = raw / power;
    return (rest < 1.5 ? 1 : rest < 3.5 ? 2 : rest < 7.5 ? 5 : 10) * power;
}

const vertexShader = `
varying vec2 place;
void main() {
    place = position.xy;
    gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
}`;
const fragmentShader = `
uniform vec3 ink; uniform vec2 origin; uniform float cell, reach;
varying vec2 place;
float lines(vec2 p, float size) {
    vec2 width = fwidth(p / size), near = abs(fract(p / size - 0.5) - 0.5) / width;
    float strength = 1.0 - min(min(near.x, near.y), 1.0);
    return strength * (1.0 - smoothstep(0.2, 0.6, max(width.x, width.y)));
}
void main() {
    float fade = 1.0 - smoothstep(0.35, 1.0, length(place) / reach);
    vec2 p = place + origin;
    float strength = max(0.3 * lines(p, cell), 0.6 * lines(p, 5.0 * cell));
    gl_FragColor = vec4(ink, strength * fade);
    #include <colorspace_fragment>
}`;

/** The plane with this normal at this height; it stays under the point that is looked at. */
export class Ground {
    constructor(normal, height, size) {
        this.reach = 4 * size;
        this.grid = new THREE.Mesh(new THREE.PlaneGeometry(2 * this.reach, 2 * this.reach), new THREE.ShaderMaterial({
            vertexShader, fragmentShader, transparent: true, depthWrite: false, side: THREE.DoubleSide,
            uniforms: {
                ink: { value: new THREE.Color(theme().grid) }, origin: { value: new THREE.Vector2() },
                cell: { value: gridStep(size) }, reach: { value: this.reach },
            },
        }));
        this.shade = new THREE.Mesh(this.grid.geometry, new THREE.ShadowMaterial({ opacity: 0.16, depthWrite: false }));
        this.shade.receiveShadow = true;
        this.object = new THREE.Group();
        this.object.add(this.shade, this.grid);
        this.object.quaternion.setFromUnitVectors(new THREE.Vector3(0, 0, 1), normal);
        this.normal = normal;
        this.height = height - 1e-4 * size; // under what stands on it
        this.follow(new THREE.Vector3());
    }

    follow(point) {
        const off = this.height - point.dot(this.normal);
        this.object.position.copy(point).addScaledVector(this.normal, off);
        const own = this.object.position.clone().applyQuaternion(this.object.quaternion.clone().invert());
        this.grid.material.uniforms.origin.value.set(own.x, own.y);
    }

    recolour() {
        this.grid.material.uniforms.ink.value.set(theme().grid);
    }
}
