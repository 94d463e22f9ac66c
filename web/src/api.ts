/**
 * All data of the pages comes through here. Its types are generated from the service's own
 * description of its API.
 */
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Operations, Service, Shot } from "./api_types";
import { useChanges, type Change } from "./events";

export type * from "./api_types";

export type Path = keyof Operations;
export type Answer<P extends Path> = Operations[P]["answer"];
/** Parameters of the path and of the query, together. */
export type Parameters<P extends Path> = Operations[P]["query"];

/** A request that was refused, or did not arrive. `status` is 0 without an answer. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

/** Where data comes from: the service, or files of an export. */
export interface Source {
  /** The parsed answer to `api/runs?suite=…`. Raises ApiError. */
  json(target: string, signal?: AbortSignal): Promise<unknown>;
  /** The address of what the service has at `/api/…/pictures/…`. */
  picture(target: string): string;
  /** Whether data changes while the page is open. */
  readonly live: boolean;
}

declare global {
  interface Window {
    /** What index.html has asked the service for, by the address of the question. */
    houseguestEarly?: Map<string, { response: Promise<Response>; answer?: unknown }>;
  }
}

const service: Source = {
  json: (target, signal) => request(target, signal ? { signal } : {}),
  picture: (target) => target,
  live: true,
};

async function request(target: string, options: RequestInit): Promise<unknown> {
  let response: Response;
  try {
    response = await (early(target)?.response ?? fetch(target, options));
  } catch (error) {
    if (options.signal?.aborted) throw error;
    throw new ApiError(0, "The viewer does not answer. Is `houseguest view` still running?");
  }
  const answer: unknown = await response.json().catch(() => ({}));
  if (!response.ok) {
    throw new ApiError(response.status, problemOf(answer) || `HTTP ${response.status}`);
  }
  return answer;
}

/** What index.html has asked for. Each answer is used once: later ones are newer. */
function early(target: string) {
  const found = window.houseguestEarly?.get(target);
  window.houseguestEarly?.delete(target);
  return found;
}

let source: Source = service;

/** Makes all pages read from another source. Call it before the first page is shown. */
export function readFrom(other: Source): void {
  source = other;
}

export function isLive(): boolean {
  return source.live;
}

/** The answer to one question, such as `get("/api/runs/{run}", { run })`. Raises ApiError. */
export async function get<P extends Path>(
  path: P,
  parameters: Parameters<P>,
  signal?: AbortSignal,
): Promise<Answer<P>> {
  return (await source.json(target(path, parameters), signal)) as Answer<P>;
}

/** Changes something at the service: people's notes alone can be changed. Raises ApiError. */
export async function send(
  method: "POST" | "DELETE",
  target: string,
  body?: unknown,
): Promise<unknown> {
  const options: RequestInit = { method };
  if (body !== undefined) {
    options.headers = { "content-type": "application/json" };
    options.body = JSON.stringify(body);
  }
  return request(target, options);
}

/** The address for the `src` of a figure of a run's report. */
export function figureOf(run: string, figure: string): string {
  const [place, name] = [encodeURIComponent(run), encodeURIComponent(figure)];
  return source.picture(`api/runs/${place}/figures/${name}.svg`);
}

/** The address for the `src` of a picture of a run. */
export function pictureOf(
  run: string,
  { sha256, encoding, width }: Pick<Shot, "sha256" | "encoding"> & { readonly width?: number },
): string {
  const place = `api/runs/${encodeURIComponent(run)}/pictures/${encodeURIComponent(sha256)}`;
  const query = new URLSearchParams();
  if (encoding) query.set("encoding", encoding);
  if (encoding === "RAW_F32") query.set("width", String(width));
  return source.picture(query.size > 0 ? `${place}?${query}` : place);
}

/** The last answers: one who comes back to a page sees it at once, and its news soon after. */
const recent = new Map<string, unknown>();
const MOST_RECENT = 24;

function keep(target: string, answer: unknown): void {
  recent.delete(target);
  recent.set(target, answer);
  const [oldest] = recent.keys();
  if (recent.size > MOST_RECENT && oldest !== undefined) recent.delete(oldest);
}

export interface Loaded<T> {
  /** The last answer; it stays while a newer one is asked for. */
  readonly data: T | null;
  readonly error: ApiError | null;
  readonly loading: boolean;
}

/**
 * The answer to a question, asked again when the parameters change and when the service reports a
 * change for which `concerns` is true. `every` says after how many seconds it is asked again
 * anyway, 0 for never. `null` as parameters asks nothing.
 */
export function useData<P extends Path>(
  path: P,
  parameters: Parameters<P> | null,
  concerns: (change: Change) => boolean = () => false,
  every: (data: Answer<P> | null) => number = () => 0,
): Loaded<Answer<P>> {
  const wanted = parameters === null ? "" : target(path, parameters);
  const [state, setState] = useState<Loaded<Answer<P>>>(() => {
    const known = window.houseguestEarly?.get(wanted)?.answer ?? recent.get(wanted);
    const data = (known ?? null) as Answer<P> | null;
    return { data, error: null, loading: data === null };
  });
  const [asked, ask] = useState(0);
  const shown = useRef(state.data ? wanted : "");
  // A question leaves before the browser paints, which takes longer than many an answer.
  useLayoutEffect(() => {
    if (shown.current === wanted && early(wanted)) return undefined;
    if (!wanted) {
      setState({ data: null, error: null, loading: false });
      return undefined;
    }
    const stop = new AbortController();
    if (shown.current !== wanted) setState((old) => ({ ...old, loading: true }));
    source.json(wanted, stop.signal).then(
      (answer) => {
        shown.current = wanted;
        keep(wanted, answer);
        if (!stop.signal.aborted) {
          setState({ data: answer as Answer<P>, error: null, loading: false });
        }
      },
      (error: unknown) => {
        if (stop.signal.aborted) return;
        const problem = error instanceof ApiError ? error : new ApiError(0, String(error));
        setState((old) => ({ ...old, error: problem, loading: false }));
      },
    );
    return () => stop.abort();
  }, [wanted, asked]);
  useChanges((change) => {
    if (concerns(change)) ask((count) => count + 1);
  });
  const pause = source.live ? every(state.data) : 0;
  useEffect(() => {
    if (pause === 0) return undefined;
    const timer = window.setInterval(() => ask((count) => count + 1), pause * 1000);
    return () => window.clearInterval(timer);
  }, [pause]);
  return state;
}

let served: Promise<Service> | undefined;

/** What is served. It stays the same, so it is asked once for all parts of the page. */
export function useService(): Service | null {
  const [state, setState] = useState<Service | null>(null);
  useLayoutEffect(() => {
    served ??= get("/api/service", {});
    served.then(setState, () => (served = undefined));
  }, []);
  return state;
}

function target(path: Path, parameters: object): string {
  const query = new URLSearchParams();
  let place: string = path;
  for (const [name, value] of Object.entries(parameters) as [string, unknown][]) {
    if (place.includes(`{${name}}`)) {
      place = place.replace(`{${name}}`, () => encodeURIComponent(String(value)));
    } else {
      for (const each of Array.isArray(value) ? (value as readonly unknown[]) : [value]) {
        const text = typeof each === "number" ? String(each) : each;
        if (typeof text === "string" && text !== "") query.append(name, text);
      }
    }
  }
  const text = query.toString();
  // Relative to the page, which may lie below a prefix.
  return `${place.slice(1)}${text ? `?${text}` : ""}`;
}

function problemOf(answer: unknown): string {
  const isProblem = typeof answer === "object" && answer !== null && "error" in answer;
  return isProblem && typeof answer.error === "string" ? answer.error : "";
}
