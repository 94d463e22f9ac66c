/** Keys that work on a page. They are never taken from a field in which a person types. */
import { useEffect, useRef } from "preact/hooks";

export interface Shortcut {
  /** As in `KeyboardEvent.key`; a space between two keys means one after the other: `g r`. */
  readonly keys: string;
  readonly label: string;
  readonly run: () => void;
}

const active: Shortcut[][] = [];
const PAUSE = 900;
let pending = "";
let since = 0;

/** Adds keys while the component is shown; the page's help lists them. */
export function useShortcuts(shortcuts: readonly Shortcut[]): void {
  const current = useRef(shortcuts);
  current.current = shortcuts;
  useEffect(() => {
    const entry = current.current.map((each, place) => ({
      ...each,
      run: () => current.current[place]?.run(),
    }));
    active.push(entry);
    return () => void active.splice(active.indexOf(entry), 1);
  }, []);
}

/** All that work now. */
export function activeShortcuts(): readonly Shortcut[] {
  return active.flat();
}

export function listenToKeys(): void {
  window.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (isTyping(event.target) || document.querySelector("dialog[open]")) return;
    const earlier = event.timeStamp - since < PAUSE ? pending : "";
    const candidates = earlier ? [`${earlier} ${event.key}`, event.key] : [event.key];
    const found = candidates
      .map((keys) => active.flat().findLast((each) => each.keys === keys))
      .find((each) => each !== undefined);
    pending = found ? "" : event.key;
    since = event.timeStamp;
    if (!found || (event.key === " " && isButton(event.target))) return;
    event.preventDefault();
    found.run();
  });
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  const free = ["button", "checkbox", "radio", "range"];
  if (target instanceof HTMLInputElement) return !free.includes(target.type);
  return target.isContentEditable || ["TEXTAREA", "SELECT"].includes(target.tagName);
}

function isButton(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest("button, a, summary") !== null;
}
