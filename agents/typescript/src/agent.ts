/** A small agent: draws its actions at random, with a few rules. See README.md. */

import { parseArgs } from "node:util";

import { HouseguestError, play, type Episode } from "houseguest-agent";

import { chooseAction, POLICIES, type Policy } from "./policies.js";
import { Rng } from "./rng.js";

const NAME = "typescript";
const VERSION = "1.0";
const USAGE = `usage: agent [--policy attentive|random] [--seed N]

Plays every episode of a run. Where and with which token: HOUSEGUEST_ADDRESS, HOUSEGUEST_TOKEN.

  --policy  how to draw a skill; default: attentive
  --seed    of every draw; default: HOUSEGUEST_SEED, or 0
`;

interface Choice {
  readonly name: string;
  readonly policy: Policy;
  readonly seed: string;
}

/** Reads the command line. Throws TypeError with the reason if it is wrong. */
function readChoice(words: string[]): Choice {
  const { values } = parseArgs({
    args: words,
    options: { policy: { type: "string" }, seed: { type: "string" } },
  });
  const name = values.policy ?? "attentive";
  const policy = Object.hasOwn(POLICIES, name) ? POLICIES[name] : undefined;
  if (!policy)
    throw new TypeError(`--policy ${name}: choose one of ${Object.keys(POLICIES).join(", ")}`);
  const seed = values.seed ?? (process.env["HOUSEGUEST_SEED"] || "0");
  if (!/^-?\d+$/.test(seed)) throw new TypeError(`--seed ${seed}: must be a whole number`);
  return { name, policy, seed };
}

/**
 * Plays one episode to its end.
 *
 * The draws of a step depend only on the seed, the episode's seed and the step's index. The agent
 * therefore acts the same in every session that plays a task, and after a restart.
 */
async function playEpisode(episode: Episode, { policy, seed }: Choice): Promise<void> {
  while (episode.running) {
    const rng = new Rng(`${seed} ${episode.seed} ${episode.history.length}`);
    await episode.act(chooseAction(episode, policy, rng));
  }
}

async function main(): Promise<void> {
  // A container's first process ignores every signal that it does not handle.
  for (const [signal, number] of [
    ["SIGTERM", 15],
    ["SIGINT", 2],
  ] as const) {
    process.on(signal, () => process.exit(128 + number));
  }
  let choice: Choice;
  try {
    choice = readChoice(process.argv.slice(2));
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n${USAGE}`);
    process.exitCode = 2;
    return;
  }
  const configuration = { policy: choice.name, seed: choice.seed };
  try {
    const agent = { name: NAME, version: VERSION, configuration };
    await play(agent, (episode) => playEpisode(episode, choice));
  } catch (error) {
    if (!(error instanceof HouseguestError)) throw error;
    process.stderr.write(`${error.name}: ${error.message}\n`);
    process.exitCode = 1;
  }
}

await main();
