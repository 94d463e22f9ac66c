/** Goal conditions over time. */
import type { EpisodeView } from "../api";
import type { Facts } from "./facts";

export interface Span {
  readonly from: number;
  readonly to: number;
  /** null: not known. */
  readonly met: boolean | null;
}

export interface GoalLine {
  readonly name: string;
  /** At the end, or at the last step that is known. */
  readonly met: boolean;
  readonly heldAtStart: boolean | null;
  /** Steps that met or lost it. */
  readonly changes: readonly { readonly at: number; readonly met: boolean }[];
  /** How it was in steps `from` (excluded) to `to`. */
  readonly spans: readonly Span[];
}

/** Those that are not met come first: they say why an episode failed. */
export function goalLines(view: EpisodeView, facts: Facts | null): readonly GoalLine[] {
  const lines = (facts && overTime(facts)) ?? atTheEnd(view);
  return [...lines].sort((a, b) => Number(a.met) - Number(b.met));
}

function overTime({ last }: Facts): readonly GoalLine[] | null {
  const names = last.find((each) => each?.view.goals.length)?.view.goals ?? [];
  if (names.length === 0) return null;
  return names.map(({ name }, place) =>
    lineOf(
      name,
      last.map((each) => each?.view.goals[place]?.met ?? null),
    ),
  );
}

function atTheEnd(view: EpisodeView): readonly GoalLine[] {
  const ends = view.record?.goal_conditions ?? view.end?.goal_conditions ?? [];
  const before = Math.max(view.steps - 1, 0);
  return ends.map((each) => ({
    name: each.name,
    met: each.met,
    heldAtStart: each.held_at_start,
    changes: [],
    spans: [
      ...(before > 0 ? [{ from: 0, to: before, met: null }] : []),
      { from: before, to: Math.max(view.steps, 1), met: each.met },
    ],
  }));
}

function lineOf(name: string, met: readonly (boolean | null)[]): GoalLine {
  const changes: { at: number; met: boolean }[] = [];
  const spans: { from: number; to: number; met: boolean | null }[] = [];
  let last = met[0] ?? null;
  met.forEach((now, at) => {
    if (at === 0) return;
    if (now !== null && last !== null && now !== last) changes.push({ at, met: now });
    last = now ?? last;
    const before = spans.at(-1);
    if (before?.met === now) before.to = at;
    else spans.push({ from: at - 1, to: at, met: now });
  });
  return { name, met: last === true, heldAtStart: met[0] ?? null, changes, spans };
}
