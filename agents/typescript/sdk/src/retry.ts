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
  // How a call can end when its connection drops, depending on the moment.
  status.CANCELLED,
  status.UNKNOWN,
  // Includes unexpected faults of the service.
  status.INTERNAL,
]);

const PASSING_REASONS: ReadonlySet<string> = new Set([
  "RATE_LIMITED",
  // An episode cannot end while an interrupted step still runs.
  "STEP_IN_FLIGHT",
  // The link was down for a long time; the session will resume.
  "LEASE_EXPIRED",
]);

/** A failure after which the same request may succeed. Never leaves the library. */
export class TransientError extends Error {
  constructor(
    message: string,
    /** Whether the answer was only late. */
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
    const explained = `${text} Another process took over this session; this one must stop.`;
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

/** The waits between the attempts of one request. The time counts from the constructor. */
export class Backoff {
  #wait: number;
  readonly #started = performance.now();

  /** `patience` in seconds; Infinity means no limit. */
  constructor(
    private readonly policy: RetryPolicy,
    private readonly patience: number,
  ) {
    this.#wait = policy.firstWait;
  }

  /**
   * Seconds to wait before the next attempt. When patience has run out, throws UnreachableError
   * with `problem` as its cause.
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
