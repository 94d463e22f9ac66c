import {
  decodeAction,
  encodeAction,
  readActionSpace,
  type Action,
  type ActionSpace,
  type Arguments,
  type SkillCall,
} from "./action.js";
import type { RequestSender } from "./courier.js";
import { optionalSeconds } from "./duration.js";
import {
  END_REASONS,
  EPISODE_STATUSES,
  MODES,
  nameOf,
  numberOf,
  type EndReason,
  type EpisodeStatus,
  type Mode,
} from "./enums.js";
import { EpisodeOverError } from "./errors.js";
import type { Episode__Output } from "./generated/houseguest/agent/v1/Episode.js";
import type { GetEpisodeResponse__Output } from "./generated/houseguest/agent/v1/GetEpisodeResponse.js";
import type { StepResponse__Output } from "./generated/houseguest/agent/v1/StepResponse.js";
import { Album, Observation } from "./observation.js";
import {
  readBudget,
  readOutcomes,
  type Budget,
  type Outcome,
  type PastStep,
  type Step,
} from "./step.js";
import { encodeTrace, type Trace } from "./trace.js";

/** One attempt at one task. Made by `Client.episodes`; send one action at a time. */
export class Episode {
  /** Opaque. */
  readonly id: string;
  readonly suite: string;
  readonly suiteVersion: string;
  readonly mode: Mode;
  /** The experimental setting, by name. */
  readonly condition: Readonly<Record<string, string>>;
  readonly instruction: string;
  /** BCP 47, of the instruction. */
  readonly language: string;
  /** Named texts of the task. */
  readonly context: Readonly<Record<string, string>>;
  readonly actionSpace: ActionSpace;
  /** Null if the suite states no limit. */
  readonly maxSteps: number | null;
  /** Seconds; null if the suite states no limit. */
  readonly agentTimeBudget: number | null;
  /**
   * A seed for the agent's random draws. The same opening of an episode always has the same seed;
   * each repeat of a run has a different one. 0 if the service sends none.
   */
  readonly seed: bigint;
  /** The episode's first observation. */
  readonly opening: Observation;

  readonly #album = new Album();
  readonly #history: PastStep[] = [];
  #observation: Observation;
  #status: EpisodeStatus = "running";
  #remaining: Budget = readBudget(null);
  #nextIndex = 0;
  #acting = false;

  constructor(
    opening: Episode__Output,
    private readonly courier: RequestSender,
  ) {
    this.id = opening.episodeId;
    this.suite = opening.suite;
    this.suiteVersion = opening.suiteVersion;
    this.mode = nameOf(MODES, opening.mode);
    this.condition = opening.condition;
    this.instruction = opening.instruction;
    this.language = opening.instructionLanguage;
    this.context = opening.context;
    this.actionSpace = readActionSpace(opening.actionSpace);
    this.maxSteps = opening.maxSteps ?? null;
    this.agentTimeBudget = optionalSeconds(opening.agentTimeBudget);
    this.seed = BigInt(opening.agentSeed);
    this.opening = opening.observation
      ? this.#album.read(opening.observation)
      : new Observation(0, "", []);
    this.#observation = this.opening;
  }

  /** Whether you can send another action. Also false once the service has closed the episode. */
  get running(): boolean {
    return this.#status === "running";
  }

  get status(): EpisodeStatus {
    return this.#status;
  }

  /** The newest observation. */
  get observation(): Observation {
    return this.#observation;
  }

  /** Every executed step, oldest first. */
  get history(): readonly PastStep[] {
    return this.#history;
  }

  /** The remaining budgets after the newest step. */
  get remaining(): Budget {
    return this.#remaining;
  }

  /**
   * Takes one action: `act("forward")`, `act("pickup", { object: "mug" })`, or an Action.
   *
   * A string is the name of a skill. Rejects with EpisodeOverError if the episode no longer runs or
   * another action is still under way, and otherwise as RequestSender does.
   */
  act(skill: string, words?: Arguments, trace?: Trace | string): Promise<Step>;
  act(action: Action, words?: undefined, trace?: Trace | string): Promise<Step>;
  async act(action: string | Action, words?: Arguments, trace?: Trace | string): Promise<Step> {
    if (typeof action !== "string") return this.#take(action, trace);
    return this.#take({ skill: action, arguments: words ?? {} }, trace);
  }

  /** Sends free text: an answer, or an action for the service to parse. */
  async say(text: string, trace?: Trace | string): Promise<Step> {
    return this.#take({ text }, trace);
  }

  /** Sends a whole plan, if `mode` is `"plan"`. A string is a skill without arguments. */
  async plan(steps: readonly (SkillCall | string)[], trace?: Trace | string): Promise<Step> {
    const calls = steps.map((each) => (typeof each === "string" ? { skill: each } : each));
    return this.#take({ plan: calls }, trace);
  }

  /** Ends the episode: the agent believes that the goal is reached. */
  done(trace?: Trace | string): Promise<EpisodeStatus> {
    return this.end("agent_done", trace);
  }

  /** Ends the episode: the agent does not know how to continue. */
  giveUp(trace?: Trace | string): Promise<EpisodeStatus> {
    return this.end("agent_gave_up", trace);
  }

  /** Ends the episode: the agent failed (its model server stopped, or its code threw). */
  fail(trace?: Trace | string): Promise<EpisodeStatus> {
    return this.end("agent_error", trace);
  }

  /** Ends the episode; does nothing if it has already ended. */
  async end(reason: EndReason, trace?: Trace | string): Promise<EpisodeStatus> {
    if (this.running) {
      const answer = await this.courier.endEpisode({
        episodeId: this.id,
        reason: numberOf<EndReason, 0>(END_REASONS, reason),
        trace: encodeTrace(trace),
      });
      this.#status = nameOf(EPISODE_STATUSES, answer.status);
    }
    return this.#status;
  }

  /** Marks the episode as withdrawn: it is over and does not count. Only the library calls this. */
  forget(): void {
    if (this.running) this.#status = "voided";
  }

  /** Brings a new episode to the state that the service reports. Only the library calls this. */
  restore(answer: GetEpisodeResponse__Output): void {
    for (const { action, outcomes } of answer.history) {
      this.#history.push({ action: decodeAction(action), outcomes: readOutcomes(outcomes) });
    }
    if (answer.lastStep) this.#absorb(answer.lastStep);
    this.#nextIndex = answer.nextStepIndex;
  }

  async #take(action: Action, trace: Trace | string | undefined): Promise<Step> {
    this.#checkTurn();
    this.#acting = true;
    try {
      const answer = await this.courier.step({
        episodeId: this.id,
        stepIndex: this.#nextIndex,
        action: encodeAction(action, this.actionSpace),
        trace: encodeTrace(trace),
      });
      this.#nextIndex += 1;
      const outcomes = this.#absorb(answer);
      if (outcomes.length || answer.observation) this.#history.push({ action, outcomes });
      return {
        outcomes,
        outcome: outcomes.at(-1) ?? null,
        observation: this.#observation,
        status: this.#status,
        remaining: this.#remaining,
      };
    } finally {
      this.#acting = false;
    }
  }

  #checkTurn(): void {
    if (!this.running) {
      throw new EpisodeOverError(
        `The episode is over (${this.#status}): act only while episode.running, then take the` +
          " next one.",
      );
    }
    if (this.#acting) {
      throw new EpisodeOverError("An action is under way: await its step before the next one.");
    }
  }

  #absorb(answer: StepResponse__Output): Outcome[] {
    this.#status = nameOf(EPISODE_STATUSES, answer.status);
    this.#remaining = readBudget(answer.remaining);
    if (answer.observation) this.#observation = this.#album.read(answer.observation);
    return readOutcomes(answer.outcomes);
  }
}
