/** Agents by suite, and a table for each setting: what is not comparable is never mixed. */
import { useData, type Leaderboard, type Standing } from "../api";
import { useMemo } from "preact/hooks";
import { FilterField } from "../components/filter_field";
import { Clear, RunFacets } from "../components/filters";
import { Empty, Problem, Rate } from "../components/parts";
import { Table, type Column } from "../components/table";
import { concernsAll } from "../events";
import { dollars, percent, plural, points } from "../format";
import { address } from "../router";
import { RUN_FILTERS, conditionText, differing, runFilters, runKeys } from "../runs";

export function LeaderboardPage({ query }: { readonly query: URLSearchParams }) {
  const { data, error } = useData("/api/leaderboards", runFilters(query), concernsAll);
  const facets = useData("/api/facets", {}, concernsAll).data;
  const keys = useMemo(() => runKeys(facets), [facets]);
  const boards = data?.rows ?? [];
  const names = differing(boards.map((board) => board.condition));
  return (
    <div class="page">
      <div class="page-head">
        <h1>Leaderboard</h1>
        <span class="muted">Complete runs only. Each repeat of a run counts as one result.</span>
      </div>
      <div class="filters">
        <FilterField
          label="Filter runs"
          query={query}
          keys={keys}
          search="search"
          example="suite:babyai verified:passed"
        />
        <RunFacets query={query} facets={facets} />
        <Clear query={query} names={RUN_FILTERS} />
      </div>
      <Problem error={error} />
      {data && boards.length === 0 && <Empty>No complete run matches these filters.</Empty>}
      {boards.length > 1 && <Overview boards={boards} names={names} />}
      {boards.map((board) => (
        <Board key={board.setting} board={board} names={names} />
      ))}
    </div>
  );
}

function whoIs(standing: Standing): string {
  const name = standing.agent_name || standing.agent;
  return standing.model ? `${name}, ${standing.model}` : name;
}

/** Agents × settings: the median, and the best beside it. */
function Overview(props: {
  readonly boards: readonly Leaderboard[];
  readonly names: ReadonlySet<string>;
}) {
  const agents = [...new Set(props.boards.flatMap((board) => board.standings.map(whoIs)))].sort();
  return (
    <section class="panel" aria-labelledby="overview">
      <div class="panel-head">
        <h2 id="overview">All suites</h2>
        <span class="muted small">Median over repeats, and the best</span>
      </div>
      <div class="table-box">
        <table class="table matrix">
          <thead>
            <tr>
              <th scope="col">Agent</th>
              {props.boards.map((board) => (
                <th key={board.setting} scope="col">
                  <div>{board.suite}</div>
                  <div class="muted small">
                    {board.task_set} · {board.world}
                  </div>
                  <div class="muted small">{conditionText(board.condition, props.names)}</div>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {agents.map((agent) => (
              <tr key={agent}>
                <th scope="row">{agent}</th>
                {props.boards.map((board) => (
                  <td key={board.setting}>
                    <Cell standings={board.standings.filter((each) => whoIs(each) === agent)} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

// An agent that was edited has several standings of one name: each has a line.
function Cell({ standings }: { readonly standings: readonly Standing[] }) {
  return (
    <>
      {standings.map((each) => (
        <div key={each.agent + each.agent_digest}>
          <a href={episodesOfAll(each)}>
            <strong>{percent(each.median)}</strong>
          </a>{" "}
          {each.rates.length > 1 && <span class="muted small">best {percent(each.best)}</span>}
        </div>
      ))}
    </>
  );
}

function Board(props: { readonly board: Leaderboard; readonly names: ReadonlySet<string> }) {
  const { board, names } = props;
  const condition = conditionText(board.condition, names);
  return (
    <section class="panel" aria-label={`${board.suite}, ${board.task_set}, ${board.world}`}>
      <div class="panel-head">
        <h2>
          {board.suite} · {board.task_set} · {board.world}
        </h2>
        <span class="muted small" title={conditionText(board.condition)}>
          {plural(board.tasks, "task")}, rules version {board.suite_version}
          {condition && `, ${condition}`}
        </span>
      </div>
      <Table
        caption={`Agents on ${board.suite}, ${board.task_set}`}
        columns={COLUMNS}
        rows={board.standings}
        keyOf={(standing) => standing.agent + standing.agent_digest}
      />
    </section>
  );
}

const COLUMNS: readonly Column<Standing>[] = [
  {
    id: "agent",
    label: "Agent",
    cell: (standing) => (
      <>
        <a class="row-name" href={runsOf(standing)}>
          {standing.agent_name || standing.agent}
        </a>
        {standing.model && <div>{standing.model}</div>}
        <div class="muted small mono">
          {standing.agent}
          {standing.agent_digest && ` ${standing.agent_digest.slice(0, 8)}`}
        </div>
      </>
    ),
  },
  {
    id: "median",
    label: "Median",
    number: true,
    title: "Median success rate over repeats",
    cell: (standing) => <strong>{percent(standing.median)}</strong>,
  },
  {
    id: "best",
    label: "Best",
    number: true,
    title: "Best success rate of a repeat",
    cell: (standing) => percent(standing.best),
  },
  {
    id: "rate",
    label: "All episodes",
    title: "Success rate over all episodes, with its 95 % confidence interval",
    cell: (standing) => (
      <Rate
        rate={standing.rate}
        low={standing.low}
        high={standing.high}
        note={
          <a class="small" href={episodesOfAll(standing, "success")}>
            {standing.successes} of {standing.scored}
          </a>
        }
      />
    ),
  },
  {
    id: "failed",
    label: "Failed",
    number: true,
    cell: (standing) => (
      <a href={episodesOfAll(standing, "failure")}>{standing.scored - standing.successes}</a>
    ),
  },
  {
    id: "repeats",
    label: "Repeats",
    number: true,
    cell: (standing) => <a href={runsOf(standing)}>{standing.rates.length}</a>,
  },
  {
    id: "verified",
    label: "Verified",
    title: "What houseguest verify found; it checks the files and scores of a run",
    cell: (standing) => <Verifications standing={standing} />,
  },
  {
    id: "gained",
    label: "Goals gained",
    number: true,
    cell: (standing) => (standing.goals_gained === null ? null : points(standing.goals_gained)),
  },
  { id: "steps", label: "Mean steps", number: true, cell: (each) => each.steps.toFixed(1) },
  {
    id: "cost",
    label: "Cost",
    number: true,
    cell: (standing) => (standing.cost_usd === null ? null : dollars(standing.cost_usd)),
  },
];

/** How many of an agent's runs are verified, and whether one has problems. */
function Verifications({ standing: { verified, runs } }: { readonly standing: Standing }) {
  const { passed = 0, failed = 0, changed = 0 } = verified;
  if (passed + failed + changed === 0) return <span class="muted small">no</span>;
  return (
    <>
      {passed === runs.length ? (
        <span class="badge good">
          ✓<span class="visually-hidden"> Verified</span>
        </span>
      ) : (
        <span class="muted small">{`${passed} of ${runs.length}`}</span>
      )}
      {failed > 0 && <span class="badge bad">Problems</span>}
      {changed > 0 && <span class="badge warn">Changed</span>}
    </>
  );
}

function runsOf(standing: Standing): string {
  const [first = ""] = standing.runs;
  return standing.runs.length === 1
    ? address(["runs", first])
    : address(["runs"], { agent: standing.agent });
}

/** The episodes of a standing's runs. */
function episodesOfAll(standing: Standing, outcome = ""): string {
  return address(["episodes"], { run: standing.runs, outcome });
}
