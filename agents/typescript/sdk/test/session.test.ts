/** The session: granted, resumed, taken away. */

import assert from "node:assert/strict";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import test from "node:test";

import { status } from "@grpc/grpc-js";

import {
  Client,
  play,
  RefusedError,
  RevokedError,
  SetupError,
  SupersededError,
  TokenRefusedError,
  type Episode,
} from "../src/index.js";
import { FakeService, Refused, until, withService } from "./fake-service.js";

const AGENT = { name: "tester" };

async function win(episode: Episode): Promise<void> {
  await episode.act("win");
}

test("a broken Attach is resumed with the newest token", () =>
  withService(async (service) => {
    const client = await Client.connect(AGENT, service.options());
    for (const epoch of [2, 3]) {
      service.cut();
      await until(() => service.epoch === epoch);
    }
    await client.close();
    const tokens = service.attached.map((each) => each.resumeToken.toString());
    assert.deepEqual(tokens, ["", "token 1", "token 2"]);
    assert.deepEqual(service.attached[1]?.requiredFeatures, [2]);
  }));

test("a session that was taken by an attempt of our own is waited for", () =>
  withService(async (service) => {
    let attempts = 0;
    service.onAttach = () => {
      attempts += 1;
      if (attempts === 1) throw new Refused(status.UNAVAILABLE);
      if (attempts === 2) throw new Refused(status.FAILED_PRECONDITION, "SEAT_TAKEN");
    };
    await play(AGENT, win, service.options());
    assert.equal(attempts, 3);
  }));

test("a session that another agent took is not", () =>
  withService(async (service) => {
    service.onAttach = () => {
      throw new Refused(status.FAILED_PRECONDITION, "SEAT_TAKEN");
    };
    const failing = play(AGENT, win, service.options());
    await assert.rejects(failing, (error) => {
      return error instanceof RefusedError && error.reason === "SEAT_TAKEN";
    });
  }));

test("the queue is waited in", () =>
  withService(async (service) => {
    const said: string[] = [];
    service.onAttach = (stream) => stream.write({ queued: { position: 3 } });
    await play(AGENT, win, service.options({ log: (message) => said.push(message) }));
    assert.deepEqual(said, ["place 3 in the queue for a session"]);
  }));

test("a revoked session ends what is under way", () =>
  withService(async (service) => {
    service.onStep = () => {
      service.push({ revoked: { reason: "SEAT_REISSUED" } });
      throw new Refused(status.UNAVAILABLE);
    };
    await assert.rejects(play(AGENT, win, service.options()), (error) => {
      return error instanceof RevokedError && error.reason === "SEAT_REISSUED";
    });
    assert.equal(service.ended.length, 0);
  }));

test("a service that drains lets the open episode end and begins no other", () =>
  withService(async (service) => {
    service.episodes = 9;
    service.onBegin = (ordinal) => {
      if (ordinal > 0) throw new Refused(status.UNAVAILABLE, "DRAINING");
    };
    const client = await Client.connect(AGENT, service.options());
    let played = 0;
    for await (const episode of client.episodes()) {
      service.push({ draining: { timeLeft: { seconds: 9 } } });
      await until(() => client.draining);
      await episode.act("win");
      played += 1;
    }
    await client.close();
    assert.equal(played, 1);
  }));

test("an event of tomorrow is passed over", () =>
  withService(async (service) => {
    const client = await Client.connect(AGENT, service.options());
    service.push({});
    service.push({ renewed: {} });
    for await (const episode of client.episodes()) await episode.act("win");
    await client.close();
    assert.equal(service.epoch, 1);
  }));

test("an error about a wrong token says what to check", () =>
  withService(async (service) => {
    const failing = play(AGENT, win, service.options({ token: "stolen" }));
    await assert.rejects(failing, TokenRefusedError);
  }));

test("a service of tomorrow that serves no old agents is refused", () =>
  withService(async (service) => {
    service.hello = { protocolRevision: 9, minProtocolRevision: 8 };
    await assert.rejects(play(AGENT, win, service.options()), /from 8; .* Update it/);
  }));

test("a restarted process goes on where the last one stopped", () =>
  withService(async (service) => {
    const stateFile = service.path("state.json");
    const first = await Client.connect(AGENT, service.options({ stateFile }));
    const token = JSON.parse(readFileSync(stateFile, "utf8")) as { resume_token: string };
    assert.equal(Buffer.from(token.resume_token, "hex").toString(), "token 1");
    assert.equal(statSync(stateFile).mode & 0o777, 0o600);

    service.granted = { openEpisodeId: "e-0", nextEpisodeOrdinal: 1 };
    let asked = 0;
    service.onGet = () => {
      asked += 1;
      const done = [{ code: 1 }] as const;
      return {
        episode: { episodeId: "e-0", mode: 1, observation: { text: "start" } },
        history: [{ action: { skill: { name: "noop" } }, outcomes: [...done] }],
        lastStep: { status: 1, outcomes: [...done], observation: { index: 1, text: "later" } },
        stepInFlight: asked === 1,
        nextStepIndex: 1,
      };
    };
    const seen: [number, string][] = [];
    const body = async (episode: Episode): Promise<void> => {
      seen.push([episode.history.length, episode.observation.text]);
      await episode.act("win");
    };
    await play(AGENT, body, service.options({ stateFile }));
    await first.close();
    assert.deepEqual(seen, [[1, "later"]]);
    assert.equal(asked, 2);
    assert.equal(service.steps[0]?.stepIndex, 1);
    // It has none of the earlier pictures that one could refer to.
    assert.deepEqual(service.attached[1]?.requiredFeatures, []);
    assert.equal(existsSync(stateFile), false);
  }));

test("a saved session that is over makes room for a fresh one", () =>
  withService(async (service) => {
    const stateFile = service.path("state.json");
    writeFileSync(stateFile, JSON.stringify({ session: "old", resume_token: "00ff" }));
    service.onAttach = (stream) => {
      if (stream.request.resumeToken.length) {
        throw new Refused(status.FAILED_PRECONDITION, "RESUME_REFUSED");
      }
    };
    await play(AGENT, win, service.options({ stateFile }));
    assert.equal(service.steps.length, 1);
  }));

test("a resume that is refused later means that another process took over", () =>
  withService(async (service) => {
    service.onAttach = (_, epoch) => {
      if (epoch > 0) throw new Refused(status.FAILED_PRECONDITION, "RESUME_REFUSED");
    };
    service.onStep = () => {
      service.cut();
      throw new Refused(status.UNAVAILABLE);
    };
    await assert.rejects(play(AGENT, win, service.options()), SupersededError);
  }));

test("a state file that is none is named", async () => {
  const service = await new FakeService().open();
  const stateFile = service.path("state.json");
  writeFileSync(stateFile, "[]");
  await assert.rejects(play(AGENT, win, service.options({ stateFile })), (error) => {
    return error instanceof SetupError && error.message.includes(stateFile);
  });
  service.close();
});
