/** Play Houseguest episodes from TypeScript and JavaScript. See README.md. */

export type {
  Action,
  ActionSpace,
  Arguments,
  Parameter,
  Plan,
  Skill,
  SkillCall,
  Text,
} from "./action.js";
export { Client, play, withClient } from "./client.js";
export type {
  Channel,
  EndReason,
  EpisodeStatus,
  Feature,
  ImageEncoding,
  ImageRole,
  Mode,
  OutcomeCode,
  WithdrawReason,
} from "./enums.js";
export { Episode } from "./episode.js";
export {
  DrainingError,
  EpisodeOverError,
  HouseguestError,
  ImageError,
  RefusedError,
  RevokedError,
  SetupError,
  SupersededError,
  TokenRefusedError,
  UnreachableError,
} from "./errors.js";
export type { Limits } from "./limits.js";
export type { AgentInfo } from "./link.js";
export { Image, Observation } from "./observation.js";
export type { ImageRequest, ObservationRequest, Options, RetryPolicy } from "./options.js";
export type { Pixels } from "./pixels.js";
export type { Budget, Outcome, PastStep, Step } from "./step.js";
export type { ModelUsage, Trace } from "./trace.js";
export { PROTOCOL_REVISION, VERSION } from "./version.js";
