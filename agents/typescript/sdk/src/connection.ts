import { pause } from "./duration.js";
import { RequestSender } from "./courier.js";
import {
  FEATURES,
  nameOf,
  numberOf,
  WITHDRAW_REASONS,
  type Feature,
  type WithdrawReason,
} from "./enums.js";
import { Episode } from "./episode.js";
import {
  DrainingError,
  HouseguestError,
  RefusedError,
  RevokedError,
  UnreachableError,
} from "./errors.js";
import type { Episode__Output } from "./generated/houseguest/agent/v1/Episode.js";
import type { HelloResponse__Output } from "./generated/houseguest/agent/v1/HelloResponse.js";
import { readLimits, type Limits } from "./limits.js";
import { Link, type AgentInfo } from "./link.js";
import { encodeObservationRequest, type Settings } from "./options.js";
import { PlayTransport } from "./play-transport.js";
import { Session } from "./session.js";
import { StateFile } from "./state-file.js";
import { encodeTrace, type Trace } from "./trace.js";
import { UnaryTransport, type Transport } from "./transport.js";

/** Seconds added to the service's own step deadline, so that the service gives up first. */
const LONGER_THAN_THE_HOUSE = 10;
/** Seconds for one attempt if the service states no deadline. */
const STEP_TIMEOUT = 120;
/** Seconds between checks of a step that an earlier process started. */
const POLL = 0.25;

/** A connected agent: Hello is done, the session is granted, requests can be sent. */
export class Connection {
  readonly #transport: Transport;
  readonly #courier: RequestSender;
  #ordinal: number;
  #leftOpen: string;
  #left = false;

  private constructor(
    readonly session: Session,
    readonly limits: Limits,
    readonly features: ReadonlySet<Feature>,
    private readonly link: Link,
    private readonly settings: Settings,
  ) {
    this.#ordinal = session.granted.nextEpisodeOrdinal;
    this.#leftOpen = session.granted.openEpisodeId;
    const unary = new UnaryTransport(link);
    const streams = settings.transport === "play" && features.has("streaming_play");
    this.#transport = streams ? new PlayTransport(link) : unary;
    const deadline = limits.environmentStepDeadline;
    const ours = deadline === null ? STEP_TIMEOUT : deadline + LONGER_THAN_THE_HOUSE;
    const policy = { ...settings.retry, timeout: settings.retry.timeout ?? ours };
    this.#courier = new RequestSender(session, this.#transport, unary, policy);
  }

  /**
   * Connects and waits for the session without a limit. Rejects with SetupError,
   * UnreachableError, TokenRefusedError, or RefusedError with the service's reason (SEAT_TAKEN,
   * OBSERVATION_NOT_OFFERED, …).
   */
  static async take(agent: AgentInfo, settings: Settings): Promise<Connection> {
    const link = new Link(settings);
    try {
      const hello = await link.hello(agent);
      if (hello.deprecationNotice) settings.log(hello.deprecationNotice);
      const features = new Set(hello.features.map((each) => nameOf(FEATURES, each)));
      const session = await attach(link, settings, features);
      return new Connection(session, readLimits(hello.limits), features, link, settings);
    } catch (error) {
      link.close();
      throw error;
    }
  }

  /** The episode that an earlier process left open, then each new one, until none is left. */
  async *episodes(): AsyncGenerator<Episode, void, undefined> {
    if (this.#leftOpen) {
      const episode = await this.#rebuild(this.#leftOpen);
      this.#leftOpen = "";
      if (episode.running) yield episode;
    }
    while (!this.#left) {
      const opening = await this.#begin();
      if (opening === null) return;
      yield new Episode(opening, this.#courier);
    }
  }

  /**
   * Leaves the run, if the service offers `withdraw`. Does nothing if the service has already ended
   * the session. Rejects as RequestSender does.
   */
  async withdraw(reason: WithdrawReason, message: string, trace?: Trace | string): Promise<void> {
    try {
      await this.#courier.withdraw({
        reason: numberOf<WithdrawReason, 0>(WITHDRAW_REASONS, reason),
        message,
        trace: encodeTrace(trace),
      });
    } catch (error) {
      const over = error instanceof DrainingError || error instanceof RevokedError;
      // Only the answer was lost: the service had handled the first request.
      const heard = error instanceof HouseguestError && error.reason === "SESSION_WITHDRAWN";
      if (!over && !heard) throw error;
    }
    this.leave();
  }

  /** Starts no further episode. */
  leave(): void {
    this.#left = true;
    stateFile(this.settings)?.remove();
  }

  /** Disconnects. The session stays open at the service until its lease ends. */
  async close(): Promise<void> {
    this.#transport.close();
    await this.session.close();
    this.link.close();
  }

  async #begin(): Promise<Episode__Output | null> {
    try {
      const { episode } = await this.#courier.beginEpisode(this.#ordinal);
      if (!episode) {
        stateFile(this.settings)?.remove();
        return null;
      }
      this.#ordinal += 1;
      return episode;
    } catch (error) {
      const lost = error instanceof UnreachableError && this.session.draining;
      if (!lost && !(error instanceof DrainingError)) throw error;
      this.settings.log(`no new episode: ${error.message}`);
      return null;
    }
  }

  async #rebuild(episodeId: string): Promise<Episode> {
    let found = await this.#courier.getEpisode(episodeId);
    while (found.stepInFlight) {
      await pause(POLL);
      found = await this.#courier.getEpisode(episodeId);
    }
    if (!found.episode) throw new RefusedError("The service sent nothing about the open episode.");
    const episode = new Episode(found.episode, this.#courier);
    episode.restore(found);
    return episode;
  }
}

function stateFile({ stateFile }: Settings): StateFile | null {
  return stateFile ? new StateFile(stateFile) : null;
}

async function attach(link: Link, settings: Settings, features: HelloFeatures): Promise<Session> {
  const token = stateFile(settings)?.load() ?? Buffer.alloc(0);
  if (token.length) {
    try {
      return await attachWith(link, settings, features, token);
    } catch (error) {
      if (!(error instanceof RefusedError) || !isOver(error.reason)) throw error;
      settings.log(`the saved session is over, starting a fresh one: ${error.message}`);
    }
  }
  return attachWith(link, settings, features, Buffer.alloc(0));
}

type HelloFeatures = ReadonlySet<Feature>;
type WireFeature = HelloResponse__Output["features"][number];

function isOver(reason: string): boolean {
  return reason === "RESUME_REFUSED" || reason.startsWith("SESSION_");
}

async function attachWith(
  link: Link,
  settings: Settings,
  features: HelloFeatures,
  resumeToken: Buffer,
): Promise<Session> {
  // A resumed process does not have the earlier pictures that a reference would need.
  const refers = features.has("frame_reference") && resumeToken.length === 0;
  const wanted = refers ? [numberOf<Feature, WireFeature>(FEATURES, "frame_reference")] : [];
  const observation = encodeObservationRequest(settings.observation);
  const request = { observation, requiredFeatures: wanted, resumeToken };
  const session = new Session(link, request, settings, stateFile(settings));
  try {
    await session.open();
  } catch (error) {
    await session.close();
    throw error;
  }
  return session;
}
