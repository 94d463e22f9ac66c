// One dialog at a time: questions, help, an enlarged picture.
import { button, fill, find, make } from "./dom.js";

const KEYS = [
  ["1 … 9, 0", "choose an action"],
  ["← ↑ →", "left, forward and right, if the episode has these actions"],
  ["Enter", "take the first match, then act"],
  ["Esc", "choose another action"],
  ["Ctrl Enter", "send an answer, a plan, or your text"],
  ["?", "this help"],
];

function open(...children) {
  const dialog = find("dialog");
  dialog.className = "";
  fill(dialog, ...children);
  if (!dialog.open) dialog.showModal();
  return dialog;
}

export function close() {
  find("dialog").close();
}

function title(text) {
  return make("h2", { id: "dialog-title" }, text);
}

export function ask(question, detail, yes, agreed, danger = true) {
  const agree = () => { close(); agreed(); };
  open(
    title(question),
    make("p", {}, detail),
    make(
      "div",
      { class: "row end" },
      button("Back", close, { autofocus: true }),
      button(yes, agree, { class: danger ? "danger" : "main", id: "agree" }),
    ),
  );
}

export function help() {
  const rows = KEYS.map(([key, meaning]) =>
    make("tr", {}, make("td", {}, make("kbd", {}, key)), make("td", {}, meaning)));
  open(
    title("You are the agent"),
    make(
      "p",
      {},
      "You see what an agent sees, with the same limits. Players are not shown a score. "
      + "You can close this page and come back: the game waits, but your time runs.",
    ),
    make("table", {}, make("tbody", {}, ...rows)),
    make("div", { class: "row end" }, button("Close", close, { class: "main", autofocus: true })),
  );
}

export function enlarge(source, caption) {
  const dialog = open(
    make("img", { src: source, alt: caption }),
    make(
      "div",
      { class: "row end" },
      make("span", { id: "dialog-title" }, caption),
      button("Close", close, { autofocus: true }),
    ),
  );
  dialog.classList.add("wide");
}
