import type { Episode } from "houseguest-agent";

import type { Rng } from "./rng.js";

/** Steps. Longer random plans score no better, and some suites bound a plan's length. */
export const LONGEST_PLAN = 10;

const STEERING = ["left", "right", "forward", "pickup", "drop", "toggle"];
const BARE_SUBGOALS = ["PickupSubgoal", "DropSubgoal", "OpenSubgoal", "CloseSubgoal"];
const GO_NEXT_TO = "GoNextToSubgoal";
/** Cells along a grid's side, where no number is shown that could be one. */
const USUAL_SIZE = 8;
const HEADINGS = 4;

/**
 * A uniformly drawn answer of the form that is asked for: to a question of LLM-BabyBench a state,
 * actions or subgoals; to any other one words of the instruction.
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

/** 1 to `most` things. */
export function several<Item>(rng: Rng, draw: () => Item, most = LONGEST_PLAN): Item[] {
  return Array.from({ length: 1 + rng.below(most) }, draw);
}

/** The words of a text; never none. */
export function wordsOf(text: string): string[] {
  return text.match(/\S+/g) ?? ["nothing"];
}

/**
 * The largest number of a pair that is shown, be that a place or the size, such as 22x22 or
 * (4, 12): the number of cells along a side of the grid.
 */
function gridSize(shown: string): number {
  const pairs = [...shown.matchAll(/(\d{1,3})(?:x|,\s*)(\d{1,3})/g)];
  const numbers = pairs.flatMap(([, first, second]) => [Number(first), Number(second)]);
  return Math.max(0, ...numbers) || USUAL_SIZE;
}
