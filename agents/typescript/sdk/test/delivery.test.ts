/** Delivery of requests when the link or the service fails. */

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
import { Refused, stepAnswer, until, withService, type FakeService } from "./fake-service.js";

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

function keys(service: FakeService): string[] {
  return service.steps.map((each) => `${each.stepIndex} ${each.action?.skill?.name}`);
}

for (const transport of TRANSPORTS) {
  for (const [code, reason] of [
    [status.UNAVAILABLE, ""],
    [status.INTERNAL, ""],
    [status.RESOURCE_EXHAUSTED, "RATE_LIMITED"],
    [status.FAILED_PRECONDITION, "LEASE_EXPIRED"],
  ] as const) {
    test(`a passing failure is met by the same request: ${transport} ${code} ${reason}`, () =>
      withService(async (service) => {
        service.onStep = failing(2, code, reason);
        await play(AGENT, win, service.options({ transport }));
        assert.deepEqual(keys(service), ["0 noop", "0 noop", "0 noop", "1 win"]);
      }));
  }

  test(`a late answer is asked for again: ${transport}`, () =>
    withService(async (service) => {
      let asked = 0;
      const never = new Promise<never>(() => {});
      service.onStep = () => (++asked === 1 ? never : undefined);
      const options = service.options({ transport, retry: { timeout: 0.2 } });
      await play(AGENT, win, options);
      assert.deepEqual(keys(service), ["0 noop", "0 noop", "1 win"]);
    }));

  test(`a refusal that repeating does not change keeps its reason: ${transport}`, () =>
    withService(async (service) => {
      service.onStep = failing(9, status.ABORTED, "STEP_CONFLICT");
      await assert.rejects(play(AGENT, win, service.options({ transport })), (error) => {
        assert.ok(error instanceof RefusedError);
        assert.deepEqual([error.reason, error.code], ["STEP_CONFLICT", status.ABORTED]);
        return true;
      });
      assert.equal(service.steps.length, 1);
      assert.equal(service.ended[0]?.reason, 3);
    }));

  test(`patience ends: ${transport}`, () =>
    withService(async (service) => {
      service.onStep = failing(1e6, status.UNAVAILABLE);
      const options = service.options({ transport, retry: { patience: 0.1 } });
      await assert.rejects(play(AGENT, win, options), UnreachableError);
      assert.ok(service.steps.length > 1);
    }));

  test(`a cut link costs no step: ${transport}`, () =>
    withService(async (service) => {
      const cut = new Set<number>();
      service.onStep = ({ stepIndex }: StepRequest__Output) => {
        if (cut.size < 2 && !cut.has(stepIndex)) {
          cut.add(stepIndex);
          service.cut();
          throw new Refused(status.UNAVAILABLE);
        }
        return undefined;
      };
      await play(AGENT, win, service.options({ transport }));
      assert.equal(cut.size, 2);
      assert.deepEqual([...new Set(keys(service))], ["0 noop", "1 win"]);
      assert.ok(service.epoch > 1);
    }));
}

test("requests of an epoch that our own resume left behind are repeated in the new one", () =>
  withService(async (service) => {
    service.onStep = async (request) => {
      if (request.sessionEpoch === 1) {
        service.cut();
        await until(() => service.epoch === 2);
        throw new Refused(status.ABORTED, "SESSION_SUPERSEDED");
      }
      return stepAnswer(request);
    };
    await play(AGENT, win, service.options({ transport: "unary" }));
    const epochs = service.steps.map((each) => each.sessionEpoch);
    assert.ok(epochs[0] === 1 && epochs.slice(1).every((each) => each === 2));
  }));

test("a session that another process holds is left to it", () =>
  withService(async (service) => {
    service.onStep = failing(9, status.ABORTED, "SESSION_SUPERSEDED");
    const options: Options = service.options({ retry: { patience: 0.2 } });
    await assert.rejects(play(AGENT, win, options), SupersededError);
    assert.equal(service.ended.length, 0);
  }));
