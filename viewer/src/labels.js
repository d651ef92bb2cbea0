// SPDX-License-Identifier: MIT
// Names and numbers as people write them.

const greek = {
    alpha: "α", beta: "β", gamma: "γ", delta: "δ", epsilon: "ε", eps: "ε", zeta: "ζ", eta: "η", theta: "θ",
    iota: "ι", kappa: "κ", lambda: "λ", mu: "μ", nu: "ν", xi: "ξ", pi: "π", rho: "ρ", sigma: "σ", tau: "τ",
    phi: "φ", chi: "χ", psi: "ψ", omega: "ω", Gamma: "Γ", Delta: "Δ", Theta: "Θ", Lambda: "Λ", Xi: "Ξ", Pi: "Π",
    Sigma: "Σ", Phi: "Φ", Psi: "Ψ", Omega: "Ω",
};

export function escapeHtml(text) {
    return text.replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]);
}

/** phi_1' becomes φ with an index and a prime; long words stay words. HTML. */
export function nameHtml(name) {
    return name.split(/([A-Za-z0-9_]+)/).map((part, i) => {
        if (i % 2 === 0) return escapeHtml(part).replace(/'/g, "′");
        const [head, ...tail] = part.split("_").map((word) => greek[word] ?? word);
        const symbol = head.length === 1 && !/\d/.test(head) ? `<i>${head}</i>` : head;
        return tail.length ? `${symbol}<sub>${tail.join(",")}</sub>` : symbol;
    }).join("");
}

/** kg*m^2/s becomes kg·m²/s. Plain text. */
export function unitText(unit) {
    const digits = { 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷", 8: "⁸", 9: "⁹", "-": "⁻" };
    return unit.replace(/\^\(?(-?\d+)\)?(?![/\d])/g, (_, power) => [...power].map((c) => digits[c]).join(""))
        .replace(/\*/g, "·");
}

/** A number with a few significant digits, in as few letters as possible. */
export function numberText(value, digits = 5) {
    if (!Number.isFinite(value)) return "–";
    const size = Math.abs(value);
    if (size !== 0 && (size >= 1e6 || size < 1e-4)) {
        const [mantissa, exponent] = value.toExponential(digits - 1).split("e");
        return `${Number(mantissa)}·10<sup>${Number(exponent)}</sup>`.replace(/-/g, "−");
    }
    return String(Number(value.toPrecision(digits))).replace("-", "−");
}
