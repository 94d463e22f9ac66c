/** Small parts that several pages show. */
import type { ComponentChildren } from "preact";
import type { ApiError, EpisodeRow, RunRow } from "../api";
import { NONE, interval, moment, percent, plural, thousands, words } from "../format";
import { change } from "../router";
import { useShortcuts } from "../shortcuts";

/** A success rate as text and as a bar, with its 95 % interval. */
export function Rate(props: {
  readonly rate: number | null;
  readonly low?: number | null;
  readonly high?: number | null;
  readonly note?: ComponentChildren;
}) {
  const { rate, low = null, high = null, note } = props;
  if (rate === null) return <span class="muted">{NONE}</span>;
  return (
    <div class="rate">
      <div class="rate-text">
        <strong>{percent(rate)}</strong>
        {low !== null && high !== null && (
          <span class="muted small" title="95 % confidence interval">
            {interval(low, high)}
          </span>
        )}
        {note}
      </div>
      <RateBar rate={rate} low={low} high={high} />
    </div>
  );
}

/** The bar alone: the same numbers stand beside it as text. */
export function RateBar(props: {
  readonly rate: number;
  readonly low?: number | null;
  readonly high?: number | null;
}) {
  const { rate, low = null, high = null } = props;
  return (
    <div class="bar" aria-hidden="true">
      <div class="bar-fill" style={{ width: share(rate) }} />
      {low !== null && high !== null && (
        <div class="bar-interval" style={{ left: share(low), width: share(high - low) }} />
      )}
    </div>
  );
}

function share(part: number): string {
  return `${(Math.min(Math.max(part, 0), 1) * 100).toFixed(2)}%`;
}

/** How far a run is. */
export function Progress({ done, of }: { readonly done: number; readonly of: number }) {
  return (
    <progress class="progress" value={done} max={Math.max(of, 1)}>
      {done} of {of}
    </progress>
  );
}

const STATUSES: Readonly<Record<string, readonly [kind: string, label: string]>> = {
  complete: ["good", "Complete"],
  running: ["live", "Running"],
  stopped: ["warn", "Stopped"],
  unreadable: ["bad", "Unreadable"],
};

export function StatusBadge({ run }: { readonly run: Pick<RunRow, "status" | "problem"> }) {
  const [kind, label] = STATUSES[run.status] ?? ["", words(run.status)];
  return (
    <span class={`badge ${kind}`} title={run.problem || undefined}>
      {run.status === "running" && <span class="pulse" aria-hidden="true" />}
      {label}
    </span>
  );
}

const VERIFIED: Readonly<Record<string, readonly [kind: string, label: string]>> = {
  passed: ["good", "Verified"],
  failed: ["bad", "Problems"],
  changed: ["warn", "Changed"],
  never: ["", "Not verified"],
};

/** What a filter or a badge calls a value of `verified`. */
export function verifiedLabel(verified: string): string {
  return VERIFIED[verified]?.[1] ?? words(verified);
}

type VerifiedRun = Pick<RunRow, "verified" | "verification">;

/** What `houseguest verify` found. Nothing for a run that was never verified. */
export function VerifiedBadge(props: { readonly run: VerifiedRun; readonly short?: boolean }) {
  const { run, short = false } = props;
  if (run.verification === null) return null;
  const [kind] = VERIFIED[run.verified] ?? [""];
  const passed = run.verified === "passed";
  return (
    <span class={`badge ${kind}`} title={verificationText(run)}>
      {passed && <span aria-hidden="true">✓{!short && " "}</span>}
      <span class={passed && short ? "visually-hidden" : ""}>{verifiedLabel(run.verified)}</span>
    </span>
  );
}

/** What the last verification of a run found. */
export function verificationText({ verified, verification }: VerifiedRun): string {
  if (verification === null) return "no";
  const { created, houseguest, episodes, replayed, problems, public_key } = verification;
  const found = problems === 0 ? "no problems" : plural(problems, "problem");
  const key = public_key ? `, signed by the key ${public_key.slice(0, 16)}…` : "";
  const changed = verified === "changed" ? ". The run has changed since then" : "";
  return (
    `${moment(created)} with houseguest ${houseguest}: ${found} in ` +
    `${plural(episodes, "episode")}, ${replayed} of them replayed${key}${changed}`
  );
}

/** How an episode ended. */
export function OutcomeBadge({ episode }: { readonly episode: EpisodeRow }) {
  if (episode.fault !== null) {
    return <span class="badge warn">Unscored: {words(episode.fault)}</span>;
  }
  if (episode.success) return <span class="badge good">Success</span>;
  return <span class="badge bad">{words(episode.failure ?? "failure")}</span>;
}

/** A problem with a request, and nothing if there is none. */
export function Problem({ error }: { readonly error: ApiError | null }) {
  if (error === null) return null;
  return (
    <p class="notice bad" role="alert">
      {error.message}
    </p>
  );
}

export function Empty({ children }: { readonly children: ComponentChildren }) {
  return <div class="empty">{children}</div>;
}

/** Steps through the pages of a list by `offset` in the address. */
export function Pager(props: {
  readonly offset: number;
  readonly limit: number;
  readonly total: number;
}) {
  const { offset, limit, total } = props;
  const last = Math.min(offset + limit, total);
  const turn = (to: number) => {
    if (to === offset || to >= total) return;
    change({ offset: to || "" });
    window.scrollTo(0, 0);
  };
  const back = () => turn(Math.max(offset - limit, 0));
  const on = () => turn(offset + limit);
  useShortcuts([
    { keys: "[", label: "Previous page of the list", run: back },
    { keys: "]", label: "Next page of the list", run: on },
  ]);
  if (total <= limit && offset === 0) return null;
  return (
    <nav class="pager" aria-label="Pages of the list">
      <button type="button" disabled={offset === 0} title="Key [" onClick={back}>
        Previous
      </button>
      <span class="muted">
        {thousands(Math.min(offset + 1, total))} to {thousands(last)} of {thousands(total)}
      </span>
      <button type="button" disabled={last >= total} title="Key ]" onClick={on}>
        Next
      </button>
    </nav>
  );
}

/** A number with its name, as on the head of a run. */
export function Figure(props: {
  readonly label: string;
  readonly title?: string;
  readonly children: ComponentChildren;
}) {
  return (
    <div class="figure" title={props.title}>
      <dt>{props.label}</dt>
      <dd>{props.children}</dd>
    </div>
  );
}
