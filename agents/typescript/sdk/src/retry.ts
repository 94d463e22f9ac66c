import { status, type ServiceError } from "@grpc/grpc-js";

import {
  DrainingError,
  HouseguestError,
  RefusedError,
  SupersededError,
  TokenRefusedError,
  UnreachableError,
} from "./errors.js";
import type { RetryPolicy } from "./options.js";

const REASON_KEY = "houseguest-reason";

const PASSING: ReadonlySet<number> = new Set([
  status.UNAVAILABLE,
  status.DEADLINE_EXCEEDED,
  // How calls may end whose connection was dropped, depending on the moment.
  status.CANCELLED,
  status.UNKNOWN,
  // This includes faults that the service did not foresee.
  status.INTERNAL,
]);

const PASSING_REASONS: ReadonlySet<string> = new Set([
  "RATE_LIMITED",
  // An episode cannot end while the step that an interrupt left behind still runs.
  "STEP_IN_FLIGHT",
  // The link was down for long; the session is about to resume.
  "LEASE_EXPIRED",
]);

/** A failure that repeating the same request may mend. Never leaves the library. */
export class TransientError extends Error {
  constructor(
    message: string,
    /** The answer was merely late. */
    readonly timedOut = false,
  ) {
    super(message);
  }
}

/** The error for a failed call. */
export type Problem = TransientError | HouseguestError;

/** The error for a status. `code` is a google.rpc.Code. */
export function classify(code: status, reason: string, message: string): Problem {
  const text = reason ? `${message} [${reason}]` : message;
  if (reason === "DRAINING") return new DrainingError(text, reason);
  if (PASSING.has(code) || PASSING_REASONS.has(reason)) {
    return new TransientError(text, code === status.DEADLINE_EXCEEDED);
  }
  if (reason === "SESSION_SUPERSEDED") {
    const explained = `${text} Another process holds this session now; this one has to stop.`;
    return new SupersededError(explained, reason);
  }
  if (code === status.UNAUTHENTICATED) {
    return new TokenRefusedError(
      `The service refused the lease token: ${text} A token is good for one session of one run: check` +
        " HOUSEGUEST_TOKEN, or ask for a new lease.",
      reason,
    );
  }
  return new RefusedError(text, reason, code);
}

/** The error for a failed call, whose reason is in its trailing metadata. */
export function classifyCall(error: ServiceError): Problem {
  const reason = error.metadata?.get(REASON_KEY)[0] ?? "";
  return classify(error.code, String(reason), error.details || error.message);
}

/** The waits between the attempts of one request. Counts from its making. */
export class Backoff {
  #wait: number;
  readonly #started = performance.now();

  /** `patience` in seconds; Infinity never runs out. */
  constructor(
    private readonly policy: RetryPolicy,
    private readonly patience: number,
  ) {
    this.#wait = policy.firstWait;
  }

  /**
   * Seconds to wait before the next attempt. Throws UnreachableError, with `problem` as its cause,
   * once patience has run out.
   */
  next(problem: Error): number {
    const waited = (performance.now() - this.#started) / 1000;
    if (waited >= this.patience) {
      throw new UnreachableError(
        `The service did not answer for ${waited.toFixed(1)} s; the last failure was:` +
          ` ${problem.message}`,
        "",
        { cause: problem },
      );
    }
    const wait = this.#wait * (0.5 + 0.5 * this.policy.random());
    this.#wait = Math.min(2 * this.#wait, this.policy.longestWait);
    return Math.min(wait, this.patience - waited);
  }
}
