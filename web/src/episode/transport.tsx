/** Play, step, speed. */
import { SPEEDS, type Player } from "./position";

export function Transport({ player }: { readonly player: Player }) {
  const { position, total, playing } = player;
  return (
    <div class="transport" role="group" aria-label="Player">
      <Press mark="first" label="To the beginning" off={position === 0} run={() => player.go(0)} />
      <Press
        mark="back"
        label="Step back"
        off={position === 0}
        run={() => player.go(position - 1)}
      />
      <button type="button" class="primary play" disabled={total === 0} onClick={player.toggle}>
        {playing ? "Pause" : "Play"}
      </button>
      <Press
        mark="on"
        label="Step on"
        off={position >= total}
        run={() => player.go(position + 1)}
      />
      <Press mark="last" label="To the end" off={position >= total} run={() => player.go(total)} />
      <span class="where">
        {position === 0 ? "Beginning" : `Step ${position}`}
        <span class="muted">{` of ${total}`}</span>
      </span>
      <label class="speed">
        <span class="muted">Speed</span>
        <select
          value={String(player.speed)}
          onChange={(event) => player.setSpeed(Number(event.currentTarget.value))}
        >
          {SPEEDS.map((each) => (
            <option key={each} value={String(each)}>
              {`${each} / s`}
            </option>
          ))}
        </select>
      </label>
    </div>
  );
}

const MARKS = {
  first: "M2 3h2v10H2zM14 3v10L5 8z",
  back: "M12 3v10L4 8z",
  on: "M4 3v10l8-5z",
  last: "M12 3h2v10h-2zM2 3v10l9-5z",
} as const;

function Press(props: {
  readonly mark: keyof typeof MARKS;
  readonly label: string;
  readonly off: boolean;
  readonly run: () => void;
}) {
  return (
    <button
      type="button"
      class="quiet"
      aria-label={props.label}
      title={props.label}
      disabled={props.off}
      onClick={props.run}
    >
      <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
        <path d={MARKS[props.mark]} fill="currentColor" />
      </svg>
    </button>
  );
}
