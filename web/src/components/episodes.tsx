/** Episodes as cards with their first and last pictures, and as a table. */
import { useMemo } from "preact/hooks";
import { pictureOf, type EpisodeRow } from "../api";
import { count, dollars, plural, points, seconds } from "../format";
import { address } from "../router";
import { OutcomeBadge } from "./parts";
import { shownColumns, Table, type Column, type Sorting } from "./table";

/** The episode's page. */
export function episodeAddress(episode: Pick<EpisodeRow, "run" | "episode_id">): string {
  return address(["runs", episode.run, "episodes", episode.episode_id]);
}

/** Episodes of a run, filtered. */
export function episodesOf(run: string, filters: Readonly<Record<string, string>> = {}): string {
  return address(["episodes"], { run, ...filters });
}

export function EpisodeCards(props: {
  readonly episodes: readonly EpisodeRow[];
  /** Whether each card names its run. */
  readonly withRun: boolean;
}) {
  return (
    <ul class="cards">
      {props.episodes.map((episode) => (
        <li key={`${episode.run}/${episode.episode_id}`} class="panel card">
          <Frames episode={episode} />
          <div class="card-text">
            <a class="card-link" href={episodeAddress(episode)}>
              {episode.instruction || episode.task_id}
            </a>
            <div class="card-facts">
              <OutcomeBadge episode={episode} />
              <span class="muted small">{plural(episode.steps, "step")}</span>
              {episode.goals_gained !== null && (
                <span class="muted small" title="Goal conditions gained, in points">
                  {points(episode.goals_gained)}
                </span>
              )}
            </div>
            <div class="muted small">
              {episode.group}
              {episode.repeat > 0 && ` · repeat ${episode.repeat + 1}`}
              {props.withRun && ` · ${episode.run}`}
            </div>
          </div>
        </li>
      ))}
    </ul>
  );
}

function Frames({ episode }: { readonly episode: EpisodeRow }) {
  const { run, first_frame: first, last_frame: last, frame_encoding: encoding } = episode;
  if (!first && !last) return null;
  return (
    <div class="frames">
      {[first, last].map((sha256, place) =>
        sha256 ? (
          <img
            key={place}
            src={pictureOf(run, { sha256, encoding })}
            alt={place === 0 ? "First picture" : "Last picture"}
            loading="lazy"
            decoding="async"
          />
        ) : (
          <span key={place} />
        ),
      )}
    </div>
  );
}

export function EpisodeTable(props: {
  readonly episodes: readonly EpisodeRow[];
  /** Columns that are left out, such as the run's. */
  readonly hidden: readonly string[];
  readonly sorting?: Sorting;
}) {
  const { episodes, hidden, sorting } = props;
  const columns = useMemo(() => shownColumns(COLUMNS, hidden), [hidden.join()]);
  return (
    <Table
      caption="Episodes"
      columns={columns}
      rows={episodes}
      keyOf={(episode) => `${episode.run}/${episode.episode_id}`}
      {...(sorting ? { sorting } : {})}
    />
  );
}

export const COLUMNS: readonly Column<EpisodeRow>[] = [
  {
    id: "task",
    label: "Task",
    sort: "task",
    cell: (episode) => (
      <>
        <a class="row-name" href={episodeAddress(episode)}>
          {episode.instruction || episode.task_id}
        </a>
        <div class="muted small mono">{episode.task_id}</div>
      </>
    ),
  },
  {
    id: "run",
    label: "Run",
    sort: "run",
    cell: (episode) => <a href={address(["runs", episode.run])}>{episode.run}</a>,
  },
  { id: "group", label: "Group", cell: (episode) => episode.group || null },
  {
    id: "outcome",
    label: "Outcome",
    sort: "failure",
    cell: (episode) => <OutcomeBadge episode={episode} />,
  },
  {
    id: "gained",
    label: "Goals gained",
    sort: "goals_gained",
    largestFirst: true,
    number: true,
    cell: (episode) => (episode.goals_gained === null ? null : points(episode.goals_gained)),
  },
  {
    id: "steps",
    label: "Steps",
    sort: "steps",
    largestFirst: true,
    number: true,
    cell: (episode) => episode.steps,
  },
  {
    id: "seconds",
    label: "Agent time",
    sort: "seconds",
    largestFirst: true,
    number: true,
    cell: (episode) => seconds(episode.agent_seconds),
  },
  {
    id: "tokens",
    label: "Tokens",
    number: true,
    cell: (episode) => (episode.calls ? count(episode.input_tokens + episode.output_tokens) : null),
  },
  {
    id: "cost",
    label: "Cost",
    sort: "cost",
    largestFirst: true,
    number: true,
    cell: (episode) => (episode.calls ? dollars(episode.cost_usd) : null),
  },
];
