import { createHash } from "node:crypto";

const BLOCK_WORDS = 8; // SHA-256 gives 32 bytes.
const WORD_RANGE = 2 ** 32;

/**
 * Random draws that depend only on a text: the SHA-256 of the text and a counter, read as 32-bit
 * numbers. Slower than other generators, but much faster than a step of any world.
 */
export class Rng {
  #block: Buffer = Buffer.alloc(0);
  #taken = 0;

  constructor(private readonly seed: string) {}

  /** A whole number from 0 to `end` - 1; `end` is at most 2^32. */
  below(end: number): number {
    return Math.floor((this.#word() / WORD_RANGE) * end);
  }

  /** One item of a list, which must not be empty. */
  choice<Item>(items: readonly Item[]): Item {
    const item = items[this.below(items.length)];
    if (item === undefined) throw new RangeError("a choice from an empty list");
    return item;
  }

  /** One item, with a chance in proportion to its weight. Some weight must be above 0. */
  weighted<Item>(items: readonly Item[], weight: (item: Item) => number): Item {
    const weights = items.map(weight);
    const total = weights.reduce((sum, each) => sum + each, 0);
    let left = (this.#word() / WORD_RANGE) * total;
    const found = weights.findIndex((each) => (left -= each) < 0);
    return found < 0 ? this.choice(items) : (items[found] ?? this.choice(items));
  }

  #word(): number {
    const place = this.#taken % BLOCK_WORDS;
    if (place === 0) {
      const number = this.#taken / BLOCK_WORDS;
      this.#block = createHash("sha256").update(`${this.seed} ${number}`).digest();
    }
    this.#taken += 1;
    return this.#block.readUInt32LE(4 * place);
  }
}
