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

/** Errors after which no call would reach the session. */
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
   * Takes a session, however long the queue. Rejects with SetupError, UnreachableError,
   * TokenRefusedError, or RefusedError with the service's reason.
   */
  static async connect(agent: AgentInfo, options: Options = {}): Promise<Client> {
    const settings = readOptions(options);
    return new Client(await Connection.take(agent, settings), settings);
  }

  /**
   * Plays until nothing is left: each episode in turn, ready for its first action.
   *
   * After a restart the first one may be half played. An episode still running when the loop asks
   * for the next one is given up; one still running when the loop is left ends with `close`.
   */
  async *episodes(): AsyncGenerator<Episode, void, undefined> {
    await this.#giveUp();
    // Leaving a loop looks the same whether by break or by an error; only abandon can tell, so
    // it ends the episode. For the same reason the session's own generator is not left with it.
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
   * Leaves the run because the agent cannot go on: its model's server is gone, say.
   *
   * `message` explains to the operator what is wrong and how to mend it. The open episode does not
   * count, no other one begins (`episodes` ends), and the run goes on when the operator starts it
   * again. A service that does not offer `withdraw` gets the open episode as an agent error. May be
   * called twice. Rejects with SupersededError and UnreachableError.
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

  /** The session's name at the service. Opaque. */
  get sessionId(): string {
    return this.connection.session.granted.sessionId;
  }

  /** How many episodes the run holds: a hint, since other sessions take some. */
  get episodesTotal(): number {
    return this.connection.session.granted.episodesTotal;
  }

  /** What was granted of the request: one encoding a channel. */
  get observation(): ObservationRequest {
    return readObservationRequest(this.connection.session.granted.observation);
  }

  /** What the service enforces. */
  get limits(): Limits {
    return this.connection.limits;
  }

  /** What the service offers in this run. */
  get features(): ReadonlySet<Feature> {
    return this.connection.features;
  }

  /** Whether the service is closing; the open episode may be finished. */
  get draining(): boolean {
    return this.connection.session.draining;
  }

  /** Gives up an open episode and disconnects. May be called twice. */
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
      // The agent's own error is the one to see.
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
 * Takes a session, runs `body` with it and disconnects. An episode that is open when `body`
 * ends is given up; when `body` throws, it is reported as the agent's failure.
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

/** Plays every episode of the run by `body`. An episode that it leaves running is given up. */
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
