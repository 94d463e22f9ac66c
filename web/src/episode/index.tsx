/** One episode: the player. */
import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { useService, type StepRow } from "../api";
import { change } from "../router";
import { useShortcuts } from "../shortcuts";
import { About, Head, Others, replayCommand, VerdictBanner } from "./about";
import { lineOf, type Line } from "./action";
import { Annotations } from "./annotations";
import { Details } from "./details";
import "./episode.css";
import { goalLines, type GoalLine } from "./goals";
import type { Moment } from "./facts";
import { isDrawn, MapFromAbove } from "./maps";
import { chosenPart, hasParts, momentAt, Parts } from "./parts";
import { cameraOf, Pictures, usePreloading } from "./pictures";
import { PlacesContext, usePlaces } from "./places";
import { usePlayer } from "./position";
import { picturesAt, textAt, useRecording, type Recording } from "./recording";
import { Steps } from "./steps";
import { Timeline } from "./timeline";
import { flip, TOGGLES, togglesOf, type Toggle, type Toggles } from "./toggles";
import { Transport } from "./transport";
import { verdictOf } from "./why";

export { TwoEpisodes } from "./together";

interface Props {
  readonly run: string;
  readonly episode: string;
  readonly query: URLSearchParams;
}

export function Episode({ run, episode, query }: Props) {
  const asked = Number(query.get("step") ?? 0);
  const recording = useRecording(run, episode, Number.isFinite(asked) ? asked : 0);
  const { view, error, total } = recording;
  const player = usePlayer(query, total, view !== null);
  usePreloading(recording, player.position);
  const toggles = useToggles(query);
  const service = useService();
  const lines = useLines(recording);
  const goals = useMemo(
    () => (view && toggles.truth ? goalLines(view, recording.facts) : []),
    [view, recording.facts, toggles.truth],
  );
  const flags = useMemo(() => flagsOf(goals), [goals]);
  const verdict = useMemo(() => (view ? verdictOf(view, lines) : null), [view, lines]);
  const row = view?.record?.episode ?? null;
  const command = replayCommand(service?.runs ?? "", run, row && episode);
  const facts = toggles.truth ? recording.facts : null;
  const part = chosenPart(query, facts, player.position);
  const moment = momentAt(facts, player.position, part);
  const cell = query.get("cell") ?? "";
  const places = usePlaces(facts, moment, player.position, part, cell);
  const textShown = isTextStage(recording, player.position, moment);
  return (
    <div class="page ep">
      <Head run={run} episode={episode} view={view} />
      {error && !view && <p class="notice bad">{error.message}</p>}
      {view?.problem && <p class="notice warn">{view.problem}</p>}
      {verdict && <VerdictBanner verdict={verdict} command={command} recording={recording} />}
      {recording.stepsProblem && <p class="notice bad">{recording.stepsProblem}</p>}
      {view && (
        <PlacesContext.Provider value={places}>
          <div class="ep-grid">
            <Steps
              lines={lines}
              steps={recording.steps}
              find={query.get("find") ?? ""}
              position={player.position}
              go={player.go}
              goals={flags}
            />
            <div class="middle">
              <Stage
                recording={recording}
                position={player.position}
                toggles={toggles}
                moment={moment}
                camera={query.get("camera") ?? ""}
              />
              {facts && <Parts facts={facts} position={player.position} part={part} />}
              <div class="panel controls">
                <Transport player={player} />
                <Timeline player={player} lines={lines} goals={goals} />
                <Replayed recording={recording} />
              </div>
            </div>
            <section class="panel side" aria-label="This step">
              <ToggleBar toggles={toggles} />
              <Details
                recording={recording}
                position={player.position}
                toggles={toggles}
                moment={hasParts(facts, player.position) ? null : moment}
                textShown={textShown}
                brief={hasParts(facts, player.position)}
              />
            </section>
          </div>
          <Later>
            <Annotations run={run} episode={episode} position={player.position} go={player.go} />
            {row && <Others row={row} position={player.position} />}
            <About view={view} command={command} />
          </Later>
        </PlacesContext.Provider>
      )}
      {!view && !error && (
        <p class="muted" role="status">
          The episode is being loaded.
        </p>
      )}
    </div>
  );
}

/** Parts at the page's end, which follow when the browser has painted the player. */
function Later({ children }: { readonly children: ComponentChildren }) {
  const [due, setDue] = useState(false);
  useEffect(() => setDue(true), []);
  return <>{due && children}</>;
}

/** The steps as lines, from what the index has of them until all of them is loaded. */
export function useLines(recording: Recording): readonly Line[] {
  const { steps, total, view } = recording;
  const rows = view?.record?.steps;
  return useMemo(() => {
    const places = new Map<number, StepRow>((rows ?? []).map((each) => [each.place, each]));
    return Array.from({ length: total }, (_, place) => lineOf(steps[place], places.get(place)));
  }, [steps, total, rows]);
}

function useToggles(query: URLSearchParams): Toggles {
  const text = query.toString();
  const toggles = useMemo(() => togglesOf(new URLSearchParams(text)), [text]);
  useShortcuts(
    (Object.keys(TOGGLES) as Toggle[]).map((name) => ({
      keys: TOGGLES[name].key,
      label: `${TOGGLES[name].label}: on or off`,
      run: () => flip(toggles, name),
    })),
  );
  return toggles;
}

function flagsOf(goals: readonly GoalLine[]): ReadonlyMap<number, readonly boolean[]> {
  const found = new Map<number, boolean[]>();
  for (const { changes } of goals) {
    for (const { at, met } of changes) found.set(at, [...(found.get(at) ?? []), met]);
  }
  return found;
}

function ToggleBar({ toggles }: { readonly toggles: Toggles }) {
  return (
    <div class="toggles" role="group" aria-label="Show">
      {(Object.keys(TOGGLES) as Toggle[]).map((name) => (
        <button
          key={name}
          type="button"
          class="toggle"
          aria-pressed={toggles[name]}
          title={`${TOGGLES[name].label} (key ${TOGGLES[name].key})`}
          onClick={() => flip(toggles, name)}
        >
          {TOGGLES[name].label}
        </button>
      ))}
    </div>
  );
}

export function Stage(props: {
  readonly recording: Recording;
  readonly position: number;
  readonly toggles: Toggles;
  readonly moment: Moment | null;
  readonly camera: string;
  /** Where there are several. */
  readonly name?: string;
}) {
  const { recording, position, toggles, moment } = props;
  const shots = picturesAt(recording, position);
  const cameras = [...new Set(shots.map(cameraOf))];
  const camera = cameras.includes(props.camera) ? props.camera : "";
  const { facts } = recording;
  return (
    <section
      class="stage panel"
      aria-label={`What the agent was shown${props.name ? ` in ${props.name}` : ""}`}
    >
      {cameras.length > 1 && <Cameras cameras={cameras} chosen={camera} />}
      <div class="stage-row">
        {shots.length > 0 && (
          <Pictures
            recording={recording}
            position={position}
            before={toggles.before}
            camera={camera}
          />
        )}
        {facts && moment && isDrawn(facts, moment) && (
          <MapFromAbove facts={facts} moment={moment} />
        )}
        {isTextStage(recording, position, moment) && (
          <div class="stage-text mono" tabIndex={0} role="group" aria-label="Text shown">
            {textAt(recording, position) || "The agent was shown neither a picture nor a text."}
          </div>
        )}
      </div>
    </section>
  );
}

/** Whether the stage shows a text, having neither pictures nor a map. */
function isTextStage(recording: Recording, position: number, moment: Moment | null): boolean {
  const drawn = recording.facts !== null && isDrawn(recording.facts, moment);
  return picturesAt(recording, position).length === 0 && !drawn;
}

/** How far the replay is that tells what was true. */
export function Replayed({ recording }: { readonly recording: Recording }) {
  const { state, problem } = recording.replay;
  if (state === "asked") {
    return (
      <p class="small muted" role="status">
        The episode is being replayed, to tell what was true at each step.
      </p>
    );
  }
  if (!problem) return null;
  return (
    <details class="part">
      <summary>What was true is not known at every step</summary>
      <p class="small muted">{problem}</p>
    </details>
  );
}

function Cameras(props: { readonly cameras: readonly string[]; readonly chosen: string }) {
  return (
    <div class="toggles" role="group" aria-label="Camera">
      {["", ...props.cameras.filter(Boolean)].map((each) => (
        <button
          key={each}
          type="button"
          class="toggle"
          aria-pressed={each === props.chosen}
          onClick={() => change({ camera: each || null }, true)}
        >
          {each || "all cameras"}
        </button>
      ))}
    </div>
  );
}
