// SPDX-License-Identifier: MIT
// Title, parameters, provenance and the model's text.
import { element, nameNodes, numberNodes, unitText } from "./labels.js";

/** @param rows pairs of lists of nodes */
function fillTable(id, rows) {
    const row = ([key, value]) => element("tr", element("th", ...key), element("td", ...value));
    const table = element("table", element("tbody", ...rows.map(row)));
    document.querySelector(`#${id} .content`).append(rows.length ? table : element("p", "none"));
}

function parameter([key, value]) {
    const [, number, unit] = /^(\S+)\s*(.*)$/.exec(value) ?? [null, value, ""];
    return [nameNodes(key.slice("param ".length)), [...numberNodes(Number(number), 8), ` ${unitText(unit)}`]];
}

export function showNotes(data) {
    const notes = [...data.notes], title = data.title || data.name;
    document.title = `${title} – Zwang`;
    document.getElementById("title").textContent = title;
    const facts = [data.notes.get("caption"), data.name, data.variant && `variant ${data.variant}`,
        data.notes.get("principle") && `equations by ${data.notes.get("principle")}`,
        data.notes.get("method")].filter(Boolean);
    document.getElementById("subtitle").textContent = facts.join(" · ");
    const along = data.branch ? `param ${data.branch.table.columns[0].name}` : null; // it has no one value
    fillTable("parameters", notes.filter(([key]) => key.startsWith("param ") && key !== along).map(parameter));
    fillTable("provenance", notes
        .filter(([key, value]) => !key.startsWith("param ") && key !== "text" && value !== "")
        .map(([key, value]) => [[key], [value]]));
    const text = data.notes.get("text");
    document.querySelector("#model pre").textContent = text ?? "";
    document.getElementById("model").hidden = !text;
}
