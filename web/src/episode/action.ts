/** Actions and outcomes in words. */
import type { OutcomeView, StepRow, StepView } from "../api";

/** How all of a step's actions went: `mixed` if some worked, `open` if it is not known. */
export type Result = "good" | "mixed" | "bad" | "open";

/** One line of the list of steps. */
export interface Line {
  readonly action: string;
  readonly result: Result;
  readonly outcome: string;
  readonly feedback: string;
  /** Actions that were tried, and those of them that did not work: several in a plan. */
  readonly tried: number;
  readonly failed: number;
}

export interface Call {
  readonly skill: string;
  readonly values: readonly (readonly [string, string])[];
}

/** The step as a line, from all of it or from what the index has of it. */
export function lineOf(step: StepView | undefined, row: StepRow | undefined): Line {
  if (step && !step.problem) {
    const wrong = step.true.find((each) => each.code !== WORKED) ?? step.true[0];
    return {
      action: actionText(step.action),
      result: resultOf(step.true),
      outcome: wrong?.code ?? "",
      feedback: wrong?.feedback ?? "",
      tried: step.true.length,
      failed: step.true.filter((each) => each.code !== WORKED).length,
    };
  }
  if (row) {
    const result = row.outcome === WORKED ? "good" : row.outcome ? "bad" : "open";
    const failed = result === "bad" ? 1 : 0;
    const { action, outcome, feedback } = row;
    return { action, result, outcome, feedback, tried: 1, failed };
  }
  const action = step?.problem ?? "…";
  return { action, result: "open", outcome: "", feedback: "", tried: 0, failed: 0 };
}

const WORKED = "SUCCEEDED";

export function resultOf(outcomes: readonly OutcomeView[]): Result {
  const worked = outcomes.filter((each) => each.code === WORKED).length;
  if (outcomes.length === 0) return "open";
  if (worked === outcomes.length) return "good";
  return worked === 0 ? "bad" : "mixed";
}

/** `PICKUP(Plate)`, a text as it is, a plan's actions one after the other. */
export function actionText(action: Readonly<Record<string, unknown>>): string {
  const plan = planOf(action);
  if (plan) return plan.map(callText).join("; ");
  const text = action["text"];
  if (typeof text === "string") return text;
  const unreadable = action["unreadable"];
  if (typeof unreadable === "string") return unreadable;
  const call = callOf(action);
  return call ? callText(call) : JSON.stringify(action);
}

export function callText({ skill, values }: Call): string {
  return values.length === 0 ? skill : `${skill}(${values.map(([, value]) => value).join(", ")})`;
}

/** The actions of a plan; null if the action is none. */
export function planOf(action: Readonly<Record<string, unknown>>): readonly Call[] | null {
  const plan = action["plan"];
  if (!Array.isArray(plan)) return null;
  return plan.map((each) => callOf(each) ?? { skill: JSON.stringify(each), values: [] });
}

export function callOf(value: unknown): Call | null {
  if (typeof value !== "object" || value === null) return null;
  const skill: unknown = Reflect.get(value, "skill");
  const given: unknown = Reflect.get(value, "arguments");
  if (typeof skill !== "string") return null;
  const values: (readonly [string, string])[] = [];
  for (const each of Array.isArray(given) ? (given as readonly unknown[]) : []) {
    if (Array.isArray(each)) values.push([String(each[0]), String(each[1])]);
  }
  return { skill, values };
}

export const RESULT_MARKS: Readonly<Record<Result, string>> = {
  good: "✓",
  mixed: "◐",
  bad: "✗",
  open: "·",
};

export const RESULT_WORDS: Readonly<Record<Result, string>> = {
  good: "worked",
  mixed: "worked in part",
  bad: "did not work",
  open: "outcome not known",
};
