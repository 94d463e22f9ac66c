/** Episodes of all runs or of some, as cards or in a table; and the hardest tasks. */
import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import { useData, type EpisodeFacets, type Parameters, type TaskRow } from "../api";
import { COLUMNS, EpisodeCards, EpisodeTable } from "../components/episodes";
import { FilterField, type FilterKey } from "../components/filter_field";
import { Clear, Facet, Menu, RunFacets, Segments, choices } from "../components/filters";
import { Empty, Pager, Problem, Rate } from "../components/parts";
import { ColumnMenu, Table, type Column, type Sorting } from "../components/table";
import { concernsAll } from "../events";
import { plural, points, words } from "../format";
import { address, change, whole } from "../router";
import { RUN_FILTERS, runFilters, runKeys } from "../runs";

const LIMIT = 48;
type Asked = Parameters<"/api/episodes">;
type Sort = NonNullable<Asked["sort"]>;

const EPISODE_FILTERS = [
  "run",
  "outcome",
  "failure",
  "group",
  "task",
  "label",
  "steps_from",
  "steps_to",
  "episode_search",
] as const;
const ALL_FILTERS = [...EPISODE_FILTERS, ...RUN_FILTERS];

const OUTCOMES = ["success", "failure", "unscored"];

const VIEWS = [
  ["", "Pictures"],
  ["table", "Table"],
  ["tasks", "Hardest tasks"],
] as const;

export function EpisodesPage({ query }: { readonly query: URLSearchParams }) {
  const view = query.get("view") ?? "";
  return (
    <div class="page">
      <div class="page-head">
        <h1>{view === "tasks" ? "Hardest tasks" : "Episodes"}</h1>
        <Segments name="view" label="View" value={view} options={VIEWS} />
      </div>
      {view === "tasks" ? (
        <Tasks query={query} />
      ) : (
        <Episodes query={query} inTable={view === "table"} />
      )}
    </div>
  );
}

interface Part {
  readonly query: URLSearchParams;
}

function Episodes({ query, inTable }: Part & { readonly inTable: boolean }) {
  const offset = whole(query, "offset", 0);
  const sort = (query.get("sort") ?? "run") as Sort;
  const order = query.get("order") === "desc" ? "desc" : "asc";
  const runs = query.getAll("run");
  const hidden = query.getAll("hide");
  const asked = episodeFilters(query);
  const values = useData("/api/episode-facets", asked, concernsAll).data;
  const { data, error } = useData(
    "/api/episodes",
    { ...asked, sort, order, offset, limit: LIMIT },
    concernsAll,
  );
  const sorting: Sorting = {
    by: sort,
    order,
    change: (by, next) => change({ sort: by, order: next, offset: "" }),
  };
  return (
    <>
      <EpisodeFilters query={query} values={values}>
        {inTable && <ColumnMenu columns={COLUMNS} hidden={hidden} />}
      </EpisodeFilters>
      <Reasons counts={values?.failures ?? {}} chosen={query.getAll("failure")} />
      {runs.length > 0 && (
        <p class="muted">
          Of {runs.length === 1 ? "run " : "the runs "}
          {runs.map((run, place) => (
            <span key={run}>
              {place > 0 && ", "}
              <a href={address(["runs", run])}>{run}</a>
            </span>
          ))}
          {data && ` · ${plural(data.total, "episode")}`}
        </p>
      )}
      {runs.length === 0 && (
        <p class="muted" role="status">
          {data && plural(data.total, "episode")}
        </p>
      )}
      <Problem error={error} />
      {data?.rows.length === 0 && <Empty>No episode matches these filters.</Empty>}
      {data && data.rows.length > 0 && !inTable && (
        <EpisodeCards episodes={data.rows} withRun={runs.length !== 1} />
      )}
      {data && data.rows.length > 0 && inTable && (
        <div class="panel">
          <EpisodeTable
            episodes={data.rows}
            hidden={runs.length === 1 ? ["run", ...hidden] : hidden}
            sorting={sorting}
          />
        </div>
      )}
      {data && <Pager offset={offset} limit={LIMIT} total={data.total} />}
    </>
  );
}

/** Why the chosen episodes failed; each reason chooses its episodes. */
function Reasons(props: {
  readonly counts: Readonly<Record<string, number>>;
  readonly chosen: readonly string[];
}) {
  const { counts, chosen } = props;
  const reasons = Object.entries(counts);
  if (reasons.length === 0) return null;
  return (
    <div class="reasons" role="group" aria-label="Why episodes failed">
      <span class="muted">Why they failed:</span>
      {reasons.map(([failure, number]) => {
        const pressed = chosen.includes(failure);
        return (
          <button
            key={failure}
            type="button"
            class="reason"
            aria-pressed={pressed}
            onClick={() => change({ failure: pressed ? "" : failure, offset: "" })}
          >
            {words(failure)} <strong>{number}</strong>
          </button>
        );
      })}
    </div>
  );
}

function episodeFilters(query: URLSearchParams) {
  return {
    ...runFilters(query),
    run: query.getAll("run"),
    outcome: query.getAll("outcome") as NonNullable<Asked["outcome"]>,
    failure: query.getAll("failure"),
    group: query.getAll("group"),
    task: query.getAll("task"),
    label: query.getAll("label"),
    ...bound(query, "steps_from"),
    ...bound(query, "steps_to"),
    episode_search: query.get("episode_search") ?? "",
  };
}

function EpisodeFilters(
  props: Part & {
    readonly values: EpisodeFacets | null;
    readonly children: ComponentChildren;
  },
) {
  const { query, values } = props;
  const runs = query.getAll("run");
  const facets = useData("/api/facets", {}, concernsAll).data;
  const all = useData("/api/runs", { limit: 200, sort: "created" }, concernsAll).data;
  const keys = useMemo(
    () => [
      ...episodeKeys(
        values,
        all?.rows.map((row) => row.path),
      ),
      ...runKeys(facets),
    ],
    [values, all, facets],
  );
  const labels = Object.entries(values?.labels ?? {}).flatMap(([name, counts]) =>
    Object.entries(counts).map(([value, number]) => ({
      value: `${name}=${value}`,
      label: `${words(name)}: ${value}`,
      count: number,
    })),
  );
  return (
    <div class="filters">
      <FilterField
        label="Filter episodes"
        query={query}
        keys={keys}
        search="episode_search"
        example="outcome:failure agent:random steps:10..40 coffee"
      />
      <Facet
        name="outcome"
        label="Outcome"
        options={OUTCOMES.map((value) => ({ value }))}
        chosen={query.getAll("outcome")}
      />
      <Facet
        name="failure"
        label="Failure"
        options={choices(values?.failures, words)}
        chosen={query.getAll("failure")}
      />
      <Facet
        name="group"
        label="Group"
        options={choices(values?.groups)}
        chosen={query.getAll("group")}
      />
      <Facet name="label" label="Label" options={labels} chosen={query.getAll("label")} />
      <Length query={query} />
      <RunFacets query={query} facets={facets} />
      <Facet
        name="run"
        label="Run"
        options={(all?.rows ?? []).map((row) => ({ value: row.path, count: row.final }))}
        chosen={runs}
      />
      {props.children}
      <Clear query={query} names={ALL_FILTERS} />
    </div>
  );
}

/** The filters of episodes, as one types them. */
function episodeKeys(values: EpisodeFacets | null, runs?: readonly string[]): FilterKey[] {
  const known = (counts: Readonly<Record<string, number>> | undefined) =>
    counts ? { values: Object.keys(counts).filter(Boolean) } : {};
  const labels = Object.entries(values?.labels ?? {}).flatMap(([name, counts]) =>
    Object.keys(counts).map((value) => `${name}=${value}`),
  );
  return [
    { key: "outcome", name: "outcome", help: "how it ended", values: OUTCOMES, closed: true },
    { key: "failure", name: "failure", help: "why it failed", ...known(values?.failures) },
    { key: "group", name: "group", help: "the group", ...known(values?.groups) },
    {
      key: "label",
      name: "label",
      help: "a label, as name=value",
      pattern: /=/,
      ...(values ? { values: labels } : {}),
    },
    { key: "steps", name: ["steps_from", "steps_to"], help: "a number, or a range: 10..40" },
    { key: "task", name: "task", help: "the id of a task" },
    { key: "run", name: "run", help: "a run's folder", ...(runs ? { values: runs } : {}) },
  ];
}

function Length({ query }: Part) {
  const from = query.get("steps_from") ?? "";
  const to = query.get("steps_to") ?? "";
  return (
    <Menu label="Length" count={Number(from !== "") + Number(to !== "")}>
      {(
        [
          ["steps_from", "At least", from],
          ["steps_to", "At most", to],
        ] as const
      ).map(([name, label, value]) => (
        <label key={name} class="field">
          {label}
          <input
            type="number"
            class="short"
            min={0}
            max={999_999}
            value={value}
            onChange={(event) => change({ [name]: event.currentTarget.value, offset: "" })}
          />
          steps
        </label>
      ))}
    </Menu>
  );
}

function bound<N extends "steps_from" | "steps_to">(
  query: URLSearchParams,
  name: N,
): Partial<Record<N, number>> {
  const value = query.get(name) ?? "";
  return (/^\d{1,6}$/.test(value) ? { [name]: Number(value) } : {}) as Partial<Record<N, number>>;
}

function Tasks({ query }: Part) {
  const offset = whole(query, "offset", 0);
  const parameters = { ...runFilters(query), offset, limit: LIMIT };
  const { data, error } = useData("/api/tasks", parameters, concernsAll);
  const facets = useData("/api/facets", {}, concernsAll).data;
  const keys = useMemo(() => runKeys(facets), [facets]);
  return (
    <>
      <p class="muted">
        Success rate of each task over all runs of its task set and world, hardest first.
      </p>
      <div class="filters">
        <FilterField
          label="Filter runs"
          query={query}
          keys={keys}
          search="search"
          example="suite:babyai agent:random"
        />
        <RunFacets query={query} facets={facets} />
        <Clear query={query} names={RUN_FILTERS} />
      </div>
      <Problem error={error} />
      {data?.rows.length === 0 && <Empty>No run that matches has scored a task.</Empty>}
      {data && data.rows.length > 0 && (
        <div class="panel">
          <Table
            caption="Tasks"
            columns={TASK_COLUMNS}
            rows={data.rows}
            keyOf={(task) =>
              [
                task.suite,
                task.suite_version,
                task.task_set_digest,
                task.world,
                task.task_id,
              ].join()
            }
          />
        </div>
      )}
      {data && <Pager offset={offset} limit={LIMIT} total={data.total} />}
    </>
  );
}

/** The episodes of a task. */
function ofTask(task: TaskRow, filters: Readonly<Record<string, string>> = {}): string {
  const { suite, task_set, world, task_id } = task;
  return address(["episodes"], { suite, task_set, world, task: task_id, ...filters });
}

const TASK_COLUMNS: readonly Column<TaskRow>[] = [
  {
    id: "task",
    label: "Task",
    cell: (task) => (
      <>
        <a class="row-name" href={ofTask(task)}>
          {task.instruction || task.task_id}
        </a>
        <div class="muted small mono">{task.task_id}</div>
      </>
    ),
  },
  {
    id: "set",
    label: "Task set",
    cell: (task) => (
      <>
        <div>
          {task.suite} <span class="muted">· {task.task_set}</span>
        </div>
        <div class="muted small">{task.world}</div>
      </>
    ),
  },
  { id: "group", label: "Group", cell: (task) => task.group || null },
  {
    id: "rate",
    label: "Success",
    cell: (task) => (
      <Rate
        rate={task.rate}
        note={
          <a class="small" href={ofTask(task, { outcome: "success" })}>
            {task.successes} of {task.scored}
          </a>
        }
      />
    ),
  },
  {
    id: "gained",
    label: "Goals gained",
    number: true,
    cell: (task) => (task.goals_gained === null ? null : points(task.goals_gained)),
  },
  {
    id: "failed",
    label: "Failed",
    number: true,
    cell: (task) => (
      <a href={ofTask(task, { outcome: "failure" })}>{task.scored - task.successes}</a>
    ),
  },
  { id: "runs", label: "Runs", number: true, cell: (task) => task.runs },
  { id: "steps", label: "Mean steps", number: true, cell: (task) => task.steps.toFixed(1) },
];
