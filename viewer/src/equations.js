// SPDX-License-Identifier: MIT
// The equations of motion, set by KaTeX when the reader comes near them.
import katex from "katex";
import { element } from "./labels.js";
import { blockTex } from "./tex.js";

const LONG = 12000; // letters of LaTeX from which on a block is set only when the reader opens it

function setDisplay(parent, tex) {
    const display = document.createElement("div");
    display.className = "display";
    display.tabIndex = 0;
    katex.render(tex, display, { displayMode: true, throwOnError: false, strict: "ignore", maxSize: 50, maxExpand: Infinity });
    parent.append(display);
}

function setBlock(parent, block) {
    const heading = document.createElement("h3"), tex = blockTex(block.lines);
    heading.textContent = block.heading;
    parent.append(heading);
    if (tex.length < LONG) {
        setDisplay(parent, tex);
        return;
    }
    const details = document.createElement("details"), summary = document.createElement("summary");
    summary.textContent = `${block.lines.length} lines, long ones`;
    details.append(summary);
    details.addEventListener("toggle", () => setDisplay(details, tex), { once: true });
    parent.append(details);
}

export function showEquations(equations) {
    const section = document.getElementById("equations"), content = section.querySelector(".content");
    if (!equations) {
        content.append(element("p", "They are too long to be read here; ", element("code", "zwang derive"), " prints them."));
        return;
    }
    const about = element("p", `By ${equations.principle}: ${equations.about}.`);
    about.className = "about";
    content.append(about);
    const set = () => equations.blocks.forEach((block) => setBlock(content, block));
    const observer = new IntersectionObserver((entries) => {
        if (!entries.some((e) => e.isIntersecting)) return;
        observer.disconnect();
        set();
    }, { rootMargin: "600px" });
    observer.observe(section);
    addEventListener("beforeprint", () => {
        if (content.querySelector(".display")) return;
        observer.disconnect();
        set();
    });
}
