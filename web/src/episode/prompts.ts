/** The prompts of an episode, each stored as the difference from the one before it. */
import type { Shot, StepView } from "../api";
import { picturesAt, type Recording } from "./recording";

export type Piece =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "picture"; readonly sha256: string; readonly media: string };

export interface Message {
  readonly role: string;
  readonly parts: readonly Piece[];
  /** The prompt before has no such message. */
  readonly added: boolean;
}

export interface Prompt {
  readonly messages: readonly Message[];
  /** JSON by name. */
  readonly parameters: ReadonlyMap<string, string>;
  readonly cut: boolean;
}

export type Found =
  | { readonly kind: "prompt"; readonly prompt: Prompt }
  | { readonly kind: "none" | "left out" | "loading" }
  | { readonly kind: "broken"; readonly problem: string };

/** Characters of a prompt, each message and part counted as one more; as the service reads it. */
const MOST = 16 * 2 ** 20;
const NOTHING: Prompt = { messages: [], parameters: new Map(), cut: false };

interface Read {
  readonly found: Found;
  /** What the next difference refers to; null after a prompt that cannot be read. */
  readonly last: Prompt | null;
}

/** A step is read after the same steps every time. */
const READ = new WeakMap<StepView, Read>();

/** The prompt of the step that led to a position from 1. */
export function promptAt(recording: Recording, position: number): Found {
  let last: Prompt | null = NOTHING;
  let found: Found = { kind: "none" };
  for (const step of recording.steps.slice(0, position)) {
    if (!step) return { kind: "loading" };
    const read: Read = READ.get(step) ?? readStep(step, last);
    READ.set(step, read);
    ({ found, last } = read);
  }
  return found;
}

function readStep(step: StepView, last: Prompt | null): Read {
  const stored = step.said.prompt;
  if (!stored) return { found: { kind: "none" }, last };
  if (stored["left_out"]) return { found: { kind: "left out" }, last };
  try {
    if (!last) throw new Error("an earlier prompt cannot be read");
    const prompt = read(stored, last);
    return { found: { kind: "prompt", prompt }, last: prompt };
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    return { found: { kind: "broken", problem }, last: null };
  }
}

function read(stored: Readonly<Record<string, unknown>>, last: Prompt): Prompt {
  const messages: Message[] = [];
  let size = 0;
  for (const each of list(stored["messages"])) {
    const entry = mapping(each);
    const found = entry["same"] ? same(entry["same"], last) : [message(entry, last)];
    for (const one of found) {
      size += 1 + one.parts.reduce((sum, part) => sum + 1 + lengthOf(part), 0);
      if (size > MOST) throw new Error(`the prompt has more than ${MOST} characters`);
      messages.push(one);
    }
  }
  const parameters = new Map(last.parameters);
  for (const name of list(stored["without"])) parameters.delete(text(name));
  for (const [name, value] of Object.entries(mapping(stored["parameters"]))) {
    parameters.set(name, text(value));
  }
  return { messages, parameters, cut: "cut_from_bytes" in stored };
}

function lengthOf(part: Piece): number {
  return part.kind === "text" ? part.text.length : 0;
}

function same(range: unknown, last: Prompt): readonly Message[] {
  const [first, count] = wholes(range, 2) as [number, number];
  const found = last.messages.slice(first, first + count);
  if (found.length !== count) throw new Error("the prompt before has too few messages");
  return found.map((each) => ({ ...each, added: false }));
}

function message(entry: Readonly<Record<string, unknown>>, last: Prompt): Message {
  const rest = list(entry["parts"]).map(piece);
  const role = text(entry["role"]);
  if (!("begins" in entry)) return { role, parts: rest, added: true };
  const [place, whole, characters] = wholes(entry["begins"], 3) as [number, number, number];
  const old = last.messages[place]?.parts ?? [];
  if (whole > old.length) throw new Error("a message of the prompt before has too few parts");
  if (characters > 0) {
    const before = old[whole];
    const first = rest[0];
    if (before?.kind !== "text" || first?.kind !== "text") throw new Error("a text is missing");
    rest[0] = { kind: "text", text: start(before.text, characters) + first.text };
  }
  return { role, parts: [...old.slice(0, whole), ...rest], added: true };
}

/** The first code points of a text, of which a string may need two units each. */
function start(text: string, characters: number): string {
  if (!/[\ud800-\udfff]/.test(text.slice(0, characters))) {
    if (characters > text.length) throw new Error("a text is too short");
    return text.slice(0, characters);
  }
  const points = Array.from(text);
  if (characters > points.length) throw new Error("a text is too short");
  return points.slice(0, characters).join("");
}

function piece(stored: unknown): Piece {
  const part = mapping(stored);
  if (typeof part["picture"] === "string") {
    return { kind: "picture", sha256: part["picture"], media: text(part["media_type"]) };
  }
  return { kind: "text", text: text(part["text"]) };
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function wholes(value: unknown, count: number): readonly number[] {
  const found = list(value);
  if (found.length === count && found.every((each) => Number.isInteger(each) && Number(each) >= 0))
    return found as readonly number[];
  throw new Error("a reference is not valid");
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as readonly unknown[]) : [];
}

function mapping(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : {};
}

/** The pictures that the agent was shown before a step, by digest. */
export function shotsBefore(recording: Recording, position: number): ReadonlyMap<string, Shot> {
  const found = new Map<string, Shot>();
  for (let at = 0; at < position; at += 1) {
    for (const shot of picturesAt(recording, at)) found.set(shot.sha256, shot);
  }
  return found;
}
