// SPDX-License-Identifier: MIT
// Names and numbers as people write them. What comes from a result is text of somebody else: it becomes nodes of
// text, never HTML, and it is no key of an object that has keys of its own.

const greek = new Map(Object.entries({
    alpha: "α", beta: "β", gamma: "γ", delta: "δ", epsilon: "ε", eps: "ε", zeta: "ζ", eta: "η", theta: "θ",
    iota: "ι", kappa: "κ", lambda: "λ", mu: "μ", nu: "ν", xi: "ξ", pi: "π", rho: "ρ", sigma: "σ", tau: "τ",
    phi: "φ", chi: "χ", psi: "ψ", omega: "ω", Gamma: "Γ", Delta: "Δ", Theta: "Θ", Lambda: "Λ", Xi: "Ξ", Pi: "Π",
    Sigma: "Σ", Phi: "Φ", Psi: "Ψ", Omega: "Ω",
}));

/** An element with children: nodes, or texts that stay texts. */
export function element(tag, ...children) {
    const made = document.createElement(tag);
    made.append(...children);
    return made;
}

/** phi_1' becomes φ with an index and a prime; long words stay words. Nodes. */
export function nameNodes(name) {
    return name.split(/([A-Za-z0-9_]+)/).flatMap((part, i) => {
        if (i % 2 === 0) return [part.replace(/'/g, "′")];
        const [head, ...tail] = part.split("_").map((word) => greek.get(word) ?? word);
        const symbol = head.length === 1 && !/\d/.test(head) ? element("i", head) : head;
        return tail.length ? [symbol, element("sub", tail.join(","))] : [symbol];
    });
}

/** A prime for each dot above, which not every font has. */
const lettersOf = ([text, marks]) => text + "′".repeat(marks.split(".").length - 1);

/** Pieces of a label as Zwang has read it, [letters, marks]: i is italic, _ lowered, ^ raised, a dot for each dot above. Nodes. */
export function pieceNodes(pieces) {
    return (pieces ?? []).map((piece) => {
        const [, marks] = piece, letters = lettersOf(piece), inner = marks.includes("i") ? element("i", letters) : letters;
        return marks.includes("_") ? element("sub", inner) : marks.includes("^") ? element("sup", inner) : inner;
    });
}

/** The same as plain text. */
export const pieceText = (pieces) => (pieces ?? []).map(lettersOf).join("");

/** kg*m^2/s becomes kg·m²/s. Plain text. */
export function unitText(unit) {
    const digits = { 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷", 8: "⁸", 9: "⁹", "-": "⁻" };
    return unit.replace(/\^\(?(-?\d+)\)?(?![/\d])/g, (_, power) => [...power].map((c) => digits[c]).join(""))
        .replace(/\*/g, "·");
}

/** A number with a few significant digits, in as few letters as possible. Nodes. */
export function numberNodes(value, digits = 5) {
    if (!Number.isFinite(value)) return ["–"];
    const size = Math.abs(value);
    if (size !== 0 && (size >= 1e6 || size < 1e-4)) {
        const [mantissa, exponent] = value.toExponential(digits - 1).split("e");
        const minus = (text) => String(Number(text)).replace("-", "−");
        return [`${minus(mantissa)}·10`, element("sup", minus(exponent))];
    }
    return [String(Number(value.toPrecision(digits))).replace("-", "−")];
}
