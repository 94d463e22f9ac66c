import type { Action, ActionSpace, Episode, PastStep, Skill, SkillCall } from "houseguest-agent";

import { randomAnswer, several, wordsOf } from "./answers.js";
import type { Rng } from "./rng.js";

/** Chooses one skill call, of an action space that has skills. */
export type Policy = (episode: Episode, rng: Rng) => SkillCall;

/** How much likelier an argument is that the instruction names. */
const NAMED = 8;
/** How much likelier it is to do once more what has just worked and takes no argument. */
const AGAIN = 3;
/** Draws until a call that was refused before is taken after all. */
const TRIES = 20;

export const POLICIES: Readonly<Record<string, Policy>> = { attentive, random };

/** A uniformly drawn skill. An argument in free text is a word of the instruction. */
export function random(episode: Episode, rng: Rng): SkillCall {
  return fill(rng.choice(episode.actionSpace.skills), (skill, name) => {
    const parameter = skill.parameters.find((each) => each.name === name);
    const choices = parameter?.choices ?? [];
    return rng.choice(choices.length ? choices : wordsOf(episode.instruction));
  });
}

/**
 * Draws as `random` does, but listens: it prefers what the instruction names, goes on with what
 * has just worked, and repeats nothing that was refused since the world last changed.
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

/** Whatever the mode asks for: a skill, a plan of some skills, or an answer in words. */
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

/** What was refused since an action last worked, or may have. */
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
  // "CoffeeMachine" is named by "coffee machine", and "red ball" by "red".
  const parts = choice.replace(/([a-z])([A-Z])/g, "$1 $2").split(/\s+/);
  return named.has(plain(choice)) || parts.some((part) => named.has(plain(part)));
}

function plain(word: string): string {
  return word.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");
}

function written(call: SkillCall): string {
  return JSON.stringify([call.skill, call.arguments ?? {}]);
}
