import type { Episode } from "houseguest-agent";

import type { Rng } from "./rng.js";

/** Steps. Longer random plans score no better, and some suites limit a plan's length. */
export const LONGEST_PLAN = 10;

const STEERING = ["left", "right", "forward", "pickup", "drop", "toggle"];
const BARE_SUBGOALS = ["PickupSubgoal", "DropSubgoal", "OpenSubgoal", "CloseSubgoal"];
const GO_NEXT_TO = "GoNextToSubgoal";
/** Cells along a grid's side, if the texts show no number that could be the size. */
const USUAL_SIZE = 8;
const HEADINGS = 4;

/**
 * A uniformly drawn answer in the expected form: for LLM-BabyBench a state, actions or subgoals;
 * for any other question words of the instruction.
 */
export function randomAnswer(episode: Episode, rng: Rng): string {
  const size = gridSize(`${episode.observation.text}\n${episode.instruction}`);
  const cell = (): string => `(${rng.below(size)}, ${rng.below(size)})`;
  switch (episode.context["question"]) {
    case "predict":
      return `The agent's final state is: (${cell()}, ${rng.below(HEADINGS)})`;
    case "plan":
      return `The LLM's action sequence is: ${several(rng, () => rng.choice(STEERING)).join(", ")}`;
    case "decompose": {
      const subgoal = (): string => {
        const name = rng.choice([GO_NEXT_TO, ...BARE_SUBGOALS]);
        return name === GO_NEXT_TO ? `(${name}, ${cell()})` : `(${name})`;
      };
      return ["<START>", ...several(rng, subgoal), "<END>"].join("\n");
    }
    default: {
      const words = wordsOf(episode.instruction);
      return several(rng, () => rng.choice(words), words.length).join(" ");
    }
  }
}

/** 1 to `most` items. */
export function several<Item>(rng: Rng, draw: () => Item, most = LONGEST_PLAN): Item[] {
  return Array.from({ length: 1 + rng.below(most) }, draw);
}

/** The words of a text; never empty. */
export function wordsOf(text: string): string[] {
  return text.match(/\S+/g) ?? ["nothing"];
}

/**
 * The number of cells along a side of the grid: the largest number in a pair of the text, which is
 * a position or the size, such as (4, 12) or 22x22.
 */
function gridSize(shown: string): number {
  const pairs = [...shown.matchAll(/(\d{1,3})(?:x|,\s*)(\d{1,3})/g)];
  const numbers = pairs.flatMap(([, first, second]) => [Number(first), Number(second)]);
  return Math.max(0, ...numbers) || USUAL_SIZE;
}
