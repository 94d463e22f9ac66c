import type {
  Action as WireAction,
  Action__Output,
} from "./generated/houseguest/agent/v1/Action.js";
import type { ActionSpace__Output } from "./generated/houseguest/agent/v1/ActionSpace.js";
import type {
  SkillCall as WireCall,
  SkillCall__Output,
} from "./generated/houseguest/agent/v1/SkillCall.js";

/** One argument of a skill. Empty `choices`: free text. */
export interface Parameter {
  readonly name: string;
  readonly description: string;
  readonly choices: readonly string[];
}

/** One thing an agent can do. `parameters` in the order of a call's arguments. */
export interface Skill {
  readonly name: string;
  readonly description: string;
  readonly parameters: readonly Parameter[];
}

/**
 * Everything an agent may do in an episode.
 *
 * `jsonSchema` describes one skill call as `{"skill": name, "arguments": {…}}`, ready for tool
 * calling; a value that fits it is a `SkillCall`. Both are empty exactly when the episode expects
 * an answer in words; `answerFormat` then describes the expected form.
 */
export interface ActionSpace {
  readonly skills: readonly Skill[];
  readonly jsonSchema: string;
  readonly answerFormat: string;
}

/** Values of a skill call by the names of its parameters. They are sent as text. */
export type Arguments = Readonly<Record<string, string | number | boolean>>;

/** One use of a skill: `{ skill: "pickup", arguments: { object: "mug" } }`. */
export interface SkillCall {
  readonly skill: string;
  readonly arguments?: Arguments;
}

/** Free text, which the service parses by the suite's rules. */
export interface Text {
  readonly text: string;
}

/** Skill calls to execute in order. */
export interface Plan {
  readonly plan: readonly SkillCall[];
}

export type Action = SkillCall | Text | Plan;

/** Reads an episode's action space. */
export function readActionSpace(message: ActionSpace__Output | null): ActionSpace {
  return {
    skills: message?.skills ?? [],
    jsonSchema: message?.jsonSchema ?? "",
    answerFormat: message?.answerFormat ?? "",
  };
}

/**
 * The action as a protocol message.
 *
 * Arguments follow the order of the skill's parameters; any others come last, in the order given.
 * The library checks nothing: the service answers an invalid call, at the same cost for every
 * agent.
 */
export function encodeAction(action: Action, space: ActionSpace): WireAction {
  if ("skill" in action) return { skill: encodeCall(action, space) };
  if ("text" in action) return { text: action.text };
  return { plan: { steps: action.plan.map((call) => encodeCall(call, space)) } };
}

/** Reads a past action. If the service left it out, the result is an empty text. */
export function decodeAction(message: Action__Output | null): Action {
  if (message?.skill) return decodeCall(message.skill);
  if (message?.plan) return { plan: message.plan.steps.map(decodeCall) };
  return { text: message?.text ?? "" };
}

function encodeCall(call: SkillCall, space: ActionSpace): WireCall {
  const given = call.arguments ?? {};
  const skill = space.skills.find((each) => each.name === call.skill);
  const known = skill?.parameters.map((parameter) => parameter.name) ?? [];
  const names = [
    ...known.filter((name) => Object.hasOwn(given, name)),
    ...Object.keys(given).filter((name) => !known.includes(name)),
  ];
  return {
    name: call.skill,
    arguments: names.map((name) => ({ name, value: String(given[name]) })),
  };
}

function decodeCall(message: SkillCall__Output): SkillCall {
  const pairs = message.arguments.map(({ name, value }) => [name, value]);
  return { skill: message.name, arguments: Object.fromEntries(pairs) as Arguments };
}
