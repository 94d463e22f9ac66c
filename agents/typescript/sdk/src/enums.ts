/**
 * The protocol's enumerations, as words, in the order of the protocol's numbers. An unknown number
 * from a newer service becomes `"unspecified"`.
 */

/** How an episode is played: action by action, or in one step with a whole plan or an answer. */
export const MODES = ["unspecified", "stepwise", "plan", "answer"] as const;
export type Mode = (typeof MODES)[number];

/**
 * Whether an episode is still running. `terminated`: the world or the agent says it is over;
 * `truncated`: a budget ran out; `voided`: the service failed or the agent withdrew, and it does
 * not count.
 */
export const EPISODE_STATUSES = [
  "unspecified",
  "running",
  "terminated",
  "truncated",
  "voided",
] as const;
export type EpisodeStatus = (typeof EPISODE_STATUSES)[number];

/** The outcome of an action, as precise as the run's condition allows. */
export const OUTCOME_CODES = [
  "unspecified",
  "succeeded",
  "refused",
  "withheld",
  "unparsable",
  "unknown_skill",
  "unknown_object",
  "precondition_failed",
  "physically_blocked",
] as const;
export type OutcomeCode = (typeof OUTCOME_CODES)[number];

/** A kind of picture. */
export const CHANNELS = ["unspecified", "rgb", "depth", "segmentation", "top_down"] as const;
export type Channel = (typeof CHANNELS)[number];

/** When, or from where, a picture was taken. */
export const IMAGE_ROLES = ["unspecified", "current", "previous", "view"] as const;
export type ImageRole = (typeof IMAGE_ROLES)[number];

/** How the bytes of a picture are encoded. */
export const IMAGE_ENCODINGS = [
  "unspecified",
  "raw",
  "png",
  "webp_lossless",
  "jpeg",
  "raw_f32",
] as const;
export type ImageEncoding = (typeof IMAGE_ENCODINGS)[number];

/** An optional part of the protocol that a service supports. */
export const FEATURES = [
  "unspecified",
  "streaming_play",
  "frame_reference",
  "plan",
  "depth",
  "segmentation",
  "withdraw",
] as const;
export type Feature = (typeof FEATURES)[number];

/** Why an agent ends an episode. */
export const END_REASONS = ["unspecified", "agent_done", "agent_gave_up", "agent_error"] as const;
export type EndReason = (typeof END_REASONS)[number];

/**
 * Why an agent withdraws: its model's server does not answer (`model_unreachable`) or refuses
 * the key, the model or the account (`model_refused`), or the agent has used up its budget.
 */
export const WITHDRAW_REASONS = [
  "unspecified",
  "model_unreachable",
  "model_refused",
  "budget_spent",
  "other",
] as const;
export type WithdrawReason = (typeof WITHDRAW_REASONS)[number];

/** The word for a number of the protocol; the list's first word if the number is unknown. */
export function nameOf<Name>(names: readonly [Name, ...Name[]], value: number): Name {
  return names[value] ?? names[0];
}

/** The protocol's number for a word, typed as the generated enumeration. */
export function numberOf<Name, Value extends number>(names: readonly Name[], name: Name): Value {
  return names.indexOf(name) as Value;
}
