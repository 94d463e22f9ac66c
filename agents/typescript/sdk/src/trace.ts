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
 * Why an agent takes an action. Stored unverified, and never used in scoring.
 *
 * `rawModelOutput` is the model's reply, from which the agent read the action; `planLength` is the
 * number of actions planned ahead, or 0.
 */
export interface Trace {
  readonly thought?: string;
  readonly rawModelOutput?: string;
  readonly planLength?: number;
  readonly usage?: readonly ModelUsage[];
}

/** The trace as a protocol message; a string is a thought. */
export function encodeTrace(trace: Trace | string | undefined): WireTrace | null {
  if (trace === undefined) return null;
  if (typeof trace === "string") return { thought: trace };
  const usage = (trace.usage ?? []).map(({ latency, ...counts }) => ({
    ...counts,
    latency: latency === undefined ? null : toDuration(latency),
  }));
  return { ...trace, usage };
}
