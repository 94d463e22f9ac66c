// The right side: the actions in this episode's mode.
import { ask } from "./dialogs.js";
import { button, drafts, fill, find, make, show } from "./dom.js";
import { Picker } from "./picker.js";

export class Actions {
  constructor(send) {
    this.send = send;
    this.drawn = "";
    this.picker = null;
    this.focused = null;
  }

  draw(state) {
    const { episode } = state;
    if (this.drawn !== episode.id) {
      this.drawn = episode.id;
      this.picker = null;
      fill(find("actions"), ...this.made(episode));
    }
    show(find("actions"), state.phase !== "ended");
    if (state.phase === "deciding") this.wake();
    else this.sleep();
  }

  // Disabled while the service works on an action.
  sleep() {
    const place = find("actions");
    if (place.contains(document.activeElement)) this.focused = document.activeElement;
    for (const each of place.querySelectorAll("button, input, textarea")) {
      if (!each.disabled) each.dataset.asleep = "";
      each.disabled = true;
    }
    place.setAttribute("aria-busy", "true");
  }

  // Keyboard players keep their place: restore the focus.
  wake() {
    const place = find("actions");
    for (const each of place.querySelectorAll("[data-asleep]")) {
      delete each.dataset.asleep;
      each.disabled = false;
    }
    place.setAttribute("aria-busy", "false");
    if (document.activeElement === document.body) this.focused?.focus();
    this.focused = null;
  }

  made(episode) {
    const ways = { stepwise, plan, answer };
    return [...ways[episode.mode](episode, this), this.ends(episode)];
  }

  ends(episode) {
    const done = button("Goal reached", () => ask(
      "Is the goal reached?",
      "This ends the episode. Players are not shown whether the goal was reached.",
      "Yes, end it",
      () => this.send({ kind: "end", done: true }),
      false,
    ), { id: "done" });
    const give = button("Give up", () => ask(
      "Give this episode up?",
      "The episode ends and counts in its current state.",
      "Give up",
      () => this.send({ kind: "end", done: false }),
    ), { class: "quiet danger", id: "give-up" });
    const last = episode.mode === "stepwise" ? [done, give] : [give];
    return make("div", { class: "row last" }, ...last);
  }
}

function heading(text) {
  return make("h2", { class: "label" }, text);
}

function stepwise(episode, actions) {
  const act = (call) => actions.send({ kind: "skill", ...call });
  actions.picker = new Picker(episode.skills, "Do", act);
  const words = episode.takes_words ? [ownWords(episode, actions.send)] : [];
  return [heading("What you can do"), actions.picker.element, ...words];
}

function plan(episode, actions) {
  const key = `plan ${episode.id}`;
  const steps = drafts.get(key) ? JSON.parse(drafts.get(key)) : [];
  const list = make("ol", { class: "plan" });
  const submit = button("", async () => {
    if (await actions.send({ kind: "plan", steps })) drafts.set(key, "");
  }, { class: "main", id: "send-plan" });
  const draw = () => {
    drafts.set(key, steps.length ? JSON.stringify(steps) : "");
    fill(list, ...steps.map((call, at) => planned(call, at, steps, draw)));
    const count = steps.length === 1 ? "1 step" : `${steps.length} steps`;
    submit.textContent = `Send the plan (${count})`;
    submit.disabled = !steps.length;
  };
  actions.picker = new Picker(episode.skills, "Add", (call) => { steps.push(call); draw(); });
  draw();
  const about = "The service carries out all steps in this order after you send the plan.";
  return [
    heading("Your plan"),
    make("p", { class: "format" }, about),
    actions.picker.element,
    list,
    make("div", { class: "row end" }, submit),
  ];
}

function planned(call, at, steps, draw) {
  const text = [call.skill, Object.values(call.arguments).join(", ")].join(" ").trim();
  const move = (to) => { steps.splice(to, 0, ...steps.splice(at, 1)); draw(); };
  const name = `step ${at + 1}`;
  const quiet = (label, disabled) => ({ class: "quiet", "aria-label": label, disabled });
  return make(
    "li",
    {},
    make("span", {}, `${at + 1}. ${text}`),
    button("↑", () => move(at - 1), quiet(`Move ${name} up`, at === 0)),
    button("↓", () => move(at + 1), quiet(`Move ${name} down`, at === steps.length - 1)),
    button("✕", () => { steps.splice(at, 1); draw(); }, quiet(`Remove ${name}`, false)),
  );
}

function answer(episode, actions) {
  const format = episode.answer_format;
  return [
    heading("Your answer"),
    make("p", { class: "format", id: "answer-format" }, format),
    ...writing(`answer ${episode.id}`, "Send the answer", "answer", actions.send),
  ];
}

function ownWords(episode, send) {
  const rules = episode.texts.find(({ name }) => name === "answer_rules");
  return make(
    "details",
    { class: "words" },
    make("summary", {}, "In your own words"),
    make("p", {}, rules?.text ?? ""),
    ...writing(`words ${episode.id}`, "Say it", "words", send),
  );
}

function writing(key, label, id, send) {
  const area = make("textarea", {
    id,
    "aria-label": label,
    spellcheck: "false",
    oninput: () => { drafts.set(key, area.value); submit.disabled = !area.value.trim(); },
    onkeydown: (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) say();
    },
  });
  area.value = drafts.get(key);
  const say = async () => {
    if (!area.value.trim() || !await send({ kind: "say", text: area.value })) return;
    area.value = "";
    drafts.set(key, "");
    submit.disabled = true;
  };
  const submit = button(label, say, { class: "main", id: `send-${id}` });
  submit.disabled = !area.value.trim();
  return [area, make("div", { class: "row end" }, submit)];
}
