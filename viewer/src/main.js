// SPDX-License-Identifier: MIT
// The page: data to time line, animation, plots and text; or to a figure.
import { Branch } from "./branch.js";
import { readData } from "./data.js";
import { showEquations } from "./equations.js";
import { Figure } from "./figure.js";
import { showNotes } from "./notes.js";
import { createPlots } from "./plots.js";
import { Stage } from "./scene.js";
import { Survey } from "./survey.js";
import { Timeline, bindTimeline } from "./timeline.js";

function trouble(text) {
    const p = document.getElementById("trouble");
    p.textContent = text;
    p.hidden = false;
}

function createStage(data, timeline) {
    if (!data.scene || !data.scene.items.length) {
        document.body.classList.add("still");
        if (!data.branch) trouble("The model has neither particles nor bodies that could be shown, and draws nothing: add draw and trace statements to see it move.");
        return null;
    }
    if (data.scene.missing.length) trouble(data.scene.missing.join("\n"));
    try {
        return new Stage(data, timeline);
    } catch (error) {
        trouble(`No animation: this browser has no WebGL (${error.message}).`);
        return null;
    }
}

function bindViews(stage) {
    const follow = document.getElementById("follow");
    const mark = () => follow.setAttribute("aria-pressed", stage.follows);
    follow.addEventListener("click", () => {
        stage.setFollow(!stage.follows);
        mark();
    });
    const forces = document.getElementById("forces");
    forces.hidden = !stage.contacts;
    forces.addEventListener("click", () => {
        if (!stage.contacts) return; // the key is there always
        stage.setForces(!stage.contacts.visible);
        forces.setAttribute("aria-pressed", stage.contacts.visible);
    });
    document.getElementById("fit").addEventListener("click", () => stage.fit());
    mark();
}

/** Room for all orbits of a branch, whichever is looked at. */
function joinStages({ branch, stage }) {
    const all = branch.orbits.map((o) => o.stage).filter(Boolean), { size } = stage;
    for (const s of all) {
        for (let i = 0; i < 3; i++) {
            stage.low[i] = Math.min(stage.low[i], s.low[i]);
            stage.high[i] = Math.max(stage.high[i], s.high[i]);
        }
        stage.ground = Math.min(stage.ground, s.ground);
    }
    stage.size = Math.max(size, Math.hypot(...[0, 1, 2].map((i) => stage.high[i] - stage.low[i])));
}

/** The orbit that is chosen in the diagram is what moves. */
function showOrbit(orbit, { timeline, stage, plots }) {
    orbit.load();
    timeline.load(orbit.time);
    stage?.load(orbit);
    for (const panel of plots) panel.load(orbit.result.columns, orbit.time);
    timeline.tell();
}

function bindKeys(timeline, branch) {
    const keys = {
        " ": () => timeline.toggle(),
        ArrowRight: (event) => timeline.step(event.shiftKey ? 10 : 1),
        ArrowLeft: (event) => timeline.step(event.shiftKey ? -10 : -1),
        Home: () => timeline.seek(timeline.first),
        End: () => timeline.seek(timeline.last),
        f: () => document.getElementById("fit").click(),
        c: () => document.getElementById("follow").click(),
        k: () => document.getElementById("forces").click(),
        n: () => branch?.step(1),
        p: () => branch?.step(-1),
    };
    addEventListener("keydown", (event) => {
        const { target } = event, pressed = event.key === " " && /^(BUTTON|SUMMARY)$/.test(target.tagName);
        // what the browser does with the key where it is pressed comes first
        if (event.ctrlKey || event.metaKey || event.altKey || target.tagName === "SELECT" || pressed || target.closest?.(".display")) return;
        const act = keys[event.key];
        if (!act) return;
        event.preventDefault();
        act(event);
    });
}

/** #t=1.5 in the address is a time: read at the start, written whenever the animation stands still. */
function bindAddress(timeline) {
    const read = () => {
        const found = /^#t=([-+.\deE]+)$/.exec(location.hash);
        if (found) timeline.seek(Number(found[1]));
    };
    let waiting = 0, written = "";
    timeline.listen((t) => {
        clearTimeout(waiting);
        if (timeline.playing) return;
        waiting = setTimeout(() => {
            const hash = t === timeline.first ? "" : `#t=${Number(t.toPrecision(7))}`;
            if (hash === written || (!hash && !written)) return;
            written = hash;
            history.replaceState(null, "", hash || location.pathname + location.search);
        }, 300);
    });
    addEventListener("hashchange", read);
    read();
}

/** What moves, with its time line and plots. */
function showMotion(data) {
    const timeline = new Timeline(data.time);
    bindTimeline(timeline);
    if (data.branch && data.stage) joinStages(data);
    const stage = createStage(data, timeline);
    if (stage) bindViews(stage);
    else document.getElementById("views").hidden = true;
    const plots = createPlots(data, timeline);
    const Kind = data.branch?.survey ? Survey : Branch;
    const branch = data.branch ? new Kind(data, timeline, (orbit) => showOrbit(orbit, { timeline, stage, plots })) : null;
    timeline.loops = branch !== null && !data.branch.survey;
    showEquations(data.equations);
    bindKeys(timeline, branch);
    timeline.seek(timeline.first);
    branch?.choose(data.branch.start);
    bindAddress(timeline);
    return { timeline, stage, branch };
}

/** A page in which nothing moves has a figure instead. */
function takeMotionAway() {
    for (const id of ["stage", "timeline", "plots", "equations"]) document.getElementById(id).remove();
    document.querySelector("nav a[href='#equations']").remove();
    document.body.classList.add("drawn");
}

const data = readData();
showNotes(data);
if (!data.result) takeMotionAway();
const { timeline, stage, branch } = data.result ? showMotion(data) : {};
const figure = data.figure ? new Figure(data) : null;

// for tests and for the console
window.zwang = {
    data, timeline, stage, branch, figure,
    seek: (t) => timeline.seek(t),
    position: (name) => stage?.position(name) ?? null,
};
