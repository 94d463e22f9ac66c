import type { Feature, WithdrawReason } from "./enums.js";
import type { Episode } from "./episode.js";
import {
  DrainingError,
  RevokedError,
  SupersededError,
  TokenRefusedError,
  UnreachableError,
} from "./errors.js";
import type { Limits } from "./limits.js";
import type { AgentInfo } from "./link.js";
import {
  readObservationRequest,
  readOptions,
  type ObservationRequest,
  type Options,
  type Settings,
} from "./options.js";
import { Connection } from "./connection.js";
import type { Trace } from "./trace.js";

/** Errors after which every call to the session fails. */
const NOBODY_TO_TELL = [
  DrainingError,
  RevokedError,
  SupersededError,
  TokenRefusedError,
  UnreachableError,
];

/** One agent process and its session in a run. `close` it, or use `withClient` or `play`. */
export class Client {
  #episode: Episode | null = null;
  #closed = false;

  private constructor(
    private readonly connection: Connection,
    private readonly settings: Settings,
  ) {}

  /**
   * Opens a session; waits in the queue without a limit. Rejects with SetupError, UnreachableError,
   * TokenRefusedError, or RefusedError with the service's reason.
   */
  static async connect(agent: AgentInfo, options: Options = {}): Promise<Client> {
    const settings = readOptions(options);
    return new Client(await Connection.take(agent, settings), settings);
  }

  /**
   * Yields each episode of the run, ready for its next action, until none is left.
   *
   * After a restart, the first one may already have steps. If an episode still runs when the loop
   * asks for the next one, the client gives it up; if it still runs when the loop exits, `close`
   * ends it.
   */
  async *episodes(): AsyncGenerator<Episode, void, undefined> {
    await this.#giveUp();
    // A generator cannot distinguish a break from an error in the loop; abandon can, so abandon
    // ends the episode. For the same reason, the session's generator stays open here.
    const episodes = this.connection.episodes();
    for (;;) {
      const next = await episodes.next();
      if (next.done) return;
      this.#episode = next.value;
      yield next.value;
      await this.#giveUp();
    }
  }

  /**
   * Leaves the run because the agent cannot continue, for example because its model server stopped.
   *
   * `message` tells the operator what is wrong and how to fix it. The open episode does not count,
   * no new one starts (`episodes` ends), and the run continues when the operator starts it again.
   * If the service does not offer `withdraw`, the open episode ends as an agent error. You may call
   * this more than once. Rejects with SupersededError and UnreachableError.
   */
  async withdraw(
    reason: WithdrawReason = "other",
    message = "",
    trace?: Trace | string,
  ): Promise<void> {
    const episode = this.#episode;
    this.#episode = null;
    if (this.connection.features.has("withdraw")) {
      await this.connection.withdraw(reason, message, trace);
    } else {
      this.settings.log(
        "this service does not offer `withdraw`: the open episode ends as a failure",
      );
      await episode?.fail(trace ?? message);
      this.connection.leave();
    }
    episode?.forget();
  }

  /** The session's identifier at the service. Opaque. */
  get sessionId(): string {
    return this.connection.session.granted.sessionId;
  }

  /** The number of episodes in the run: a hint, since other sessions play some of them. */
  get episodesTotal(): number {
    return this.connection.session.granted.episodesTotal;
  }

  /** The granted part of the observation request: one encoding per channel. */
  get observation(): ObservationRequest {
    return readObservationRequest(this.connection.session.granted.observation);
  }

  /** The limits that the service enforces. */
  get limits(): Limits {
    return this.connection.limits;
  }

  /** The optional features that the service offers in this run. */
  get features(): ReadonlySet<Feature> {
    return this.connection.features;
  }

  /** Whether the service is closing; you can still finish the open episode. */
  get draining(): boolean {
    return this.connection.session.draining;
  }

  /** Gives up an open episode and disconnects. You may call this more than once. */
  async close(): Promise<void> {
    try {
      if (!this.#closed) await this.#giveUp();
    } finally {
      await this.#hangUp();
    }
  }

  /** Ends an open episode as failed because of `error`, and disconnects. */
  async abandon(error: unknown): Promise<void> {
    try {
      if (this.#episode && !NOBODY_TO_TELL.some((kind) => error instanceof kind)) {
        await this.#episode.fail(String(error));
      }
    } catch (problem) {
      // The agent's error matters more than this one, so this one is only logged.
      this.settings.log(`the open episode could not be ended: ${String(problem)}`);
    } finally {
      await this.#hangUp();
    }
  }

  async #giveUp(): Promise<void> {
    await this.#episode?.giveUp();
    this.#episode = null;
  }

  async #hangUp(): Promise<void> {
    this.#episode = null;
    if (this.#closed) return;
    this.#closed = true;
    await this.connection.close();
  }
}

/**
 * Opens a session, runs `body` with it and disconnects. If an episode is open when `body` returns,
 * the client gives it up; if `body` throws, the episode ends as an agent error.
 */
export async function withClient<Result>(
  agent: AgentInfo,
  body: (client: Client) => Promise<Result>,
  options: Options = {},
): Promise<Result> {
  const client = await Client.connect(agent, options);
  let result: Result;
  try {
    result = await body(client);
  } catch (error) {
    await client.abandon(error);
    throw error;
  }
  await client.close();
  return result;
}

/** Calls `body` with every episode of the run, and gives up each one that still runs afterwards. */
export function play(
  agent: AgentInfo,
  body: (episode: Episode) => Promise<void>,
  options: Options = {},
): Promise<void> {
  return withClient(
    agent,
    async (client) => {
      for await (const episode of client.episodes()) await body(episode);
    },
    options,
  );
}
