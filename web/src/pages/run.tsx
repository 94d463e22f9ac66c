/** One run: what happens while it plays, and its results by group and label. */
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import {
  figureOf,
  useData,
  type AddedScoresRow,
  type GroupRow,
  type LogTail,
  type LostAgentRow,
  type LostRow,
  type RunRow,
  type RunView,
} from "../api";
import { EpisodeCards, episodesOf } from "../components/episodes";
import {
  Figure,
  Problem,
  Progress,
  Rate,
  StatusBadge,
  VerifiedBadge,
  verificationText,
} from "../components/parts";
import { breakable, Table, type Column } from "../components/table";
import { concernsRun } from "../events";
import {
  count,
  dollars,
  moment,
  percent,
  plural,
  points,
  seconds,
  thousands,
  words,
} from "../format";
import { address, change } from "../router";
import { agentOf, conditionText, settingsOf } from "../runs";

const POLL = 2;
const CARDS = 8;
/** Beginnings of the names of logs, the most interesting one last. */
const LOG_ORDER = ["worker-", "service", "lost-guests", "guest-"];
/** Seconds: what is longer says that the run lay still. */
const LONGEST = 2 * 86_400;

interface Props {
  readonly run: string;
  readonly query: URLSearchParams;
}

export function RunPage({ run, query }: Props) {
  // What an agent does between two ends of episodes is no change of the index.
  const { data, error } = useData("/api/runs/{run}", { run }, concernsRun(run), (view) =>
    view?.run.status === "running" ? POLL : 0,
  );
  if (data === null) {
    return (
      <div class="page">
        <h1>{run}</h1>
        <Problem error={error} />
      </div>
    );
  }
  const running = data.run.status === "running";
  return (
    <div class="page">
      <Head view={data} />
      <Problem error={error} />
      {data.run.problem && <p class="notice bad">{data.run.problem}</p>}
      <Figures view={data} />
      {running && <Live view={data} />}
      <LostAgents failures={data.lost_agents} />
      <Results view={data} />
      <AddedScores rows={data.added_scores} scored={data.run.scored} />
      {!running && data.run.final > 0 && <ReportFigures run={run} />}
      <LatestEpisodes run={run} total={data.run.final} />
      <Lost run={run} rows={data.lost} />
      <Logs view={data} name={query.get("log") ?? ""} running={running} />
    </div>
  );
}

function Head({ view: { run } }: { readonly view: RunView }) {
  return (
    <div>
      <div class="page-head">
        <h1 class="with-badge">
          {agentOf(run)}
          {run.model && <span class="muted">{run.model}</span>}
          <StatusBadge run={run} />
          <VerifiedBadge run={run} />
        </h1>
        <div class="actions">
          <a class="button" href={episodesOf(run.path)}>
            Episodes
          </a>
          <a class="button" href={address(["compare"], { first: run.path })}>
            Compare
          </a>
        </div>
      </div>
      <p class="mono muted">{run.path}</p>
      <dl class="facts">
        <Fact name="Tasks">
          <a href={address(["leaderboard"], { suite: run.suite, task_set: run.task_set })}>
            {run.suite} · {run.task_set}
          </a>
        </Fact>
        <Fact name="World">{run.world}</Fact>
        <Fact name="Rules">version {run.suite_version}</Fact>
        <Fact name="Condition">{conditionText(run.condition) || "defaults"}</Fact>
        <Fact name="Agent">{run.agent}</Fact>
        <Fact name="Seed">{run.seed}</Fact>
        <Fact name="Repeats">{run.repeats}</Fact>
        <Fact name="Time limits">{timeLimits(run)}</Fact>
        <Fact name="Started">{moment(run.created)}</Fact>
        {run.status !== "running" && <Fact name="Ended">{moment(run.changed)}</Fact>}
        <Fact name="Verified">
          <span title="houseguest verify checks the files and scores of a run">
            {verificationText(run)}
          </span>
        </Fact>
      </dl>
    </div>
  );
}

/** The agent's time limits, such as `step 600 s, episode 3,600 s`. */
function timeLimits(run: RunRow): string {
  const limits = Object.entries(settingsOf(run.budgets));
  const text = limits.map(
    ([name, limit]) => `${words(name.replace(/^agent_|_seconds$/g, ""))} ${seconds(Number(limit))}`,
  );
  return text.join(", ") || "none";
}

function Fact(props: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <div>
      <dt>{props.name}</dt>
      <dd>{props.children}</dd>
    </div>
  );
}

function Figures({ view: { run, limits } }: { readonly view: RunView }) {
  const episodes = run.final === run.planned ? run.final : `${run.final} of ${run.planned}`;
  return (
    <dl class="figures panel panel-padded">
      <Figure label="Success" title="With its 95 % confidence interval">
        <Rate
          rate={run.rate}
          low={run.low}
          high={run.high}
          note={
            <a class="small" href={episodesOf(run.path, { outcome: "success" })}>
              {run.successes} of {run.scored}
            </a>
          }
        />
      </Figure>
      <Figure label="Failed">
        <a href={episodesOf(run.path, { outcome: "failure" })}>{run.scored - run.successes}</a>
      </Figure>
      <Figure
        label="Goals gained"
        title="Goal conditions met beyond those that held at the start, in points"
      >
        {points(run.goals_gained)}
      </Figure>
      <Figure label="Goals met">{percent(run.goals_met)}</Figure>
      <Figure label="Episodes">
        <a href={episodesOf(run.path)}>{episodes}</a>
      </Figure>
      <Figure label="Steps" title="Leads to the longest episodes">
        <a href={longest(run.path, "steps")}>{thousands(run.steps)}</a>
      </Figure>
      <Figure label="Agent time" title="Leads to the slowest episodes">
        <a href={longest(run.path, "seconds")}>{seconds(run.agent_seconds)}</a>
      </Figure>
      <Figure label="World time">{seconds(run.environment_seconds)}</Figure>
      {(run.calls > 0 || limits.max_tokens !== null) && (
        <Figure label="Tokens">
          {count(run.tokens)}
          <Spent spent={run.tokens + run.uncounted_tokens} limit={limits.max_tokens} text={count} />
        </Figure>
      )}
      {(run.cost_usd !== null || limits.max_cost_usd !== null) && (
        <Figure label="Cost" title="Leads to the most expensive episodes">
          <a href={longest(run.path, "cost")}>{dollars(run.cost_usd)}</a>
          <Spent
            spent={(run.cost_usd ?? 0) + run.uncounted_cost_usd}
            limit={limits.max_cost_usd}
            text={dollars}
          />
        </Figure>
      )}
      {run.voids > 0 && (
        <Figure
          label="Voided"
          title="Lost to a fault of the simulator or the service, and replayed"
        >
          {run.voids}
        </Figure>
      )}
    </dl>
  );
}

/** What a run spent in all, also in episodes that do not count, and its limit. */
function Spent(props: {
  readonly spent: number;
  readonly limit: number | null;
  readonly text: (value: number) => string;
}) {
  const { spent, limit, text } = props;
  if (limit === null) return null;
  return (
    <div title="In all, also in episodes that do not count">
      <span class="muted small">
        {text(spent)} of {text(limit)}
      </span>
      <Progress done={Math.min(spent, limit)} of={limit} />
    </div>
  );
}

/** A run's episodes, those with the most of something first. */
function longest(run: string, sort: "cost" | "seconds" | "steps"): string {
  return episodesOf(run, { view: "table", sort, order: "desc" });
}

function Live({ view }: { readonly view: RunView }) {
  const { run, playing, per_minute, agent_logs, lost_agents } = view;
  const rate = per_minute ?? 0;
  const left = rate > 0 ? ((run.planned - run.final) / rate) * 60 : Infinity;
  const faults = run.voids + run.uncounted + run.lost_agents;
  return (
    <section class="panel panel-padded live" aria-labelledby="live">
      <h2 id="live">Now</h2>
      <p class="live-line">
        <span>
          {run.final} of {plural(run.planned, "episode")}
        </span>
        <span class="muted">{rate.toFixed(1)} per minute in the last 5 minutes</span>
        {left > 0 && left < LONGEST && <span class="muted">about {seconds(left)} left</span>}
        <span class={faults ? "bad" : "muted"}>
          {faults
            ? `${run.voids} voided, ${run.uncounted} uncounted, ${run.lost_agents} lost agents`
            : "no faults"}
        </span>
      </p>
      <Progress done={run.final} of={run.planned} />
      {playing.length > 0 && (
        <p class="live-line">
          <span class="muted">Playing:</span>
          {playing.slice(0, 20).map((episode) => (
            <a key={episode} href={address(["runs", run.path, "episodes", episode])}>
              {episode}
            </a>
          ))}
        </p>
      )}
      {agent_logs.map((log) => (
        <AgentNow key={log.name} log={log} failures={lost_agents} />
      ))}
    </section>
  );
}

/** An agent that plays: how it was lost last, and the end of its log. */
function AgentNow(props: { readonly log: LogTail; readonly failures: readonly LostAgentRow[] }) {
  const { log, failures } = props;
  const session = /[0-9]+/.exec(log.name)?.[0] ?? "";
  const last = failures.filter((each) => each.sessions.split(", ").includes(session)).at(-1);
  if (!last && !log.text.trim()) return null;
  return (
    <div class="agent-now">
      <h3>Agent {session}</h3>
      {last && (
        <p>
          <span class="badge bad">{words(last.failure)}</span> {last.problem}
        </p>
      )}
      {log.text.trim() && <LogText name={log.name} text={log.text.trimEnd()} short />}
    </div>
  );
}

/** Agents that ended early, the last one open. */
function LostAgents({ failures }: { readonly failures: readonly LostAgentRow[] }) {
  if (failures.length === 0) return null;
  return (
    <section class="panel panel-padded" aria-labelledby="lost-agents">
      <h2 id="lost-agents">Agents that ended early</h2>
      {[...failures]
        .reverse()
        .slice(0, 10)
        .map((each, place) => (
          <details key={failures.length - place} open={place === 0} class="lost-agent">
            <summary>
              <span class="badge bad">{words(each.failure)}</span>{" "}
              {each.sessions && <span>agent {each.sessions} </span>}
              {each.times > 1 && `${each.times} times `}
              {each.exit_code !== null && <span class="muted">exit code {each.exit_code} </span>}
              <span class="muted">
                {each.episode_id && `in ${each.episode_id}`}
                {each.step !== null && `, step ${each.step}`}
              </span>
            </summary>
            {each.problem && <p>{each.problem}</p>}
            {each.log_tail && (
              <pre class="log" tabIndex={0} aria-label="End of the agent's log">
                {each.log_tail}
              </pre>
            )}
          </details>
        ))}
    </section>
  );
}

function Results({ view }: { readonly view: RunView }) {
  const { path } = view.run;
  const labels = Object.entries(view.labels).filter(([, rows]) => rows.length > 0);
  const shared = labels.filter(([, rows]) => rows.length === 1 && rows[0]?.scored === all(view));
  const told = labels.filter((each) => !shared.includes(each) && !sameRows(each[1], view.groups));
  if (view.groups.length === 0) return null;
  return (
    <>
      <div class="results">
        <GroupTable
          title="Group"
          rows={view.groups}
          link={(name) => ({ group: name })}
          run={path}
        />
        <Failures view={view} />
        {told.map(([label, rows]) => (
          <GroupTable
            key={label}
            title={capital(words(label))}
            rows={rows}
            link={(name) => ({ label: `${label}=${name}` })}
            run={path}
          />
        ))}
      </div>
      {shared.length > 0 && (
        <p class="muted small">
          All episodes have{" "}
          {shared.map(([label, rows]) => `${words(label)} ${rows[0]?.name ?? ""}`).join(", ")}.
        </p>
      )}
    </>
  );
}

function all(view: RunView): number {
  return view.groups.reduce((sum, row) => sum + row.scored, 0);
}

/** Whether a label only repeats the groups. */
function sameRows(rows: readonly GroupRow[], groups: readonly GroupRow[]): boolean {
  const text = (each: readonly GroupRow[]) => JSON.stringify(each.map((r) => [r.name, r.scored]));
  return text(rows) === text(groups);
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The end of a log, with its last line in view unless one scrolled up to read. */
function LogText(props: {
  readonly name: string;
  readonly text: string;
  readonly short?: boolean;
}) {
  const { name, text, short = false } = props;
  const box = useRef<HTMLPreElement>(null);
  const follows = useRef(true);
  useLayoutEffect(() => {
    if (box.current && follows.current) box.current.scrollTop = box.current.scrollHeight;
  }, [text]);
  return (
    <pre
      ref={box}
      class={short ? "log short" : "log"}
      tabIndex={0}
      aria-label={`End of ${name}`}
      onScroll={(event) => {
        const { scrollTop, scrollHeight, clientHeight } = event.currentTarget;
        follows.current = scrollTop + clientHeight > scrollHeight - 20;
      }}
    >
      {text}
    </pre>
  );
}

/** The means of scores that a command added after the run. */
function AddedScores(props: { readonly rows: readonly AddedScoresRow[]; readonly scored: number }) {
  if (props.rows.length === 0) return null;
  return (
    <section class="panel panel-padded stack" aria-labelledby="added-scores">
      <h2 id="added-scores">Scores added after the run</h2>
      {props.rows.map((row) => (
        <div key={row.name}>
          <h3>{row.name}</h3>
          <p class="muted small">
            {row.description} {row.episodes} of {plural(props.scored, "scored episode")}.
          </p>
          {row.problem && <p class="notice bad">{row.problem}</p>}
          <dl class="figures">
            {Object.entries(row.means).map(([name, mean]) => (
              <Figure key={name} label={words(name)} title="Mean over these episodes">
                {mean.toFixed(3)}
              </Figure>
            ))}
          </dl>
        </div>
      ))}
    </section>
  );
}

/** The figures of `houseguest report`. Images run no scripts. */
function ReportFigures({ run }: { readonly run: string }) {
  const { data, loading } = useData("/api/runs/{run}/figures", { run }, concernsRun(run));
  // An export that was made without figures has nothing to say about them.
  if (data === null && !loading) return null;
  if (data?.rows.length === 0 && !data.problem) return null;
  return (
    <section class="panel panel-padded stack" aria-labelledby="figures">
      <h2 id="figures">Figures of the report</h2>
      {data === null && <p class="muted">The service draws them…</p>}
      {data?.problem && <p class="notice warn">{data.problem}</p>}
      <div class="report-figures">
        {data?.rows.map((row) => (
          <figure key={row.name}>
            <figcaption>{row.title}</figcaption>
            <div class="report-figure" tabIndex={0} role="group" aria-label={row.title}>
              <img
                src={`${figureOf(run, row.name)}?${data.revision}`}
                alt={`Figure: ${row.title}`}
              />
            </div>
            {row.note && <p class="muted small">{row.note}</p>}
          </figure>
        ))}
      </div>
    </section>
  );
}

function Failures({ view }: { readonly view: RunView }) {
  const failures = Object.entries(view.failures);
  const most = Math.max(...failures.map(([, number]) => number), 1);
  if (failures.length === 0) return null;
  return (
    <section class="panel" aria-labelledby="failures">
      <div class="panel-head">
        <h2 id="failures">Why episodes failed</h2>
      </div>
      <ul class="panel-body tally">
        {failures.map(([failure, number]) => (
          <li key={failure}>
            <a href={episodesOf(view.run.path, { failure })}>{words(failure)}</a>
            <span class="num">{number}</span>
            <div class="bar" aria-hidden="true">
              <div class="bar-fill bad" style={{ width: `${(number / most) * 100}%` }} />
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}

function GroupTable(props: {
  readonly title: string;
  readonly rows: readonly GroupRow[];
  readonly link: (name: string) => Readonly<Record<string, string>>;
  readonly run: string;
}) {
  const { title, rows, link, run } = props;
  const sorted = (name: string, sort: string, order: string) =>
    episodesOf(run, { ...link(name), view: "table", sort, order });
  const columns: Column<GroupRow>[] = [
    {
      id: "name",
      label: title,
      cell: (row) => <a href={episodesOf(run, link(row.name))}>{breakable(row.name || "none")}</a>,
    },
    {
      id: "rate",
      label: "Success",
      cell: (row) => (
        <a class="plain" href={episodesOf(run, link(row.name))}>
          <Rate rate={row.rate} low={row.low} high={row.high} />
        </a>
      ),
    },
    {
      id: "successes",
      label: "Solved",
      number: true,
      cell: (row) => (
        <a href={episodesOf(run, { ...link(row.name), outcome: "success" })}>{row.successes}</a>
      ),
    },
    {
      id: "failed",
      label: "Failed",
      number: true,
      cell: (row) => (
        <a href={episodesOf(run, { ...link(row.name), outcome: "failure" })}>
          {row.scored - row.successes}
        </a>
      ),
    },
    {
      id: "gained",
      label: "Goals gained",
      number: true,
      title: "Leads to the episodes that gained least",
      cell: (row) =>
        row.goals_gained === null ? null : (
          <a href={sorted(row.name, "goals_gained", "asc")}>{points(row.goals_gained)}</a>
        ),
    },
    {
      id: "steps",
      label: "Mean steps",
      number: true,
      title: "Leads to the longest episodes",
      cell: (row) =>
        row.scored ? (
          <a href={sorted(row.name, "steps", "desc")}>{(row.steps / row.scored).toFixed(1)}</a>
        ) : null,
    },
  ];
  return (
    <section class="panel" aria-label={`By ${title.toLowerCase()}`}>
      <div class="panel-head">
        <h2>By {title.toLowerCase()}</h2>
      </div>
      <Table
        caption={`Results by ${title.toLowerCase()}`}
        columns={columns}
        rows={rows}
        keyOf={(row) => row.name}
      />
    </section>
  );
}

function LatestEpisodes({ run, total }: { readonly run: string; readonly total: number }) {
  const offset = Math.max(total - CARDS, 0);
  const parameters = { run, offset, limit: CARDS };
  const { data } = useData("/api/runs/{run}/episodes", parameters, concernsRun(run));
  if (!data || data.rows.length === 0) return null;
  return (
    <section class="stack" aria-labelledby="latest">
      <div class="page-head">
        <h2 id="latest">Latest episodes</h2>
        <a href={episodesOf(run)}>All {plural(data.total, "episode")}</a>
      </div>
      <EpisodeCards episodes={[...data.rows].reverse()} withRun={false} />
    </section>
  );
}

function Lost({ run, rows }: { readonly run: string; readonly rows: readonly LostRow[] }) {
  if (rows.length === 0) return null;
  const columns: Column<LostRow>[] = [
    {
      id: "task",
      label: "Task",
      cell: (row) => (
        <>
          <a href={address(["runs", run, "episodes", row.episode_id])}>{row.task_id}</a>
          {row.repeat > 0 && <span class="muted"> repeat {row.repeat + 1}</span>}
        </>
      ),
    },
    { id: "cause", label: "Cause", cell: (row) => words(row.cause) },
    { id: "detail", label: "Detail", cell: (row) => row.detail || null },
    { id: "session", label: "Session", cell: (row) => row.session || null },
  ];
  return (
    <section class="panel" aria-labelledby="lost">
      <div class="panel-head">
        <h2 id="lost">Attempts without a result</h2>
        <span class="muted small">They count in no rate</span>
      </div>
      <Table
        caption="Attempts without a result"
        columns={columns}
        rows={rows}
        keyOf={(row) => `${row.kind}-${row.seq}`}
      />
    </section>
  );
}

function Logs(props: { readonly view: RunView; readonly name: string; readonly running: boolean }) {
  const { view, name, running } = props;
  const names = view.logs.filter((log) => log.size > 0).map((log) => log.name);
  // What people want to read comes first: the agents, then the service.
  const rank = (log: string) => LOG_ORDER.findIndex((each) => log.startsWith(each));
  names.sort((one, two) => rank(two) - rank(one));
  const shown = names.includes(name) ? name : (names[0] ?? "");
  const asked = shown ? { run: view.run.path, log: shown } : null;
  const { data, error } = useData("/api/runs/{run}/logs/{log}", asked, undefined, () =>
    running ? POLL : 0,
  );
  if (!shown) return null;
  return (
    <section class="panel panel-padded stack" aria-labelledby="logs">
      <div class="page-head">
        <h2 id="logs">Logs</h2>
        <select
          aria-label="Log"
          value={shown}
          onChange={(event) => change({ log: event.currentTarget.value }, true)}
        >
          {names.map((each) => (
            <option key={each}>{each}</option>
          ))}
        </select>
      </div>
      <Problem error={error} />
      {data && (
        <>
          {data.cut && <p class="muted small">The end of {count(data.size)} bytes.</p>}
          <LogText name={data.name} text={data.text} />
        </>
      )}
    </section>
  );
}
