// SPDX-License-Identifier: MIT
// The path of a point: what has been passed as a line, what is to come as a shade of it.
import { Line2 } from "three/addons/lines/Line2.js";
import { LineGeometry } from "three/addons/lines/LineGeometry.js";
import { LineMaterial } from "three/addons/lines/LineMaterial.js";
import { colour } from "./theme.js";

/** A line of so many pixels through points x, y, z. */
export function fatLine(points, name, width, opacity) {
    const material = new LineMaterial({ linewidth: width, transparent: true, opacity, depthWrite: opacity === 1 });
    material.userData.name = name;
    material.color.set(colour(name));
    const line = new Line2(new LineGeometry().setPositions(points), material);
    line.frustumCulled = false;
    return line;
}

/** @param {Float32Array} points x, y, z of each row; returns objects and a function of the present point */
export function makeTrace(points, name) {
    const passed = fatLine(points, name, 2.2, 1), whole = fatLine(points, name, 1.4, 0.22);
    const segments = passed.geometry.getAttribute("instanceStart").data, data = segments.array;
    const rows = points.length / 3;
    let broken = -1; // the segment that ends at the present point instead of the next row
    const mend = () => {
        if (broken >= 0) for (let i = 0; i < 3; i++) data[6 * broken + 3 + i] = points[3 * (broken + 1) + i];
        broken = -1;
    };
    return {
        objects: [whole, passed],
        show(at, now) {
            mend();
            const partial = at.part > 0 && at.row + 1 < rows;
            if (partial) {
                broken = at.row;
                for (let i = 0; i < 3; i++) data[6 * broken + 3 + i] = now[i];
            }
            segments.needsUpdate = true;
            passed.geometry.instanceCount = at.row + (partial ? 1 : 0);
            passed.visible = passed.geometry.instanceCount > 0;
        },
    };
}
