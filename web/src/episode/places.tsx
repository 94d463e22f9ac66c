/** Cells of a board that a text names, as buttons: `(3, 4)`, and the state `((3, 4), 1)`. */
import { createContext, type ComponentChildren } from "preact";
import { useContext, useMemo } from "preact/hooks";
import type { BoardView } from "../api";
import { change } from "../router";
import { partsOf, type Facts, type Moment } from "./facts";
import type { Part } from "./parts";

/** What a text's places refer to. */
export interface Places {
  readonly board: BoardView;
  /** The cell that is outlined, as `x,y`; empty for none. */
  readonly chosen: string;
  /** The values of the address that show the agent in a state: `x,y,heading`. */
  readonly reached: ReadonlyMap<string, string>;
}

export const PlacesContext = createContext<Places | null>(null);

/** Null where there is no board. */
export function usePlaces(
  facts: Facts | null,
  moment: Moment | null,
  position: number,
  part: Part,
  chosen: string,
): Places | null {
  const reached = useMemo(() => {
    const found = new Map<string, string>();
    partsOf(facts, position, part.track).forEach(({ view: { board } }, index) => {
      if (!board) return;
      const state = [...board.agent, board.heading].join(",");
      if (!found.has(state)) found.set(state, `${position}.${index + 1}`);
    });
    return found;
  }, [facts, position, part.track]);
  const board = moment?.view.board ?? null;
  return useMemo(() => board && { board, chosen, reached }, [board, chosen, reached]);
}

const CELL = String.raw`\(\s{0,3}(\d{1,3})\s{0,3},\s{0,3}(\d{1,3})\s{0,3}\)`;
const STATE = String.raw`\(\s{0,3}${CELL}\s{0,3},\s{0,3}([0-3])\s{0,3}\)`;

/** The text, with its places as buttons if the episode has a board. */
export function Placed({ text }: { readonly text: string }) {
  const places = useContext(PlacesContext);
  if (!places) return <>{text}</>;
  const { board } = places;
  const pieces: ComponentChildren[] = [];
  let end = 0;
  for (const found of text.matchAll(new RegExp(`${STATE}|${CELL}`, "g"))) {
    const x = Number(found[1] ?? found[4]);
    const y = Number(found[2] ?? found[5]);
    if (x >= board.width || y >= board.height) continue;
    pieces.push(
      text.slice(end, found.index),
      <PlaceButton key={found.index} text={found[0]} x={x} y={y} heading={found[3]} of={places} />,
    );
    end = found.index + found[0].length;
  }
  return (
    <>
      {pieces}
      {text.slice(end)}
    </>
  );
}

function PlaceButton(props: {
  readonly text: string;
  readonly x: number;
  readonly y: number;
  readonly heading: string | undefined;
  readonly of: Places;
}) {
  const { x, y, heading } = props;
  const { board, chosen, reached } = props.of;
  const cell = `${x},${y}`;
  const part = reached.get(`${cell},${heading}`);
  const here = board.agent[0] === x && board.agent[1] === y;
  const now = here && (heading === undefined || Number(heading) === board.heading);
  const kind = heading === undefined ? "" : part ? "held" : "never";
  const title = {
    "": "",
    held: ": the agent is in this state",
    never: ": the agent is never in it",
  };
  return (
    <button
      type="button"
      class={`place ${kind} ${now ? "now" : ""}`}
      aria-pressed={chosen === cell}
      title={`Outline (${x}, ${y})${title[kind]}`}
      onClick={() => change({ cell: chosen === cell ? null : cell, ...(part && { part }) }, true)}
    >
      {props.text}
    </button>
  );
}
