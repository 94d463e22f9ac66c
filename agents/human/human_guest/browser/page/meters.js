// The bar at the top: the current episode and the remaining budgets.
import { fill, find, make } from "./dom.js";
import { final } from "./link.js";

const SHORT = 600; // seconds

let until = null;

export function drawMeters(state) {
  const { episode, seconds_left: left } = state;
  const times = [left.step, left.episode].filter((seconds) => seconds !== null);
  const counts = ["deciding", "ended"].includes(state.phase) && times.length;
  until = counts ? Date.now() + 1000 * Math.min(...times) : until;
  if (!episode || final(state)) {
    until = null;
    fill(find("where"));
    fill(find("meters"));
    return;
  }
  const of = episode.total ? ` of ${episode.total}` : "";
  const player = state.player ? ` · ${state.player}` : "";
  fill(find("where"), make("b", {}, episode.suite), ` · episode ${episode.number}${of}${player}`);
  document.title = `${episode.suite}, episode ${episode.number} · Houseguest`;
  drawLeft(episode.mode === "stepwise" ? state.steps_left : null);
}

function drawLeft(steps) {
  const rows = [];
  if (steps !== null) rows.push(meter("Steps left", String(steps), steps <= 3));
  if (until !== null) {
    const made = meter("Time left", "", false);
    made.id = "clock";
    rows.push(made);
  }
  fill(find("meters"), ...rows);
  tick();
}

function meter(name, value, short) {
  return make(
    "div",
    { class: short ? "short" : "" },
    make("dt", {}, name),
    make("dd", {}, value),
  );
}

function tick() {
  const clock = find("clock");
  if (!clock || until === null) return;
  const seconds = Math.max(0, Math.round((until - Date.now()) / 1000));
  clock.classList.toggle("short", seconds < SHORT);
  clock.querySelector("dd").textContent = inWords(seconds);
}

function inWords(seconds) {
  const minutes = Math.floor(seconds / 60);
  const two = (number) => String(number).padStart(2, "0");
  if (minutes >= 60) return `${Math.floor(minutes / 60)} h ${two(minutes % 60)} min`;
  return `${minutes}:${two(seconds % 60)}`;
}

setInterval(tick, 1000);
