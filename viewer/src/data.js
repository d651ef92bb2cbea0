// SPDX-License-Identifier: MIT
// What `zwang view` wrote into the page: tables of numbers, the scene, equations, notes.

/** @param {{bytes: number, data: string}} column base64 of little endian numbers */
export function numbers(column) {
    const text = atob(column.data), bytes = new Uint8Array(text.length);
    for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
    return column.bytes === 8 ? new Float64Array(bytes.buffer) : new Float32Array(bytes.buffer);
}

function table(raw) {
    const columns = raw ? raw.columns.map((c) => ({ name: c.name, unit: c.unit, values: numbers(c) })) : [];
    return { rows: raw ? raw.rows : 0, columns };
}

/** A figure; what its curves and its rows tell. */
function figure(raw) {
    return { ...raw, tables: raw.tables.map((t) => ({ ...table(t), of: t.of, order: t.order, own: t.own })) };
}

const timeOf = (result) => result.columns.find((c) => c.name === "t").values;

/** A branch and its orbits; what moves in space is decoded when it is looked at. */
function branch(raw) {
    const orbits = raw.orbits.map((o) => {
        const result = table(o.result);
        return { ...o, result, time: timeOf(result), motion: null, load() { this.motion ??= table(o.motion); return this; } };
    });
    return { ...raw, table: table(raw.table), orbits };
}

/** The data of the page, numbers decoded; `time` is the column t of the result, which is null where nothing moves. */
export function readData() {
    const raw = JSON.parse(document.getElementById("data").textContent);
    const result = raw.result ? table(raw.result) : null;
    return { ...raw, result, motion: table(raw.motion), time: result ? timeOf(result) : null, notes: new Map(raw.notes), branch: raw.branch ? branch(raw.branch) : null,
        figure: raw.figure ? figure(raw.figure) : null };
}

/** The last row at or before time t, and how far t is on the way to the next one. */
export function locate(time, t) {
    let low = 0, high = time.length - 1;
    while (low < high) {
        const middle = (low + high + 1) >> 1;
        if (time[middle] <= t) low = middle;
        else high = middle - 1;
    }
    const next = Math.min(low + 1, time.length - 1), span = time[next] - time[low];
    return { row: low, next, part: span > 0 ? Math.min(Math.max((t - time[low]) / span, 0), 1) : 0 };
}

export function between(values, at) {
    const a = values[at.row], b = values[at.next];
    return at.part === 0 ? a : a + (b - a) * at.part;
}
