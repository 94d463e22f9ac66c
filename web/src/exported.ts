/**
 * Answers from the files of an export, without a service. Browsers forbid `fetch` in a page that
 * was opened from a file, so each file is a script that adds one entry to `houseguestData`: its
 * name, and JSON as a text. A page of one episode has all entries in itself.
 */
import {
  ApiError,
  type AnnotationRow,
  type ComparisonView,
  type EpisodeFacets,
  type EpisodeRow,
  type EpisodeView,
  type Facets,
  type FactsView,
  type FiguresView,
  type Leaderboard,
  type ListedAnnotationRow,
  type ListedEpisodeRow,
  type ListedRunRow,
  type ListedTaskRow,
  type LogTail,
  type PairRow,
  type RunRow,
  type RunView,
  type Service,
  type Source,
  type Standing,
  type StepPage,
  type StepView,
  type TaskRow,
} from "./api";

type Entry = readonly [name: string, json: string];

declare global {
  interface Window {
    houseguestData?: { push(entry: Entry): unknown };
    /** The answer to `api/…`, for scripts. */
    houseguestAsk?: (target: string) => Promise<unknown>;
  }
}

/** What every page needs. */
interface Catalogue {
  readonly service: Service;
  /** When the export was made, ISO 8601. */
  readonly made: string;
  /** The only episode, in a page of one episode. */
  readonly only?: { readonly run: string; readonly episode: string; readonly note: string };
  readonly runs: readonly RunRow[];
  /** The name of each run in names of entries, by path. */
  readonly keys: Readonly<Record<string, string>>;
  readonly leaderboards: readonly Leaderboard[];
  /** Standings over some of an agent's runs in one setting, by `standingKey`. */
  readonly standings: Readonly<Record<string, Standing>>;
  readonly annotations: readonly AnnotationRow[];
}

interface RunEntry {
  readonly view: RunView;
  /** The name of each episode in names of entries, by id. */
  readonly episodes: Readonly<Record<string, string>>;
  /** Names of the episodes that were replayed. */
  readonly replayed: readonly string[];
}

interface EpisodeEntry {
  readonly view: EpisodeView;
  readonly steps: readonly StepView[];
}

/** Rows as lists of values, which is shorter, with the labels of each episode. */
interface EpisodesEntry {
  readonly names: readonly string[];
  readonly rows: readonly (readonly unknown[])[];
  readonly labels: readonly Readonly<Record<string, string>>[];
}

/** The numbers of a comparison with each other run, by its path. */
type Compared = Readonly<Record<string, Partial<ComparisonView>>>;

interface LabelledEpisode {
  readonly row: EpisodeRow;
  readonly labels: Readonly<Record<string, string>>;
}

const entries = new Map<string, string>();
const parsed = new Map<string, unknown>();
const loading = new Map<string, Promise<void>>();

/** The entries of this page, if it is a part of an export. */
export function exportedSource(): Source | null {
  const before = window.houseguestData;
  if (!Array.isArray(before)) return null;
  const add = (entry: Entry) => entries.set(entry[0], entry[1]);
  (before as Entry[]).forEach(add);
  window.houseguestData = { push: add };
  window.houseguestAsk = answer;
  return { json: answer, picture, live: false };
}

/** Of a page of one episode: its place, and what the page says of its pictures. */
export function onlyEpisode(): Catalogue["only"] | null {
  return entries.has("catalogue") ? ((known("catalogue") as Catalogue).only ?? null) : null;
}

/** When the export was made; empty if this is none. */
export function madeAt(): string {
  return entries.has("catalogue") ? (known("catalogue") as Catalogue).made : "";
}

const FIGURE = /^\/?api\/runs\/([^/]+)\/figures\/([^/]+)$/;

function picture(target: string): string {
  const [path, query] = cut(target, "?");
  const figure = FIGURE.exec(path);
  if (figure) {
    const [, run = "", name = ""] = figure.map(decodeURIComponent);
    return `figures/${keyOf(known("catalogue") as Catalogue, run)}/${name}`;
  }
  const encoding = new URLSearchParams(query).get("encoding") ?? "RAW";
  const suffix = { PNG: "png", JPEG: "jpg" }[encoding] ?? "webp";
  const digest = path.slice(path.lastIndexOf("/") + 1);
  const inside = entries.get(`pictures/${digest}`);
  if (inside !== undefined) return inside;
  // A page of one episode has no files.
  return onlyEpisode() ? LEFT_OUT : `pictures/${digest.slice(0, 2)}/${digest}.${suffix}`;
}

/** Shown in the place of a picture that a page of one episode leaves out. */
const LEFT_OUT =
  "data:image/svg+xml," +
  encodeURIComponent(
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 300 300"><rect width="300" height="300"' +
      ' fill="#8883"/><text x="150" y="150" text-anchor="middle" font-family="sans-serif"' +
      ' font-size="16" fill="#888">picture left out</text></svg>',
  );

// --- Entries

async function entry<T>(name: string): Promise<T> {
  if (!entries.has(name) && !onlyEpisode()) await load(name);
  if (!entries.has(name)) throw new ApiError(404, "This is not in the export.");
  return known(name) as T;
}

function known(name: string): unknown {
  if (!parsed.has(name)) parsed.set(name, JSON.parse(entries.get(name) ?? "null") as unknown);
  return parsed.get(name);
}

function load(name: string): Promise<void> {
  const begun = loading.get(name);
  if (begun) return begun;
  const promise = new Promise<void>((done) => {
    const script = document.createElement("script");
    script.src = `data/${name}.js`;
    const over = () => {
      script.remove();
      done();
    };
    script.onload = over;
    script.onerror = over;
    document.head.append(script);
  });
  loading.set(name, promise);
  return promise;
}

// --- Questions, as the service answers them

async function answer(target: string, signal?: AbortSignal): Promise<unknown> {
  const [path, text] = cut(target, "?");
  const query = new URLSearchParams(text);
  const [, section, ...parts] = path.split("/").map(decodeURIComponent);
  const catalogue = await entry<Catalogue>("catalogue");
  const found = await answerOf(catalogue, section ?? "", parts, query);
  signal?.throwIfAborted();
  return found;
}

function answerOf(
  all: Catalogue,
  section: string,
  parts: readonly string[],
  query: URLSearchParams,
): unknown {
  if (parts.length > 0) return section === "runs" ? ofRun(all, parts, query) : unknown();
  switch (section) {
    case "service":
      return all.service;
    case "runs":
      return runs(all, query);
    case "facets":
      return facets(all, query);
    case "leaderboards":
      return { rows: leaderboards(all, query) };
    case "tasks":
      return tasks(all, query);
    case "episodes":
      return episodes(all, chosenRuns(all, query), query);
    case "episode-facets":
      return episodeFacets(all, query);
    case "comparisons":
      return comparison(all, query);
    case "annotations":
      return annotations(all, query);
    default:
      return unknown();
  }
}

async function ofRun(
  all: Catalogue,
  [path = "", part, name = "", what]: readonly string[],
  query: URLSearchParams,
): Promise<unknown> {
  const key = keyOf(all, path);
  const run = await entry<RunEntry>(`runs/${key}`);
  if (part === undefined) return run.view;
  if (part === "logs") {
    const log = (await entry<readonly LogTail[]>(`logs/${key}`)).find((each) => each.name === name);
    return log ?? unknown();
  }
  if (part === "figures") return entry<FiguresView>(`figures/${key}`);
  if (part !== "episodes") return unknown();
  if (!name) return episodes(all, [path], query);
  const episode = Object.hasOwn(run.episodes, name) ? run.episodes[name] : undefined;
  if (episode === undefined) {
    throw new ApiError(404, onlyEpisode() ? "This file has one episode." : "no such episode");
  }
  if (what === "facts") {
    if (!run.replayed.includes(episode)) return NOT_REPLAYED;
    return entry<FactsView>(`facts/${episode}`);
  }
  const { view, steps } = await entry<EpisodeEntry>(`episodes/${episode}`);
  if (what === undefined) return view;
  if (what !== "steps") return unknown();
  const { total, rows, end } = page(steps, query);
  const offset = end - rows.length;
  return { offset, total, next: end < total ? end : null, rows } satisfies StepPage;
}

const NOT_REPLAYED: FactsView = {
  state: "none",
  problem: "this export was made without replays",
  facts: null,
};

function unknown(): never {
  throw new ApiError(404, "This is not in the export.");
}

function keyOf(all: Catalogue, path: string): string {
  const key = Object.hasOwn(all.keys, path) ? all.keys[path] : undefined;
  if (key === undefined) throw new ApiError(404, "no such run");
  return key;
}

// --- Runs

const RUN_VALUES = [
  "suite",
  "task_set",
  "world",
  "agent",
  "model",
  "condition",
  "setting",
  "status",
  "verified",
] as const;

function isChosen(run: RunRow, query: URLSearchParams): boolean {
  const from = query.get("created_from") ?? "";
  const to = query.get("created_to") ?? "";
  return (
    RUN_VALUES.every((name) => isOneOf(run[name], query.getAll(name))) &&
    has([run.path, run.suite, run.agent, run.agent_name, run.model], query.get("search")) &&
    (!from || run.created >= from) &&
    (!to || run.created < to) &&
    (query.get("mixtures") !== "no" || run.mixture === "")
  );
}

const RUN_SORTS: Readonly<Record<string, keyof RunRow>> = {
  episodes: "final",
  cost: "cost_usd",
  seconds: "agent_seconds",
};

function runs(all: Catalogue, query: URLSearchParams): ListedRunRow {
  const chosen = all.runs.filter((run) => isChosen(run, query));
  const sort = query.get("sort") ?? "created";
  const name = RUN_SORTS[sort] ?? (sort as keyof RunRow);
  const descending = query.get("order") !== "asc";
  chosen.sort(
    by(
      (run) => run[name],
      descending,
      (one, two) => compared(one.path, two.path),
    ),
  );
  const { total, rows } = page(chosen, query);
  return { total, rows };
}

const MOST_LISTED = 200;

function facets(all: Catalogue, query: URLSearchParams): Facets {
  const chosen = all.runs.filter((run) => isChosen(run, query));
  const counts = (name: (typeof RUN_VALUES)[number]) => tally(chosen.map((run) => run[name]));
  return {
    suites: counts("suite"),
    task_sets: counts("task_set"),
    worlds: counts("world"),
    agents: counts("agent"),
    models: counts("model"),
    conditions: counts("condition"),
    statuses: counts("status"),
    verified: counts("verified"),
  };
}

function leaderboards(all: Catalogue, query: URLSearchParams): Leaderboard[] {
  const chosen = new Set(all.runs.filter((run) => isChosen(run, query)).map((run) => run.path));
  const found: Leaderboard[] = [];
  for (const board of all.leaderboards) {
    const standings = board.standings.flatMap((each) => {
      const left = each.runs.filter((run) => chosen.has(run));
      if (left.length === each.runs.length) return [each];
      return left.length > 0 ? [partOf(all, left)] : [];
    });
    standings.sort(
      (one, two) =>
        two.median - one.median || two.best - one.best || compared(one.agent, two.agent),
    );
    if (standings.length > 0) found.push({ ...board, standings });
  }
  return found.sort(
    (one, two) =>
      two.standings.length - one.standings.length ||
      compared(one.suite, two.suite) ||
      compared(one.task_set, two.task_set) ||
      compared(one.setting, two.setting),
  );
}

function partOf(all: Catalogue, paths: readonly string[]): Standing {
  const key = paths.map((path) => keyOf(all, path)).join(" ");
  const standing = all.standings[key];
  if (standing) return standing;
  const why = "an agent has too many runs for a part of them";
  throw new ApiError(400, `The export does not have this leaderboard: ${why}.`);
}

// --- Episodes

function chosenRuns(all: Catalogue, query: URLSearchParams): string[] {
  const named = query.getAll("run");
  return all.runs
    .filter((run) => isOneOf(run.path, named) && isChosen(run, query))
    .map((run) => run.path);
}

/** In the order of `paths`, and there in the order in which they ended. */
async function episodesOf(all: Catalogue, paths: readonly string[]): Promise<LabelledEpisode[]> {
  const found = await Promise.all(
    paths.map((path) => entry<EpisodesEntry>(`lists/${keyOf(all, path)}`)),
  );
  return found.flatMap(({ names, rows, labels }) =>
    rows.map((values, place) => ({
      row: Object.fromEntries(names.map((name, at) => [name, values[at]])) as unknown as EpisodeRow,
      labels: labels[place] ?? {},
    })),
  );
}

function outcomeOf(row: EpisodeRow): string {
  if (row.fault !== null) return "unscored";
  return row.success ? "success" : "failure";
}

const EPISODE_SORTS: Readonly<Record<string, keyof EpisodeRow>> = {
  run: "run",
  task: "task_id",
  seconds: "agent_seconds",
  cost: "cost_usd",
};

/** Whether an episode fulfils the query, except for its filters of the kind `without`. */
function isChosenEpisode(
  { row, labels: own }: LabelledEpisode,
  query: URLSearchParams,
  without = "",
): boolean {
  const values = (kind: string) => (kind === without ? [] : query.getAll(kind));
  const pairs = values("label").map((each) => cut(each, "="));
  return (
    isOneOf(outcomeOf(row), values("outcome")) &&
    isOneOf(row.failure ?? undefined, values("failure")) &&
    isOneOf(row.group, values("group")) &&
    isOneOf(row.task_id, values("task")) &&
    pairs
      .map(([name]) => name)
      .filter((name) => without !== `label=${name}`)
      .every((name) =>
        pairs.some(([of, value]) => of === name && Object.hasOwn(own, of) && own[of] === value),
      ) &&
    row.steps >= Number(query.get("steps_from") ?? 0) &&
    row.steps <= Number(query.get("steps_to") ?? Infinity) &&
    has([row.task_id, row.episode_id, row.instruction], query.get("episode_search"))
  );
}

async function episodeFacets(all: Catalogue, query: URLSearchParams): Promise<EpisodeFacets> {
  const found = await episodesOf(all, chosenRuns(all, query));
  const without = (kind: string) => found.filter((each) => isChosenEpisode(each, query, kind));
  const failed = without("failure").map(({ row }) => (row.fault === null ? row.failure : null));
  const names = [...new Set(found.flatMap(({ labels }) => Object.keys(labels)))].sort();
  const labels = names.map((name) => {
    const values = without(`label=${name}`).map((each) => each.labels[name] ?? null);
    return [name, tally(values)] as const;
  });
  return {
    failures: tally(failed),
    groups: tally(without("group").map(({ row }) => row.group)),
    labels: Object.fromEntries(labels.filter(([, counts]) => Object.keys(counts).length > 0)),
  };
}

/** How often each value is there, the most frequent first; null does not count. */
function tally(values: readonly (string | null)[]): Record<string, number> {
  const found = new Map<string, number>();
  for (const value of values) if (value !== null) found.set(value, (found.get(value) ?? 0) + 1);
  const sorted = [...found].sort((one, two) => two[1] - one[1] || compared(one[0], two[0]));
  return Object.fromEntries(sorted.slice(0, MOST_LISTED));
}

async function episodes(
  all: Catalogue,
  paths: readonly string[],
  query: URLSearchParams,
): Promise<ListedEpisodeRow> {
  const chosen = (await episodesOf(all, paths))
    .filter((each) => isChosenEpisode(each, query))
    .map(({ row }) => row);
  const sort = query.get("sort") ?? "run";
  const name = EPISODE_SORTS[sort] ?? (sort as keyof EpisodeRow);
  const descending = query.get("order") === "desc";
  const ties = (one: EpisodeRow, two: EpisodeRow) =>
    compared(one.run, two.run) || one.seq - two.seq;
  chosen.sort(by((row) => row[name], descending, ties));
  const { total, rows } = page(chosen, query);
  return { total, rows };
}

interface Sums {
  readonly row: Omit<TaskRow, "rate" | "goals_gained">;
  readonly gained: number;
  readonly gainedCount: number;
}

async function tasks(all: Catalogue, query: URLSearchParams): Promise<ListedTaskRow> {
  const found = new Map<string, Sums>();
  for (const path of chosenRuns(all, query)) {
    const run = all.runs.find((each) => each.path === path);
    const rows = (await episodesOf(all, [path])).map((each) => each.row);
    for (const sums of run ? tasksOf(run, rows) : []) {
      const key = JSON.stringify(TASK_KEYS.map((name) => sums.row[name]));
      const known = found.get(key);
      found.set(key, known ? added(known, sums) : sums);
    }
  }
  const rows = [...found.values()].map(({ row, gained, gainedCount }): TaskRow => ({
    ...row,
    rate: row.successes / row.scored,
    goals_gained: gainedCount > 0 ? gained / gainedCount : null,
    steps: row.steps / row.scored,
  }));
  rows.sort(
    (one, two) =>
      one.rate - two.rate ||
      (one.goals_gained ?? -Infinity) - (two.goals_gained ?? -Infinity) ||
      TASK_KEYS.reduce((order, name) => order || compared(one[name], two[name]), 0),
  );
  const { total, rows: shown } = page(rows, query);
  return { total, rows: shown };
}

const TASK_KEYS = [
  "suite",
  "suite_version",
  "task_set",
  "task_set_digest",
  "world",
  "task_id",
] as const;

/** The tasks of one run that it scored. A task's first episode describes it. */
function tasksOf(run: RunRow, rows: readonly EpisodeRow[]): Sums[] {
  const { suite, suite_version, task_set, task_set_digest, world } = run;
  const found = new Map<string, Sums>();
  for (const { task_id, group, instruction, fault, success, steps, goals_gained } of rows) {
    const same = { suite, suite_version, task_set, task_set_digest, world, task_id };
    const counts = { runs: 1, scored: 0, successes: 0, steps: 0 };
    const empty = { row: { ...same, group, instruction, ...counts }, gained: 0, gainedCount: 0 };
    const one = fault === null ? { scored: 1, successes: Number(success), steps } : counts;
    const gained = fault === null ? goals_gained : null;
    const known = found.get(task_id) ?? empty;
    const next = { ...empty, row: { ...empty.row, ...one }, gained: gained ?? 0 };
    const sums = added(known, { ...next, gainedCount: Number(gained !== null) });
    const { group: first, instruction: said } = known.row;
    found.set(task_id, { ...sums, row: { ...sums.row, group: first, instruction: said, runs: 1 } });
  }
  return [...found.values()].filter(({ row }) => row.scored > 0);
}

function added(one: Sums, two: Sums): Sums {
  return {
    row: {
      ...one.row,
      group: least(one.row.group, two.row.group),
      instruction: least(one.row.instruction, two.row.instruction),
      runs: one.row.runs + two.row.runs,
      scored: one.row.scored + two.row.scored,
      successes: one.row.successes + two.row.successes,
      steps: one.row.steps + two.row.steps,
    },
    gained: one.gained + two.gained,
    gainedCount: one.gainedCount + two.gainedCount,
  };
}

function least(one: string, two: string): string {
  return compared(one, two) <= 0 ? one : two;
}

// --- Two runs, and annotations

async function comparison(all: Catalogue, query: URLSearchParams): Promise<ComparisonView> {
  const [first, second] = (["first", "second"] as const).map((name) => {
    const row = all.runs.find((run) => run.path === query.get(name));
    if (!row) throw new ApiError(404, "no such run");
    return row;
  }) as [RunRow, RunRow];
  const numbers = (await entry<Compared>(`compared/${keyOf(all, first.path)}`))[second.path];
  if (!numbers) throw new ApiError(400, "The export does not compare these runs.");
  const [left, right] = await Promise.all([first, second].map((run) => scored(all, run.path)));
  const pairs: PairRow[] = [];
  for (const [key, one] of left ?? []) {
    const two = right?.get(key);
    if (!two) continue;
    pairs.push({
      task_id: one.task_id,
      group: one.group,
      repeat: one.repeat,
      first: one.episode_id,
      second: two.episode_id,
      first_success: one.success,
      second_success: two.success,
    });
  }
  pairs.sort((one, two) => compared(one.task_id, two.task_id) || one.repeat - two.repeat);
  const { total, rows } = page(pairs, query);
  return { ...(numbers as ComparisonView), first, second, pairs: { total, rows } };
}

async function scored(all: Catalogue, path: string): Promise<Map<string, EpisodeRow>> {
  const rows = (await episodesOf(all, [path])).map(({ row }) => row);
  return new Map(
    rows
      .filter((row) => row.fault === null)
      .map((row) => [JSON.stringify([row.task_id, row.repeat]), row]),
  );
}

function annotations(all: Catalogue, query: URLSearchParams): ListedAnnotationRow {
  const wanted = (name: string, value: string) => (query.get(name) ?? value) === value;
  const chosen = all.annotations.filter(
    (each) =>
      wanted("run", each.run) && wanted("episode", each.episode_id) && wanted("tag", each.tag),
  );
  const { total, rows } = page(chosen, query);
  return { total, rows };
}

// --- Parts of questions

const ROWS = 50;

function page<T>(rows: readonly T[], query: URLSearchParams) {
  const offset = Number(query.get("offset") ?? 0);
  const end = Math.min(offset + Number(query.get("limit") ?? ROWS), rows.length);
  return { total: rows.length, rows: rows.slice(offset, end), end: Math.max(end, offset) };
}

function isOneOf(value: string | undefined, wanted: readonly string[]): boolean {
  return wanted.length === 0 || (value !== undefined && wanted.includes(value));
}

/** Whether one of the texts contains what is searched for, in any case of ASCII letters. */
function has(texts: readonly string[], searched: string | null): boolean {
  if (!searched) return true;
  const lower = (text: string) => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
  return texts.some((text) => lower(text).includes(lower(searched)));
}

type Order<T> = (one: T, two: T) => number;

/** The order by a value. Rows without one come last, in either direction. */
function by<T>(value: (row: T) => unknown, descending: boolean, ties: Order<T>): Order<T> {
  return (one, two) => {
    const [first, second] = [value(one), value(two)];
    if (first === null || second === null) {
      return Number(first === null) - Number(second === null) || ties(one, two);
    }
    const order =
      typeof first === "number" && typeof second === "number"
        ? first - second
        : compared(textOf(first), textOf(second));
    return (descending ? -order : order) || ties(one, two);
  };
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** The order of two texts by their characters, as the service has it. */
function compared(one: string, two: string): number {
  if (one === two) return 0;
  return one < two ? -1 : 1;
}

function cut(text: string, mark: string): [string, string] {
  const at = text.indexOf(mark);
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
}
