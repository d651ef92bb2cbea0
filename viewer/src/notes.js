// SPDX-License-Identifier: MIT
// Title, parameters, provenance and the model's text.
import { escapeHtml, nameHtml, numberText, unitText } from "./labels.js";

function fillTable(id, rows) {
    const content = document.querySelector(`#${id} .content`);
    if (!rows.length) content.innerHTML = "<p>none</p>";
    else content.innerHTML = `<table>${rows.map((r) => `<tr><th>${r[0]}</th><td>${r[1]}</td></tr>`).join("")}</table>`;
}

function parameter([key, value]) {
    const [, number, unit] = /^(\S+)\s*(.*)$/.exec(value) ?? [null, value, ""];
    return [nameHtml(key.slice("param ".length)), `${numberText(Number(number), 8)} ${escapeHtml(unitText(unit))}`];
}

export function showNotes(data) {
    const notes = [...data.notes], title = data.title || data.name;
    document.title = `${title} – Zwang`;
    document.getElementById("title").textContent = title;
    const facts = [data.name, data.variant && `variant ${data.variant}`,
        data.notes.get("principle") && `equations by ${data.notes.get("principle")}`,
        data.notes.get("method")].filter(Boolean);
    document.getElementById("subtitle").textContent = facts.join(" · ");
    fillTable("parameters", notes.filter(([key]) => key.startsWith("param ")).map(parameter));
    fillTable("provenance", notes
        .filter(([key, value]) => !key.startsWith("param ") && key !== "text" && value !== "")
        .map(([key, value]) => [escapeHtml(key), escapeHtml(value)]));
    const text = data.notes.get("text");
    document.querySelector("#model pre").textContent = text ?? "";
    document.getElementById("model").hidden = !text;
}
