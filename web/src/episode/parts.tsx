/** An action's parts, such as those of a plan, beside what each came to in the replay. */
import { useEffect, useRef } from "preact/hooks";
import { change } from "../router";
import { partsOf, tracksOf, type Facts, type Moment } from "./facts";
import { follow } from "./steps";

/** What is chosen of a step's parts: `part=3.2` is the second part of step 3; then its track. */
export interface Part {
  readonly track: string;
  readonly index: number;
}

export function chosenPart(query: URLSearchParams, facts: Facts | null, position: number): Part {
  const tracks = tracksOf(facts, position);
  const asked = query.get("track") ?? "";
  const track = tracks.includes(asked) ? asked : (tracks[0] ?? "");
  const parts = partsOf(facts, position, track);
  const [step, part] = (query.get("part") ?? "").split(".").map(Number);
  const last = Math.max(parts.length - 1, 0);
  const index = step === position && part !== undefined && part >= 1 ? part - 1 : last;
  return { track, index: Math.min(index, last) };
}

/** The moment that the map shows. */
export function momentAt(facts: Facts | null, position: number, part: Part): Moment | null {
  return partsOf(facts, position, part.track)[part.index] ?? facts?.last[position] ?? null;
}

interface Props {
  readonly facts: Facts;
  readonly position: number;
  readonly part: Part;
}

export function hasParts(facts: Facts | null, position: number): boolean {
  return (facts?.groups[position]?.length ?? 0) > 1;
}

/** Nothing for a step without parts. */
export function Parts({ facts, position, part }: Props) {
  const list = useRef<HTMLOListElement>(null);
  useEffect(() => {
    const row = list.current?.querySelector<HTMLElement>("[aria-current]") ?? null;
    if (list.current && row) follow(list.current, row);
  }, [facts, position, part.track, part.index]);
  if (!hasParts(facts, position)) return null;
  const tracks = tracksOf(facts, position);
  const parts = partsOf(facts, position, part.track);
  const choose = (index: number) => change({ part: `${position}.${index + 1}` }, true);
  return (
    <section class="panel parts" aria-label={`Parts of step ${position}`}>
      <div class="parts-head">
        <h2>{position === 0 ? "The beginning, part by part" : `Step ${position}, part by part`}</h2>
        <span class="muted small">what the world made of it</span>
      </div>
      {tracks.length > 1 && (
        <div class="toggles" role="group" aria-label="Whose actions">
          {tracks.map((each) => (
            <button
              key={each}
              type="button"
              class="toggle"
              aria-pressed={each === part.track}
              onClick={() => change({ track: each || null, part: null }, true)}
            >
              {each || "result"}
            </button>
          ))}
        </div>
      )}
      {parts.length > 1 && (
        <input
          type="range"
          aria-label="Part"
          min={0}
          max={parts.length - 1}
          value={part.index}
          onInput={(event) => choose(Number(event.currentTarget.value))}
        />
      )}
      <ol class="part-rows" ref={list}>
        {parts.map((each, index) => (
          <li key={each.index}>
            <button
              type="button"
              class="part-row"
              aria-current={index === part.index ? "step" : undefined}
              onClick={() => choose(index)}
            >
              <PartRow
                moment={each}
                number={index + 1}
                notes={index === part.index ? each.view.notes : newNotes(each, parts[index - 1])}
              />
            </button>
          </li>
        ))}
      </ol>
    </section>
  );
}

/** Notes that the part before does not have. */
function newNotes({ view }: Moment, before: Moment | undefined): readonly string[] {
  const known = new Set(before?.view.notes);
  return view.notes.filter((each) => !known.has(each));
}

function PartRow(props: {
  readonly moment: Moment;
  readonly number: number;
  readonly notes: readonly string[];
}) {
  const { view } = props.moment;
  const name = view.caption || (props.notes[0] ?? "start");
  const notes = view.caption ? props.notes : props.notes.slice(1);
  return (
    <>
      <span class="step-number">{props.number}</span>
      <span class={`step-mark ${view.problem ? "bad" : "good"}`} aria-hidden="true">
        {view.problem ? "✗" : view.caption ? "✓" : "·"}
      </span>
      <span class="part-text">
        <span class={view.caption ? "mono" : ""}>{name}</span>
        {view.problem && <span class="part-problem">{view.problem}</span>}
        {view.gained.map((each, place) => (
          <span key={`+${place}`} class="part-goal good">{`met: ${each}`}</span>
        ))}
        {view.lost.map((each, place) => (
          <span key={`-${place}`} class="part-goal bad">{`lost: ${each}`}</span>
        ))}
        {notes.map((each, place) => (
          <span key={place} class="part-note">
            {each}
          </span>
        ))}
      </span>
    </>
  );
}
