/** Parts that need no service. */

import assert from "node:assert/strict";
import test from "node:test";

import * as enums from "../src/enums.js";
import { Channel } from "../src/generated/houseguest/agent/v1/Channel.js";
import { EndReason } from "../src/generated/houseguest/agent/v1/EndReason.js";
import { EpisodeStatus } from "../src/generated/houseguest/agent/v1/EpisodeStatus.js";
import { Feature } from "../src/generated/houseguest/agent/v1/Feature.js";
import { ImageEncoding } from "../src/generated/houseguest/agent/v1/ImageEncoding.js";
import { ImageRole } from "../src/generated/houseguest/agent/v1/ImageRole.js";
import { Mode } from "../src/generated/houseguest/agent/v1/Mode.js";
import { OutcomeCode } from "../src/generated/houseguest/agent/v1/OutcomeCode.js";
import { WithdrawReason } from "../src/generated/houseguest/agent/v1/WithdrawReason.js";
import { Image, ImageError, Observation, UnreachableError } from "../src/index.js";
import { readOptions } from "../src/options.js";
import { Backoff } from "../src/retry.js";

const ENUMERATIONS: [string, Record<string, number>, readonly string[]][] = [
  ["MODE_", Mode, enums.MODES],
  ["EPISODE_STATUS_", EpisodeStatus, enums.EPISODE_STATUSES],
  ["OUTCOME_CODE_", OutcomeCode, enums.OUTCOME_CODES],
  ["CHANNEL_", Channel, enums.CHANNELS],
  ["IMAGE_ROLE_", ImageRole, enums.IMAGE_ROLES],
  ["IMAGE_ENCODING_", ImageEncoding, enums.IMAGE_ENCODINGS],
  ["FEATURE_", Feature, enums.FEATURES],
  ["END_REASON_", EndReason, enums.END_REASONS],
  ["WITHDRAW_REASON_", WithdrawReason, enums.WITHDRAW_REASONS],
];

for (const [prefix, generated, ours] of ENUMERATIONS) {
  test(`words stand for the contract's numbers: ${prefix}`, () => {
    ours.forEach((name, number) => {
      assert.equal(generated[prefix + name.toUpperCase()], number, name);
    });
  });
}

function image(encoding: enums.ImageEncoding, data: Uint8Array): Image {
  return new Image("rgb", encoding, 2, 1, "current", "", data);
}

test("raw pictures have pixels", () => {
  const { width, height, data } = image("raw", Uint8Array.of(1, 2, 3, 4, 5, 6)).pixels;
  assert.deepEqual([width, height, [...data]], [2, 1, [1, 2, 3, 4, 5, 6]]);
  const bytes = Buffer.alloc(9);
  bytes.writeFloatLE(0.5, 1);
  bytes.writeFloatLE(-2, 5);
  assert.deepEqual([...image("raw_f32", bytes.subarray(1)).pixels.data], [0.5, -2]);
});

test("other pictures are handed on as they are", () => {
  const png = image("png", Uint8Array.of(137, 80));
  assert.throws(() => png.pixels, ImageError);
  assert.equal(png.data.length, 2);
  assert.equal(png.digest.length, 64);
  assert.throws(() => image("raw", new Uint8Array(5)).pixels, /2 × 1 pixels with 5 bytes/);
});

test("the picture of an observation is the present colour one", () => {
  const depth = new Image("depth", "raw_f32", 1, 1, "current", "", new Uint8Array(4));
  const before = new Image("rgb", "raw", 1, 1, "previous", "", new Uint8Array(3));
  const now = new Image("rgb", "raw", 1, 1, "current", "", new Uint8Array(3));
  assert.equal(new Observation(0, "", [depth, before, now]).image, now);
  assert.equal(new Observation(0, "", [depth]).image, depth);
  assert.throws(() => new Observation(0, "", []).image, /has no pictures/);
});

test("options come from the environment", () => {
  const environment = {
    HOUSEGUEST_ADDRESS: "unix:/run/houseguest/agent.sock",
    HOUSEGUEST_TOKEN: "t",
    HOUSEGUEST_STATE_FILE: "/tmp/s",
  };
  const settings = readOptions({ retry: { patience: 1 } }, environment);
  assert.deepEqual(
    [settings.address, settings.token, settings.ca, settings.stateFile, settings.transport],
    ["unix:/run/houseguest/agent.sock", "t", "", "/tmp/s", "play"],
  );
  assert.deepEqual([settings.retry.patience, settings.retry.longestWait], [1, 5]);
});

for (const [options, problem] of [
  [{}, /No address of a service was given/],
  [{ address: "localhost" }, /'localhost' is neither/],
  [{ address: "localhost:1" }, /No lease token/],
] as const) {
  test(`options that cannot work are named: ${JSON.stringify(options)}`, () => {
    assert.throws(() => readOptions(options, {}), problem);
  });
}

test("waits double up to the longest, each shortened at random", () => {
  const policy = readOptions({ address: "unix:a", token: "t" }, {}).retry;
  const backoff = new Backoff(
    { ...policy, firstWait: 1, longestWait: 3, random: () => 0 },
    Infinity,
  );
  const waits = [1, 2, 3, 4].map(() => backoff.next(new Error("gone")));
  assert.deepEqual(waits, [0.5, 1, 1.5, 1.5]);
  assert.throws(() => new Backoff(policy, 0).next(new Error("gone")), UnreachableError);
});
