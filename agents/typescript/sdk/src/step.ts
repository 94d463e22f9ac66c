import type { Action } from "./action.js";
import { optionalSeconds } from "./duration.js";
import { nameOf, OUTCOME_CODES, type EpisodeStatus, type OutcomeCode } from "./enums.js";
import type { ActionOutcome__Output } from "./generated/houseguest/agent/v1/ActionOutcome.js";
import type { Budget__Output } from "./generated/houseguest/agent/v1/Budget.js";
import type { Observation } from "./observation.js";

/**
 * The outcome of one action. A refusal is an ordinary outcome, not an error.
 *
 * `feedback` is the suite's text for the agent; empty if it sends none.
 */
export interface Outcome {
  readonly code: OutcomeCode;
  readonly feedback: string;
}

/** The remaining steps, and agent time in seconds. Null if the suite does not state it. */
export interface Budget {
  readonly steps: number | null;
  readonly agentTime: number | null;
}

/** One executed step of an episode's history. */
export interface PastStep {
  readonly action: Action;
  readonly outcomes: readonly Outcome[];
}

/** The result of one action. */
export interface Step {
  /** One, or one per executed step of a plan; empty if the service had closed the episode. */
  readonly outcomes: readonly Outcome[];
  /** The last outcome; null if nothing was executed. */
  readonly outcome: Outcome | null;
  /** The newest observation; the previous one if the step brought none. */
  readonly observation: Observation;
  readonly status: EpisodeStatus;
  readonly remaining: Budget;
}

/** Reads the outcomes of one step. */
export function readOutcomes(messages: readonly ActionOutcome__Output[]): Outcome[] {
  return messages.map(({ code, feedback }) => ({ code: nameOf(OUTCOME_CODES, code), feedback }));
}

/** Reads the budgets that the suite states. */
export function readBudget(message: Budget__Output | null): Budget {
  return { steps: message?.steps ?? null, agentTime: optionalSeconds(message?.agentTime) };
}
