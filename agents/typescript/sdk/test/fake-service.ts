import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import {
  Metadata,
  Server,
  ServerCredentials,
  status,
  type ServerDuplexStream,
  type ServerWritableStream,
} from "@grpc/grpc-js";

import type { AgentServiceHandlers } from "../src/generated/houseguest/agent/v1/AgentService.js";
import type { AttachRequest__Output } from "../src/generated/houseguest/agent/v1/AttachRequest.js";
import type { AttachResponse } from "../src/generated/houseguest/agent/v1/AttachResponse.js";
import type { EndEpisodeRequest__Output } from "../src/generated/houseguest/agent/v1/EndEpisodeRequest.js";
import type { Episode } from "../src/generated/houseguest/agent/v1/Episode.js";
import type { GetEpisodeResponse } from "../src/generated/houseguest/agent/v1/GetEpisodeResponse.js";
import type { Granted } from "../src/generated/houseguest/agent/v1/Granted.js";
import type { HelloRequest__Output } from "../src/generated/houseguest/agent/v1/HelloRequest.js";
import type { HelloResponse } from "../src/generated/houseguest/agent/v1/HelloResponse.js";
import type { PlayRequest__Output } from "../src/generated/houseguest/agent/v1/PlayRequest.js";
import type { PlayResponse } from "../src/generated/houseguest/agent/v1/PlayResponse.js";
import type { StepRequest__Output } from "../src/generated/houseguest/agent/v1/StepRequest.js";
import type { StepResponse } from "../src/generated/houseguest/agent/v1/StepResponse.js";
import type { WithdrawRequest__Output } from "../src/generated/houseguest/agent/v1/WithdrawRequest.js";
import type { Options } from "../src/options.js";
import { AgentService } from "../src/wire.js";

export const TOKEN = "lease-token";
export const STREAMING = 1;
export const REFERENCES = 2;
export const WITHDRAW = 6;

const RUNNING = 1;
const TERMINATED = 2;

type AttachStream = ServerWritableStream<AttachRequest__Output, AttachResponse>;

/** What a call fails with. */
export class Refused extends Error {
  constructor(
    readonly code: status,
    readonly reason = "",
  ) {
    super(`refused: ${reason}`);
  }
}

/**
 * A service on a Unix socket that a test scripts. By itself it grants the session, and
 * opens `episodes` episodes that end when the skill `win` is called.
 */
export class FakeService {
  hello: HelloResponse = { protocolRevision: 2, features: [STREAMING, REFERENCES, WITHDRAW] };
  granted: Partial<Granted> = {};
  episode: Partial<Episode> = {};
  episodes = 1;
  /** Asked before the rules of its own; what it returns or throws is the answer. */
  onStep: (request: StepRequest__Output) => StepResponse | Promise<StepResponse> | undefined = () =>
    undefined;
  onBegin: (ordinal: number) => void = () => {};
  /** Told of each Attach; a Refused that it throws ends the stream. */
  onAttach: (stream: AttachStream, epoch: number) => void = () => {};
  onGet: () => GetEpisodeResponse = () => ({});

  readonly introduced: HelloRequest__Output[] = [];
  readonly attached: AttachRequest__Output[] = [];
  readonly steps: StepRequest__Output[] = [];
  readonly ended: EndEpisodeRequest__Output[] = [];
  readonly withdrawn: WithdrawRequest__Output[] = [];
  readonly streams = new Set<AttachStream>();
  readonly plays = new Set<ServerDuplexStream<PlayRequest__Output, PlayResponse>>();
  epoch = 0;

  readonly #folder = mkdtempSync(join(tmpdir(), "service-"));
  readonly #server = new Server();

  get address(): string {
    return `unix:${this.#folder}/agent.sock`;
  }

  /** A path in a folder of the test's own. */
  path(name: string): string {
    return join(this.#folder, name);
  }

  /** Options that find this service and wait for little. */
  options(changes: Options = {}): Options {
    const retry = { firstWait: 0.005, longestWait: 0.02, patience: 20, ...changes.retry };
    return {
      ...{ address: this.address, token: TOKEN, ca: "", stateFile: "", log: () => {} },
      ...changes,
      retry,
    };
  }

  async open(): Promise<this> {
    this.#server.addService(AgentService.service, this.#handlers());
    await new Promise<void>((resolve, reject) => {
      const credentials = ServerCredentials.createInsecure();
      this.#server.bindAsync(this.address, credentials, (error) =>
        error ? reject(error) : resolve(),
      );
    });
    return this;
  }

  close(): void {
    this.#server.forceShutdown();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Sends an event to everyone attached. */
  push(event: AttachResponse): void {
    for (const stream of this.streams) stream.write(event);
  }

  /** Breaks every Attach, and every Play. */
  cut(): void {
    for (const stream of this.streams)
      stream.emit("error", failure(new Refused(status.UNAVAILABLE)));
    this.streams.clear();
    for (const stream of this.plays) stream.emit("error", failure(new Refused(status.UNAVAILABLE)));
    this.plays.clear();
  }

  #handlers(): AgentServiceHandlers {
    return {
      Hello: (call, done) => {
        this.introduced.push(call.request);
        const [bearer] = call.metadata.get("authorization");
        if (bearer === `Bearer ${TOKEN}`) done(null, this.hello);
        else done(failure(new Refused(status.UNAUTHENTICATED, "TOKEN_REFUSED")));
      },
      Attach: (stream) => this.#attach(stream),
      BeginEpisode: (call, done) => answer(done, () => this.#begin(call.request.episodeOrdinal)),
      Step: (call, done) => answer(done, () => this.#step(call.request)),
      GetEpisode: (_, done) => answer(done, () => this.onGet()),
      EndEpisode: (call, done) => answer(done, () => this.#end(call.request)),
      Withdraw: (call, done) => {
        this.withdrawn.push(call.request);
        done(null, {});
      },
      Play: (stream) => {
        this.plays.add(stream);
        stream.on("data", (request: PlayRequest__Output) => void this.#play(stream, request));
        stream.on("end", () => stream.end());
      },
    };
  }

  #attach(stream: AttachStream): void {
    this.attached.push(stream.request);
    try {
      this.onAttach(stream, this.epoch);
    } catch (error) {
      stream.emit("error", failure(error));
      return;
    }
    this.epoch += 1;
    this.streams.add(stream);
    stream.on("cancelled", () => {
      this.streams.delete(stream);
      stream.end();
    });
    const resumeToken = Buffer.from(`token ${this.epoch}`);
    const { epoch: sessionEpoch, granted } = this;
    stream.write({ granted: { sessionId: "s", sessionEpoch, resumeToken, ...granted } });
  }

  #begin(ordinal: number): { episode: Episode } | { allDone: object } {
    this.onBegin(ordinal);
    if (ordinal >= this.episodes) return { allDone: {} };
    const skills = [{ name: "noop" }, { name: "win" }];
    const observation = { text: "start" };
    const opening = { mode: 1 as const, instruction: "Win.", actionSpace: { skills }, observation };
    return { episode: { episodeId: `e-${ordinal}`, ...opening, ...this.episode } };
  }

  async #step(request: StepRequest__Output): Promise<StepResponse> {
    this.steps.push(request);
    return (await this.onStep(request)) ?? stepAnswer(request);
  }

  #end(request: EndEpisodeRequest__Output): { status: 2 } {
    this.ended.push(request);
    return { status: TERMINATED };
  }

  async #play(
    stream: ServerDuplexStream<PlayRequest__Output, PlayResponse>,
    request: PlayRequest__Output,
  ): Promise<void> {
    const { requestId } = request;
    try {
      if (request.beginEpisode) {
        stream.write({ requestId, beginEpisode: this.#begin(request.beginEpisode.episodeOrdinal) });
      } else if (request.step) {
        stream.write({ requestId, step: await this.#step(request.step) });
      } else if (request.endEpisode) {
        stream.write({ requestId, endEpisode: this.#end(request.endEpisode) });
      }
    } catch (error) {
      const { code, reason, message } = error as Refused;
      stream.write({ requestId, error: { code, reason, message } });
    }
  }
}

/** The answer that a service without a script of its own gives. */
export function stepAnswer(request: StepRequest__Output, changes: StepResponse = {}): StepResponse {
  const wins = request.action?.skill?.name === "win";
  const index = request.stepIndex + 1;
  return {
    ...{ episodeId: request.episodeId, stepIndex: request.stepIndex, outcomes: [{ code: 1 }] },
    observation: { index, text: `step ${index}` },
    status: wins ? TERMINATED : RUNNING,
    ...changes,
  };
}

/** Runs a test with a new service. */
export async function withService(body: (service: FakeService) => Promise<void>): Promise<void> {
  const service = await new FakeService().open();
  try {
    await body(service);
  } finally {
    service.close();
  }
}

/** Waits until something holds; the bound is for what never comes. */
export async function until(condition: () => boolean): Promise<void> {
  const deadline = Date.now() + 20_000;
  while (!condition()) {
    if (Date.now() > deadline) throw new Error("it never happened");
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

type Callback<Answer> = (error: object | null, answer?: Answer) => void;

function answer<Answer>(done: Callback<Answer>, make: () => Answer | Promise<Answer>): void {
  Promise.resolve()
    .then(make)
    .then((made) => done(null, made))
    .catch((error: unknown) => done(failure(error)));
}

function failure(error: unknown): Error & { code: status; metadata: Metadata } {
  const metadata = new Metadata();
  const { code = status.INTERNAL, reason = "", message } = error as Refused;
  if (reason) metadata.set("houseguest-reason", reason);
  return Object.assign(new Error(message), { code, details: message, metadata });
}
