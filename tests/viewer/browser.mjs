// SPDX-License-Identifier: MIT
// Chromium without a screen, driven by chromedriver over the WebDriver protocol. Needs Node 18 and nothing else.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const arguments_ = [
    "--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--hide-scrollbars", "--no-first-run",
    "--use-angle=swiftshader", "--enable-unsafe-swiftshader", // WebGL on the processor
    "--host-resolver-rules=MAP * ~NOTFOUND",                  // a page that needs the network fails
];

async function request(url, method, body) {
    const answer = await fetch(url, { method, body: body && JSON.stringify(body) });
    const { value } = await answer.json();
    if (value && value.error) throw new Error(`${value.error}: ${value.message}`);
    return value;
}

/** chromedriver says on which port it listens. */
function startDriver() {
    const driver = spawn("chromedriver", ["--port=0"], { stdio: ["ignore", "pipe", "inherit"] });
    return new Promise((resolve, reject) => {
        let said = "";
        driver.on("error", reject);
        driver.on("exit", () => reject(new Error(`chromedriver ended: ${said}`)));
        driver.stdout.on("data", (data) => {
            said += data;
            const found = /started successfully on port (\d+)/.exec(said);
            if (found) resolve({ driver, root: `http://127.0.0.1:${found[1]}` });
        });
    });
}

export class Browser {
    static async open({ width = 1280, height = 800 } = {}) {
        const browser = new Browser();
        browser.profile = mkdtempSync(join(tmpdir(), "zwang-browser-"));
        Object.assign(browser, await startDriver());
        const args = [...arguments_, `--window-size=${width},${height + 200}`, `--user-data-dir=${browser.profile}`];
        const capabilities = { alwaysMatch: {
            browserName: "chrome", "goog:loggingPrefs": { browser: "ALL" }, "goog:chromeOptions": { args } } };
        const session = await request(`${browser.root}/session`, "POST", { capabilities }).catch(async (fault) => {
            await browser.close();
            throw fault;
        });
        browser.session = `${browser.root}/session/${session.sessionId}`;
        // a machine that does much else is slow, not wrong
        await request(`${browser.session}/timeouts`, "POST", { script: 150000, pageLoad: 300000 });
        await browser.resize(width, height);
        return browser;
    }

    /** The part of the window that shows the page gets this size. */
    async resize(width, height) {
        const [w, h] = await this.evaluate("[innerWidth, innerHeight]");
        const rect = await request(`${this.session}/window/rect`, "GET");
        await request(`${this.session}/window/rect`, "POST", { width: rect.width + width - w, height: rect.height + height - h });
    }

    /** "dark" or "light": what the user of the browser would have chosen. */
    prefer(scheme) {
        const params = { features: [{ name: "prefers-color-scheme", value: scheme }] };
        return request(`${this.session}/goog/cdp/execute`, "POST", { cmd: "Emulation.setEmulatedMedia", params });
    }

    go(url) {
        return request(`${this.session}/url`, "POST", { url });
    }

    /** The value of a JavaScript expression in the page, which may be a promise. */
    evaluate(expression) {
        const script = `const done = arguments[arguments.length - 1];
            Promise.resolve().then(() => (${expression})).then((value) => done({ value }), (e) => done({ failed: String(e.stack) }));`;
        return request(`${this.session}/execute/async`, "POST", { script, args: [] }).then((answer) => {
            if (answer.failed) throw new Error(`${expression}: ${answer.failed}`);
            return answer.value;
        });
    }

    /** After the next two frames everything that waits to be drawn is drawn. */
    settle() {
        return this.evaluate("new Promise((r) => requestAnimationFrame(() => requestAnimationFrame(() => r(true))))");
    }

    /** A click of the mouse at a place of the window. */
    async click(x, y) {
        const at = { x: Math.round(x), y: Math.round(y), origin: "viewport", duration: 0 };
        const actions = [{ type: "pointer", id: "mouse", parameters: { pointerType: "mouse" },
            actions: [{ type: "pointerMove", ...at }, { type: "pointerDown", button: 0 }, { type: "pointerUp", button: 0 }] }];
        await request(`${this.session}/actions`, "POST", { actions });
    }

    /** The mouse goes from one place of the window to another with its button down. */
    async drag(from, to) {
        const at = ([x, y]) => ({ type: "pointerMove", x: Math.round(x), y: Math.round(y), origin: "viewport", duration: 0 });
        const actions = [{ type: "pointer", id: "mouse", parameters: { pointerType: "mouse" },
            actions: [at(from), { type: "pointerDown", button: 0 }, at([(from[0] + to[0]) / 2, (from[1] + to[1]) / 2]), at(to), { type: "pointerUp", button: 0 }] }];
        await request(`${this.session}/actions`, "POST", { actions });
    }

    /** A notch of the wheel; down is positive. */
    async wheel(x, y, by) {
        const actions = [{ type: "wheel", id: "wheel", actions: [{ type: "scroll", x: Math.round(x), y: Math.round(y), deltaX: 0, deltaY: by, duration: 0, origin: "viewport" }] }];
        await request(`${this.session}/actions`, "POST", { actions });
    }

    async press(key) {
        const actions = [{ type: "key", id: "keyboard", actions: [{ type: "keyDown", value: key }, { type: "keyUp", value: key }] }];
        await request(`${this.session}/actions`, "POST", { actions });
    }

    /** What the page has written to its console since the last call, faults of the browser included. */
    log() {
        return request(`${this.session}/se/log`, "POST", { type: "browser" });
    }

    /** A picture for readers, with make test-long: nothing is asked of it, and it takes as long as a page. */
    async screenshot(path) {
        if (!process.env.ZWANG_TEST_LONG) return;
        writeFileSync(path, Buffer.from(await request(`${this.session}/screenshot`, "GET"), "base64"));
    }

    async close() {
        if (this.session) await request(this.session, "DELETE").catch(() => {});
        this.driver?.removeAllListeners("exit");
        this.driver?.kill();
        rmSync(this.profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    }
}
