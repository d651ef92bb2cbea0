// SPDX-License-Identifier: MIT
// Colours. Those of text and lines live in style.css; drawings and curves take theirs from here.

const dark = matchMedia("(prefers-color-scheme: dark)");
export const isDark = () => dark.matches;

/** Colours of the page as the style sheet has them now. */
export function theme() {
    const style = getComputedStyle(document.documentElement);
    const get = (name) => style.getPropertyValue(`--${name}`).trim();
    return { paper: get("paper"), sheet: get("sheet"), ink: get("ink"), muted: get("muted"), line: get("line"), grid: get("grid") };
}

/** The colours a model may name, for light and dark paper; src/out/scene/colour.c has the same. */
const named = {
    red: ["#b8483e", "#d9685c"], orange: ["#c97b36", "#dd9450"], yellow: ["#d1a93c", "#dcbb5c"],
    green: ["#5a8a55", "#7cab74"], teal: ["#3b8686", "#5aa8a6"], blue: ["#3f6c9b", "#6f9ccb"],
    violet: ["#7f5c8f", "#a584b5"], brown: ["#86664b", "#a98868"], steel: ["#8a94a0", "#9aa5b1"],
    grey: ["#a3a29d", "#85878a"], black: ["#33363a", "#54585e"], white: ["#f1efe9", "#dcdad4"],
    // of contacts: to be told apart by all eyes, and from drawings
    stick: ["#00798c", "#3fb6c9"], slip: ["#e0610e", "#ff8a3d"], touch: ["#6b4fa0", "#a58be0"],
};
export const colour = (name) => named[name][isDark() ? 1 : 0];

export const curveColours = () => ["blue", "red", "green", "orange", "violet", "teal"].map(colour);
