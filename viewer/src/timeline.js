// SPDX-License-Identifier: MIT
// Time: where the animation stands, whether it runs and how fast. All parts of the page listen to it.

const speeds = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100];
const LONGEST = 40, SHORTEST = 4; // seconds a motion takes on the screen unless the user says otherwise

function speedFor(duration) {
    if (duration > LONGEST) return speeds.find((s) => duration / s <= LONGEST) ?? speeds[speeds.length - 1];
    if (duration < SHORTEST) return [...speeds].reverse().find((s) => duration / s >= SHORTEST) ?? speeds[0];
    return 1;
}

export class Timeline {
    /** @param {ArrayLike<number>} time the times of the rows, ascending */
    constructor(time) {
        this.setTime(time);
        this.now = this.first;
        this.speed = speedFor(this.last - this.first);
        this.playing = false;
        this.loops = false; // at the end it begins again
        this.listeners = [];
    }

    setTime(time) {
        Object.assign(this, { time, first: time[0], last: time[time.length - 1] });
    }

    /** Another motion: at the same part of its time. */
    load(time) {
        const part = (this.now - this.first) / (this.last - this.first || 1);
        this.setTime(time);
        this.now = this.first + part * (this.last - this.first);
    }

    listen(listener) {
        this.listeners.push(listener);
    }

    tell() {
        for (const listener of this.listeners) listener(this.now);
    }

    seek(t) {
        this.now = Math.min(Math.max(t, this.first), this.last);
        this.tell();
    }

    /** Move by rows of the result, which are where the numbers are exact. */
    step(rows) {
        this.pause();
        const { time, now } = this;
        let row = 0;
        while (row + 1 < time.length && time[row + 1] <= now) row++;
        if (rows < 0 && now > time[row]) row++;
        this.seek(time[Math.min(Math.max(row + rows, 0), time.length - 1)]);
    }

    play() {
        if (this.now >= this.last) this.now = this.first;
        this.playing = true;
        let before = performance.now();
        const frame = (moment) => {
            if (!this.playing) return;
            let t = this.now + Math.max(moment - before, 0) / 1000 * this.speed;
            before = moment;
            if (t >= this.last && this.loops && this.last > this.first) t = this.first + (t - this.first) % (this.last - this.first);
            else if (t >= this.last) this.playing = false;
            this.seek(t);
            if (this.playing) requestAnimationFrame(frame);
        };
        requestAnimationFrame(frame);
        this.tell();
    }

    pause() {
        this.playing = false;
        this.tell();
    }

    toggle() {
        if (this.playing) this.pause();
        else this.play();
    }
}

const icons = { play: "M4 2.5v11l9.5-5.5z", pause: "M3.5 2.5h3v11h-3zM9.5 2.5h3v11h-3z" };

/** Digits behind the point so that neighbouring rows differ. */
function clockDigits(time) {
    const step = (time[time.length - 1] - time[0]) / Math.max(time.length - 1, 1);
    return step > 0 ? Math.min(Math.max(Math.ceil(-Math.log10(step)), 0), 9) : 3;
}

/** Button, slider, clock and speed of the page. */
export function bindTimeline(timeline) {
    const play = document.getElementById("play"), slider = document.getElementById("slider"),
        clock = document.getElementById("clock"), speed = document.getElementById("speed");
    let digits = 3, time = null;
    for (const s of speeds) {
        const option = new Option(s >= 1 ? `${s}×` : `1/${Math.round(1 / s)}×`, s);
        option.selected = s === timeline.speed;
        speed.add(option);
    }
    play.addEventListener("click", () => timeline.toggle());
    slider.addEventListener("input", () => timeline.seek(Number(slider.value)));
    speed.addEventListener("change", () => { timeline.speed = Number(speed.value); });
    let shown = null;
    timeline.listen((t) => {
        if (time !== timeline.time) {
            time = timeline.time;
            digits = clockDigits(time);
            slider.min = timeline.first;
            slider.max = timeline.last;
        }
        slider.value = t;
        clock.textContent = `${t.toFixed(digits)} s`.replace("-", "−");
        if (shown === timeline.playing) return;
        shown = timeline.playing;
        play.querySelector("path").setAttribute("d", shown ? icons.pause : icons.play);
        play.setAttribute("aria-label", shown ? "Pause" : "Play");
    });
}
