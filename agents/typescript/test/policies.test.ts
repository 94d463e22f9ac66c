import assert from "node:assert/strict";
import test from "node:test";

import type { Episode, PastStep, Skill } from "houseguest-agent";

import { randomAnswer } from "../src/answers.js";
import { attentive, chooseAction, POLICIES, random } from "../src/policies.js";
import { Rng } from "../src/rng.js";

const SKILLS: Skill[] = [
  { name: "forward", description: "", parameters: [] },
  {
    name: "pickup",
    description: "",
    parameters: [
      { name: "object", description: "", choices: ["Mug", "Knife", "CoffeeMachine", "Bread"] },
      { name: "why", description: "", choices: [] },
    ],
  },
];

/** As much of an episode as a policy looks at. */
function episode(changes: object = {}): Episode {
  return {
    mode: "stepwise",
    instruction: "Clean the mug.",
    context: {},
    observation: { text: "" },
    actionSpace: { skills: SKILLS, jsonSchema: "{}", answerFormat: "" },
    history: [],
    ...changes,
  } as unknown as Episode;
}

function question(name: string, text: string): Episode {
  const actionSpace = { skills: [], jsonSchema: "", answerFormat: "any" };
  return episode({
    mode: "answer",
    actionSpace,
    context: { question: name },
    observation: { text },
  });
}

function many(draw: (rng: Rng) => string): string[] {
  return Array.from({ length: 200 }, (_, number) => draw(new Rng(`${number}`)));
}

test("draws depend on the seed alone and reach every number", () => {
  const draw = (seed: string): number[] => {
    const rng = new Rng(seed);
    return Array.from({ length: 50 }, () => rng.below(5));
  };
  assert.deepEqual(draw("a"), draw("a"));
  assert.notDeepEqual(draw("a"), draw("b"));
  assert.deepEqual([...new Set(draw("a"))].sort(), [0, 1, 2, 3, 4]);
  assert.throws(() => new Rng("a").choice([]), RangeError);
});

for (const [name, policy] of Object.entries(POLICIES)) {
  test(`every call is legal: ${name}`, () => {
    for (const written of many((rng) => JSON.stringify(policy(episode(), rng)))) {
      const call = JSON.parse(written) as { skill: string; arguments: Record<string, string> };
      const skill = SKILLS.find((each) => each.name === call.skill);
      assert.ok(skill);
      assert.deepEqual(
        Object.keys(call.arguments),
        skill.parameters.map((each) => each.name),
      );
      for (const { name, choices } of skill.parameters) {
        const legal = choices.length ? choices : ["Clean", "the", "mug."];
        assert.ok(legal.includes(call.arguments[name] ?? ""));
      }
    }
  });
}

test("an attentive agent prefers what the instruction names", () => {
  const objects = (policy: typeof random): number =>
    many((rng) => String(policy(episode(), rng).arguments?.["object"])).filter(
      (each) => each === "Mug",
    ).length;
  assert.ok(objects(attentive) > 1.5 * objects(random));
});

test("an attentive agent repeats nothing that was refused since something worked", () => {
  const outcome = (code: string): PastStep["outcomes"] => [{ code, feedback: "" }] as never;
  const forward = { skill: "forward", arguments: {} };
  const refused = [{ action: forward, outcomes: outcome("refused") }];
  const calls = many((rng) => attentive(episode({ history: refused }), rng).skill);
  assert.deepEqual([...new Set(calls)], ["pickup"]);
  const worked = [...refused, { action: { skill: "pickup" }, outcomes: outcome("succeeded") }];
  const later = many((rng) => attentive(episode({ history: worked }), rng).skill);
  assert.ok(later.includes("forward"));
});

test("a world in which everything was refused is still acted in", () => {
  const [forward] = SKILLS;
  const actionSpace = { skills: [forward], jsonSchema: "{}", answerFormat: "" };
  const outcomes = [{ code: "refused", feedback: "" }];
  const history = [{ action: { skill: "forward", arguments: {} }, outcomes }];
  assert.equal(attentive(episode({ actionSpace, history }), new Rng("1")).skill, "forward");
});

test("a plan is one of skill calls", () => {
  const action = chooseAction(episode({ mode: "plan" }), random, new Rng("1"));
  assert.ok("plan" in action && action.plan.length >= 1 && action.plan.length <= 10);
});

test("answers have the form that is asked for, and stay in the grid", () => {
  const shown = "A grid of 5x5. The agent is at (1, 2).";
  for (const answer of many((rng) => randomAnswer(question("predict", shown), rng))) {
    assert.match(answer, /^The agent's final state is: \(\([0-4], [0-4]\), [0-3]\)$/);
  }
  for (const answer of many((rng) => randomAnswer(question("plan", shown), rng))) {
    const actions = /^The LLM's action sequence is: (.*)$/.exec(answer)?.[1]?.split(", ") ?? [];
    assert.ok(actions.length >= 1 && actions.length <= 10);
  }
  for (const answer of many((rng) => randomAnswer(question("decompose", shown), rng))) {
    assert.match(answer, /^<START>(\n\((\w+Subgoal)(, \([0-4], [0-4]\))?\)){1,10}\n<END>$/);
  }
  assert.match(randomAnswer(question("", shown), new Rng("1")), /^(Clean|the|mug\.)/);
});
