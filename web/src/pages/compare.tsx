/** Two runs on the tasks that they share: the difference, and the episodes that make it. */
import { useData, type ComparisonView, type PairRow, type RunRow } from "../api";
import { episodesOf } from "../components/episodes";
import { Segments } from "../components/filters";
import { Empty, Pager, Problem, Rate, StatusBadge } from "../components/parts";
import { Table, type Column } from "../components/table";
import { concernsAll } from "../events";
import { moment, plural, points } from "../format";
import { address, change, whole } from "../router";
import { agentOf, conditionText, settingsOf } from "../runs";

const LIMIT = 500;
const FLIPS = [
  ["", "All"],
  ["only_second", "Only second"],
  ["only_first", "Only first"],
  ["both", "Both"],
  ["neither", "Neither"],
] as const;

export function ComparePage({ query }: { readonly query: URLSearchParams }) {
  const first = query.get("first") ?? "";
  const second = query.get("second") ?? "";
  const offset = whole(query, "offset", 0);
  const runs = useData("/api/runs", { limit: 500, sort: "created" }, concernsAll).data;
  const asked = first && second ? { first, second, offset, limit: LIMIT } : null;
  const { data, error } = useData("/api/comparisons", asked, concernsAll);
  const rows = runs?.rows ?? [];
  return (
    <div class="page">
      <h1>Compare</h1>
      <div class="pickers">
        <RunPicker name="first" label="First run" value={first} rows={rows} other={second} />
        <button
          type="button"
          class="quiet"
          disabled={!first && !second}
          onClick={() => change({ first: second, second: first })}
        >
          ⇄ <span class="visually-hidden">Swap the runs</span>
        </button>
        <RunPicker name="second" label="Second run" value={second} rows={rows} other={first} />
      </div>
      <Problem error={error} />
      {!asked && <Empty>Choose two runs of the same tasks.</Empty>}
      {asked && data && <Comparison view={data} kind={query.get("flip") ?? ""} offset={offset} />}
    </div>
  );
}

function RunPicker(props: {
  readonly name: string;
  readonly label: string;
  readonly value: string;
  readonly rows: readonly RunRow[];
  readonly other: string;
}) {
  const { name, label, value, rows } = props;
  const other = rows.find((run) => run.path === props.other);
  const known = rows.some((run) => run.path === value);
  const matching = rows.filter((run) => !other || run.suite === other.suite);
  const shown = matching.some((run) => run.path === value) ? matching : rows;
  return (
    <label class="picker">
      <span class="muted small">{label}</span>
      <select
        value={value}
        onChange={(event) => change({ [name]: event.currentTarget.value, offset: "" })}
      >
        <option value="">Choose a run</option>
        {value && !known && <option value={value}>{value}</option>}
        {shown.map((run) => (
          <option key={run.path} value={run.path}>
            {[run.path, run.model, moment(run.created)].filter(Boolean).join(" · ")}
          </option>
        ))}
      </select>
    </label>
  );
}

function Comparison(props: {
  readonly view: ComparisonView;
  readonly kind: string;
  readonly offset: number;
}) {
  const { view, kind, offset } = props;
  return (
    <>
      {view.problem && <p class="notice warn">{view.problem}</p>}
      {!view.problem && !view.same_setting && <Unlike first={view.first} second={view.second} />}
      <div class="versus">
        <Side run={view.first} label="First" rate={view.first_rate} />
        <Side run={view.second} label="Second" rate={view.second_rate} />
        {view.difference !== null && <Difference view={view} />}
        {!view.problem && <Flips view={view} kind={kind} />}
      </div>
      {view.pairs.total > 0 && <Pairs view={view} kind={kind} offset={offset} />}
    </>
  );
}

/** What else differs between the runs: the difference may come from there. */
function Unlike({ first, second }: { readonly first: RunRow; readonly second: RunRow }) {
  const [before, after] = [settingsOf(first.condition), settingsOf(second.condition)];
  const named: [string, string, string][] = [
    ["task set", first.task_set, second.task_set],
    ["world", first.world, second.world],
    ...Object.keys({ ...before, ...after }).map((name): [string, string, string] => [
      name,
      before[name] ?? "not set",
      after[name] ?? "not set",
    ]),
  ];
  const unlike = named.filter(([, one, other]) => one !== other);
  return (
    <div class="notice warn">
      <p>These runs have different settings. The difference may come from them.</p>
      {unlike.length > 0 && (
        <ul>
          {unlike.map(([name, one, other]) => (
            <li key={name}>
              {name}: {one} in the first, {other} in the second
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function Side(props: {
  readonly run: RunRow;
  readonly label: string;
  readonly rate: number | null;
}) {
  const { run, label, rate } = props;
  return (
    <section class="panel panel-padded stack" aria-label={`${label} run`}>
      <div class="page-head">
        <h2>
          <a href={address(["runs", run.path])}>{agentOf(run)}</a> {run.model}
        </h2>
        <span class="badge">{label}</span>
      </div>
      <p class="small">
        <a href={episodesOf(run.path, { outcome: "failure" })}>
          {plural(run.scored - run.successes, "failed episode")}
        </a>{" "}
        of <a href={episodesOf(run.path)}>{run.scored}</a>
      </p>
      <div class="muted small">
        <span class="mono">{run.path}</span>
        <div title={conditionText(run.condition)}>
          {run.suite} · {run.task_set} · {run.world}
        </div>
      </div>
      {rate === null ? (
        <div>
          <StatusBadge run={run} /> <Rate rate={run.rate} low={run.low} high={run.high} />
        </div>
      ) : (
        <Rate rate={rate} note={<span class="muted small">on the shared tasks</span>} />
      )}
    </section>
  );
}

function Difference({ view }: { readonly view: ComparisonView }) {
  const { difference, low, high, p_value: p } = view;
  if (difference === null || low === null || high === null) return null;
  const certain = low > 0 || high < 0;
  return (
    <section class="panel panel-padded stack" aria-labelledby="difference">
      <h2 id="difference">Second minus first</h2>
      <p class="big">
        {points(difference)} <span class="muted small">points</span>
      </p>
      <DifferenceChart difference={difference} low={low} high={high} />
      <p class="muted small">
        95 % interval {points(low)} to {points(high)} · {plural(view.tasks, "shared task")}
        {view.pairing === "tasks" && ", as means over their repeats"}
      </p>
      <p>
        {certain
          ? "The interval leaves out zero: the runs differ."
          : "The interval contains zero: the runs may be equally good."}{" "}
        {p !== null && (
          <span class="muted">
            McNemar&apos;s exact test: p = {p < 0.001 ? "< 0.001" : p.toFixed(3)}
          </span>
        )}
      </p>
    </section>
  );
}

const WIDTH = 300;
const EDGE = 8;

function DifferenceChart(props: {
  readonly difference: number;
  readonly low: number;
  readonly high: number;
}) {
  const { difference, low, high } = props;
  const reach = Math.min(Math.max(Math.abs(low), Math.abs(high), 0.1) * 1.15, 1);
  const at = (value: number) => EDGE + ((value + reach) / (2 * reach)) * (WIDTH - 2 * EDGE);
  return (
    <svg class="difference" viewBox={`0 0 ${WIDTH} 40`} aria-hidden="true">
      <line class="axis" x1={0} x2={WIDTH} y1={14} y2={14} />
      <line class="zero" x1={WIDTH / 2} x2={WIDTH / 2} y1={2} y2={26} />
      <line class="range" x1={at(low)} x2={at(high)} y1={14} y2={14} />
      <circle cx={at(difference)} cy={14} r={6} />
      <text x={0} y={38}>
        {points(-reach)}
      </text>
      <text x={WIDTH / 2} y={38} text-anchor="middle">
        0
      </text>
      <text x={WIDTH} y={38} text-anchor="end">
        {points(reach)}
      </text>
    </svg>
  );
}

/** Who solved what, as a table of two by two; each number chooses its episodes. */
function Flips({ view, kind }: { readonly view: ComparisonView; readonly kind: string }) {
  const { flips } = view;
  const cell = (name: keyof typeof flips, colour: string) => (
    <td>
      <button
        type="button"
        class={`flip ${colour}`}
        aria-pressed={kind === name}
        onClick={() => change({ flip: kind === name ? "" : name, offset: "" })}
      >
        {flips[name]}
      </button>
    </td>
  );
  return (
    <section class="panel panel-padded stack" aria-labelledby="flips">
      <h2 id="flips">Episodes by who succeeded</h2>
      <table class="flips">
        <thead>
          <tr>
            <td />
            <th scope="col">Second succeeded</th>
            <th scope="col">Second failed</th>
          </tr>
        </thead>
        <tbody>
          <tr>
            <th scope="row">First succeeded</th>
            {cell("both", "good")}
            {cell("only_first", "bad")}
          </tr>
          <tr>
            <th scope="row">First failed</th>
            {cell("only_second", "accent")}
            {cell("neither", "")}
          </tr>
        </tbody>
      </table>
    </section>
  );
}

function kindOf(pair: PairRow): string {
  if (pair.first_success) return pair.second_success ? "both" : "only_first";
  return pair.second_success ? "only_second" : "neither";
}

function Pairs(props: {
  readonly view: ComparisonView;
  readonly kind: string;
  readonly offset: number;
}) {
  const { view, kind, offset } = props;
  const rows = view.pairs.rows.filter((pair) => kind === "" || kindOf(pair) === kind);
  const [first, second] = [view.first.path, view.second.path];
  const columns: Column<PairRow>[] = [
    {
      id: "task",
      label: "Task",
      cell: (pair) => (
        <>
          <a class="row-name" href={playersOf(first, second, pair)}>
            {pair.task_id}
          </a>
          {pair.repeat > 0 && <span class="muted"> repeat {pair.repeat + 1}</span>}
        </>
      ),
    },
    { id: "group", label: "Group", cell: (pair) => pair.group || null },
    {
      id: "first",
      label: "First",
      cell: (pair) => <Ended run={first} episode={pair.first} success={pair.first_success} />,
    },
    {
      id: "second",
      label: "Second",
      cell: (pair) => <Ended run={second} episode={pair.second} success={pair.second_success} />,
    },
    {
      id: "players",
      label: "Side by side",
      cell: (pair) => <a href={playersOf(first, second, pair)}>Play both</a>,
    },
  ];
  return (
    <section class="panel" aria-labelledby="pairs">
      <div class="panel-head">
        <h2 id="pairs">Episodes of the same task</h2>
        <Segments name="flip" label="Who succeeded" value={kind} options={FLIPS} />
      </div>
      {rows.length === 0 && <Empty>There is no such pair.</Empty>}
      {rows.length > 0 && (
        <Table
          caption="Episodes of the same task"
          columns={columns}
          rows={rows}
          keyOf={(pair) => `${pair.task_id}/${pair.repeat}`}
        />
      )}
      <Pager offset={offset} limit={LIMIT} total={view.pairs.total} />
    </section>
  );
}

function playersOf(first: string, second: string, pair: PairRow): string {
  return address(["compare", "play"], {
    first,
    first_episode: pair.first,
    second,
    second_episode: pair.second,
  });
}

function Ended(props: {
  readonly run: string;
  readonly episode: string;
  readonly success: boolean;
}) {
  const { run, episode, success } = props;
  return (
    <a
      class={`badge ${success ? "good" : "bad"}`}
      href={address(["runs", run, "episodes", episode])}
    >
      {success ? "Success" : "Failure"}
    </a>
  );
}
