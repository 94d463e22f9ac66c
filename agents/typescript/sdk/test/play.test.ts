import assert from "node:assert/strict";
import test from "node:test";

import {
  Client,
  EpisodeOverError,
  play,
  withClient,
  type Episode,
  type Options,
} from "../src/index.js";
import { FakeService, stepAnswer, withService } from "./fake-service.js";

const AGENT = { name: "tester", version: "2", model: "m", configuration: { temperature: 0.5 } };

async function first(client: Client): Promise<Episode> {
  const { value } = await client.episodes().next();
  assert.ok(value);
  return value;
}

for (const transport of ["play", "unary"] as const) {
  test(`every episode is played to its end: ${transport}`, () =>
    withService(async (service) => {
      service.episodes = 3;
      const seen: string[] = [];
      const options = service.options({ transport });
      await play(
        AGENT,
        async (episode) => {
          assert.equal(episode.opening.text, "start");
          const step = await episode.act("noop");
          assert.deepEqual(step.outcome, { code: "succeeded", feedback: "" });
          seen.push(step.observation.text);
          assert.equal((await episode.act("win")).status, "terminated");
          assert.equal(episode.history.length, 2);
        },
        options,
      );
      assert.deepEqual(seen, ["step 1", "step 1", "step 1"]);
      assert.deepEqual(
        service.steps.map((each) => [each.episodeId, each.stepIndex]),
        [0, 1, 2].flatMap((number) => [0, 1].map((index) => [`e-${number}`, index])),
      );
      assert.equal(service.plays.size > 0, transport === "play");
    }));
}

test("the agent introduces itself and its wishes", () =>
  withService(async (service) => {
    const observation = { images: [{ channel: "rgb" }], text: true } as const;
    await play(AGENT, (episode) => episode.act("win").then(), service.options({ observation }));
    const client = service.introduced[0]?.client;
    assert.equal(client?.agentName, "tester");
    assert.deepEqual(client?.configuration, { temperature: "0.5" });
    const request = service.attached[0];
    assert.equal(request?.observation?.images[0]?.channel, 1);
    assert.deepEqual(request?.requiredFeatures, [2]);
  }));

test("words, plans and thoughts reach the service", () =>
  withService(async (service) => {
    const body = async (episode: Episode): Promise<void> => {
      await episode.say("look around", "curious");
      await episode.plan(["noop", { skill: "noop", arguments: { times: 2 } }]);
      await episode.act({ skill: "win" }, undefined, { thought: "now", planLength: 1 });
    };
    await play(AGENT, body, service.options());
    const [said, planned, won] = service.steps;
    assert.equal(said?.action?.text, "look around");
    assert.equal(said?.trace?.thought, "curious");
    const times = [{ name: "times", value: "2" }];
    assert.deepEqual(planned?.action?.plan?.steps[1]?.arguments, times);
    assert.equal(won?.trace?.planLength, 1);
  }));

test("an episode that is left running is given up, and one that failed is reported so", () =>
  withService(async (service) => {
    service.episodes = 2;
    const body = async (episode: Episode): Promise<void> => {
      if (episode.id === "e-1") throw new Error("no idea");
      await episode.act("noop");
    };
    await assert.rejects(play(AGENT, body, service.options()), /no idea/);
    const ended = service.ended.map(({ episodeId, reason }) => [episodeId, reason]);
    assert.deepEqual(ended, [
      ["e-0", 2],
      ["e-1", 3],
    ]);
    assert.match(service.ended[1]?.trace?.thought ?? "", /no idea/);
  }));

test("leaving the loop ends the episode with the client", () =>
  withService(async (service) => {
    service.episodes = 2;
    await withClient(
      AGENT,
      async (client) => {
        for await (const episode of client.episodes()) {
          await episode.act("noop");
          break;
        }
        assert.equal(service.ended.length, 0);
      },
      service.options(),
    );
    assert.equal(service.ended.length, 1);
  }));

test("an agent that believes it is done says so once", () =>
  withService(async (service) => {
    const body = async (episode: Episode): Promise<void> => {
      assert.equal(await episode.done("finished"), "terminated");
      assert.equal(await episode.giveUp(), "terminated");
      assert.equal(episode.running, false);
    };
    await play(AGENT, body, service.options());
    assert.deepEqual(
      service.ended.map((each) => each.reason),
      [1],
    );
  }));

test("an episode that is over takes no action, and a running one takes one at a time", () =>
  withService(async (service) => {
    const body = async (episode: Episode): Promise<void> => {
      const step = episode.act("noop");
      await assert.rejects(episode.act("noop"), EpisodeOverError);
      await step;
      await episode.act("win");
      await assert.rejects(episode.act("noop"), /over \(terminated\)/);
    };
    await play(AGENT, body, service.options());
    assert.equal(service.steps.length, 2);
  }));

test("a step that the service did not execute leaves no trace in the history", () =>
  withService(async (service) => {
    service.onStep = () => ({ status: 3 });
    const body = async (episode: Episode): Promise<void> => {
      const step = await episode.act("noop");
      assert.equal(step.status, "truncated");
      assert.equal(step.outcome, null);
      assert.equal(step.observation.text, "start");
      assert.equal(episode.history.length, 0);
    };
    await play(AGENT, body, service.options());
    assert.equal(service.ended.length, 0);
  }));

test("a voided episode is followed by the next one", () =>
  withService(async (service) => {
    service.episodes = 2;
    service.onStep = (request) => (request.episodeId === "e-0" ? { status: 4 } : undefined);
    const statuses: string[] = [];
    const body = async (episode: Episode): Promise<void> => {
      statuses.push((await episode.act("win")).status);
    };
    await play(AGENT, body, service.options());
    assert.deepEqual(statuses, ["voided", "terminated"]);
  }));

test("budgets are read where the suite states them", () =>
  withService(async (service) => {
    service.episode = { maxSteps: 9, agentTimeBudget: { seconds: 60 } };
    const remaining = { steps: 8, agentTime: { seconds: 1, nanos: 500_000_000 } };
    service.onStep = (request) => stepAnswer(request, { remaining });
    const body = async (episode: Episode): Promise<void> => {
      assert.deepEqual([episode.maxSteps, episode.agentTimeBudget], [9, 60]);
      const step = await episode.act("win");
      assert.deepEqual(step.remaining, { steps: 8, agentTime: 1.5 });
    };
    await play(AGENT, body, service.options());
  }));

test("whoever cannot go on withdraws, and no episode follows", () =>
  withService(async (service) => {
    service.episodes = 5;
    const client = await Client.connect(AGENT, service.options());
    let played = 0;
    for await (const episode of client.episodes()) {
      played += 1;
      await client.withdraw("model_refused", "wrong key");
      assert.equal(episode.status, "voided");
    }
    await client.close();
    assert.equal(played, 1);
    const [withdrawn] = service.withdrawn;
    assert.deepEqual([withdrawn?.reason, withdrawn?.message], [2, "wrong key"]);
    assert.equal(service.ended.length, 0);
  }));

test("where withdrawing is not offered, the open episode ends as a failure", () =>
  withService(async (service) => {
    service.episodes = 5;
    service.hello = { features: [] };
    const client = await Client.connect(AGENT, service.options());
    const episode = await first(client);
    await client.withdraw("other", "no model");
    assert.equal(episode.running, false);
    await client.close();
    assert.equal(service.withdrawn.length, 0);
    assert.equal(service.ended[0]?.reason, 3);
  }));

test("a client can be closed twice, and reports what it was granted", () =>
  withService(async (service) => {
    service.hello = { features: [1, 99 as 1], limits: { maxPlanSteps: 7 } };
    const observation = { images: [{ channel: 1, encodings: [2] }] } as const;
    service.granted = { episodesTotal: 4, observation: observation as never };
    const client = await Client.connect(AGENT, service.options());
    assert.deepEqual([client.sessionId, client.episodesTotal], ["s", 4]);
    assert.deepEqual([...client.features], ["streaming_play", "unspecified"]);
    assert.equal(client.limits.maxPlanSteps, 7);
    assert.equal(client.limits.agentStepBudget, null);
    assert.deepEqual(client.observation.images?.[0]?.encodings, ["png"]);
    await client.close();
    await client.close();
  }));

test("a picture that did not change comes as a reference", () =>
  withService(async (service) => {
    const kind = { channel: 1, encoding: 1, width: 1, height: 1, role: 1 } as const;
    const data = Buffer.from([1, 2, 3]);
    service.episode = { observation: { images: [{ ...kind, data }] } };
    service.onStep = (request) => {
      const images = [{ ...kind, sameAsObservation: 0 }];
      return stepAnswer(request, { observation: { index: request.stepIndex + 1, images } });
    };
    const options: Options = service.options();
    const body = async (episode: Episode): Promise<void> => {
      for (const skill of ["noop", "win"]) {
        const { observation } = await episode.act(skill);
        assert.deepEqual([...observation.image.pixels.data], [1, 2, 3]);
      }
    };
    await play(AGENT, body, options);
  }));

test("an error about an absent service says what to do", async () => {
  const service = new FakeService();
  const retry = { connectPatience: 0.05 };
  const failing = play(AGENT, async () => {}, service.options({ retry }));
  await assert.rejects(
    failing,
    /No service answers at unix:.*The socket does not exist: start the run/,
  );
  service.close();
});
