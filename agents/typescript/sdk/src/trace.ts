import { toDuration } from "./duration.js";
import type { Trace as WireTrace } from "./generated/houseguest/agent/v1/Trace.js";

/**
 * One call of a model. Counts include cached input and reasoning output tokens.
 *
 * `latency` in seconds, from request to full reply; `costUsd` in US dollars.
 */
export interface ModelUsage {
  readonly model: string;
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly cachedInputTokens?: number;
  readonly reasoningTokens?: number;
  readonly images?: number;
  readonly latency?: number;
  readonly costUsd?: number;
}

/**
 * Why an agent acts as it does. Stored as a claim, never used in scoring.
 *
 * `rawModelOutput` is the model's reply before an action was read out of it; `planLength` how many
 * actions are planned ahead, 0 where none are.
 */
export interface Trace {
  readonly thought?: string;
  readonly rawModelOutput?: string;
  readonly planLength?: number;
  readonly usage?: readonly ModelUsage[];
}

/** The trace as it travels; a string is a thought. */
export function encodeTrace(trace: Trace | string | undefined): WireTrace | null {
  if (trace === undefined) return null;
  if (typeof trace === "string") return { thought: trace };
  const usage = (trace.usage ?? []).map(({ latency, ...counts }) => ({
    ...counts,
    latency: latency === undefined ? null : toDuration(latency),
  }));
  return { ...trace, usage };
}
