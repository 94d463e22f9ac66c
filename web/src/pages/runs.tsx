/** All runs in a table: search, filters, sorting; two of them can be picked to be compared. */
import { useMemo } from "preact/hooks";
import { useData, type Parameters, type RunRow } from "../api";
import { episodesOf } from "../components/episodes";
import { FilterField } from "../components/filter_field";
import { Clear, Days, Facet, RunFacets, choices } from "../components/filters";
import {
  Empty,
  Pager,
  Problem,
  Progress,
  Rate,
  StatusBadge,
  VerifiedBadge,
  verifiedLabel,
} from "../components/parts";
import { ColumnMenu, shownColumns, Table, type Column, type Sorting } from "../components/table";
import { concernsAll } from "../events";
import { ago, count, dollars, moment, plural, points, seconds, words } from "../format";
import { address, change, whole } from "../router";
import {
  RUN_FILTERS,
  agentOf,
  conditionChoices,
  conditionText,
  differing,
  runFilters,
  runKeys,
} from "../runs";

const LIMIT = 50;
type Sort = NonNullable<Parameters<"/api/runs">["sort"]>;

export function RunsPage({ query }: { readonly query: URLSearchParams }) {
  const offset = whole(query, "offset", 0);
  const sort = (query.get("sort") ?? "created") as Sort;
  const order = query.get("order") === "asc" ? "asc" : "desc";
  const picked = query.getAll("pick").slice(0, 2);
  const parameters = { ...runFilters(query), sort, order, offset, limit: LIMIT } as const;
  const { data, error } = useData("/api/runs", parameters, concernsAll);
  const facets = useData("/api/facets", {}, concernsAll).data;
  const conditions = Object.keys(facets?.conditions ?? {}).join("\n");
  const shown = useMemo(() => differing(conditions ? conditions.split("\n") : []), [conditions]);
  const keys = useMemo(() => runKeys(facets), [facets]);
  const hidden = query.getAll("hide");
  const sorting: Sorting = {
    by: sort,
    order,
    change: (by, next) => change({ sort: by, order: next, offset: "" }),
  };
  const all = useMemo(() => columnsOf(shown, picked), [shown, picked.join("\n")]);
  const columns = useMemo(() => shownColumns(all, hidden), [all, hidden.join("\n")]);
  return (
    <div class="page">
      <div class="page-head">
        <h1>Runs</h1>
        <span class="muted" role="status">
          {data ? plural(data.total, "run") : ""}
        </span>
      </div>
      <div class="filters">
        <FilterField
          label="Filter runs"
          query={query}
          keys={keys}
          search="search"
          example="agent:random status:complete"
        />
        <RunFacets query={query} facets={facets} />
        <Facet
          name="condition"
          label="Condition"
          options={conditionChoices(facets)}
          chosen={query.getAll("condition")}
        />
        <Facet
          name="status"
          label="Status"
          options={choices(facets?.statuses, words)}
          chosen={query.getAll("status")}
        />
        <Facet
          name="verified"
          label="Verified"
          options={choices(facets?.verified, verifiedLabel)}
          chosen={query.getAll("verified")}
        />
        <Days from={query.get("created_from") ?? ""} to={query.get("created_to") ?? ""} />
        <ColumnMenu columns={all} hidden={hidden} />
        <Clear query={query} names={RUN_FILTERS} />
      </div>
      <Problem error={error} />
      {picked.length > 0 && <Picked picked={picked} />}
      {data && data.rows.length > 0 && (
        <div class="panel">
          <Table
            caption="Runs"
            columns={columns}
            rows={data.rows}
            keyOf={(run) => run.path}
            sorting={sorting}
          />
        </div>
      )}
      {data?.rows.length === 0 && (
        <Empty>
          {RUN_FILTERS.some((name) => query.has(name))
            ? "No run matches these filters."
            : "There are no runs in this folder yet. Start one with houseguest run."}
        </Empty>
      )}
      {data && <Pager offset={offset} limit={LIMIT} total={data.total} />}
    </div>
  );
}

function Picked({ picked }: { readonly picked: readonly string[] }) {
  const [first = "", second = ""] = picked;
  return (
    <div class="picked notice">
      <span>
        {second ? "Two runs are picked." : "One run is picked. Pick another one to compare them."}
      </span>
      <span class="picked-actions">
        {second && (
          <a class="button primary" href={address(["compare"], { first, second })}>
            Compare
          </a>
        )}
        <button type="button" class="quiet" onClick={() => change({ pick: "" }, true)}>
          Clear
        </button>
      </span>
    </div>
  );
}

function columnsOf(shown: ReadonlySet<string>, picked: readonly string[]): Column<RunRow>[] {
  return [
    { id: "agent", label: "Agent", sort: "agent", cell: (run) => <RunName run={run} /> },
    {
      id: "suite",
      label: "Tasks",
      sort: "suite",
      cell: (run) => {
        const condition = conditionText(run.condition, shown);
        return (
          <>
            <div>
              {run.suite} <span class="muted">· {run.task_set}</span>
            </div>
            <div class="muted small" title={conditionText(run.condition)}>
              {run.world}
              {condition && ` · ${condition}`}
            </div>
          </>
        );
      },
    },
    {
      id: "rate",
      label: "Success",
      sort: "rate",
      largestFirst: true,
      title: "Success rate with its 95 % confidence interval",
      cell: (run) => <Rate rate={run.rate} low={run.low} high={run.high} />,
    },
    {
      id: "gained",
      label: "Gained",
      sort: "goals_gained",
      largestFirst: true,
      number: true,
      title: "Goal conditions met by the agent beyond those that held at the start, in points",
      cell: (run) => (run.goals_gained === null ? null : points(run.goals_gained)),
    },
    {
      id: "episodes",
      label: "Episodes",
      sort: "episodes",
      largestFirst: true,
      number: true,
      cell: (run) => <Episodes run={run} />,
    },
    {
      id: "tokens",
      label: "Tokens",
      sort: "tokens",
      largestFirst: true,
      number: true,
      title: "Sent and received, as the agent counts them",
      cell: (run) => (run.calls ? count(run.tokens) : null),
    },
    {
      id: "cost",
      label: "Cost",
      sort: "cost",
      largestFirst: true,
      number: true,
      cell: (run) => (run.cost_usd === null ? null : dollars(run.cost_usd)),
    },
    {
      id: "seconds",
      label: "Agent time",
      sort: "seconds",
      largestFirst: true,
      number: true,
      title: "Time in which the agent decided, over all scored episodes",
      cell: (run) => seconds(run.agent_seconds),
    },
    {
      id: "created",
      label: "Started",
      sort: "created",
      largestFirst: true,
      number: true,
      cell: (run) => (
        <time dateTime={run.created} title={moment(run.created)}>
          {ago(run.created)}
        </time>
      ),
    },
    { id: "status", label: "Status", sort: "status", cell: (run) => <StatusBadge run={run} /> },
    {
      id: "verified",
      label: "Verified",
      title: "What houseguest verify found; it checks the run's files and scores",
      cell: (run) => (run.verification === null ? null : <VerifiedBadge run={run} short />),
    },
    {
      id: "pick",
      label: "Compare",
      cell: (run) => <Pick run={run.path} picked={picked} />,
    },
  ];
}

function RunName({ run }: { readonly run: RunRow }) {
  const name = agentOf(run);
  return (
    <>
      <a class="row-name" href={address(["runs", run.path])}>
        {name}
      </a>
      {run.model && <div>{run.model}</div>}
      <div class="muted small mono">{run.path}</div>
    </>
  );
}

function Episodes({ run }: { readonly run: RunRow }) {
  const missing = run.final < run.planned;
  return (
    <>
      <a href={episodesOf(run.path)}>{missing ? `${run.final} of ${run.planned}` : run.final}</a>
      {missing && <Progress done={run.final} of={run.planned} />}
    </>
  );
}

function Pick({ run, picked }: { readonly run: string; readonly picked: readonly string[] }) {
  const chosen = picked.includes(run);
  return (
    <input
      type="checkbox"
      checked={chosen}
      aria-label={`Pick ${run} to compare it`}
      onChange={() => {
        const others = picked.filter((each) => each !== run);
        change({ pick: chosen ? others : [...others.slice(-1), run] }, true);
      }}
    />
  );
}
