/** The seat: granted, resumed, taken away. */

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
import { FakeHouse, Refused, until, withHouse } from "./fake-house.js";

const AGENT = { name: "tester" };

async function win(episode: Episode): Promise<void> {
  await episode.act("win");
}

test("a broken Attach is resumed with the newest token", () =>
  withHouse(async (house) => {
    const client = await Client.connect(AGENT, house.options());
    for (const epoch of [2, 3]) {
      house.cut();
      await until(() => house.epoch === epoch);
    }
    await client.close();
    const tokens = house.attached.map((each) => each.resumeToken.toString());
    assert.deepEqual(tokens, ["", "token 1", "token 2"]);
    assert.deepEqual(house.attached[1]?.requiredFeatures, [2]);
  }));

test("a seat that was taken by an attempt of our own is waited for", () =>
  withHouse(async (house) => {
    let attempts = 0;
    house.onAttach = () => {
      attempts += 1;
      if (attempts === 1) throw new Refused(status.UNAVAILABLE);
      if (attempts === 2) throw new Refused(status.FAILED_PRECONDITION, "SEAT_TAKEN");
    };
    await play(AGENT, win, house.options());
    assert.equal(attempts, 3);
  }));

test("a seat that another agent took is not", () =>
  withHouse(async (house) => {
    house.onAttach = () => {
      throw new Refused(status.FAILED_PRECONDITION, "SEAT_TAKEN");
    };
    const failing = play(AGENT, win, house.options());
    await assert.rejects(failing, (error) => {
      return error instanceof RefusedError && error.reason === "SEAT_TAKEN";
    });
  }));

test("the queue is waited in", () =>
  withHouse(async (house) => {
    const said: string[] = [];
    house.onAttach = (stream) => stream.write({ queued: { position: 3 } });
    await play(AGENT, win, house.options({ log: (message) => said.push(message) }));
    assert.deepEqual(said, ["place 3 in the queue for a seat"]);
  }));

test("a revoked session ends what is under way", () =>
  withHouse(async (house) => {
    house.onStep = () => {
      house.push({ revoked: { reason: "SEAT_REISSUED" } });
      throw new Refused(status.UNAVAILABLE);
    };
    await assert.rejects(play(AGENT, win, house.options()), (error) => {
      return error instanceof RevokedError && error.reason === "SEAT_REISSUED";
    });
    assert.equal(house.ended.length, 0);
  }));

test("a house that drains lets the open episode end and begins no other", () =>
  withHouse(async (house) => {
    house.episodes = 9;
    house.onBegin = (ordinal) => {
      if (ordinal > 0) throw new Refused(status.UNAVAILABLE, "DRAINING");
    };
    const client = await Client.connect(AGENT, house.options());
    let played = 0;
    for await (const episode of client.episodes()) {
      house.push({ draining: { timeLeft: { seconds: 9 } } });
      await until(() => client.draining);
      await episode.act("win");
      played += 1;
    }
    await client.close();
    assert.equal(played, 1);
  }));

test("an event of tomorrow is passed over", () =>
  withHouse(async (house) => {
    const client = await Client.connect(AGENT, house.options());
    house.push({});
    house.push({ renewed: {} });
    for await (const episode of client.episodes()) await episode.act("win");
    await client.close();
    assert.equal(house.epoch, 1);
  }));

test("a wrong token is told what to check", () =>
  withHouse(async (house) => {
    const failing = play(AGENT, win, house.options({ token: "stolen" }));
    await assert.rejects(failing, TokenRefusedError);
  }));

test("a house of tomorrow that serves no old agents is refused", () =>
  withHouse(async (house) => {
    house.hello = { protocolRevision: 9, minProtocolRevision: 8 };
    await assert.rejects(play(AGENT, win, house.options()), /from 8; .* Update it/);
  }));

test("a restarted process goes on where the last one stopped", () =>
  withHouse(async (house) => {
    const stateFile = house.path("state.json");
    const first = await Client.connect(AGENT, house.options({ stateFile }));
    const token = JSON.parse(readFileSync(stateFile, "utf8")) as { resume_token: string };
    assert.equal(Buffer.from(token.resume_token, "hex").toString(), "token 1");
    assert.equal(statSync(stateFile).mode & 0o777, 0o600);

    house.granted = { openEpisodeId: "e-0", nextEpisodeOrdinal: 1 };
    let asked = 0;
    house.onGet = () => {
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
    await play(AGENT, body, house.options({ stateFile }));
    await first.close();
    assert.deepEqual(seen, [[1, "later"]]);
    assert.equal(asked, 2);
    assert.equal(house.steps[0]?.stepIndex, 1);
    // It has none of the earlier pictures that one could refer to.
    assert.deepEqual(house.attached[1]?.requiredFeatures, []);
    assert.equal(existsSync(stateFile), false);
  }));

test("a saved session that is over makes room for a fresh one", () =>
  withHouse(async (house) => {
    const stateFile = house.path("state.json");
    writeFileSync(stateFile, JSON.stringify({ session: "old", resume_token: "00ff" }));
    house.onAttach = (stream) => {
      if (stream.request.resumeToken.length) {
        throw new Refused(status.FAILED_PRECONDITION, "RESUME_REFUSED");
      }
    };
    await play(AGENT, win, house.options({ stateFile }));
    assert.equal(house.steps.length, 1);
  }));

test("a resume that is refused later means that another process took over", () =>
  withHouse(async (house) => {
    house.onAttach = (_, epoch) => {
      if (epoch > 0) throw new Refused(status.FAILED_PRECONDITION, "RESUME_REFUSED");
    };
    house.onStep = () => {
      house.cut();
      throw new Refused(status.UNAVAILABLE);
    };
    await assert.rejects(play(AGENT, win, house.options()), SupersededError);
  }));

test("a state file that is none is named", async () => {
  const house = await new FakeHouse().open();
  const stateFile = house.path("state.json");
  writeFileSync(stateFile, "[]");
  await assert.rejects(play(AGENT, win, house.options({ stateFile })), (error) => {
    return error instanceof SetupError && error.message.includes(stateFile);
  });
  house.close();
});
