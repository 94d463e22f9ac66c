import type { ClientReadableStream, ServiceError } from "@grpc/grpc-js";

import { pause } from "./duration.js";
import {
  DrainingError,
  HouseguestError,
  RevokedError,
  SetupError,
  SupersededError,
} from "./errors.js";
import type { AttachRequest } from "./generated/houseguest/agent/v1/AttachRequest.js";
import type { AttachResponse__Output } from "./generated/houseguest/agent/v1/AttachResponse.js";
import type { Granted__Output } from "./generated/houseguest/agent/v1/Granted.js";
import type { Link } from "./link.js";
import type { Settings } from "./options.js";
import { Backoff, classifyCall, TransientError, type Problem } from "./retry.js";
import type { StateFile } from "./state-file.js";
import { Waiters } from "./waiters.js";

type AttachStream = ClientReadableStream<AttachResponse__Output>;

/**
 * One session: keeps the Attach stream open, and resumes after a break.
 *
 * Until the first grant, a broken link counts against the patience. Afterwards the session resumes
 * without a limit while it is open, since only a call that needs an answer has a time limit.
 */
export class Session {
  /** Whether the service is closing. */
  draining = false;
  #granted: Granted__Output | null = null;
  #attached = false;
  #failure: HouseguestError | null = null;
  #stream: AttachStream | null = null;
  #holding: Promise<void> = Promise.resolve();
  readonly #changed = new Waiters();
  readonly #closing = new AbortController();

  constructor(
    private readonly link: Link,
    private readonly request: AttachRequest,
    private readonly settings: Settings,
    private readonly stateFile: StateFile | null,
  ) {}

  /**
   * Waits for the session without a limit. Rejects with UnreachableError, or with the service's
   * refusal.
   */
  async open(): Promise<void> {
    this.#holding = this.#hold();
    await this.#changed.until(() => this.#granted !== null || this.#failure !== null);
    this.check();
  }

  /** The newest grant. Valid only after `open`. */
  get granted(): Granted__Output {
    if (this.#granted === null) throw new SetupError("The session was not opened.");
    return this.#granted;
  }

  /** Throws the error that ended the session, if there was one. */
  check(): void {
    if (this.#failure !== null) throw this.#failure;
  }

  /** Whether a resume by this process replaced `epoch`; waits for a resume in progress. */
  async roseAbove(epoch: number): Promise<boolean> {
    const settled = (): boolean => this.#attached || this.#failure !== null;
    await this.#changed.until(settled, this.settings.retry.patience);
    return this.#attached && this.granted.sessionEpoch > epoch;
  }

  /** Closes the stream. The session stays open at the service until its lease ends. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#stream?.cancel();
    await this.#holding;
  }

  async #hold(): Promise<void> {
    const { retry } = this.settings;
    let backoff: Backoff | null = null;
    for (;;) {
      const epoch = this.#granted?.sessionEpoch ?? 0;
      let problem = await this.#follow();
      if (this.#closing.signal.aborted) return;
      this.#attached = false;
      const granted = this.#granted;
      if (isTaken(problem) && backoff && !granted) {
        // A broken attempt missed its grant: most likely this process has the session.
        problem = new TransientError(problem.message);
      }
      if (backoff === null || (granted && granted.sessionEpoch > epoch)) {
        backoff = new Backoff(retry, granted ? Infinity : retry.patience);
      }
      if (!(await this.#mayResume(problem, backoff))) return;
    }
  }

  /** Follows one Attach stream until it ends; returns the reason. */
  #follow(): Promise<Problem> {
    const stream = this.link.stub.attach(this.request, this.link.metadata);
    this.#stream = stream;
    return new Promise((resolve) => {
      stream.on("error", (error: ServiceError) => resolve(classifyCall(error)));
      stream.on("end", () => resolve(new TransientError("the service closed the Attach stream")));
      stream.on("data", (response: AttachResponse__Output) => {
        try {
          this.#take(response);
        } catch (error) {
          resolve(error as HouseguestError);
          stream.cancel();
        }
      });
    });
  }

  #take(response: AttachResponse__Output): void {
    const { log } = this.settings;
    if (response.granted) {
      this.#accept(response.granted);
    } else if (response.queued) {
      log(`place ${response.queued.position} in the queue for a session`);
    } else if (response.draining) {
      this.draining = true;
      log("the service is closing; it starts no new episode");
    } else if (response.revoked) {
      throw revoked(response.revoked.reason);
    }
  }

  #accept(granted: Granted__Output): void {
    this.stateFile?.save(granted.sessionId, granted.resumeToken);
    this.request.resumeToken = granted.resumeToken;
    this.#granted = granted;
    this.#attached = true;
    this.#changed.notify();
  }

  /** Waits before the next attempt; returns false if there should be none. */
  async #mayResume(problem: Problem, backoff: Backoff): Promise<boolean> {
    if (problem instanceof HouseguestError) {
      this.#fail(problem);
      return false;
    }
    let wait: number;
    try {
      wait = backoff.next(problem);
    } catch (error) {
      this.#fail(error as HouseguestError);
      return false;
    }
    this.settings.log(`the link to the service broke, resuming: ${problem.message}`);
    return pause(wait, this.#closing.signal);
  }

  #fail(error: HouseguestError): void {
    if (error.reason === "RESUME_REFUSED" && this.#granted) {
      const explained =
        `${error.message} The session can no longer be resumed: another process took it over, or` +
        " the lease ran out while the link was down.";
      this.#failure = new SupersededError(explained, error.reason);
    } else {
      this.#failure = error;
    }
    this.#changed.notify();
  }
}

function isTaken(problem: Problem): boolean {
  return problem instanceof HouseguestError && problem.reason === "SEAT_TAKEN";
}

function revoked(reason: string): HouseguestError {
  const Kind = reason === "DRAINING" ? DrainingError : RevokedError;
  return new Kind(`The service ended this session [${reason}].`, reason);
}
