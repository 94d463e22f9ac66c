/** The steps as a band to scrub on, and below it a row for each goal condition. */
import { memo } from "preact/compat";
import type { Line, Result } from "./action";
import { RESULT_WORDS } from "./action";
import type { GoalLine } from "./goals";
import type { Player } from "./position";

interface Props {
  readonly player: Player;
  readonly lines: readonly Line[];
  readonly goals: readonly GoalLine[];
  /** The first step at which two episodes part. */
  readonly parts?: number | null;
  readonly name?: string;
}

export function Timeline({ player, lines, goals, parts, name }: Props) {
  const { position, total } = player;
  const line = lines[position - 1];
  const said = line
    ? `step ${position}: ${line.action}, ${RESULT_WORDS[line.result]}`
    : "beginning";
  return (
    <div class="timeline">
      <div class="timeline-row">
        <span class="timeline-name">{name ?? "Steps"}</span>
        <div class="band steps-band">
          <Cells results={lines} total={total} />
          {parts ? <Mark at={parts} total={total} /> : null}
          <input
            type="range"
            aria-label={name ? `Step of ${name}` : "Step"}
            aria-valuetext={said}
            min={0}
            max={Math.max(total, 1)}
            value={position}
            disabled={total === 0}
            onInput={(event) => player.go(Number(event.currentTarget.value))}
          />
        </div>
      </div>
      {goals.length > 0 && <Goals goals={goals} total={total} go={player.go} />}
      <Playhead position={position} total={total} rows={goals.length} />
    </div>
  );
}

function Playhead(props: {
  readonly position: number;
  readonly total: number;
  readonly rows: number;
}) {
  if (props.rows === 0) return null;
  const share = props.total > 0 ? props.position / props.total : 0;
  return (
    <div class="timeline-over" aria-hidden="true">
      <div class="playhead" style={{ left: `${share * 100}%` }} />
    </div>
  );
}

function Mark({ at, total }: { readonly at: number; readonly total: number }) {
  return (
    <div
      class="part-mark"
      style={{ left: `${((at - 1) / Math.max(total, 1)) * 100}%` }}
      title={`They part at step ${at}`}
    />
  );
}

/** Neighbours of one result are drawn as one rectangle where there are many. */
const Cells = memo(function Cells(props: {
  readonly results: readonly Line[];
  readonly total: number;
}) {
  const { results, total } = props;
  const gap = total <= 80 ? total * 0.004 : 0;
  const runs: { from: number; to: number; result: Result }[] = [];
  results.forEach(({ result }, place) => {
    const last = runs.at(-1);
    if (last && gap === 0 && last.result === result) last.to = place + 1;
    else runs.push({ from: place, to: place + 1, result });
  });
  return (
    <svg viewBox={`0 0 ${Math.max(total, 1)} 1`} preserveAspectRatio="none" aria-hidden="true">
      {runs.map(({ from, to, result }) => (
        <rect key={from} class={`cell ${result}`} x={from} width={to - from - gap} height={1} />
      ))}
    </svg>
  );
});

const Goals = memo(function Goals(props: {
  readonly goals: readonly GoalLine[];
  readonly total: number;
  readonly go: (position: number) => void;
}) {
  return (
    <>
      {props.goals.map((goal, place) => (
        <div class="timeline-row" key={place}>
          <span class="timeline-name goal-name" title={goal.name}>
            <span class={`goal-mark ${goal.met ? "good" : "bad"}`} aria-hidden="true">
              {goal.met ? "✓" : "✗"}
            </span>
            <span class="goal-text">
              {goal.name}
              <span class="visually-hidden">
                {goal.met ? ", met at the end" : ", not met at the end"}
                {goal.heldAtStart === true && ", held at the start"}
              </span>
            </span>
            <span class="goal-jumps">
              {goal.changes.map(({ at, met }) => (
                <button
                  type="button"
                  key={at}
                  class={`jump ${met ? "good" : "bad"}`}
                  title={`${met ? "Met" : "Lost"} at step ${at}: go there`}
                  aria-label={`${met ? "Met" : "Lost"} at step ${at}`}
                  onClick={() => props.go(at)}
                >
                  {`${met ? "✓" : "✗"} ${at}`}
                </button>
              ))}
            </span>
          </span>
          <Band goal={goal} total={props.total} go={props.go} />
        </div>
      ))}
    </>
  );
});

function Band(props: {
  readonly goal: GoalLine;
  readonly total: number;
  readonly go: (position: number) => void;
}) {
  const { goal, total } = props;
  // Keys reach the same steps by the slider and the buttons of the row.
  return (
    <div
      class="band goal-band"
      aria-hidden="true"
      onClick={(event) => {
        const box = event.currentTarget.getBoundingClientRect();
        const share = (event.clientX - box.left) / Math.max(box.width, 1);
        props.go(Math.ceil(share * total));
      }}
    >
      <svg viewBox={`0 0 ${Math.max(total, 1)} 1`} preserveAspectRatio="none">
        {goal.spans.map(({ from, to, met }) => (
          <rect
            key={from}
            class={met === null ? "span open" : met ? "span good" : "span bad"}
            x={from}
            width={to - from}
            height={1}
          />
        ))}
      </svg>
    </div>
  );
}
