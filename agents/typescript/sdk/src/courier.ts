import { pause } from "./duration.js";
import { SupersededError } from "./errors.js";
import type { BeginEpisodeResponse__Output } from "./generated/houseguest/agent/v1/BeginEpisodeResponse.js";
import type { EndEpisodeRequest } from "./generated/houseguest/agent/v1/EndEpisodeRequest.js";
import type { EndEpisodeResponse__Output } from "./generated/houseguest/agent/v1/EndEpisodeResponse.js";
import type { GetEpisodeResponse__Output } from "./generated/houseguest/agent/v1/GetEpisodeResponse.js";
import type { StepRequest } from "./generated/houseguest/agent/v1/StepRequest.js";
import type { StepResponse__Output } from "./generated/houseguest/agent/v1/StepResponse.js";
import type { WithdrawRequest } from "./generated/houseguest/agent/v1/WithdrawRequest.js";
import type { RetryPolicy } from "./options.js";
import { Backoff, TransientError } from "./retry.js";
import type { Session } from "./session.js";
import type { Transport, UnaryTransport } from "./transport.js";

interface SessionRequest {
  sessionId?: string;
  sessionEpoch?: number;
}

type Send<Request, Answer> = (request: Request, timeout: number) => Promise<Answer>;

/**
 * Delivers the requests of one session exactly once, over an unreliable link.
 *
 * Every request that changes state has a key, so a repeated request joins the running step or gets
 * the same answer again; the service never executes it twice. Every method rejects with
 * UnreachableError when the policy's patience runs out, and with the service's HouseguestError if
 * repeating the request would not help.
 */
export class RequestSender {
  constructor(
    private readonly session: Session,
    private readonly transport: Transport,
    private readonly unary: UnaryTransport,
    private readonly policy: RetryPolicy & { readonly timeout: number },
  ) {}

  /** Delivers one action. */
  step(request: StepRequest): Promise<StepResponse__Output> {
    return this.#deliver((...to) => this.transport.step(...to), request);
  }

  /** Asks for the next episode; waits as long as the service allows. */
  beginEpisode(episodeOrdinal: number): Promise<BeginEpisodeResponse__Output> {
    const mayBeLate = true;
    const request = { episodeOrdinal };
    return this.#deliver((...to) => this.transport.beginEpisode(...to), request, mayBeLate);
  }

  /** Ends the open episode. */
  endEpisode(request: EndEpisodeRequest): Promise<EndEpisodeResponse__Output> {
    return this.#deliver((...to) => this.transport.endEpisode(...to), request);
  }

  /** Leaves the run. */
  async withdraw(request: WithdrawRequest): Promise<void> {
    await this.#deliver((...to) => this.unary.withdraw(...to), request);
  }

  /** Asks for the state of the session's latest episode. */
  getEpisode(episodeId: string): Promise<GetEpisodeResponse__Output> {
    return this.#deliver((...to) => this.unary.getEpisode(...to), { episodeId });
  }

  async #deliver<Request extends object, Answer>(
    send: Send<Request & SessionRequest, Answer>,
    request: Request,
    mayBeLate = false,
  ): Promise<Answer> {
    let backoff: Backoff | null = null;
    for (;;) {
      this.session.check();
      const { sessionId, sessionEpoch } = this.session.granted;
      try {
        return await send({ ...request, sessionId, sessionEpoch }, this.policy.timeout);
      } catch (problem) {
        if (problem instanceof TransientError) {
          if (backoff === null || (mayBeLate && problem.timedOut)) {
            backoff = new Backoff(this.policy, this.policy.patience);
          }
          await pause(backoff.next(problem));
        } else if (!(problem instanceof SupersededError)) {
          throw problem;
        } else if (!(await this.session.roseAbove(sessionEpoch))) {
          throw problem;
        }
      }
    }
  }
}
