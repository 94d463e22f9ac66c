/** All steps, each a button. */
import { memo } from "preact/compat";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { plural } from "../format";
import { RESULT_MARKS, RESULT_WORDS, type Line } from "./action";

interface Props {
  readonly lines: readonly Line[];
  readonly position: number;
  readonly go: (position: number) => void;
  /** Marks each step that met or lost a goal condition. */
  readonly goals: ReadonlyMap<number, readonly boolean[]>;
}

export function Steps({ lines, position, go, goals }: Props) {
  const [failed, setFailed] = useState(false);
  const wrong = useMemo(() => lines.filter(isWrong).length, [lines]);
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
      {lines.length === 0 && <p class="empty">No step was taken.</p>}
      <Rows lines={lines} failed={failed && wrong > 0} go={go} goals={goals} position={position} />
      <p class="visually-hidden" role="status">
        {failed ? plural(wrong, "failed step") : ""}
      </p>
    </section>
  );
}

function isWrong(line: Line): boolean {
  return line.result === "bad" || line.result === "mixed";
}

function Rows(props: {
  readonly lines: readonly Line[];
  readonly failed: boolean;
  readonly go: (position: number) => void;
  readonly goals: ReadonlyMap<number, readonly boolean[]>;
  readonly position: number;
}) {
  const list = useRef<HTMLOListElement>(null);
  // The mark of the current step is set here: rendering hundreds of rows at every step is slow.
  useEffect(() => {
    const box = list.current;
    const row = box?.querySelector<HTMLElement>(`[data-at="${props.position}"]`) ?? null;
    row?.setAttribute("aria-current", "step");
    if (box && row) follow(box, row);
    return () => row?.removeAttribute("aria-current");
  }, [props.position, props.failed, props.lines.length]);
  return (
    <ol class="step-rows" ref={list}>
      <All lines={props.lines} failed={props.failed} go={props.go} goals={props.goals} />
    </ol>
  );
}

const All = memo(function All(props: {
  readonly lines: readonly Line[];
  readonly failed: boolean;
  readonly go: (position: number) => void;
  readonly goals: ReadonlyMap<number, readonly boolean[]>;
}) {
  return (
    <>
      {props.lines.map((line, place) => {
        if (props.failed && !isWrong(line)) return null;
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
