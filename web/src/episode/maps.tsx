/** The room or the board from above, with the agent's path. */
import { memo } from "preact/compat";
import { useContext, useMemo } from "preact/hooks";
import type { BoardView, Room } from "../api";
import type { Facts, Moment } from "./facts";
import { PlacesContext } from "./places";

interface Props {
  readonly facts: Facts;
  readonly moment: Moment;
}

/** Whether there is anything to draw at a moment. */
export function isDrawn(facts: Facts, moment: Moment | null): boolean {
  return moment !== null && (facts.facts.room !== null || moment.view.board !== null);
}

export function MapFromAbove({ facts, moment }: Props) {
  const { room } = facts.facts;
  if (room) return <RoomMap room={room} facts={facts} moment={moment} />;
  if (moment.view.board) {
    return <BoardMap board={moment.view.board} facts={facts} moment={moment} />;
  }
  return null;
}

// --- A room: z points up on the map, y down in the drawing.

interface Frame {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Metres around the room. */
const MARGIN = 0.2;

function RoomMap(props: { readonly room: Room; readonly facts: Facts; readonly moment: Moment }) {
  const { room, facts, moment } = props;
  const frame = useMemo(() => frameOf(room, facts), [room, facts]);
  const { pose } = moment.view;
  const size = Math.max(frame.width, frame.height) / 30;
  return (
    <figure class="map">
      <svg
        viewBox={`${frame.x} ${frame.y} ${frame.width} ${frame.height}`}
        role="img"
        aria-label="The room from above, with the agent's path"
      >
        <Furniture room={room} />
        <Things facts={facts} moment={moment} size={size} />
        <Path points={pathOf(facts, spotOfPose)} upTo={pathIndex(facts, moment)} width={size / 5} />
        {pose && <Agent x={pose.x} y={-pose.z} heading={pose.yaw} size={size} view={size * 4} />}
      </svg>
      <figcaption>{heldText(facts, moment)}</figcaption>
    </figure>
  );
}

function frameOf(room: Room, facts: Facts): Frame {
  const spots = [
    room.floor,
    ...[...room.walls, ...room.furniture].map((each) => each.corners),
    facts.path.flatMap(({ view }) => (view.pose ? [[view.pose.x, view.pose.z]] : [])),
  ].flat();
  const xs = spots.map((each) => each[0] ?? 0);
  const ys = spots.map((each) => -(each[1] ?? 0));
  const [left, top] = [least(xs) - MARGIN, least(ys) - MARGIN];
  const [right, bottom] = [-least(xs.map((x) => -x)), -least(ys.map((y) => -y))];
  return { x: left, y: top, width: right - left + MARGIN, height: bottom - top + MARGIN };
}

function least(values: readonly number[]): number {
  return values.reduce((one, other) => Math.min(one, other), Infinity);
}

const Furniture = memo(function Furniture({ room }: { readonly room: Room }) {
  const low = [...room.furniture].sort((a, b) => a.top - b.top);
  return (
    <>
      <Outline name="" kind="floor" corners={room.floor} />
      {low.map((each) => (
        <Outline key={each.id} name={each.name} kind="furniture" corners={each.corners} />
      ))}
      {room.walls.map((each) => (
        <Outline key={each.id} name={each.name} kind="wall" corners={each.corners} />
      ))}
    </>
  );
});

function Outline(props: {
  readonly name: string;
  readonly kind: string;
  readonly corners: readonly (readonly number[])[];
}) {
  const points = props.corners.map(([x, z]) => `${x ?? 0},${-(z ?? 0)}`).join(" ");
  return (
    <polygon class={`shape ${props.kind}`} points={points}>
      {props.name && <title>{props.name}</title>}
    </polygon>
  );
}

/** The things that can be moved or that are in view. */
function Things(props: { readonly facts: Facts; readonly moment: Moment; readonly size: number }) {
  const { facts, moment, size } = props;
  const fixed = useMemo(() => new Set(facts.facts.room?.furniture.map((each) => each.id)), [facts]);
  const visible = new Set(moment.view.visible);
  const changed = new Set(moment.view.changes.map((each) => each.id));
  const held = new Set(moment.view.held);
  return (
    <>
      {facts.facts.things.map(({ id, name }) => {
        const at = moment.places.get(id);
        if (!at || held.has(id) || (fixed.has(id) && !changed.has(id))) return null;
        const kind = changed.has(id) ? "changed" : visible.has(id) ? "visible" : "";
        return (
          <circle
            key={id}
            class={`dot-thing ${kind}`}
            cx={at[0]}
            cy={-at[1]}
            r={changed.has(id) ? size * 0.45 : size * 0.26}
          >
            <title>{name}</title>
          </circle>
        );
      })}
    </>
  );
}

function heldText(facts: Facts, { view }: Moment): string {
  const names = new Map(facts.facts.things.map(({ id, name }) => [id, name]));
  const held = view.held.map((id) => names.get(id) ?? id);
  return held.length > 0 ? `In the hand: ${held.join(", ")}` : "The hand is empty.";
}

// --- The path

type Point = readonly [number, number];

function spotOfPose({ view }: Moment): Point | null {
  return view.pose ? [view.pose.x, -view.pose.z] : null;
}

function spotOnBoard({ view }: Moment): Point | null {
  const [x, y] = view.board?.agent ?? [];
  return x === undefined || y === undefined ? null : [x, y];
}

function pathOf(
  facts: Facts,
  spot: (moment: Moment) => Point | null,
  track = "",
): readonly (Point | null)[] {
  const moments = track
    ? facts.groups.flat().filter(({ view }) => view.track === track)
    : facts.path;
  return moments.map(spot);
}

function pathIndex(facts: Facts, moment: Moment): number {
  const { track } = moment.view;
  const moments = track
    ? facts.groups.flat().filter((each) => each.view.track === track)
    : facts.path;
  return moments.indexOf(moment);
}

function Path(props: {
  readonly points: readonly (Point | null)[];
  readonly upTo: number;
  readonly width: number;
}) {
  const { points, upTo, width } = props;
  return (
    <>
      <polyline class="path ahead" points={joined(points)} stroke-width={width} />
      <polyline class="path" points={joined(points.slice(0, upTo + 1))} stroke-width={width} />
    </>
  );
}

function joined(points: readonly (Point | null)[]): string {
  return points.map((each) => each?.join(",") ?? "").join(" ");
}

/** An arrow in the direction of view, with what it covers. */
function Agent(props: {
  readonly x: number;
  readonly y: number;
  readonly heading: number;
  readonly size: number;
  readonly view: number;
}) {
  const { size, view } = props;
  return (
    <g transform={`translate(${props.x} ${props.y}) rotate(${props.heading})`}>
      {view > 0 && <path class="view" d={`M0 0L${-view * 0.55} ${-view}H${view * 0.55}Z`} />}
      <path
        class="agent"
        d={`M0 ${-size}L${size * 0.8} ${size * 0.8}L0 ${size * 0.4}L${-size * 0.8} ${size * 0.8}Z`}
      />
    </g>
  );
}

// --- A board

function BoardMap(props: {
  readonly board: BoardView;
  readonly facts: Facts;
  readonly moment: Moment;
}) {
  const { board, facts, moment } = props;
  const [x, y] = spotOnBoard(moment) ?? [0, 0];
  const path = pathOf(facts, spotOnBoard, moment.view.track);
  const [start] = path;
  const chosen = useContext(PlacesContext)?.chosen.split(",").map(Number);
  return (
    <figure class="map">
      <svg
        viewBox={`-1.1 -1.1 ${board.width + 0.7} ${board.height + 0.7}`}
        role="img"
        aria-label="The board from above, with the agent's path"
      >
        <Grid width={board.width} height={board.height} />
        <Cells cells={moment.cells} width={board.width} />
        {board.marks.map((mark, place) => (
          <rect
            key={place}
            class="board-mark"
            x={mark.x - 0.45}
            y={mark.y - 0.45}
            width={0.9}
            height={0.9}
            rx={0.12}
          >
            <title>{mark.name}</title>
          </rect>
        ))}
        <Path points={path} upTo={pathIndex(facts, moment)} width={0.08} />
        {start && <circle class="board-start" cx={start[0]} cy={start[1]} r={0.1} />}
        <Agent x={x} y={y} heading={(board.heading + 1) * 90} size={0.34} view={0} />
        {chosen?.length === 2 && (
          <rect
            class="board-chosen"
            x={(chosen[0] ?? 0) - 0.48}
            y={(chosen[1] ?? 0) - 0.48}
            width={0.96}
            height={0.96}
          />
        )}
      </svg>
      <figcaption>
        {stateText(board, moment.cells)}
        {board.marks.map((mark) => ` ${mark.name}: (${mark.x}, ${mark.y}).`).join("")}
      </figcaption>
    </figure>
  );
}

const HEADINGS = ["east", "south", "west", "north"];

function stateText(board: BoardView, cells: readonly string[]): string {
  const [x = 0, y = 0] = board.agent;
  const ahead = [x + ([1, 0, -1, 0][board.heading] ?? 0), y + ([0, 1, 0, -1][board.heading] ?? 0)];
  const thing = cells[(ahead[1] ?? 0) * board.width + (ahead[0] ?? 0)];
  return (
    `The agent is at ((${x}, ${y}), ${board.heading}), heading ${HEADINGS[board.heading] ?? "?"}.` +
    ` Ahead: ${thing || "nothing"}. It carries ${board.carrying || "nothing"}.`
  );
}

const Grid = memo(function Grid(props: { readonly width: number; readonly height: number }) {
  const { width, height } = props;
  const lines = [
    ...Array.from({ length: width + 1 }, (_, x) => `M${x - 0.5} -0.5v${height}`),
    ...Array.from({ length: height + 1 }, (_, y) => `M-0.5 ${y - 0.5}h${width}`),
  ];
  return (
    <>
      <path class="grid" d={lines.join("")} />
      {Array.from({ length: width }, (_, x) => (
        <text key={`x${x}`} class="axis" x={x} y={-0.65} text-anchor="middle" font-size={0.4}>
          {x}
        </text>
      ))}
      {Array.from({ length: height }, (_, y) => (
        <text key={`y${y}`} class="axis" x={-0.65} y={y + 0.14} text-anchor="end" font-size={0.4}>
          {y}
        </text>
      ))}
    </>
  );
});

const COLORS: ReadonlySet<string> = new Set(["red", "green", "blue", "purple", "yellow", "grey"]);

const Cells = memo(function Cells(props: {
  readonly cells: readonly string[];
  readonly width: number;
}) {
  return (
    <>
      {props.cells.map((text, place) => {
        if (!text) return null;
        const [x, y] = [place % props.width, Math.floor(place / props.width)];
        const words = text.split(" ");
        const color = words.find((each) => COLORS.has(each)) ?? "";
        const kind = words[0] ?? "";
        return (
          <g key={place} class={`thing ${color}`} transform={`translate(${x} ${y})`}>
            <title>{`${text} at (${x}, ${y})`}</title>
            <ThingShape kind={kind} words={words} />
          </g>
        );
      })}
    </>
  );
});

function ThingShape({ kind, words }: { readonly kind: string; readonly words: readonly string[] }) {
  switch (kind) {
    case "wall":
      return <rect class="wall" x={-0.5} y={-0.5} width={1} height={1} />;
    case "ball":
      return <circle class="solid" r={0.28} />;
    case "box":
      return <path class="line" d="M-0.28 -0.28h0.56v0.56h-0.56zM-0.28 0h0.56" />;
    case "key":
      return (
        <path
          class="line"
          d="M-0.03 -0.1a0.15 0.15 0 1 0 -0.3 0a0.15 0.15 0 1 0 0.3 0h0.35v0.22m-0.13 -0.22v0.15"
        />
      );
    case "door":
      return <Door words={words} />;
    default:
      return (
        <text class="letter" y={0.18} text-anchor="middle" font-size={0.5}>
          {kind.slice(0, 1).toUpperCase()}
        </text>
      );
  }
}

function Door({ words }: { readonly words: readonly string[] }) {
  if (words.includes("open")) return <path class="line" d="M-0.46 -0.46h0.14v0.92h-0.14z" />;
  if (words.includes("locked")) {
    return (
      <>
        <rect class="solid" x={-0.44} y={-0.44} width={0.88} height={0.88} />
        <path
          class="hole"
          d="M0 -0.2a0.12 0.12 0 0 1 0.06 0.22l0.05 0.22h-0.22l0.05 -0.22a0.12 0.12 0 0 1 0.06 -0.22"
        />
      </>
    );
  }
  return (
    <>
      <rect class="line" x={-0.42} y={-0.42} width={0.84} height={0.84} />
      <circle class="solid" cx={0.22} cy={0} r={0.08} />
    </>
  );
}
