/** What the page says around the player: where it is, how it ended, the task and the result. */
import { useState } from "preact/hooks";
import { useData, type EpisodeRow, type EpisodeView } from "../api";
import { dollars, percent, plural, seconds, words } from "../format";
import { address, go } from "../router";
import { useShortcuts } from "../shortcuts";
import { Part, Table } from "./details";
import type { Recording } from "./recording";
import type { Verdict } from "./why";

export function Head(props: {
  readonly run: string;
  readonly episode: string;
  readonly view: EpisodeView | null;
}) {
  const { run, episode, view } = props;
  const record = view?.record?.episode;
  const { before, after } = useNeighbours(record ?? null);
  const linkTo = (row: EpisodeRow) => address(["runs", row.run, "episodes", row.episode_id]);
  useShortcuts([
    { keys: "p", label: "Previous episode", run: () => before && go(linkTo(before)) },
    { keys: "n", label: "Next episode", run: () => after && go(linkTo(after)) },
  ]);
  const facts = record
    ? [record.group, record.repeat > 0 ? `repeat ${record.repeat}` : "", record.task_id]
    : [episode];
  return (
    <header class="ep-head">
      <div class="ep-title">
        <p class="crumbs">
          <a href={address(["runs", run])}>{run}</a>
          <span aria-hidden="true"> / </span>
          <span class="muted">{facts.filter(Boolean).join(" · ")}</span>
        </p>
        <h1>{view?.begin?.instruction.split("\n")[0] || record?.instruction || episode}</h1>
      </div>
      <nav class="neighbours" aria-label="Episodes of the run">
        {before && (
          <a class="button" href={linkTo(before)} rel="prev" title={before.task_id}>
            ← Previous
          </a>
        )}
        {after && (
          <a class="button" href={linkTo(after)} rel="next" title={after.task_id}>
            Next →
          </a>
        )}
      </nav>
    </header>
  );
}

/** The episodes of the run before and after this one, in the order in which they ended. */
function useNeighbours(record: EpisodeRow | null): {
  readonly before: EpisodeRow | null;
  readonly after: EpisodeRow | null;
} {
  const offset = record ? Math.max(record.seq - 2, 0) : 0;
  const { data } = useData(
    "/api/runs/{run}/episodes",
    record ? { run: record.run, offset, limit: 3 } : null,
  );
  const rows = data?.rows ?? [];
  const at = rows.findIndex((each) => each.episode_id === record?.episode_id);
  if (at < 0) return { before: null, after: null };
  return { before: rows[at - 1] ?? null, after: rows[at + 1] ?? null };
}

export function VerdictBanner(props: {
  readonly verdict: Verdict;
  readonly command: string;
  readonly recording: Recording;
}) {
  const { verdict } = props;
  return (
    <section class={`verdict ${verdict.kind}`} aria-label="How it ended">
      <div class="verdict-text">
        <p>
          <strong>{`${verdict.title}. `}</strong>
          {verdict.why}
        </p>
        {verdict.explanation && <p class="explanation">{verdict.explanation}</p>}
      </div>
      <div class="copies">
        <Copy label="Copy link to this step" text={() => window.location.href} />
        <Copy label="Copy replay command" text={() => props.command} title={props.command} />
        <Save recording={props.recording} />
      </div>
    </section>
  );
}

/** Saves all that the page has of the episode. */
function Save({ recording }: { readonly recording: Recording }) {
  const { run, episode, view, steps, total, facts } = recording;
  const save = () => {
    const data = { ...view, steps, facts: facts?.facts ?? null };
    const url = URL.createObjectURL(new Blob([JSON.stringify(data, null, 1)]));
    const link = document.createElement("a");
    link.href = url;
    link.download = `${run}-${episode}.json`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(url), 10_000);
  };
  const whole = steps.filter(Boolean).length >= total;
  return (
    <button type="button" disabled={!whole} title="Without the pictures" onClick={save}>
      Save as JSON
    </button>
  );
}

/** Puts a text on the clipboard, or shows it where that is not allowed. */
export function Copy(props: {
  readonly label: string;
  readonly text: () => string;
  readonly title?: string;
}) {
  const [state, setState] = useState<"" | "copied" | "refused">("");
  const copy = () => {
    navigator.clipboard.writeText(props.text()).then(
      () => setState("copied"),
      () => setState("refused"),
    );
    setTimeout(() => setState((old) => (old === "copied" ? "" : old)), 2000);
  };
  return (
    <span class="copy">
      <button type="button" title={props.title} onClick={copy}>
        {state === "copied" ? "Copied" : props.label}
      </button>
      <span class="visually-hidden" role="status">
        {state === "copied" ? "Copied" : ""}
      </span>
      {state === "refused" && <code class="copy-text">{props.text()}</code>}
    </span>
  );
}

/** Checks a final episode of a run, and plays it again; without one, all of the run. */
export function replayCommand(runs: string, run: string, episode: string | null): string {
  const command = `houseguest verify ${quoted(runs ? `${runs}/${run}` : run)}`;
  return episode === null ? command : `${command} --episode ${quoted(episode)}`;
}

function quoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

export function About({ view, command }: { readonly view: EpisodeView; readonly command: string }) {
  const { begin, record, end } = view;
  const context = Object.entries(begin?.context ?? {});
  const labels = Object.entries(record?.labels ?? {});
  const metrics = Object.entries(record?.metrics ?? end?.metrics ?? {});
  return (
    <div class="about">
      <details class="panel">
        <summary>What the environment sent at the beginning</summary>
        <div class="panel-body">
          <Part title="Instruction" text={begin?.instruction ?? ""} none="There is none." />
          {context.map(([name, value]) => (
            <Part key={name} title={words(name)} text={plain(value)} none="" mono />
          ))}
          <Skills space={begin?.action_space ?? {}} />
          <Part
            title="What the agent was told of its limits"
            text={plain(begin?.told)}
            none=""
            mono
          />
        </div>
      </details>
      <details class="panel">
        <summary>Result, labels and metrics</summary>
        <div class="panel-body columns">
          {record && <Result row={record.episode} />}
          {labels.length > 0 && (
            <Table rows={labels.map(([name, value]) => [words(name), value] as const)} />
          )}
          {metrics.length > 0 && (
            <Table rows={metrics.map(([name, value]) => [words(name), plain(value)] as const)} />
          )}
        </div>
      </details>
      <details class="panel">
        <summary>True task and settings</summary>
        <div class="panel-body">
          <Part title="Settings" text={plain(begin?.settings)} none="" mono />
          <Part title="Task" text={plain(begin?.task)} none="" mono />
          <p class="small muted">
            This command checks the recording, and plays it again: <code>{command}</code>
          </p>
        </div>
      </details>
    </div>
  );
}

function Result({ row }: { readonly row: EpisodeRow }) {
  return (
    <Table
      rows={[
        ["goal conditions met", percent(row.goals_met)],
        ["goal conditions gained", percent(row.goals_gained)],
        ["steps", row.steps],
        ["agent's time", seconds(row.agent_seconds)],
        ["environment's time", seconds(row.environment_seconds)],
        ["model calls", row.calls],
        ["tokens", `${row.input_tokens} sent, ${row.output_tokens} received`],
        ["cost", row.calls ? dollars(row.cost_usd) : "–"],
        ["seed", row.seed],
        ["agent", row.agent],
        ["session", row.session],
      ]}
    />
  );
}

function Skills({ space }: { readonly space: Readonly<Record<string, unknown>> }) {
  const skills = Array.isArray(space["skills"]) ? (space["skills"] as readonly unknown[]) : [];
  const format = space["answer_format"];
  return (
    <>
      <Part title="Answer format" text={typeof format === "string" ? format : ""} none="" mono />
      {skills.length > 0 && (
        <section class="part">
          <h3>{plural(skills.length, "skill")}</h3>
          <dl class="facts">
            {skills.map((each, place) => {
              const [name, what] = Array.isArray(each) ? (each as readonly unknown[]) : [];
              return (
                <div key={place}>
                  <dt class="mono">{plain(name)}</dt>
                  <dd>{plain(what)}</dd>
                </div>
              );
            })}
          </dl>
        </section>
      )}
    </>
  );
}

function plain(value: unknown): string {
  if (value === undefined || value === null) return "";
  if (typeof value === "string") return value;
  if (typeof value === "number") return String(Math.round(value * 10_000) / 10_000);
  if (Array.isArray(value) || typeof value === "object") return JSON.stringify(value, null, 1);
  return JSON.stringify(value);
}

/** The same task in other runs: each opens beside this episode. */
export function Others({ row, position }: { readonly row: EpisodeRow; readonly position: number }) {
  const run = useData("/api/runs/{run}", { run: row.run }).data?.run;
  // Another suite may have a task of this name.
  const { data } = useData(
    "/api/episodes",
    run ? { task: [row.task_id], suite: [run.suite], task_set: [run.task_set], limit: 50 } : null,
  );
  const others = (data?.rows ?? []).filter(
    (each) => each.run !== row.run || each.episode_id !== row.episode_id,
  );
  if (others.length === 0) return null;
  return (
    <section class="panel">
      <div class="panel-head">
        <h2>Other episodes of the same task</h2>
        <p class="muted">Each opens beside this episode.</p>
      </div>
      <ul class="others panel-body">
        {others.slice(0, 20).map((each) => (
          <li key={`${each.run}/${each.episode_id}`}>
            <a href={besides(row, each, position)}>{each.agent || each.run}</a>{" "}
            <span class={`badge ${each.success ? "good" : "bad"}`}>
              {each.success ? "success" : words(each.failure ?? each.fault ?? "failed")}
            </span>{" "}
            <span class="muted small">
              {plural(each.steps, "step")} · {each.run}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

export function besides(first: EpisodeRow, second: EpisodeRow, step: number): string {
  return address(["compare", "play"], {
    first: first.run,
    first_episode: first.episode_id,
    second: second.run,
    second_episode: second.episode_id,
    step: step || null,
  });
}
