/** What the reader has switched on or off: part of the address. */
import { change } from "../router";

export const TOGGLES = {
  truth: { label: "What was true", key: "t", on: true },
  before: { label: "Picture before", key: "b", on: false },
  thought: { label: "Thoughts", key: "h", on: true },
  reply: { label: "Replies", key: "r", on: true },
  prompt: { label: "Prompt", key: "q", on: false },
  text: { label: "Texts shown", key: "x", on: true },
  meta: { label: "Metadata", key: "m", on: false },
} as const;

export type Toggle = keyof typeof TOGGLES;
export type Toggles = Readonly<Record<Toggle, boolean>>;

const NAMES = Object.keys(TOGGLES) as readonly Toggle[];

export function togglesOf(query: URLSearchParams): Toggles {
  const found = NAMES.map((name) => {
    const said = query.get(name);
    return [name, said === "yes" || (said !== "no" && TOGGLES[name].on)] as const;
  });
  return Object.fromEntries(found) as Record<Toggle, boolean>;
}

export function flip(toggles: Toggles, name: Toggle): void {
  const next = !toggles[name];
  change({ [name]: next === TOGGLES[name].on ? null : next ? "yes" : "no" }, true);
}
