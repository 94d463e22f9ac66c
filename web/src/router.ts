/**
 * The page's place: `#/runs/NAME?suite=asgard`. All that a page shows follows from it, so that a
 * link brings another person to the same view.
 */
import { useEffect, useState } from "preact/hooks";

export interface Place {
  /** The path's parts, decoded. */
  readonly path: readonly string[];
  readonly query: URLSearchParams;
}

export type Value = string | number | boolean | null | undefined | readonly (string | number)[];
export type Values = Readonly<Record<string, Value>>;

const CHANGED = "houseguest:place";

export function parse(hash: string): Place {
  const [path, query] = split(hash.replace(/^#/, ""), "?");
  return { path: path.split("/").filter(Boolean).map(decoded), query: new URLSearchParams(query) };
}

/** The address of a place, for an `href`. Empty values are left out. */
export function address(path: readonly string[], values: Values = {}): string {
  const query = new URLSearchParams();
  put(query, values);
  const text = query.toString();
  return `#/${path.map(encodeURIComponent).join("/")}${text ? `?${text}` : ""}`;
}

export function here(): Place {
  return parse(window.location.hash);
}

export function go(target: string): void {
  window.location.hash = target;
}

/**
 * Changes values of the query here and keeps the others. `replace` makes no entry in the
 * browser's history: for typing and scrubbing.
 */
export function change(values: Values, replace = false): void {
  const { path, query } = here();
  put(query, values);
  const text = query.toString();
  const target = `#/${path.map(encodeURIComponent).join("/")}${text ? `?${text}` : ""}`;
  if (target === window.location.hash) return;
  if (replace) window.history.replaceState(window.history.state, "", target);
  else window.history.pushState(null, "", target);
  window.dispatchEvent(new Event(CHANGED));
}

/** The place, again whenever it changes. */
export function usePlace(): Place {
  const [place, setPlace] = useState(here);
  useEffect(() => {
    const update = () => setPlace(here());
    for (const name of ["hashchange", "popstate", CHANGED]) window.addEventListener(name, update);
    return () => {
      for (const name of ["hashchange", "popstate", CHANGED]) {
        window.removeEventListener(name, update);
      }
    };
  }, []);
  return place;
}

// --- Where one was on a page

interface Visit {
  /** How far the window was scrolled. */
  readonly y?: number;
  /** The link that led elsewhere. */
  readonly link?: string;
}

const PAUSE = 100;
const PATIENCE = 3000;

/** Where one was when this entry of the history was left; nothing of a new entry. */
export function visited(): Visit {
  return (window.history.state ?? {}) as Visit;
}

/** Keeps in each entry of the history where one is, and goes there on the way back. */
export function keepPlace(): void {
  window.history.scrollRestoration = "manual";
  let timer = 0;
  const keep = (more: Visit = {}) => {
    window.clearTimeout(timer);
    window.history.replaceState({ ...visited(), y: window.scrollY, ...more }, "");
  };
  window.addEventListener("scroll", () => {
    window.clearTimeout(timer);
    timer = window.setTimeout(keep, PAUSE);
  });
  document.addEventListener(
    "click",
    (event) => {
      const link = event.target instanceof Element ? event.target.closest("main a[href]") : null;
      if (link) keep({ link: link.getAttribute("href") ?? "" });
    },
    true,
  );
  window.addEventListener("popstate", comeBack);
  comeBack();
}

/** Scrolls to where one was as soon as the page is long enough, unless one scrolls first. */
function comeBack(): void {
  const { y = 0, link } = visited();
  if (y === 0 && link === undefined) return;
  const [until, since] = [performance.now() + PATIENCE, window.location.hash];
  let isOver = false;
  const stop = () => (isOver = true);
  for (const name of ["wheel", "pointerdown", "keydown"]) {
    window.addEventListener(name, stop, { once: true, capture: true });
  }
  const look = () => {
    if (isOver || performance.now() > until || window.location.hash !== since) return;
    const left = link && document.querySelector<HTMLElement>(`main a[href="${CSS.escape(link)}"]`);
    const isLong = document.documentElement.scrollHeight - window.innerHeight >= y;
    if (isLong && (left || link === undefined)) {
      if (left) left.focus({ preventScroll: true });
      window.scrollTo(0, y);
    } else {
      requestAnimationFrame(look);
    }
  };
  requestAnimationFrame(look);
}

/** A whole number of the query that is not below `least`. */
export function whole(query: URLSearchParams, name: string, fallback: number, least = 0): number {
  const text = query.get(name) ?? "";
  const value = /^\d{1,9}$/.test(text) ? Number(text) : fallback;
  return value < least ? fallback : value;
}

function put(query: URLSearchParams, values: Values): void {
  for (const [name, value] of Object.entries(values)) {
    query.delete(name);
    const several = Array.isArray(value) ? (value as readonly Value[]) : [value];
    for (const each of several) {
      if (each !== null && each !== undefined && each !== "" && each !== false) {
        query.append(name, String(each));
      }
    }
  }
}

function split(text: string, mark: string): [string, string] {
  const at = text.indexOf(mark);
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
