/** Reads and writes the golden wire files, which the Python SDK's tests read and write too. */

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import test from "node:test";

import type { MessageTypeDefinition } from "@grpc/proto-loader";

import { encodeAction, readActionSpace, type Action } from "../src/action.js";
import type { RequestSender } from "../src/courier.js";
import { EPISODE_STATUSES, FEATURES, nameOf } from "../src/enums.js";
import { Episode } from "../src/episode.js";
import type { AttachResponse__Output } from "../src/generated/houseguest/agent/v1/AttachResponse.js";
import type { BeginEpisodeResponse__Output } from "../src/generated/houseguest/agent/v1/BeginEpisodeResponse.js";
import type { Episode__Output } from "../src/generated/houseguest/agent/v1/Episode.js";
import type { GetEpisodeResponse__Output } from "../src/generated/houseguest/agent/v1/GetEpisodeResponse.js";
import type { HelloResponse__Output } from "../src/generated/houseguest/agent/v1/HelloResponse.js";
import type { PlayResponse__Output } from "../src/generated/houseguest/agent/v1/PlayResponse.js";
import type { StepResponse__Output } from "../src/generated/houseguest/agent/v1/StepResponse.js";
import { readLimits } from "../src/limits.js";
import { Album, type Observation } from "../src/observation.js";
import { encodeObservationRequest, readObservationRequest } from "../src/options.js";
import { classify } from "../src/retry.js";
import { readBudget, readOutcomes, type Outcome } from "../src/step.js";
import { encodeTrace } from "../src/trace.js";
import { definition } from "../src/wire.js";

const FOLDER = new URL("../../../../../tests/golden/wire/", import.meta.url);
const NOBODY = {} as RequestSender;

function message<Output extends object>(name: string): MessageTypeDefinition<object, Output> {
  return definition[`houseguest.agent.v1.${name}`] as MessageTypeDefinition<object, Output>;
}

function file(name: string): Buffer {
  return readFileSync(new URL(name, FOLDER));
}

function parse<Output extends object>(name: string, data: Buffer): Output {
  return message<Output>(name).deserialize(data);
}

function shown(observation: Observation): object {
  const images = observation.images.map((image) => {
    const { channel, encoding, width, height, role, view, digest } = image;
    return { channel, encoding, width, height, role, view, sha256: digest };
  });
  return { index: observation.index, text: observation.text, images };
}

function taken(action: Action): object {
  if ("plan" in action) return { plan: action.plan.map(taken) };
  return action;
}

function plain(outcomes: readonly Outcome[]): object[] {
  return outcomes.map((each) => ({ ...each }));
}

function played(episode: Episode): object {
  return {
    id: episode.id,
    suite: episode.suite,
    suiteVersion: episode.suiteVersion,
    mode: episode.mode,
    condition: episode.condition,
    instruction: episode.instruction,
    language: episode.language,
    context: episode.context,
    actionSpace: episode.actionSpace,
    maxSteps: episode.maxSteps,
    agentTimeBudget: episode.agentTimeBudget,
    seed: String(episode.seed),
    opening: shown(episode.opening),
    observation: shown(episode.observation),
    status: episode.status,
    remaining: episode.remaining,
    history: episode.history.map(({ action, outcomes }) => ({
      action: taken(action),
      outcomes: plain(outcomes),
    })),
  };
}

const READERS: Record<string, (data: Buffer) => object> = {
  hello(data) {
    const { limits, features, ...rest } = parse<HelloResponse__Output>("HelloResponse", data);
    const names = features.map((each) => nameOf(FEATURES, each));
    return { ...rest, features: names, limits: readLimits(limits) };
  },
  attach(data) {
    const answer = parse<AttachResponse__Output>("AttachResponse", data);
    const event = answer.event ?? null;
    if (answer.revoked) return { event, reason: answer.revoked.reason };
    if (!answer.granted) return { event };
    const { leaseTimeLeft, resumeToken, observation, ...rest } = answer.granted;
    assert.equal(leaseTimeLeft?.seconds, "60");
    const granted = readObservationRequest(observation);
    return { event, ...rest, resumeToken: resumeToken.toString("hex"), observation: granted };
  },
  begin(data) {
    const { allDone } = parse<BeginEpisodeResponse__Output>("BeginEpisodeResponse", data);
    return { next: allDone ? "all_done" : "episode" };
  },
  episode(data) {
    return played(new Episode(parse<Episode__Output>("Episode", data), NOBODY));
  },
  restored(data) {
    const answer = parse<GetEpisodeResponse__Output>("GetEpisodeResponse", data);
    assert.ok(answer.episode);
    const episode = new Episode(answer.episode, NOBODY);
    episode.restore(answer);
    return played(episode);
  },
  step(data) {
    const answer = parse<StepResponse__Output>("StepResponse", data);
    const seen = answer.observation && new Album().read(answer.observation);
    return {
      stepIndex: answer.stepIndex,
      status: nameOf(EPISODE_STATUSES, answer.status),
      outcomes: plain(readOutcomes(answer.outcomes)),
      observation: seen && shown(seen),
      remaining: readBudget(answer.remaining),
    };
  },
  play(data) {
    const { error, requestId } = parse<PlayResponse__Output>("PlayResponse", data);
    assert.ok(error);
    const problem = classify(error.code, error.reason, error.message);
    return { requestId, problem: problem.constructor.name, message: problem.message };
  },
};

/** Members in this language's way of writing them; what lies under a name of the service's stays. */
function renamed(value: unknown, own = true): unknown {
  if (Array.isArray(value)) return value.map((each) => renamed(each));
  if (value === null || typeof value !== "object") return value;
  const entries = Object.entries(value).map(([key, each]) => {
    const name = own ? key.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()) : key;
    return [name, renamed(each, !["context", "condition", "arguments"].includes(key))] as const;
  });
  return Object.fromEntries(entries);
}

const names = readdirSync(FOLDER).filter((name) => name.endsWith(".bin"));

test("there are wire files", () => assert.ok(names.length > 10));

for (const name of names) {
  test(`what a service sends is read as ever: ${name}`, () => {
    const stem = name.replace(".bin", "");
    const kind = stem === "episode_restored" ? "restored" : (stem.split("_")[0] ?? "");
    const seen = READERS[kind]?.(file(name));
    const expected: unknown = JSON.parse(file(`${stem}.json`).toString());
    assert.deepEqual(JSON.parse(JSON.stringify(seen)), renamed(expected));
  });
}

test("what an agent sends means what it always meant", () => {
  const opening = parse<Episode__Output>("Episode", file("episode_stepwise.bin"));
  const space = readActionSpace(opening.actionSpace);
  const pickup = { skill: "pickup", arguments: { when: "now", hand: "left", object: "mug" } };
  const usage = {
    ...{ model: "m", inputTokens: 1200, outputTokens: 80, cachedInputTokens: 1000 },
    ...{ reasoningTokens: 60, images: 2, latency: 1.25, costUsd: 0.015 },
  };
  const trace = { thought: "think", rawModelOutput: "raw", planLength: 3 };
  const ours: Record<string, [string, object | null]> = {
    action_skill: ["Action", encodeAction(pickup, space)],
    action_text: ["Action", encodeAction({ text: "PICKUP Schlüssel" }, space)],
    action_plan: ["Action", encodeAction({ plan: [{ skill: "forward" }, pickup] }, space)],
    action_empty_plan: ["Action", encodeAction({ plan: [] }, space)],
    trace: ["Trace", encodeTrace({ ...trace, usage: [usage, { model: "n", latency: 0 }] })],
    observation_request: [
      "ObservationRequest",
      encodeObservationRequest({
        images: [
          { channel: "rgb", encodings: ["webp_lossless", "png"], previousFrame: true },
          { channel: "depth" },
        ],
        text: true,
      }),
    ],
  };
  const written = JSON.parse(file("written.json").toString()) as Record<string, string>;
  assert.deepEqual(Object.keys(ours).sort(), Object.keys(written).sort());
  for (const [name, [type, value]] of Object.entries(ours)) {
    const { serialize, deserialize } = message<object>(type);
    const golden = deserialize(Buffer.from(written[name] ?? "", "hex"));
    assert.deepEqual(deserialize(serialize(value ?? {})), golden, name);
  }
});
