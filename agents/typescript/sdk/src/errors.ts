/**
 * Any failure of this library. The message says what was wrong and how to fix it.
 *
 * `reason` is the service's code for it (docs/protocol.md), such as `"STEP_CONFLICT"`; empty if the
 * service sent none.
 */
export class HouseguestError extends Error {
  constructor(
    message: string,
    readonly reason = "",
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** An option, an environment variable or a file is missing or wrong. */
export class SetupError extends HouseguestError {}

/** The service did not answer for as long as the retry policy allows. */
export class UnreachableError extends HouseguestError {}

/** The service does not accept the lease token. */
export class TokenRefusedError extends HouseguestError {}

/** Another process took the session over. Never retried: a session has one process at a time. */
export class SupersededError extends HouseguestError {}

/** The service ended the session; every later call fails. */
export class RevokedError extends HouseguestError {}

/** The service is closing and starts no new episode. */
export class DrainingError extends HouseguestError {}

/** The service refused a call, and repeating it would not help. */
export class RefusedError extends HouseguestError {
  /** `code` is the number of the google.rpc.Code. */
  constructor(
    message: string,
    reason = "",
    readonly code = 2,
  ) {
    super(message, reason);
  }
}

/** An action was sent after the episode ended, or before the previous action was answered. */
export class EpisodeOverError extends HouseguestError {}

/** A picture is missing, or cannot be read. */
export class ImageError extends HouseguestError {}
