// The actions so far, newest first.
import { fill, find, make } from "./dom.js";

const LONGEST = 60; // characters of an action in one line

export function drawHistory(state) {
  const rows = state.history.flatMap((past, at) => entries(past, at + 1)).reverse();
  const none = make("li", { class: "none" }, "Nothing yet.");
  fill(find("history"), ...(rows.length ? rows : [none]));
  const last = state.history.at(-1);
  fill(find("last"), ...(last ? newest(last) : []));
}

export function inWords(past) {
  const outcome = past.outcomes.at(-1);
  const result = outcome ? [outcome.label, outcome.feedback].filter(Boolean).join(": ") : "";
  return result ? `${past.action}: ${result}` : past.action;
}

function newest(past) {
  const outcome = past.outcomes.at(-1);
  const action = past.action.split("\n")[0].slice(0, LONGEST);
  const tag = outcome?.label ? make("span", { class: `tag ${kindOf(outcome)}` }, outcome.label) : null;
  const feedback = outcome?.feedback ? make("span", { class: "tag" }, outcome.feedback) : null;
  return [make("span", {}, action), tag, feedback].filter(Boolean);
}

function kindOf(outcome) {
  return { true: "good", false: "bad" }[String(outcome?.good)] ?? "";
}

function entries(past, number) {
  const actions = past.action.split("\n");
  if (actions.length !== past.outcomes.length) {
    return [entry(number, past.action, past.outcomes.at(-1))];
  }
  return actions.map((action, at) => entry(number + at, action, past.outcomes[at]));
}

function entry(number, action, outcome) {
  return make(
    "li",
    {},
    make("span", { class: "number" }, String(number)),
    make("span", { class: "action" }, action),
    make("span", { class: `tag ${kindOf(outcome)}` }, outcome?.label ?? ""),
    outcome?.feedback ? make("span", { class: "feedback" }, outcome.feedback) : null,
  );
}
