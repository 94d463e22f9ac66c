import type { Action, ActionSpace, Episode, PastStep, Skill, SkillCall } from "houseguest-agent";

import { randomAnswer, several, wordsOf } from "./answers.js";
import type { Rng } from "./rng.js";

/** Chooses one skill call from an action space with skills. */
export type Policy = (episode: Episode, rng: Rng) => SkillCall;

/** The weight of an argument that the instruction names; other arguments have weight 1. */
const NAMED = 8;
/** The weight of a skill without arguments that has just worked; other skills have weight 1. */
const AGAIN = 3;
/** The maximum number of draws; the last one is used even if it was refused before. */
const TRIES = 20;

export const POLICIES: Readonly<Record<string, Policy>> = { attentive, random };

/** A uniformly drawn skill. A free-text argument is a word of the instruction. */
export function random(episode: Episode, rng: Rng): SkillCall {
  return fill(rng.choice(episode.actionSpace.skills), (skill, name) => {
    const parameter = skill.parameters.find((each) => each.name === name);
    const choices = parameter?.choices ?? [];
    return rng.choice(choices.length ? choices : wordsOf(episode.instruction));
  });
}

/**
 * Draws as `random` does, with three rules: it prefers arguments that the instruction names, tends
 * to repeat what has just worked, and avoids calls that were refused since the world last changed.
 */
export function attentive(episode: Episode, rng: Rng): SkillCall {
  const { actionSpace, history, instruction } = episode;
  const named = new Set(wordsOf(instruction).map(plain));
  const refused = refusedLately(history);
  const worked = lastThatWorked(history, actionSpace);
  const draw = (): SkillCall =>
    fill(
      rng.weighted(actionSpace.skills, (skill) => (skill.name === worked ? AGAIN : 1)),
      (skill, name) => {
        const parameter = skill.parameters.find((each) => each.name === name);
        const choices = parameter?.choices.length ? parameter.choices : wordsOf(instruction);
        return rng.weighted(choices, (choice) => (isNamed(choice, named) ? NAMED : 1));
      },
    );
  let call = draw();
  for (let tried = 1; tried < TRIES && refused.has(written(call)); tried++) call = draw();
  return call;
}

/** An action in the episode's mode: a skill, a plan of some skills, or an answer in words. */
export function chooseAction(episode: Episode, policy: Policy, rng: Rng): Action {
  if (episode.mode === "answer" || episode.actionSpace.skills.length === 0) {
    return { text: randomAnswer(episode, rng) };
  }
  if (episode.mode === "plan") return { plan: several(rng, () => policy(episode, rng)) };
  return policy(episode, rng);
}

function fill(skill: Skill, value: (skill: Skill, name: string) => string): SkillCall {
  const words = skill.parameters.map(({ name }) => [name, value(skill, name)] as const);
  return { skill: skill.name, arguments: Object.fromEntries(words) };
}

/** The calls that were refused since an action last worked, or may have worked. */
function refusedLately(history: readonly PastStep[]): Set<string> {
  const refused = new Set<string>();
  for (const { action, outcomes } of [...history].reverse()) {
    const code = outcomes.at(-1)?.code;
    if (code === "succeeded" || code === "withheld") break;
    if ("skill" in action) refused.add(written(action));
  }
  return refused;
}

/** The skill of the last step, if it worked and takes no argument. */
function lastThatWorked(history: readonly PastStep[], space: ActionSpace): string | null {
  const last = history.at(-1);
  if (last?.outcomes.at(-1)?.code !== "succeeded" || !("skill" in last.action)) return null;
  const name = last.action.skill;
  const skill = space.skills.find((each) => each.name === name);
  return skill?.parameters.length === 0 ? name : null;
}

function isNamed(choice: string, named: ReadonlySet<string>): boolean {
  // The instruction names "CoffeeMachine" with "coffee machine", and "red ball" with "red".
  const parts = choice.replace(/([a-z])([A-Z])/g, "$1 $2").split(/\s+/);
  return named.has(plain(choice)) || parts.some((part) => named.has(plain(part)));
}

function plain(word: string): string {
  return word.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");
}

function written(call: SkillCall): string {
  return JSON.stringify([call.skill, call.arguments ?? {}]);
}
