/** One episode: the player. */
import { useData } from "../api";
import { concernsRun } from "../events";
import { change, whole } from "../router";

interface Props {
  readonly run: string;
  readonly episode: string;
  readonly query: URLSearchParams;
}

export function Episode({ run, episode, query }: Props) {
  const step = whole(query, "step", 0);
  const view = useData("/api/runs/{run}/episodes/{episode}", { run, episode }, concernsRun(run));
  const steps = useData("/api/runs/{run}/episodes/{episode}/steps", { run, episode, limit: 500 });
  const shown = steps.data?.rows[step];
  return (
    <div class="page">
      <h1>{view.data?.begin?.instruction ?? episode}</h1>
      {view.error && <p class="notice bad">{view.error.message}</p>}
      <label>
        Step{" "}
        <input
          type="range"
          min={0}
          max={Math.max((steps.data?.total ?? 1) - 1, 0)}
          value={step}
          onInput={(event) => change({ step: event.currentTarget.value }, true)}
        />
      </label>
      <pre>{shown?.said.thought}</pre>
      <pre>{shown?.text}</pre>
    </div>
  );
}
