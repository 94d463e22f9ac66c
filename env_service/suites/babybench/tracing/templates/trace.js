const data = JSON.parse(document.getElementById("data").textContent);
const byId = name => document.getElementById(name);
const HEADINGS = ["east", "south", "west", "north"];
const SIDE = 24, MARGIN = 18;
const NS = "http://www.w3.org/2000/svg";
let track = 0, at = 0, chosen = null, timer = null;

const draw = (name, attributes, parent, words) => {
  const made = document.createElementNS(NS, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (words) {
    const title = document.createElementNS(NS, "title");
    title.textContent = words;
    made.append(title);
  }
  parent.append(made);
  return made;
};
const key = (x, y) => y * data.width + x;
const named = thing => thing ? [thing[2], thing[1], thing[0]].filter(Boolean).join(" ") : "nothing";
const spoken = thing => thing === null ? "nothing" : thing[0] === "wall" ? "a wall" : (thing[2] === "open" ? "an " : "a ") + named(thing);

// The true states of each track: steps say only what they change.
const states = data.tracks.map(({ steps }) => {
  let cells = new Map(data.cells.map(([x, y, thing]) => [key(x, y), thing]));
  let stack = [];
  const found = [{ ...data.start, cells, stack: steps.length ? steps[0].stack || [] : [], help: 0 }];
  for (const step of steps) {
    if (step.change) {
      cells = new Map(cells);
      const [x, y, thing] = step.change;
      if (thing) cells.set(key(x, y), thing); else cells.delete(key(x, y));
    }
    stack = step.stack || stack;
    found.push({ ...step, cells, stack });
  }
  return found;
});
const current = () => states[track][at];
const assisted = () => states[track].some(state => state.stack.some(([, owner]) => owner !== "expert's"));

const SHAPES = {
  ball: group => draw("circle", { cx: 12, cy: 12, r: 6.5, class: "solid" }, group),
  box: group => {
    draw("rect", { x: 5.5, y: 5.5, width: 13, height: 13, class: "line" }, group);
    draw("path", { d: "M5.5 12H18.5", class: "line" }, group);
  },
  key: group => {
    draw("circle", { cx: 9, cy: 9, r: 3.6, class: "line" }, group);
    draw("path", { d: "M11.5 11.5L19 19M16 16l2.5-2.5", class: "line" }, group);
  },
  door: (group, state) => {
    if (state === "open") {
      draw("rect", { x: 1, y: 1, width: 4, height: 22, class: "line" }, group);
    } else if (state === "locked") {
      draw("rect", { x: 1.5, y: 1.5, width: 21, height: 21, class: "solid" }, group);
      draw("path", { d: "M12 7a3 3 0 0 1 1.5 5.6L14.5 18h-5l1-5.4A3 3 0 0 1 12 7", class: "hole" }, group);
    } else {
      draw("rect", { x: 2.5, y: 2.5, width: 19, height: 19, class: "line" }, group);
      draw("circle", { cx: 17, cy: 12, r: 2, class: "solid" }, group);
    }
  },
};
const drawThing = (x, y, thing, svg) => {
  const [kind, colour, state] = thing;
  if (kind === "wall") {
    draw("rect", { x: x * SIDE, y: y * SIDE, width: SIDE, height: SIDE, class: "wall" }, svg);
    return;
  }
  const group = draw("g", { transform: `translate(${x * SIDE} ${y * SIDE})`, class: colour }, svg, `${named(thing)} at (${x}, ${y})`);
  draw("rect", { width: SIDE, height: SIDE, fill: "transparent" }, group);
  SHAPES[kind](group, state);
};
const arrow = ({ x, y, d }, name, svg, words) => draw("path", {
  d: "M-8 -8L9 0L-8 8Z", class: name,
  transform: `translate(${(x + .5) * SIDE} ${(y + .5) * SIDE}) rotate(${90 * d})`,
}, svg, words);
const outline = (x, y, name, svg, inset) => draw("rect", {
  x: x * SIDE + inset, y: y * SIDE + inset, width: SIDE - 2 * inset, height: SIDE - 2 * inset, rx: 3, class: name,
}, svg);
const inside = ({ x, y }) => x >= 0 && y >= 0 && x < data.width && y < data.height;

const drawGrid = () => {
  const svg = byId("grid");
  svg.replaceChildren();
  const width = data.width * SIDE, height = data.height * SIDE;
  svg.setAttribute("viewBox", `${-MARGIN} ${-MARGIN} ${width + MARGIN} ${height + MARGIN}`);
  const now = current();
  for (let y = 0; y < data.height; y++) {
    draw("text", { x: -9, y: (y + .5) * SIDE + 3 }, svg).textContent = y;
    for (let x = 0; x < data.width; x++) draw("rect", { x: x * SIDE, y: y * SIDE, width: SIDE, height: SIDE, class: "floor" }, svg);
  }
  for (let x = 0; x < data.width; x++) draw("text", { x: (x + .5) * SIDE, y: -6 }, svg).textContent = x;
  for (const [place, thing] of now.cells) drawThing(place % data.width, Math.floor(place / data.width), thing, svg);
  const trail = states[track].slice(0, at + 1).map(({ x, y }) => `${(x + .5) * SIDE},${(y + .5) * SIDE}`);
  draw("polyline", { points: trail.join(" "), class: "trail" }, svg);
  draw("circle", { cx: (data.start.x + .5) * SIDE, cy: (data.start.y + .5) * SIDE, r: 3, class: "start" }, svg);
  if (data.target) outline(...data.target, "target", svg, 1);
  arrow(now, "agent", svg, `the agent at (${now.x}, ${now.y}), heading ${HEADINGS[now.d]}`);
  if (data.claim && inside(data.claim)) {
    const { x, y, d } = data.claim;
    outline(x, y, "claim", svg, 0);
    if (d >= 0 && d < 4) arrow(data.claim, "claim", svg, "the state that the answer says");
  }
  if (chosen) outline(chosen.x, chosen.y, "chosen", svg, .5);
};

const describeState = () => {
  const now = current();
  const ahead = [now.x + [1, 0, -1, 0][now.d], now.y + [0, 1, 0, -1][now.d]];
  const thing = now.cells.get(key(...ahead)) || null;
  const what = at ? `Step ${at} of ${states[track].length - 1}: ${now.action}${now.idle && now.action !== "done" ? ", without effect" : ""}.` : `Start, ${states[track].length - 1} steps to go.`;
  const claim = data.claim && !inside(data.claim) ? " The answer's place is outside of the grid." : "";
  const help = assisted() ? ` Subgoals added so far: ${now.help}.` : "";
  return `${what} The agent is at ((${now.x}, ${now.y}), ${now.d}), heading ${HEADINGS[now.d]}, carrying ${spoken(now.carrying)}; ahead: ${spoken(thing)}.${help}${claim}`;
};

const listStack = () => {
  const box = byId("stack-box"), list = byId("stack");
  box.hidden = !states[track].some(state => state.stack.length);
  list.replaceChildren();
  for (const [words, owner] of [...current().stack].reverse()) {
    const line = document.createElement("li");
    line.textContent = words + " ";
    if (owner === "added" || owner === "reopening") {
      const badge = document.createElement("span");
      badge.className = `badge ${owner}`;
      badge.textContent = owner;
      line.append(badge);
    }
    list.append(line);
  }
};

const markSaid = () => {
  const lines = [...document.querySelectorAll("#said li")];
  const stacked = track === 0 && assisted();
  const left = current().stack.filter(([, owner]) => owner === "planned").length;
  lines.forEach((line, place) => {
    line.classList.toggle("done", stacked && place < lines.length - left);
    // An action is said for a step, a subgoal for as long as it is on the stack.
    line.classList.toggle("current", stacked ? left > 0 && place === lines.length - left : lines.length > 1 && track === 0 && place === at - 1);
  });
};

const markText = () => {
  const now = current();
  for (const place of document.querySelectorAll("button.place")) {
    const { x, y, d } = place.dataset;
    place.classList.toggle("now", +x === now.x && +y === now.y && (d === undefined || +d === now.d));
    place.classList.toggle("chosen", chosen !== null && chosen.from === place);
  }
};

const follow = (list, line) => {
  // Not scrollIntoView: it would move the page, too.
  if (line.offsetTop < list.scrollTop || line.offsetTop + line.offsetHeight > list.scrollTop + list.clientHeight) {
    list.scrollTop = line.offsetTop - list.clientHeight / 2;
  }
};

const show = () => {
  drawGrid();
  byId("state").textContent = describeState();
  byId("slider").value = at;
  byId("first").disabled = byId("back").disabled = at === 0;
  byId("last").disabled = byId("next").disabled = at === states[track].length - 1;
  byId("play").textContent = timer ? "Pause" : "Play";
  [...byId("steps").children].forEach((line, place) => line.classList.toggle("current", place === at));
  follow(byId("steps"), byId("steps").children[at]);
  byId("note").textContent = at === states[track].length - 1 ? data.tracks[track].note : "";
  listStack();
  markSaid();
  markText();
};
const go = place => { at = Math.max(0, Math.min(states[track].length - 1, place)); show(); };
const stop = () => { clearInterval(timer); timer = null; };
const play = () => {
  if (timer) { stop(); show(); return; }
  if (at === states[track].length - 1) at = 0;
  timer = setInterval(() => {
    if (at >= states[track].length - 2) stop();
    go(at + 1);
  }, 450);
  show();
};

const choose = number => {
  stop();
  track = number;
  at = 0;
  byId("slider").max = states[track].length - 1;
  [...byId("tracks").children].forEach((button, place) => button.setAttribute("aria-pressed", place === track));
  byId("steps").replaceChildren(...states[track].map((state, place) => {
    const line = document.createElement("li");
    line.textContent = place ? state.action : "start";
    if (place && state.idle && state.action !== "done") { line.textContent += " (no effect)"; line.className = "idle"; }
    const gained = place ? state.help - states[track][place - 1].help : 0;
    if (gained) {
      const badge = document.createElement("span");
      badge.className = "badge added";
      badge.textContent = `${gained} added`;
      line.append(" ", badge);
    }
    line.addEventListener("click", () => { stop(); go(place); });
    return line;
  }));
  show();
};

data.tracks.forEach(({ name }, number) => {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = name;
  button.addEventListener("click", () => choose(number));
  byId("tracks").append(button);
});
for (const place of document.querySelectorAll("button.place")) {
  const { x, y, d } = place.dataset;
  const when = d === undefined ? -1 : states[0].findIndex(state => state.x === +x && state.y === +y && state.d === +d);
  if (d !== undefined) {
    place.classList.add(when < 0 ? "never" : "held");
    place.title = when < 0 ? "the agent is never in this state" : when ? `true after step ${when}` : "true at the start";
  }
  place.addEventListener("click", () => {
    chosen = chosen && chosen.from === place ? null : { x: +x, y: +y, from: place };
    if (when >= 0) { if (track) choose(0); stop(); go(when); } else show();
  });
}
const MOVES = { first: () => 0, back: () => at - 1, next: () => at + 1, last: () => states[track].length - 1 };
for (const [name, where] of Object.entries(MOVES)) byId(name).addEventListener("click", () => { stop(); go(where()); });
byId("play").addEventListener("click", play);
byId("slider").addEventListener("input", event => { stop(); go(+event.target.value); });
const KEYS = { ArrowLeft: MOVES.back, ArrowRight: MOVES.next, Home: MOVES.first, End: MOVES.last };
addEventListener("keydown", event => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.id === "slider") return;
  if (event.key in KEYS) { event.preventDefault(); stop(); go(KEYS[event.key]()); }
  if (event.key === " " && event.target.tagName !== "BUTTON" && event.target.tagName !== "SUMMARY") { event.preventDefault(); play(); }
});

const root = document.documentElement;
const theme = byId("theme");
const dark = () => (root.dataset.theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
const labelTheme = () => {
  theme.textContent = dark() ? "Light" : "Dark";
  theme.setAttribute("aria-label", "Show the page " + (dark() ? "light" : "dark"));
};
theme.hidden = false;
theme.addEventListener("click", () => { root.dataset.theme = dark() ? "light" : "dark"; labelTheme(); });
labelTheme();
choose(0);
const asked = /^#step=(\d+)$/.exec(location.hash);
if (asked) go(+asked[1]);
