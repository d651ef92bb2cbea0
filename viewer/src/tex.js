// SPDX-License-Identifier: MIT
// Blocks of equations as LaTeX.

const WIDE = 90; // letters on paper from which on a left side has lines of its own

/** About how many letters of LaTeX are seen: a command is one, braces and signs of position are none. */
const breadth = (tex) => tex.replace(/\\(left|right|mathrm|dot|ddot|quad)\b|\\[,;!]/g, "").replace(/\\[A-Za-z]+/g, "x").replace(/[{}^_&\s]/g, "").length;

const isWide = (line) => line.left.includes("\\\\") || breadth(line.left) > WIDE;

/**
 * A block as one aligned display. Breaks inside a side are those that Zwang made; a long left side stands above its
 * right side, and the short lines beside it stay what they are.
 */
export function blockTex(lines) {
    const wide = lines.some(isWide);
    const rows = lines.map((l) => {
        const label = l.label ? ` && \\quad{\\small\\text{${l.label.replace(/[\\{}$&#^_%~]/g, "\\$&")}}}` : "";
        if (isWide(l)) return `& ${l.left} \\\\ &\\quad ${l.relation} ${l.right}${label}`;
        return wide ? `& ${l.left} ${l.relation} ${l.right}${label}` : `${l.left} &${l.relation} ${l.right}${label}`;
    });
    return `\\begin{aligned}${rows.join(" \\\\[0.5em] ")}\\end{aligned}`;
}
