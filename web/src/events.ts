/** What changes while a page is open: one stream of server-sent events for all parts of it. */
import { useEffect, useRef, useState } from "preact/hooks";

/** Runs by path. `everything`: events were missed, so all may have changed. */
export interface Change {
  readonly everything: boolean;
  readonly runs: ReadonlySet<string>;
  readonly vanished: ReadonlySet<string>;
}

/** Whether the service answers; `problem` is why its index is not kept up to date. */
export interface Connection {
  readonly state: "connecting" | "open" | "lost";
  readonly problem: string;
}

type Listener = (change: Change) => void;

const listeners = new Set<Listener>();
const watchers = new Set<(connection: Connection) => void>();
let connection: Connection = { state: "connecting", problem: "" };
let begun = false;

/** Opens the stream, once. */
export function listen(): void {
  if (begun) return;
  begun = true;
  const stream = new EventSource("api/events");
  let first = true;
  stream.addEventListener("ready", (event) => {
    set({ state: "open", problem: text(dataOf(event), "problem") });
    // The page has just loaded what it shows.
    if (!first) tell({ everything: true, runs: new Set(), vanished: new Set() });
    first = false;
  });
  stream.addEventListener("change", (event) => {
    const data = dataOf(event);
    const vanished = names(data, "vanished");
    const runs = [...names(data, "new"), ...names(data, "changed"), ...vanished];
    tell({ everything: false, runs: new Set(runs), vanished: new Set(vanished) });
  });
  stream.addEventListener("reload", () => {
    tell({ everything: true, runs: new Set(), vanished: new Set() });
  });
  stream.addEventListener("problem", (event) => {
    set({ state: "open", problem: text(dataOf(event), "error") });
  });
  stream.addEventListener("recovered", () => set({ state: "open", problem: "" }));
  stream.onerror = () => set({ ...connection, state: "lost" });
}

/** Calls the function at every change. */
export function useChanges(listener: Listener): void {
  const current = useRef(listener);
  current.current = listener;
  useEffect(() => {
    const call: Listener = (change) => current.current(change);
    listeners.add(call);
    return () => void listeners.delete(call);
  }, []);
}

/** The state of the stream. */
export function useConnection(): Connection {
  const [state, setState] = useState(connection);
  useEffect(() => {
    setState(connection);
    watchers.add(setState);
    return () => void watchers.delete(setState);
  }, []);
  return state;
}

/** Whether a change is about this run. */
export function concernsRun(run: string): (change: Change) => boolean {
  return (change) => change.everything || change.runs.has(run);
}

/** For what depends on every run. */
export function concernsAll(): boolean {
  return true;
}

function tell(change: Change): void {
  for (const listener of [...listeners]) listener(change);
}

function set(next: Connection): void {
  connection = next;
  for (const watcher of [...watchers]) watcher(next);
}

function dataOf(event: MessageEvent<unknown>): unknown {
  try {
    return JSON.parse(String(event.data)) as unknown;
  } catch {
    return null;
  }
}

function field(data: unknown, name: string): unknown {
  return typeof data === "object" && data !== null ? Reflect.get(data, name) : undefined;
}

function text(data: unknown, name: string): string {
  const value = field(data, name);
  return typeof value === "string" ? value : "";
}

function names(data: unknown, name: string): string[] {
  const value = field(data, name);
  return Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
}
