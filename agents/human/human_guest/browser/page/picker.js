// Skills as buttons, and the arguments of the chosen one.
import { button, make } from "./dom.js";

const KEYS = "1234567890";

export class Picker {
  // `act` gets a whole call; `verb` is the label of its button, such as "Do".
  constructor(skills, verb, act) {
    this.skills = skills;
    this.verb = verb;
    this.act = act;
    this.element = make("div", {});
    this.skill = null;
    this.values = {};
    this.draw();
  }

  draw() {
    const grid = make("div", { class: "skills" }, ...this.skills.map((s, at) => this.offer(s, at)));
    this.element.replaceChildren(grid, ...(this.skill ? [this.panel()] : []));
  }

  offer(skill, at) {
    const pressed = String(this.skill === skill);
    const open = skill.parameters.length ? { "aria-pressed": pressed } : {};
    const key = KEYS[at] ? make("kbd", { "aria-hidden": "true" }, KEYS[at]) : null;
    return make(
      "button",
      {
        type: "button", class: "skill", title: skill.description, onclick: () => this.choose(skill),
        "data-skill": skill.name, ...open,
      },
      key,
      make("span", {}, skill.name),
    );
  }

  choose(skill) {
    if (!skill.parameters.length) {
      this.clear();
      this.act({ skill: skill.name, arguments: {} });
      return;
    }
    this.skill = skill;
    this.values = {};
    this.draw();
    this.element.querySelector(".picker input")?.focus();
  }

  clear() {
    this.skill = null;
    this.draw();
  }

  press(key) {
    const skill = this.skills[KEYS.indexOf(key)];
    if (KEYS.includes(key) && skill) this.choose(skill);
    return Boolean(skill);
  }

  panel() {
    const { skill } = this;
    this.go = button("", () => this.finish(), { class: "main go" });
    const fields = skill.parameters.map((parameter) => this.field(parameter));
    this.update();
    return make(
      "div",
      { class: "picker" },
      make("p", { class: "about" }, skill.description),
      ...fields,
      make(
        "div",
        { class: "row end" },
        button("Cancel", () => this.clear(), { class: "quiet" }),
        this.go,
      ),
    );
  }

  update() {
    const { skill } = this;
    const given = skill.parameters.map(({ name }) => this.values[name] ?? "");
    this.go.textContent = `${this.verb} ${skill.name} ${given.filter(Boolean).join(", ")}`.trim();
    this.go.disabled = !given.every((value) => value.trim());
  }

  finish() {
    if (this.go.disabled) return;
    const call = { skill: this.skill.name, arguments: { ...this.values } };
    this.clear();
    this.element.querySelector(`[data-skill="${CSS.escape(call.skill)}"]`).focus();
    this.act(call);
  }

  field(parameter) {
    const id = `argument-${parameter.name}`;
    const label = make(
      "label",
      { for: id },
      `${parameter.name} `,
      make("small", {}, parameter.description),
    );
    const rest = parameter.choices.length ? this.list(parameter, id) : [this.free(parameter, id)];
    return make("div", { class: "field" }, label, ...rest);
  }

  free(parameter, id) {
    return make("input", {
      id,
      autocomplete: "off",
      oninput: (event) => { this.values[parameter.name] = event.target.value; this.update(); },
      onkeydown: (event) => this.keyed(event, () => this.finish()),
    });
  }

  list(parameter, id) {
    const choices = parameter.choices.map((choice) => this.choice(parameter, choice));
    const input = make("input", {
      id,
      type: "search",
      placeholder: `Search ${choices.length}`,
      autocomplete: "off",
      oninput: () => narrow(choices, input.value),
      onkeydown: (event) => this.keyed(event, () => take(choices, input.value)),
    });
    const list = make("div", { class: "choices", role: "group", "aria-label": parameter.name });
    list.append(...choices);
    return [input, list];
  }

  choice(parameter, choice) {
    const made = button(
      choice,
      () => {
        this.values[parameter.name] = choice;
        for (const each of made.parentElement.children) {
          each.setAttribute("aria-pressed", String(each === made));
        }
        this.update();
        this.onward(made);
      },
      { class: "choice", "aria-pressed": "false", ondblclick: () => this.finish() },
    );
    return made;
  }

  // Moves to the next empty field, or to the button that acts.
  onward(from) {
    const inputs = [...from.closest(".picker").querySelectorAll(".field")];
    const next = inputs.slice(inputs.indexOf(from.closest(".field")) + 1)
      .map((field) => field.querySelector("input"))
      .find((input) => !this.values[input.id.replace("argument-", "")]);
    (next ?? this.go).focus();
  }

  keyed(event, entered) {
    if (event.key === "Enter" && !event.isComposing) {
      event.preventDefault();
      entered();
    }
  }
}

function matches(choices, text) {
  const wanted = text.trim().toLowerCase();
  const name = (choice) => choice.textContent.toLowerCase();
  const found = choices.filter((choice) => name(choice).includes(wanted));
  const rank = (choice) => (name(choice) === wanted ? 0 : name(choice).startsWith(wanted) ? 1 : 2);
  return wanted ? found.sort((one, other) => rank(one) - rank(other)) : found;
}

function narrow(choices, text) {
  const found = matches(choices, text);
  for (const choice of choices) {
    choice.hidden = !found.includes(choice);
    choice.classList.toggle("likely", Boolean(text.trim()) && choice === found[0]);
  }
}

function take(choices, text) {
  if (text.trim()) matches(choices, text)[0]?.click();
}
