// SPDX-License-Identifier: MIT
// All of src/ and what it imports, as one HTML file without any reference to another one.
//   node build.mjs page.html
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { build, transform } from "esbuild";

const katex = "node_modules/katex/dist/";

// KaTeX's style with the fonts that equations of motion need inside it, and no others
const wanted = /KaTeX_(AMS-Regular|Main-Regular|Main-Bold|Math-Italic|Size[1-4]-Regular)\.woff2/;
function equationStyle() {
    const css = readFileSync(katex + "katex.css", "utf8");
    return css.replace(/@font-face\s*\{[^}]*\}/g, (face) => {
        const font = wanted.exec(face);
        if (!font) return "";
        const data = readFileSync(`${katex}fonts/${font[0]}`).toString("base64");
        return face.replace(/src:[^;}]*/, `src: url(data:font/woff2;base64,${data}) format("woff2")`);
    });
}

// what the licences ask for: their text goes with the copy
function licences() {
    const parts = ["three", "uplot", "katex"].map((name) => {
        const { version } = JSON.parse(readFileSync(`node_modules/${name}/package.json`, "utf8"));
        return `${name} ${version} (SPDX-License-Identifier: MIT)\n${readFileSync(`node_modules/${name}/LICENSE`, "utf8")}`;
    });
    parts.push("KaTeX, fonts (SPDX-License-Identifier: OFL-1.1)\n" +
        "Copyright (c) 2009-2010, Design Science, Inc. (<www.mathjax.org>)\n" +
        "Copyright (c) 2014-2018 Khan Academy (<www.khanacademy.org>),\n" +
        "with Reserved Font Names KaTeX_AMS, KaTeX_Main, KaTeX_Math, KaTeX_Size1, KaTeX_Size2, KaTeX_Size3, KaTeX_Size4.\n\n" +
        readFileSync("OFL-1.1.txt", "utf8"));
    return parts.join("\n").replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

const bundle = await build({
    entryPoints: ["src/main.js"],
    bundle: true,
    minify: true,
    write: false,
    format: "iife",
    target: "es2020",
    legalComments: "none",
    charset: "utf8",
});
const styles = [readFileSync("node_modules/uplot/dist/uPlot.min.css", "utf8"), equationStyle(),
                readFileSync("src/style.css", "utf8")];
const style = await transform(styles.join("\n"), { loader: "css", minify: true });
const script = bundle.outputFiles[0].text.replaceAll("</script", "<\\/script");

// Results come from anywhere: nothing in the page runs or styles it but these two texts, and nothing leaves it
const hash = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
const policy = `default-src 'none'; script-src ${hash(script)}; style-src ${hash(style.code)}; font-src data:; img-src data:; ` +
    "base-uri 'none'; form-action 'none'";

const page = readFileSync("src/index.html", "utf8")
    .replace("@policy@", () => policy)
    .replace("/*style*/", () => style.code)
    .replace("/*licences*/", licences)
    .replace("/*script*/", () => script);
writeFileSync(process.argv[2], page);
