import type { ClientDuplexStream, ServiceError } from "@grpc/grpc-js";

import type { BeginEpisodeRequest } from "./generated/houseguest/agent/v1/BeginEpisodeRequest.js";
import type { BeginEpisodeResponse__Output } from "./generated/houseguest/agent/v1/BeginEpisodeResponse.js";
import type { EndEpisodeRequest } from "./generated/houseguest/agent/v1/EndEpisodeRequest.js";
import type { EndEpisodeResponse__Output } from "./generated/houseguest/agent/v1/EndEpisodeResponse.js";
import type { PlayRequest } from "./generated/houseguest/agent/v1/PlayRequest.js";
import type { PlayResponse__Output } from "./generated/houseguest/agent/v1/PlayResponse.js";
import type { StepRequest } from "./generated/houseguest/agent/v1/StepRequest.js";
import type { StepResponse__Output } from "./generated/houseguest/agent/v1/StepResponse.js";
import type { Link } from "./link.js";
import { classify, classifyCall, TransientError, type Problem } from "./retry.js";
import type { Transport } from "./transport.js";

/** One stream for all requests. The next request replaces a broken or silent stream. */
export class PlayTransport implements Transport {
  #stream: PlayStream | null = null;
  #lastId = 0;

  constructor(private readonly link: Link) {}

  async beginEpisode(
    beginEpisode: BeginEpisodeRequest,
    timeout: number,
  ): Promise<BeginEpisodeResponse__Output> {
    const answer = await this.#ask({ beginEpisode }, timeout);
    return expected(answer.beginEpisode);
  }

  async step(step: StepRequest, timeout: number): Promise<StepResponse__Output> {
    const answer = await this.#ask({ step }, timeout);
    return expected(answer.step);
  }

  async endEpisode(
    endEpisode: EndEpisodeRequest,
    timeout: number,
  ): Promise<EndEpisodeResponse__Output> {
    const answer = await this.#ask({ endEpisode }, timeout);
    return expected(answer.endEpisode);
  }

  async #ask(request: PlayRequest, timeout: number): Promise<PlayResponse__Output> {
    if (this.#stream?.broken) this.close();
    this.#stream ??= new PlayStream(this.link);
    const requestId = String(++this.#lastId);
    try {
      return readRefusal(await this.#stream.ask({ ...request, requestId }, requestId, timeout));
    } finally {
      if (this.#stream?.broken) this.close();
    }
  }

  /** Ends the stream. */
  close(): void {
    this.#stream?.cancel();
    this.#stream = null;
  }
}

interface Pending {
  readonly id: string;
  readonly resolve: (answer: PlayResponse__Output) => void;
  readonly reject: (problem: Problem) => void;
}

/** One Play call. */
class PlayStream {
  /** Whether the stream is closed. */
  broken = false;
  #pending: Pending | null = null;
  readonly #call: ClientDuplexStream<PlayRequest, PlayResponse__Output>;

  constructor(link: Link) {
    this.#call = link.stub.play(link.metadata);
    this.#call.on("data", (answer: PlayResponse__Output) => {
      // A late answer to an earlier request has no use.
      if (answer.requestId === this.#pending?.id) this.#pending.resolve(answer);
    });
    this.#call.on("error", (error: ServiceError) => this.#break(classifyCall(error)));
    this.#call.on("end", () =>
      this.#break(new TransientError("the service closed the Play stream")),
    );
  }

  async ask(request: PlayRequest, id: string, timeout: number): Promise<PlayResponse__Output> {
    let timer: NodeJS.Timeout | undefined;
    try {
      return await new Promise((resolve, reject) => {
        this.#pending = { id, resolve, reject };
        const late = (): void => {
          this.#break(new TransientError(`no answer within ${timeout} s`, true));
        };
        timer = setTimeout(late, timeout * 1000);
        this.#call.write(request);
      });
    } finally {
      clearTimeout(timer);
      this.#pending = null;
    }
  }

  cancel(): void {
    this.#call.cancel();
  }

  #break(problem: Problem): void {
    this.broken = true;
    this.#pending?.reject(problem);
  }
}

function readRefusal(answer: PlayResponse__Output): PlayResponse__Output {
  if (!answer.error) return answer;
  const { code, reason, message } = answer.error;
  throw classify(code, reason, message);
}

function expected<Answer>(answer: Answer | null | undefined): Answer {
  if (answer) return answer;
  throw new TransientError("the answer is of another kind than the request");
}
