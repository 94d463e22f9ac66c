/** How an episode ended, and why, in a sentence. */
import type { EpisodeView } from "../api";
import { plural, words } from "../format";
import type { Line } from "./action";

export interface Verdict {
  readonly kind: "good" | "bad" | "warn" | "live";
  readonly title: string;
  readonly why: string;
  /** The suite's own account of it, if there is one. */
  readonly explanation: string;
}

const FAILURES: Readonly<Record<string, string>> = {
  max_steps: "It reached the step limit",
  max_repeats: "It repeated the same action too often",
  max_failures: "Too many of its actions were refused",
  goal_not_reached: "It ended, and the goal was not reached",
  gave_up: "The agent gave up",
  agent_timeout: "The agent took too long",
  agent_lost: "The agent disconnected",
  agent_crash: "The agent crashed",
  agent_oom: "The agent ran out of memory",
  protocol_error: "The agent broke the protocol",
};

/** Goal conditions named in the sentence, at most. */
const NAMED = 3;

export function verdictOf(view: EpisodeView, lines: readonly Line[]): Verdict {
  const explanation = view.record?.labels["explanation"] ?? "";
  const success = view.record?.episode.success ?? view.end?.success ?? null;
  const fault = view.record?.episode.fault ?? view.end?.fault ?? "";
  const failure = view.record?.episode.failure ?? view.end?.failure ?? "";
  if (fault) {
    const why = `The service failed: ${words(fault)}. The agent's result does not count.`;
    return { kind: "warn", title: "No result", why, explanation };
  }
  if (view.end?.withdrawn) {
    const why = `The agent left the run: ${words(view.end.withdrawn)}.`;
    return { kind: "warn", title: "No result", why, explanation };
  }
  if (success === null) {
    if (view.end) return { kind: "warn", title: "No result", why: view.end.reason, explanation };
    const why = `It is being played: ${plural(view.steps, "step")} so far.`;
    return { kind: "live", title: "Playing", why, explanation };
  }
  const goals = view.record?.goal_conditions ?? view.end?.goal_conditions ?? [];
  if (success) {
    const met =
      goals.length === 1 ? "Its goal condition was" : `All ${goals.length} goal conditions were`;
    const why = `${met} met after ${plural(view.steps, "step")}.`;
    return { kind: "good", title: "Success", why, explanation };
  }
  const begin = FAILURES[failure] ?? (words(failure) || "It did not succeed");
  const parts = [`${begin}, after ${plural(view.steps, "step")}`, unmet(goals), refused(lines)];
  return { kind: "bad", title: "Failed", why: `${parts.filter(Boolean).join("; ")}.`, explanation };
}

function unmet(goals: readonly { name: string; met: boolean; held_at_start: boolean | null }[]) {
  const left = goals.filter((each) => !each.met);
  if (left.length === 0) return "";
  // What was so at first was undone: that says more than what never came about.
  const sorted = [...left].sort((a, b) => Number(b.held_at_start) - Number(a.held_at_start));
  const named = sorted
    .slice(0, NAMED)
    .map((each) => `“${each.name}”${each.held_at_start ? " (undone)" : ""}`);
  const more = left.length - named.length;
  return `not met: ${named.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

function refused(lines: readonly Line[]): string {
  const wrong = lines.filter((each) => each.result === "bad" || each.result === "mixed");
  if (wrong.length === 0) return "";
  const counts = new Map<string, number>();
  for (const { outcome } of wrong) counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  const [most] = [...counts].sort((a, b) => b[1] - a[1]);
  const why = most ? `, mostly ${words(most[0]).toLowerCase()} (${most[1]})` : "";
  const [tried, failed] = [
    total(lines.map((each) => each.tried)),
    total(lines.map((each) => each.failed)),
  ];
  return tried > lines.length
    ? `${failed} of ${plural(tried, "action")} did not work`
    : `${wrong.length} of ${plural(lines.length, "step")} did not work${why}`;
}

function total(numbers: readonly number[]): number {
  return numbers.reduce((sum, each) => sum + each, 0);
}
