// Shortcuts: inactive while you type or a dialog is open.
import { help } from "./dialogs.js";
import { find } from "./dom.js";

const ARROWS = { ArrowLeft: "left", ArrowRight: "right", ArrowUp: "forward" };
const TYPING = "input, textarea, select";

export function listen(link, actions) {
  document.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      find("send-plan")?.click();
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey || find("dialog").open) return;
    if (event.key === "Escape") {
      actions.picker?.clear();
      return;
    }
    if (event.target.closest(TYPING)) return;
    if (pressed(event.key, link, actions)) event.preventDefault();
  });
}

function pressed(key, link, actions) {
  if (key === "?") {
    help();
    return true;
  }
  const { picker } = actions;
  if (!picker || link.state?.phase !== "deciding") return false;
  const skill = picker.skills.find(({ name }) => name === ARROWS[key]);
  if (skill && !skill.parameters.length) {
    picker.choose(skill);
    return true;
  }
  return picker.press(key);
}
