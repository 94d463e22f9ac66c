import type { Limits__Output } from "./generated/houseguest/agent/v1/Limits.js";
import { optionalSeconds } from "./duration.js";

/** The service's limits. Times in seconds, null if unlimited; counts are 0 if the service states none. */
export interface Limits {
  /** The world's time for one step. */
  readonly environmentStepDeadline: number | null;
  /** The agent's time for one step. */
  readonly agentStepBudget: number | null;
  /** The agent's time, summed over an episode. */
  readonly agentEpisodeBudget: number | null;
  readonly maxPlanSteps: number;
  readonly maxTraceBytesPerStep: number;
  /** UTF-8 bytes of one text or skill call. */
  readonly maxActionBytes: number;
  readonly maxCallsPerSecond: number;
}

/** Reads the limits from Hello's answer. */
export function readLimits(message: Limits__Output | null): Limits {
  return {
    environmentStepDeadline: optionalSeconds(message?.environmentStepDeadline),
    agentStepBudget: optionalSeconds(message?.agentStepBudget),
    agentEpisodeBudget: optionalSeconds(message?.agentEpisodeBudget),
    maxPlanSteps: message?.maxPlanSteps ?? 0,
    maxTraceBytesPerStep: message?.maxTraceBytesPerStep ?? 0,
    maxActionBytes: message?.maxActionBytes ?? 0,
    maxCallsPerSecond: message?.maxCallsPerSecond ?? 0,
  };
}
