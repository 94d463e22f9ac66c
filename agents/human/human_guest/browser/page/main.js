// Puts the page together: redraws it for each new state.
import { Actions } from "./actions.js";
import { ask, help } from "./dialogs.js";
import { button, fill, find, make, show } from "./dom.js";
import { drawHistory, inWords } from "./history.js";
import { listen } from "./keys.js";
import { Link, final } from "./link.js";
import { drawMeters } from "./meters.js";
import { drawScene } from "./scene.js";

const HALLS = {
  connecting: ["One moment", "The service prepares the first episode."],
  waiting: ["One moment", "The service prepares the next episode."],
  over: ["Everything is played", "All episodes are recorded. Thank you! You can close this page."],
  left: ["You left", "Finished episodes are kept; an open episode does not count. To continue, run "
    + "the same command in the terminal. You can close this page."],
  failed: ["The game has stopped", ""],
};

let announced = "";

const link = new Link(draw, (problem) => {
  find("lost").textContent = problem;
  show(find("lost"), Boolean(problem));
});

let sent = null; // the turn that was decided last

// Whether the decision was accepted. The second click of a double click does nothing.
async function send(decision) {
  const { turn } = link.state;
  if (decision.kind !== "leave" && sent === turn) return false;
  sent = turn;
  actions.sleep();
  show(find("working"), true);
  const problem = await link.send(decision);
  if (!problem) return true;
  if (sent === turn) sent = null;
  draw(link.state);
  warn(problem);
  return false;
}

const actions = new Actions(send);

function warn(text) {
  find("notice").textContent = text;
  show(find("notice"), Boolean(text));
}

function draw(state) {
  const inEpisode = state.episode !== null && state.scene !== null && !final(state);
  show(find("stage"), inEpisode);
  show(find("hall"), !inEpisode);
  show(find("working"), ["connecting", "waiting"].includes(state.phase));
  show(find("quit-button"), !final(state));
  drawMeters(state);
  warn(state.notice);
  if (!inEpisode) {
    drawHall(state);
    return;
  }
  drawScene(state);
  drawHistory(state);
  actions.draw(state);
  drawClose(state);
  announce(state);
}

function drawHall(state) {
  const [title, detail] = HALLS[state.phase] ?? HALLS.waiting;
  document.title = `${title} · Houseguest`;
  fill(find("hall"), make(
    "div",
    { role: "status" },
    make("img", { src: "icon.svg", alt: "" }),
    make("h1", {}, title),
    make("p", {}, state.notice || detail),
  ));
}

function drawClose(state) {
  const ended = state.phase === "ended" && state.close !== null;
  const was = find("close").hidden;
  show(find("close"), ended);
  if (!ended || !was) return;
  const next = button("Next episode", () => send({ kind: "next" }), { class: "main", id: "next" });
  fill(
    find("close"),
    make("h2", {}, state.close.title),
    make("p", {}, state.close.detail),
    make("div", { class: "row" }, next, button("Quit", quit, { class: "quiet" })),
  );
  next.focus();
}

function announce(state) {
  const last = state.history.at(-1);
  const said = state.phase === "ended" ? state.close?.title : last ? inWords(last) : "";
  const key = `${state.episode.id} ${state.history.length} ${state.phase}`;
  if (state.phase === "waiting" || key === announced) return;
  announced = key;
  find("announcer").textContent = said ?? "";
}

function quit() {
  const open = link.state.phase !== "ended";
  ask(
    "Leave the game?",
    open
      ? "This episode will not count. It starts again when you continue."
      : "Finished episodes are recorded.",
    "Quit",
    () => send({ kind: "leave" }),
  );
}

find("quit-button").addEventListener("click", quit);
find("help-button").addEventListener("click", help);
listen(link, actions);
link.follow();
