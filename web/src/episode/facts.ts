/** What was true: the moments of an episode's replay, by the positions of the player. */
import { useEffect, useMemo, useState } from "preact/hooks";
import { get, type EpisodeFacts, type FactsView, type MomentView } from "../api";

/** Seconds between two questions for a replay that is not done. */
const PAUSE = 1;
const MOST_QUESTIONS = 200;
/** Milliseconds between the page's first look and the question. */
const AFTER = 200;

export interface Facts {
  readonly facts: EpisodeFacts;
  /** Moments by position, in all tracks: several where an action has parts. */
  readonly groups: readonly (readonly Moment[])[];
  /** The agent's last moment at or before each position. */
  readonly last: readonly (Moment | null)[];
  /** The agent's moments, all of them. */
  readonly path: readonly Moment[];
}

/** A moment with what it only tells in its changes. */
export interface Moment {
  readonly index: number;
  readonly view: MomentView;
  /** The board's cells, row by row. */
  readonly cells: readonly string[];
  /** Where things are, by id: x and z in metres. */
  readonly places: ReadonlyMap<string, readonly [number, number]>;
}

export interface Replay {
  readonly state: "asked" | "ready" | "none";
  readonly problem: string;
  readonly facts: Facts | null;
}

const ASKED: Replay = { state: "asked", problem: "", facts: null };

/** Asks until the replay is done. `steps`: a replay of an episode that is over stays as it is. */
export function useReplay(run: string, episode: string, over: boolean, steps: number): Replay {
  const [answer, setAnswer] = useState<FactsView | null>(null);
  useEffect(() => {
    setAnswer(null);
    if (!over) return undefined;
    const stop = new AbortController();
    // A replay takes a processor: the picture comes first.
    const timer = window.setTimeout(() => {
      void ask(run, episode, stop.signal).then((found) => {
        if (!stop.signal.aborted) setAnswer(found);
      });
    }, AFTER);
    return () => {
      window.clearTimeout(timer);
      stop.abort();
    };
  }, [run, episode, over]);
  return useMemo(() => {
    if (!answer) return over ? ASKED : { state: "none", problem: "", facts: null };
    const facts = answer.facts ? byPosition(answer.facts, steps) : null;
    const problem = answer.problem || answer.facts?.problem || "";
    return { state: facts ? "ready" : "none", problem, facts };
  }, [answer, over, steps]);
}

async function ask(run: string, episode: string, signal: AbortSignal): Promise<FactsView> {
  try {
    for (let asked = 0; asked < MOST_QUESTIONS; asked += 1) {
      const found = await get("/api/runs/{run}/episodes/{episode}/facts", { run, episode }, signal);
      if (found.state !== "pending") return found;
      await new Promise((done) => setTimeout(done, PAUSE * 1000));
      if (signal.aborted) break;
    }
  } catch (error) {
    return { state: "none", problem: String(error), facts: null };
  }
  return { state: "none", problem: "the replay is not done", facts: null };
}

function byPosition(facts: EpisodeFacts, steps: number): Facts {
  const moments = whole(facts);
  const groups: Moment[][] = Array.from({ length: steps + 1 }, () => []);
  for (const moment of moments) groups[(moment.view.step ?? -1) + 1]?.push(moment);
  let known: Moment | null = null;
  const last = groups.map((group) => {
    known = group.findLast(({ view }) => view.track === "") ?? known;
    return known;
  });
  return { facts, groups, last, path: moments.filter(({ view }) => view.track === "") };
}

function whole(facts: EpisodeFacts): readonly Moment[] {
  const before = new Map<string, Moment>();
  const start = new Map(facts.things.flatMap(({ id, at }) => (at ? [[id, spotOf(at)]] : [])));
  return facts.moments.map((view, index) => {
    const old = before.get(view.track);
    const moment: Moment = {
      index,
      view,
      cells: cellsOf(view, old?.cells ?? []),
      places: placesOf(view, old?.places ?? start),
    };
    before.set(view.track, moment);
    return moment;
  });
}

function cellsOf({ board }: MomentView, before: readonly string[]): readonly string[] {
  if (!board) return before;
  const size = board.width * board.height;
  if (board.cells.length === 0 && before.length === size) return before;
  const now = before.length === size ? [...before] : Array.from({ length: size }, () => "");
  for (const { x, y, text } of board.cells) now[y * board.width + x] = text;
  return now;
}

function spotOf(at: readonly number[]): readonly [number, number] {
  return [at[0] ?? 0, at[1] ?? 0];
}

type Places = ReadonlyMap<string, readonly [number, number]>;

/** A change of a thing's place says where it is now: `x, y, z`. */
function placesOf(view: MomentView, before: Places): Places {
  const moved = view.changes.filter(({ property }) => property === "place");
  if (moved.length === 0) return before;
  const now = new Map(before);
  for (const { id, after } of moved) {
    const [x, , z] = after.split(", ").map(Number);
    if (x !== undefined && z !== undefined && Number.isFinite(x + z)) now.set(id, [x, z]);
    else now.delete(id);
  }
  return now;
}

/** The moments of a position in one track: those that an action with parts led through. */
export function partsOf(facts: Facts | null, position: number, track: string): readonly Moment[] {
  return facts?.groups[position]?.filter(({ view }) => view.track === track) ?? [];
}

/** Tracks of a position; the agent's own is the empty name. */
export function tracksOf(facts: Facts | null, position: number): readonly string[] {
  return [...new Set(facts?.groups[position]?.map(({ view }) => view.track) ?? [])];
}

// --- Values of JSON

export function field(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}

export function items(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function number(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}
