/** All steps, each a button. */
import { memo } from "preact/compat";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { StepView } from "../api";
import { Search } from "../components/filters";
import { plural } from "../format";
import { RESULT_MARKS, RESULT_WORDS, type Line } from "./action";

interface Props {
  readonly lines: readonly Line[];
  /** The same steps with all that was said in them, as far as they are loaded. */
  readonly steps: readonly (StepView | undefined)[];
  /** Only steps with this text are listed. */
  readonly find: string;
  readonly position: number;
  readonly go: (position: number) => void;
  /** Marks each step that met or lost a goal condition. */
  readonly goals: ReadonlyMap<number, readonly boolean[]>;
}

export function Steps({ lines, steps, find, position, go, goals }: Props) {
  const [failed, setFailed] = useState(false);
  const wrong = useMemo(() => lines.filter(isWrong).length, [lines]);
  const wanted = find.trim().toLowerCase();
  const shown = useMemo(
    () =>
      lines.map(
        (line, place) =>
          (!failed || wrong === 0 || isWrong(line)) &&
          (!wanted || textOf(line, steps[place]).includes(wanted)),
      ),
    [lines, steps, failed, wrong, wanted],
  );
  const found = shown.filter(Boolean).length;
  return (
    <section class="panel steps" aria-label="Steps">
      <div class="steps-head">
        <h2>Steps</h2>
        <label class="check">
          <input
            type="checkbox"
            checked={failed}
            disabled={wrong === 0}
            onChange={(event) => setFailed(event.currentTarget.checked)}
          />
          {`failed (${wrong})`}
        </label>
      </div>
      {(lines.length > SHORT || find) && (
        <div class="steps-find">
          <Search name="find" label="Search the steps" value={find} />
        </div>
      )}
      {lines.length === 0 && <p class="empty">No step was taken.</p>}
      {lines.length > 0 && found === 0 && <p class="empty">No step matches.</p>}
      <Rows lines={lines} shown={shown} go={go} goals={goals} position={position} />
      <p class="visually-hidden" role="status">
        {found < lines.length ? plural(found, "step") : ""}
      </p>
    </section>
  );
}

/** Steps of an episode that needs no search. */
const SHORT = 5;

/** What is searched: the action, its outcome, the agent's thought and its model's reply. */
function textOf(line: Line, step: StepView | undefined): string {
  const said = step ? `${step.said.thought}\n${step.said.raw_reply}` : "";
  return `${line.action}\n${line.outcome}\n${line.feedback}\n${said}`.toLowerCase();
}

function isWrong(line: Line): boolean {
  return line.result === "bad" || line.result === "mixed";
}

function Rows(props: {
  readonly lines: readonly Line[];
  readonly shown: readonly boolean[];
  readonly go: (position: number) => void;
  readonly goals: ReadonlyMap<number, readonly boolean[]>;
  readonly position: number;
}) {
  const list = useRef<HTMLOListElement>(null);
  const from = useFirstRows(props.position, props.lines.length);
  // The mark of the current step is set here: rendering hundreds of rows at every step is slow.
  useEffect(() => {
    const box = list.current;
    const row = box?.querySelector<HTMLElement>(`[data-at="${props.position}"]`) ?? null;
    row?.setAttribute("aria-current", "step");
    if (box && row) follow(box, row);
    return () => row?.removeAttribute("aria-current");
  }, [props.position, props.shown, from]);
  return (
    <ol class="step-rows" ref={list}>
      <All lines={props.lines} shown={props.shown} go={props.go} goals={props.goals} from={from} />
    </ol>
  );
}

/** Rows that the page has at first, so that the picture need not wait for hundreds of them. */
const FIRST = 80;

/** The first of the rows that are there at once; null as soon as all of them are. */
function useFirstRows(position: number, rows: number): number | null {
  const [from, setFrom] = useState<number | null>(() => Math.max(position - FIRST / 2, 0));
  useEffect(() => {
    if (rows === 0 || from === null) return undefined;
    const timer = window.setTimeout(() => setFrom(null), PAUSE);
    return () => window.clearTimeout(timer);
  }, [rows === 0, from]);
  return from;
}

/** Milliseconds after which the other rows follow. */
const PAUSE = 300;

const All = memo(function All(props: {
  readonly lines: readonly Line[];
  readonly shown: readonly boolean[];
  readonly go: (position: number) => void;
  readonly goals: ReadonlyMap<number, readonly boolean[]>;
  readonly from: number | null;
}) {
  const { from } = props;
  return (
    <>
      {props.lines.map((line, place) => {
        if (!props.shown[place]) return null;
        if (from !== null && (place < from || place >= from + FIRST)) return null;
        return (
          <li key={place}>
            <button
              type="button"
              class="step-row"
              data-at={place + 1}
              title={line.feedback || undefined}
              onClick={() => props.go(place + 1)}
            >
              <span class="step-number">{place + 1}</span>
              <span class={`step-mark ${line.result}`} aria-hidden="true">
                {RESULT_MARKS[line.result]}
              </span>
              <span class="step-action">{line.action.slice(0, 200)}</span>
              {props.goals.get(place + 1)?.map((met, at) => (
                <span key={at} class={`goal-flag ${met ? "good" : "bad"}`}>
                  {met ? "+1" : "−1"}
                  <span class="visually-hidden"> goal condition</span>
                </span>
              ))}
              <span class="visually-hidden">{`, ${RESULT_WORDS[line.result]}`}</span>
            </button>
          </li>
        );
      })}
    </>
  );
});

/** Scrolls the list, and never the page. */
export function follow(box: HTMLElement, row: HTMLElement): void {
  const top = row.offsetTop - box.offsetTop;
  if (top < box.scrollTop || top + row.offsetHeight > box.scrollTop + box.clientHeight) {
    box.scrollTop = top - box.clientHeight / 2;
  }
}
