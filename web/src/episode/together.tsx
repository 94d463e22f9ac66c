/** Two episodes side by side that follow one another. */
import { useMemo } from "preact/hooks";
import { address } from "../router";
import type { Line } from "./action";
import { Details } from "./details";
import { goalLines } from "./goals";
import { chosenPart, momentAt } from "./parts";
import { Replayed, Stage, useLines } from "./index";
import { usePreloading } from "./pictures";
import { usePlayer, type Player } from "./position";
import { useRecording, type Recording } from "./recording";
import { Timeline } from "./timeline";
import { togglesOf } from "./toggles";
import { Transport } from "./transport";
import { verdictOf } from "./why";

/** The query names `first`, `first_episode`, `second` and `second_episode`. */
export function TwoEpisodes({ query }: { readonly query: URLSearchParams }) {
  const asked = Number(query.get("step") ?? 0) || 0;
  const first = useRecording(query.get("first") ?? "", query.get("first_episode") ?? "", asked);
  const second = useRecording(query.get("second") ?? "", query.get("second_episode") ?? "", asked);
  const total = Math.max(first.total, second.total);
  const player = usePlayer(query, total, first.view !== null && second.view !== null);
  usePreloading(first, player.position);
  usePreloading(second, player.position);
  const [firstLines, secondLines] = [useLines(first), useLines(second)];
  const parts = useMemo(() => partsAt(firstLines, secondLines), [firstLines, secondLines]);
  const instruction = first.view?.begin?.instruction.split("\n")[0];
  const known = first.view !== null && second.view !== null;
  return (
    <div class="page ep">
      <header class="ep-head">
        <div class="ep-title">
          <p class="crumbs">
            <a
              href={address(["compare"], {
                first: query.get("first"),
                second: query.get("second"),
              })}
            >
              Compare the two runs
            </a>
          </p>
          <h1>{instruction || "Two episodes side by side"}</h1>
        </div>
      </header>
      {known && <Parting parts={parts} player={player} first={first} second={second} />}
      <div class="panel controls two-controls">
        <Transport player={player} />
      </div>
      <div class="two">
        <Column recording={first} lines={firstLines} player={player} parts={parts} query={query} />
        <Column
          recording={second}
          lines={secondLines}
          player={player}
          parts={parts}
          query={query}
        />
      </div>
    </div>
  );
}

/** The first step (from 1) whose actions differ; null if they never part. */
function partsAt(first: readonly Line[], second: readonly Line[]): number | null {
  const most = Math.max(first.length, second.length);
  for (let place = 0; place < most; place += 1) {
    if (first[place]?.action !== second[place]?.action) return place + 1;
  }
  return null;
}

function Parting(props: {
  readonly parts: number | null;
  readonly player: Player;
  readonly first: Recording;
  readonly second: Recording;
}) {
  const { parts, player, first, second } = props;
  const tasks = [first, second].map((each) => each.view?.record?.episode.task_id ?? "");
  return (
    <section class="verdict" aria-label="Where they part">
      <p class="verdict-text">
        {parts === null
          ? "Both take the same actions."
          : parts === 1
            ? "They part at the first step."
            : `They take the same actions until step ${parts - 1}, and part at step ${parts}.`}
        {tasks[0] !== tasks[1] && " These are episodes of different tasks."}
      </p>
      {parts !== null && (
        <button type="button" onClick={() => player.go(parts)}>
          {`Go to step ${parts}`}
        </button>
      )}
    </section>
  );
}

function Column(props: {
  readonly recording: Recording;
  readonly lines: readonly Line[];
  readonly player: Player;
  readonly parts: number | null;
  readonly query: URLSearchParams;
}) {
  const { recording, lines, player, parts } = props;
  const { run, episode, view, error, total } = recording;
  const position = Math.min(player.position, total);
  const text = props.query.toString();
  const toggles = useMemo(() => togglesOf(new URLSearchParams(text)), [text]);
  const goals = useMemo(
    () => (view && toggles.truth ? goalLines(view, recording.facts) : []),
    [view, recording.facts, toggles.truth],
  );
  const verdict = view ? verdictOf(view, lines) : null;
  const facts = toggles.truth ? recording.facts : null;
  const moment = momentAt(facts, position, chosenPart(props.query, facts, position));
  return (
    <section class="column" aria-label={run}>
      <div class="column-head">
        <h2>
          <a href={address(["runs", run, "episodes", episode], { step: position || null })}>
            {run}
          </a>
        </h2>
        {error && <p class="notice bad">{error.message}</p>}
        {verdict && (
          <p class="column-verdict">
            <span class={`badge ${verdict.kind}`}>{verdict.title.toLowerCase()}</span> {verdict.why}
          </p>
        )}
      </div>
      {view && (
        <>
          <Stage
            recording={recording}
            position={position}
            toggles={toggles}
            moment={moment}
            camera=""
            name={run}
          />
          <div class="panel controls">
            <Timeline
              player={{ ...player, position, total }}
              lines={lines}
              goals={goals}
              parts={parts}
              name={`${total} steps`}
            />
            <Replayed recording={recording} />
          </div>
          <div class={`panel side ${player.position === parts ? "parting" : ""}`}>
            {player.position > total && <p class="badge">{`ended after ${total} steps`}</p>}
            <Details
              recording={recording}
              position={position}
              toggles={toggles}
              moment={moment}
              textShown={false}
              brief={false}
            />
          </div>
        </>
      )}
    </section>
  );
}
