/** All that the player shows of an episode: its beginning and end, its steps, what is true. */
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import {
  get,
  useData,
  type ApiError,
  type EpisodeView,
  type Shot,
  type StepPage,
  type StepView,
} from "../api";
import { concernsRun } from "../events";
import { useReplay, type Facts, type Replay } from "./facts";

/** Steps of one request. */
const PAGE = 100;

/**
 * An episode as far as it is loaded. Position 0 is the beginning and position k the state after
 * k steps; `steps[k - 1]` is the step that led to it, undefined while it is not loaded.
 */
export interface Recording {
  readonly run: string;
  readonly episode: string;
  readonly view: EpisodeView | null;
  readonly error: ApiError | null;
  readonly steps: readonly (StepView | undefined)[];
  readonly total: number;
  readonly replay: Replay;
  readonly facts: Facts | null;
  readonly stepsProblem: string;
}

/** `around` is the position whose steps are asked for first. */
export function useRecording(run: string, episode: string, around: number): Recording {
  const { data, error } = useData(
    "/api/runs/{run}/episodes/{episode}",
    { run, episode },
    concernsRun(run),
  );
  const view = data?.run === run && data.episode_id === episode ? data : null;
  const total = view?.steps ?? 0;
  const [loaded, setLoaded] = useState<Loaded>(NOTHING);
  const kept = useRef<Loaded>(NOTHING);
  const first = useRef<FirstPage>({ offset: pageOf(around), page: null });
  // At the same time as the episode: its steps do not wait for their number.
  useLayoutEffect(() => {
    first.current.page = stepsFrom(run, episode, first.current.offset);
    first.current.page.catch(() => undefined);
  }, [run, episode]);
  useEffect(() => {
    const of = `${run}/${episode}`;
    if (kept.current.of !== of) {
      kept.current = { ...NOTHING, of };
      setLoaded(kept.current);
    }
    const stop = new AbortController();
    const show = (next: Loaded) => {
      if (stop.signal.aborted) return;
      kept.current = next;
      setLoaded(next);
    };
    void load(run, episode, total, first.current, kept.current, show, stop.signal);
    return () => stop.abort();
  }, [run, episode, total]);
  const replay = useReplay(run, episode, view !== null && view.end !== null, total);
  const { steps, problem } = loaded.of === `${run}/${episode}` ? loaded : NOTHING;
  const { facts } = replay;
  return { run, episode, view, error, steps, total, replay, facts, stepsProblem: problem };
}

/** Begun when the page opens; used once. */
interface FirstPage {
  readonly offset: number;
  page: Promise<StepPage> | null;
}

function pageOf(position: number): number {
  return Math.floor(Math.max(position - 1, 0) / PAGE) * PAGE;
}

function stepsFrom(run: string, episode: string, offset: number, signal?: AbortSignal) {
  const asked = { run, episode, offset, limit: PAGE };
  return get("/api/runs/{run}/episodes/{episode}/steps", asked, signal);
}

interface Loaded {
  readonly of: string;
  readonly steps: readonly (StepView | undefined)[];
  readonly problem: string;
}

const NOTHING: Loaded = { of: "", steps: [], problem: "" };

async function load(
  run: string,
  episode: string,
  total: number,
  first: FirstPage,
  before: Loaded,
  show: (loaded: Loaded) => void,
  signal: AbortSignal,
): Promise<void> {
  const steps = [...before.steps];
  const missing = () => {
    for (let place = 0; place < total; place += 1) if (!steps[place]) return place;
    return -1;
  };
  const wanted = first.offset;
  let offset = wanted < total && !steps[wanted] ? wanted : missing();
  try {
    while (offset >= 0) {
      const begun = offset === wanted ? first.page : null;
      first.page = offset === wanted ? null : first.page;
      const page = await (begun ?? stepsFrom(run, episode, offset, signal));
      for (const row of page.rows) steps[row.place] = row;
      show({ of: before.of, steps: [...steps], problem: "" });
      const next = missing();
      // What is not there now comes with the next change of the run.
      if (page.rows.length === 0 || next === offset) return;
      offset = next;
    }
  } catch (error) {
    if (!signal.aborted) show({ of: before.of, steps, problem: messageOf(error) });
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The pictures that the agent was shown at a position. */
export function picturesAt(recording: Recording, position: number): readonly Shot[] {
  if (position === 0) return recording.view?.begin?.pictures ?? [];
  return recording.steps[position - 1]?.pictures ?? [];
}

/** The text that the agent was shown at a position. */
export function textAt(recording: Recording, position: number): string {
  if (position === 0) return recording.view?.begin?.text ?? "";
  return recording.steps[position - 1]?.text ?? "";
}
