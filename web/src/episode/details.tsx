/** One step: the action, what came of it, what the agent says about it. */
import type { ComponentChildren } from "preact";
import type { OutcomeView, StepView } from "../api";
import { count, dollars, seconds, words } from "../format";
import { callText, planOf, resultOf, RESULT_WORDS, actionText, type Call } from "./action";
import { field, items, number, type Facts, type Moment } from "./facts";
import { Placed } from "./places";
import { PromptPart } from "./prompt";
import type { Recording } from "./recording";
import { textAt } from "./recording";
import type { Toggles } from "./toggles";

interface Props {
  readonly recording: Recording;
  readonly position: number;
  readonly toggles: Toggles;
  readonly moment: Moment | null;
  /** Whether the text that was shown is to be seen elsewhere. */
  readonly textShown: boolean;
  /** Whether what came of a plan's actions is to be seen elsewhere. */
  readonly brief: boolean;
}

export function Details({ recording, position, toggles, moment, textShown, brief }: Props) {
  const text = toggles.text && !textShown ? textAt(recording, position) : "";
  if (position === 0) return <Beginning recording={recording} text={text} />;
  const step = recording.steps[position - 1];
  if (!step) {
    return (
      <p class="muted" role="status">
        {recording.stepsProblem || `Step ${position} is being loaded.`}
      </p>
    );
  }
  if (step.problem) return <p class="notice bad">{step.problem}</p>;
  return (
    <div class="details">
      <Deed step={step} truth={toggles.truth} brief={brief} />
      {toggles.truth && recording.facts && moment?.view.step === position - 1 && (
        <Truth facts={recording.facts} moment={moment} />
      )}
      {toggles.thought && (
        <Part title="Thought" text={step.said.thought} none="No thought was sent." />
      )}
      {toggles.reply && <Part title="Model's reply" text={step.said.raw_reply} none="" mono />}
      {toggles.reply && <Extras step={step} />}
      {toggles.prompt && <PromptPart recording={recording} position={position} />}
      <Part title="Text shown after the step" text={text} none="" mono />
      {toggles.meta && <Metadata step={step} />}
    </div>
  );
}

function Beginning(props: { readonly recording: Recording; readonly text: string }) {
  const begin = props.recording.view?.begin;
  if (!begin) return <p class="muted">The beginning is not recorded.</p>;
  return (
    <div class="details">
      <div class="deed">
        <h2>Beginning</h2>
        <p class="muted">What the environment sent before the first step.</p>
      </div>
      <Part title="Instruction" text={begin.instruction} none="There is none." />
      <Part title="Text shown" text={props.text} none="" mono />
    </div>
  );
}

function Deed(props: {
  readonly step: StepView;
  readonly truth: boolean;
  readonly brief: boolean;
}) {
  const { step, truth } = props;
  const plan = planOf(step.action);
  const outcomes = truth ? step.true : step.shown;
  const result = truth ? resultOf(step.true) : null;
  return (
    <div class="deed">
      <h2>
        <span class="muted">{`Step ${step.place + 1}`}</span>{" "}
        {result && <span class={`badge ${tone(result)}`}>{RESULT_WORDS[result]}</span>}
      </h2>
      {plan ? (
        <Plan plan={plan} step={step} truth={truth} brief={props.brief} />
      ) : (
        <>
          <p class="action mono">
            <Placed text={actionText(step.action)} />
          </p>
          <Outcomes title={truth ? "True outcome" : "Outcome shown to the agent"} of={outcomes} />
          {truth && !same(step.shown, step.true) && (
            <Outcomes title="The agent was shown" of={step.shown} />
          )}
        </>
      )}
    </div>
  );
}

function tone(result: ReturnType<typeof resultOf>): string {
  return { good: "good", mixed: "warn", bad: "bad", open: "" }[result];
}

function same(first: readonly OutcomeView[], second: readonly OutcomeView[]): boolean {
  return JSON.stringify(first) === JSON.stringify(second);
}

function Outcomes(props: { readonly title: string; readonly of: readonly OutcomeView[] }) {
  return (
    <dl class="outcome">
      <dt>{props.title}</dt>
      {props.of.map((each, place) => (
        <dd key={place}>
          <Code code={each.code} />
          {each.feedback ? ` ${each.feedback}` : ""}
        </dd>
      ))}
      {props.of.length === 0 && <dd class="muted">nothing</dd>}
    </dl>
  );
}

function Code({ code }: { readonly code: string }) {
  const kind =
    code === "SUCCEEDED" ? "good" : code === "WITHHELD" || code === "REFUSED" ? "" : "bad";
  return <span class={`badge ${kind}`}>{words(code).toLowerCase()}</span>;
}

/** A plan with what came of each action. */
function Plan(props: {
  readonly plan: readonly Call[];
  readonly step: StepView;
  readonly truth: boolean;
  readonly brief: boolean;
}) {
  const { plan, step, truth } = props;
  const rows = Math.max(plan.length, step.true.length);
  return (
    <ol class="plan-rows">
      {Array.from({ length: rows }, (_, place) => {
        const call = plan[place];
        const outcome = (truth ? step.true : step.shown)[place];
        return (
          <li key={place}>
            <span class="mono">{call ? callText(call) : "–"}</span>{" "}
            {outcome ? <Code code={outcome.code} /> : <span class="badge">not tried</span>}
            {outcome?.feedback && !props.brief && <p class="small muted">{outcome.feedback}</p>}
          </li>
        );
      })}
    </ol>
  );
}

/** What the step changed, and what the agent could see. */
function Truth({ facts, moment }: { readonly facts: Facts; readonly moment: Moment }) {
  const { view } = moment;
  const nothing = view.changes.length + view.gained.length + view.lost.length === 0;
  const tells = facts.facts.things.length > 0;
  return (
    <>
      {(tells || !nothing) && (
        <section class="part">
          <h3>Changed in this step</h3>
          {nothing && <p class="muted">Nothing changed.</p>}
          <ul class="changes">
            {view.gained.map((each, place) => (
              <li key={`+${place}`} class="gained">{`Goal condition met: ${each}`}</li>
            ))}
            {view.lost.map((each, place) => (
              <li key={`-${place}`} class="lost">{`Goal condition lost: ${each}`}</li>
            ))}
            {view.changes.map((each, place) => (
              <li key={place}>
                <strong>{each.name}</strong>
                {` ${each.property}: `}
                <span class="muted">{each.before || "none"}</span>
                {` → ${each.after || "none"}`}
              </li>
            ))}
          </ul>
        </section>
      )}
      {view.visible.length > 0 && (
        <details class="part">
          <summary>{`In view: ${view.visible.length}`}</summary>
          <p class="small">{namesOf(facts, view.visible).join(", ")}</p>
        </details>
      )}
    </>
  );
}

function namesOf(facts: Facts, ids: readonly string[]): readonly string[] {
  const names = new Map(facts.facts.things.map(({ id, name }) => [id, name]));
  return ids.map((id) => names.get(id) ?? id);
}

export function Part(props: {
  readonly title: string;
  readonly text: string;
  /** Shown instead of an empty text; if it is empty too, nothing is shown. */
  readonly none: string;
  readonly mono?: boolean;
}) {
  if (!props.text && !props.none) return null;
  return (
    <section class="part">
      <h3>{props.title}</h3>
      {props.text ? (
        <div
          class={props.mono ? "said mono" : "said"}
          tabIndex={0}
          role="group"
          aria-label={props.title}
        >
          <Placed text={props.text} />
        </div>
      ) : (
        <p class="muted">{props.none}</p>
      )}
    </section>
  );
}

const SHOWN = new Set(["thought", "raw_model_output", "usage", "plan_length"]);

/** What else the agent sent along. */
function Extras({ step }: { readonly step: StepView }) {
  const others = Object.entries(step.said.trace ?? {}).filter(([name]) => !SHOWN.has(name));
  return (
    <>
      {others.map(([name, value]) => (
        <Part
          key={name}
          title={words(name)}
          text={typeof value === "string" ? value : JSON.stringify(value, null, 2)}
          none=""
          mono
        />
      ))}
    </>
  );
}

function Metadata({ step }: { readonly step: StepView }) {
  const usage = step.said.usage;
  const calls = items(field(step.said.trace, "usage"));
  const rows: (readonly [string, ComponentChildren])[] = [
    ["agent's time", seconds(step.agent_seconds)],
    ["environment's time", seconds(step.environment_seconds)],
    ["steps left", step.steps_left ?? "not limited"],
    ["status", words(step.status).toLowerCase()],
    ["session", `epoch ${step.epoch}, exchange ${step.index}`],
    ["transcript", `line ${step.line}`],
    ["state", <code key="digest">{step.state_digest.slice(0, 16)}</code>],
  ];
  if (usage) {
    const tokens = (name: string) => count(number(usage[name]) ?? 0);
    rows.push(
      ["model calls", number(usage["calls"]) ?? calls.length],
      ["tokens", `${tokens("input_tokens")} sent, ${tokens("output_tokens")} received`],
      ["cost", dollars(number(usage["cost_usd"]) ?? null)],
    );
  }
  return (
    <section class="part">
      <h3>Metadata</h3>
      <Table rows={rows} />
    </section>
  );
}

export function Table(props: { readonly rows: readonly (readonly [string, ComponentChildren])[] }) {
  return (
    <dl class="facts">
      {props.rows.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
