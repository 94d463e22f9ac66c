import type { BeginEpisodeRequest } from "./generated/houseguest/agent/v1/BeginEpisodeRequest.js";
import type { BeginEpisodeResponse__Output } from "./generated/houseguest/agent/v1/BeginEpisodeResponse.js";
import type { EndEpisodeRequest } from "./generated/houseguest/agent/v1/EndEpisodeRequest.js";
import type { EndEpisodeResponse__Output } from "./generated/houseguest/agent/v1/EndEpisodeResponse.js";
import type { GetEpisodeRequest } from "./generated/houseguest/agent/v1/GetEpisodeRequest.js";
import type { GetEpisodeResponse__Output } from "./generated/houseguest/agent/v1/GetEpisodeResponse.js";
import type { StepRequest } from "./generated/houseguest/agent/v1/StepRequest.js";
import type { StepResponse__Output } from "./generated/houseguest/agent/v1/StepResponse.js";
import type { WithdrawRequest } from "./generated/houseguest/agent/v1/WithdrawRequest.js";
import type { WithdrawResponse__Output } from "./generated/houseguest/agent/v1/WithdrawResponse.js";
import type { Link } from "./link.js";

/**
 * Sends one request and waits for its answer, at most `timeout` seconds.
 *
 * Each method rejects with TransientError if you can send the same request again, and otherwise
 * with a HouseguestError. Send one request at a time.
 */
export interface Transport {
  beginEpisode(
    request: BeginEpisodeRequest,
    timeout: number,
  ): Promise<BeginEpisodeResponse__Output>;
  step(request: StepRequest, timeout: number): Promise<StepResponse__Output>;
  endEpisode(request: EndEpisodeRequest, timeout: number): Promise<EndEpisodeResponse__Output>;
  /** Frees its resources. You can call this at any time. */
  close(): void;
}

/** One call per request; also makes the two calls that the stream does not support. */
export class UnaryTransport implements Transport {
  constructor(private readonly link: Link) {}

  beginEpisode(
    request: BeginEpisodeRequest,
    timeout: number,
  ): Promise<BeginEpisodeResponse__Output> {
    const { link } = this;
    return link.call<BeginEpisodeRequest, BeginEpisodeResponse__Output>(
      (...to) => link.stub.beginEpisode(...to),
      request,
      timeout,
    );
  }

  step(request: StepRequest, timeout: number): Promise<StepResponse__Output> {
    const { link } = this;
    return link.call<StepRequest, StepResponse__Output>(
      (...to) => link.stub.step(...to),
      request,
      timeout,
    );
  }

  endEpisode(request: EndEpisodeRequest, timeout: number): Promise<EndEpisodeResponse__Output> {
    const { link } = this;
    return link.call<EndEpisodeRequest, EndEpisodeResponse__Output>(
      (...to) => link.stub.endEpisode(...to),
      request,
      timeout,
    );
  }

  getEpisode(request: GetEpisodeRequest, timeout: number): Promise<GetEpisodeResponse__Output> {
    const { link } = this;
    return link.call<GetEpisodeRequest, GetEpisodeResponse__Output>(
      (...to) => link.stub.getEpisode(...to),
      request,
      timeout,
    );
  }

  withdraw(request: WithdrawRequest, timeout: number): Promise<WithdrawResponse__Output> {
    const { link } = this;
    return link.call<WithdrawRequest, WithdrawResponse__Output>(
      (...to) => link.stub.withdraw(...to),
      request,
      timeout,
    );
  }

  /** Does nothing: a call has no resources to free. */
  close(): void {}
}
