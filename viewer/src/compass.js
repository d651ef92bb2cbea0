// SPDX-License-Identifier: MIT
// The directions of the inertial axes in the corner of the animation.
import * as THREE from "three";

const LENGTH = 24; // of an axis that lies in the plane of the screen, pixels
const axes = [["x", new THREE.Vector3(1, 0, 0)], ["y", new THREE.Vector3(0, 1, 0)], ["z", new THREE.Vector3(0, 0, 1)]];

/** Fills the group of an SVG whose origin is where the axes meet; returns a function of the camera. */
export function createCompass() {
    const group = document.querySelector("#compass g"), space = "http://www.w3.org/2000/svg";
    const parts = axes.map(([name, axis]) => {
        const line = document.createElementNS(space, "line"), label = document.createElementNS(space, "text");
        label.textContent = name;
        group.append(line, label);
        return { axis, line, label };
    });
    return (camera) => {
        const right = new THREE.Vector3(), up = new THREE.Vector3(), back = new THREE.Vector3();
        camera.matrixWorld.extractBasis(right, up, back);
        for (const { axis, line, label } of parts) {
            const x = LENGTH * axis.dot(right), y = -LENGTH * axis.dot(up), far = Math.hypot(x, y) / LENGTH;
            line.setAttribute("x2", x);
            line.setAttribute("y2", y);
            label.setAttribute("x", 1.32 * x);
            label.setAttribute("y", 1.32 * y);
            label.style.opacity = far < 0.2 ? 0 : 1; // it points at the reader
        }
    };
}
