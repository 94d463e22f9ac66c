/** What becomes of requests when the link, or the house, is not at its best. */

import assert from "node:assert/strict";
import test from "node:test";

import { status } from "@grpc/grpc-js";

import type { StepRequest__Output } from "../src/generated/houseguest/agent/v1/StepRequest.js";
import {
  play,
  RefusedError,
  SupersededError,
  UnreachableError,
  type Episode,
  type Options,
} from "../src/index.js";
import { Refused, stepAnswer, until, withHouse, type FakeHouse } from "./fake-house.js";

const AGENT = { name: "tester" };
const TRANSPORTS = ["play", "unary"] as const;

async function win(episode: Episode): Promise<void> {
  await episode.act("noop");
  await episode.act("win");
}

/** A script for steps that fails the first so many of them. */
function failing(times: number, code: status, reason = ""): () => undefined {
  let left = times;
  return () => {
    if (left-- > 0) throw new Refused(code, reason);
    return undefined;
  };
}

function keys(house: FakeHouse): string[] {
  return house.steps.map((each) => `${each.stepIndex} ${each.action?.skill?.name}`);
}

for (const transport of TRANSPORTS) {
  for (const [code, reason] of [
    [status.UNAVAILABLE, ""],
    [status.INTERNAL, ""],
    [status.RESOURCE_EXHAUSTED, "RATE_LIMITED"],
    [status.FAILED_PRECONDITION, "LEASE_EXPIRED"],
  ] as const) {
    test(`a passing failure is met by the same request: ${transport} ${code} ${reason}`, () =>
      withHouse(async (house) => {
        house.onStep = failing(2, code, reason);
        await play(AGENT, win, house.options({ transport }));
        assert.deepEqual(keys(house), ["0 noop", "0 noop", "0 noop", "1 win"]);
      }));
  }

  test(`a late answer is asked for again: ${transport}`, () =>
    withHouse(async (house) => {
      let asked = 0;
      const never = new Promise<never>(() => {});
      house.onStep = () => (++asked === 1 ? never : undefined);
      const options = house.options({ transport, retry: { timeout: 0.2 } });
      await play(AGENT, win, options);
      assert.deepEqual(keys(house), ["0 noop", "0 noop", "1 win"]);
    }));

  test(`a refusal that repeating does not change is told with its reason: ${transport}`, () =>
    withHouse(async (house) => {
      house.onStep = failing(9, status.ABORTED, "STEP_CONFLICT");
      await assert.rejects(play(AGENT, win, house.options({ transport })), (error) => {
        assert.ok(error instanceof RefusedError);
        assert.deepEqual([error.reason, error.code], ["STEP_CONFLICT", status.ABORTED]);
        return true;
      });
      assert.equal(house.steps.length, 1);
      assert.equal(house.ended[0]?.reason, 3);
    }));

  test(`patience ends: ${transport}`, () =>
    withHouse(async (house) => {
      house.onStep = failing(1e6, status.UNAVAILABLE);
      const options = house.options({ transport, retry: { patience: 0.1 } });
      await assert.rejects(play(AGENT, win, options), UnreachableError);
      assert.ok(house.steps.length > 1);
    }));

  test(`a cut link costs no step: ${transport}`, () =>
    withHouse(async (house) => {
      const cut = new Set<number>();
      house.onStep = ({ stepIndex }: StepRequest__Output) => {
        if (cut.size < 2 && !cut.has(stepIndex)) {
          cut.add(stepIndex);
          house.cut();
          throw new Refused(status.UNAVAILABLE);
        }
        return undefined;
      };
      await play(AGENT, win, house.options({ transport }));
      assert.equal(cut.size, 2);
      assert.deepEqual([...new Set(keys(house))], ["0 noop", "1 win"]);
      assert.ok(house.epoch > 1);
    }));
}

test("requests of an epoch that our own resume left behind are repeated in the new one", () =>
  withHouse(async (house) => {
    house.onStep = async (request) => {
      if (request.sessionEpoch === 1) {
        house.cut();
        await until(() => house.epoch === 2);
        throw new Refused(status.ABORTED, "SESSION_SUPERSEDED");
      }
      return stepAnswer(request);
    };
    await play(AGENT, win, house.options({ transport: "unary" }));
    const epochs = house.steps.map((each) => each.sessionEpoch);
    assert.ok(epochs[0] === 1 && epochs.slice(1).every((each) => each === 2));
  }));

test("a session that another process holds is left to it", () =>
  withHouse(async (house) => {
    house.onStep = failing(9, status.ABORTED, "SESSION_SUPERSEDED");
    const options: Options = house.options({ retry: { patience: 0.2 } });
    await assert.rejects(play(AGENT, win, options), SupersededError);
    assert.equal(house.ended.length, 0);
  }));
