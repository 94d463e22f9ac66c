// The left side: goal, pictures, texts.
import { fill, find, make, show } from "./dom.js";
import { enlarge } from "./dialogs.js";

const LONG_GOAL = 140;
const SETTING = /^\S{1,40}$/; // a text of one word, shown in a line
const SMALL_PICTURE = 400; // pixels per side: smaller pictures are enlarged
const MAP_LINE = /^\s*(\S+\s+)?((##|\.\.|\?\?|@[<>^v]|[rgbpye][KBXODL])\s*){3,}$/;
const MAP_HEAD = /^\s+\S{1,3}(\s+\S{1,3}){2,}$/;

let shownEpisode = "";

export function drawScene(state) {
  const { episode, scene } = state;
  const instruction = find("instruction");
  instruction.textContent = episode.instruction;
  instruction.lang = episode.language;
  instruction.classList.toggle("long", episode.instruction.length > LONG_GOAL);
  drawPictures(scene.pictures);
  fill(find("text"), ...withMaps(scene.text));
  show(find("text"), Boolean(scene.text));
  if (episode.id !== shownEpisode) {
    shownEpisode = episode.id;
    drawTexts(episode, scene);
  }
}

// An unchanged picture keeps its element, so that nothing flickers.
function drawPictures(pictures) {
  const place = find("pictures");
  const old = new Map([...place.children].map((each) => [each.dataset.name, each]));
  const figures = pictures.map((picture) => {
    const name = `${picture.role} ${picture.name} ${picture.caption}`;
    return old.get(name) ?? figure(picture, name);
  });
  fill(place, ...figures);
}

function figure(picture, name) {
  const source = `picture/${picture.name}`;
  const { width, height, caption } = picture;
  const image = make("img", { src: source, alt: caption, width, height });
  const open = make(
    "button",
    { type: "button", title: "Enlarge", onclick: () => enlarge(source, caption) },
    image,
  );
  const classes = [picture.role, width < SMALL_PICTURE ? "pixels" : ""].join(" ").trim();
  const made = make("figure", { class: classes }, open, make("figcaption", {}, caption));
  made.style.setProperty("--ratio", String(width / height));
  made.dataset.name = name;
  return made;
}

// Lines of a map keep their columns; prose around them may wrap.
function withMaps(text) {
  const parts = [];
  let rows = [];
  const lines = text.split("\n");
  lines.forEach((line, at) => {
    const isHead = MAP_HEAD.test(line) && MAP_LINE.test(lines[at + 1] ?? "");
    if (MAP_LINE.test(line) || isHead) {
      rows.push(line);
      return;
    }
    if (rows.length) parts.push(make("span", { class: "map" }, rows.join("\n")));
    rows = [];
    parts.push(`${line}${at + 1 < lines.length ? "\n" : ""}`);
  });
  if (rows.length) parts.push(make("span", { class: "map" }, rows.join("\n")));
  return text ? parts : [];
}

function drawTexts(episode, scene) {
  const open = !scene.pictures.length && episode.number === 1;
  const long = episode.texts.filter(({ text }) => !SETTING.test(text));
  const texts = long.map(({ name, title, text }) =>
    make(
      "details",
      { open: open && name === "world_rules" },
      make("summary", {}, title),
      make("p", {}, text),
    ));
  fill(find("texts"), ...texts, about(episode));
}

function about(episode) {
  const rows = [
    ["suite", `${episode.suite}, rules ${episode.suite_version}`],
    ...episode.texts.filter(({ text }) => SETTING.test(text))
      .map(({ name, text }) => [name, text]),
    ...Object.entries(episode.condition),
  ];
  const condition = new Map(rows.map(([name, value]) => [name, value]));
  const lines = [...condition].map(([name, value]) => `${name.replaceAll("_", " ")}: ${value}`);
  return make("details", {}, make("summary", {}, "Condition"), make("p", {}, lines.join("\n")));
}
