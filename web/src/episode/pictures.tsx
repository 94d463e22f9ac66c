/** What the agent was shown: one picture for each camera. */
import { useEffect, useRef } from "preact/hooks";
import { pictureOf, type Shot } from "../api";
import { words } from "../format";
import { picturesAt, type Recording } from "./recording";

/** Pictures that are fetched at the same time. */
const AT_ONCE = 6;
/** Pictures of an episode that are kept: more are fetched when they are shown. */
const MOST_KEPT = 1500;

/** A camera's name: unequal for all pictures of one observation. */
export function cameraOf(shot: Shot): string {
  // A view has a name of its own; the current picture needs none.
  const role = shot.role === "CURRENT" || (shot.view && shot.role === "VIEW") ? "" : shot.role;
  const parts = [shot.view, role, shot.channel];
  return parts
    .filter((each) => each && each !== "RGB")
    .map((each) => words(each).toLowerCase())
    .join(", ");
}

interface Props {
  readonly recording: Recording;
  readonly position: number;
  readonly before: boolean;
  /** Names the camera to show alone; empty for all. */
  readonly camera: string;
}

export function Pictures({ recording, position, before, camera }: Props) {
  const chosen = (at: number) =>
    picturesAt(recording, at).filter((each) => !camera || cameraOf(each) === camera);
  const shots = chosen(position);
  if (before && position > 0) {
    return (
      <div class="shots pair">
        <Shots
          run={recording.run}
          shots={chosen(position - 1)}
          caption={`before step ${position}`}
        />
        <Shots run={recording.run} shots={shots} caption={`after step ${position}`} />
      </div>
    );
  }
  return (
    <div class="shots">
      <Shots run={recording.run} shots={shots} caption="" />
    </div>
  );
}

function Shots(props: {
  readonly run: string;
  readonly shots: readonly Shot[];
  readonly caption: string;
}) {
  return (
    <>
      {props.shots.map((shot, place) => {
        const name = [cameraOf(shot), props.caption].filter(Boolean).join(", ");
        return (
          <figure key={place} class="shot">
            {shot.showable ? (
              <img
                src={pictureOf(props.run, shot)}
                width={shot.width || undefined}
                height={shot.height || undefined}
                alt={name || "What the agent was shown"}
              />
            ) : (
              <div class="no-picture">
                {`A picture of kind ${shot.encoding.toLowerCase()} cannot be shown`}
              </div>
            )}
            {name && <figcaption>{name}</figcaption>}
          </figure>
        );
      })}
    </>
  );
}

/** Fetches pictures before they are shown, the nearest to the position first. */
export function usePreloading(recording: Recording, position: number): void {
  const kept = useRef(new Map<string, HTMLImageElement>());
  const now = useRef({ recording, position });
  now.current = { recording, position };
  const busy = useRef(0);
  const gone = useRef(false);
  const fill = useRef(() => {
    const pictures = kept.current;
    while (!gone.current && busy.current < AT_ONCE && pictures.size < MOST_KEPT) {
      const source = nearest(now.current.recording, now.current.position, pictures);
      if (!source) return;
      busy.current += 1;
      const image = new Image();
      pictures.set(source, image);
      const done = () => {
        busy.current -= 1;
        fill.current();
      };
      image.onload = done;
      image.onerror = done;
      image.src = source;
    }
  });
  useEffect(() => fill.current(), [recording.steps, recording.view]);
  useEffect(() => {
    const pictures = kept.current;
    gone.current = false;
    return () => {
      gone.current = true;
      pictures.clear();
    };
  }, []);
}

function nearest(
  recording: Recording,
  position: number,
  kept: ReadonlyMap<string, unknown>,
): string {
  for (let distance = 0; distance <= recording.total; distance += 1) {
    for (const at of distance ? [position + distance, position - distance] : [position]) {
      if (at < 0 || at > recording.total) continue;
      for (const shot of picturesAt(recording, at)) {
        const source = shot.showable ? pictureOf(recording.run, shot) : "";
        if (source && !kept.has(source)) return source;
      }
    }
  }
  return "";
}
