/** The request that the agent sent to its model before a step. */
import { useMemo } from "preact/hooks";
import { pictureOf, type Shot } from "../api";
import { count, plural } from "../format";
import { Copy } from "./about";
import {
  promptAt,
  shotsBefore,
  type Found,
  type Message,
  type Piece,
  type Prompt,
} from "./prompts";
import type { Recording } from "./recording";

const WHY: Readonly<Record<Exclude<Found["kind"], "prompt" | "broken">, string>> = {
  none: "The agent sent no prompt.",
  "left out": "The prompts before this one took all the room that a transcript has for prompts.",
  loading: "The steps before this one are being loaded.",
};

export function PromptPart(props: { readonly recording: Recording; readonly position: number }) {
  const { recording, position } = props;
  const found = promptAt(recording, position);
  return (
    <section class="part prompt" aria-label="Prompt">
      <h3>Prompt</h3>
      {found.kind === "prompt" ? (
        <Request recording={recording} position={position} prompt={found.prompt} />
      ) : (
        <p class="muted" role="status">
          {found.kind === "broken" ? `It cannot be read: ${found.problem}.` : WHY[found.kind]}
        </p>
      )}
    </section>
  );
}

function Request(props: {
  readonly recording: Recording;
  readonly position: number;
  readonly prompt: Prompt;
}) {
  const { recording, position, prompt } = props;
  const shots = useMemo(() => shotsBefore(recording, position), [recording, position]);
  const kept = prompt.messages.filter((each) => !each.added).length;
  return (
    <>
      <div class="prompt-head">
        <p class="small muted">
          {plural(prompt.messages.length, "message")}
          {kept > 0 && `, ${kept} of them as in the prompt before`}
          {prompt.cut && ". The service cut the prompt, because it was too long"}.
        </p>
        <Copy label="Copy prompt" text={() => asText(prompt)} />
      </div>
      {prompt.messages.map((message, place) => (
        <details key={`${position}-${place}`} class="prompt-message" open={message.added}>
          <summary>
            <span class="prompt-role">{message.role || "no role"}</span>{" "}
            <span class="muted">{sizeOf(message)}</span>
          </summary>
          {message.parts.map((part, at) => (
            <PromptPiece
              key={at}
              run={recording.run}
              part={part}
              shots={shots}
              label={`${message.role}, part ${at + 1}`}
            />
          ))}
        </details>
      ))}
      {prompt.parameters.size > 0 && (
        <details class="prompt-message">
          <summary>
            <span class="prompt-role">{plural(prompt.parameters.size, "parameter")}</span>{" "}
            <span class="muted">{[...prompt.parameters.keys()].join(", ")}</span>
          </summary>
          <div class="said mono" tabIndex={0} role="group" aria-label="Parameters">
            {[...prompt.parameters].map(([name, value]) => `${name}: ${pretty(value)}`).join("\n")}
          </div>
        </details>
      )}
    </>
  );
}

function sizeOf(message: Message): string {
  const texts = message.parts.filter((part) => part.kind === "text");
  const pictures = message.parts.length - texts.length;
  const characters = texts.reduce((sum, part) => sum + part.text.length, 0);
  const of = [`${count(characters)} characters`];
  if (pictures > 0) of.push(plural(pictures, "picture"));
  return of.join(", ");
}

function PromptPiece(props: {
  readonly run: string;
  readonly part: Piece;
  readonly shots: ReadonlyMap<string, Shot>;
  readonly label: string;
}) {
  const { part } = props;
  if (part.kind === "text") {
    return (
      <div class="said mono" tabIndex={0} role="group" aria-label={props.label}>
        {part.text}
      </div>
    );
  }
  const shot = props.shots.get(part.sha256);
  return (
    <figure class="prompt-picture">
      {shot?.showable && (
        <img src={pictureOf(props.run, shot)} alt="A picture that the agent was shown" />
      )}
      <figcaption class="small muted">
        {`${part.media || "picture"}, `}
        <code>{part.sha256.slice(0, 16)}</code>
        {!shot && ", not a picture of this episode"}
      </figcaption>
    </figure>
  );
}

function pretty(value: string): string {
  const found = parsed(value);
  return typeof found === "object" ? JSON.stringify(found, null, 2) : value;
}

/** As JSON, with a digest in the place of each picture. */
function asText(prompt: Prompt): string {
  const messages = prompt.messages.map(({ role, parts }) => ({
    role,
    content: parts.map((part) =>
      part.kind === "text"
        ? { type: "text", text: part.text }
        : { type: "picture", sha256: part.sha256, media_type: part.media },
    ),
  }));
  const parameters = Object.fromEntries(
    [...prompt.parameters].map(([name, value]) => [name, parsed(value)]),
  );
  return JSON.stringify({ messages, ...parameters }, null, 2);
}

function parsed(value: string): unknown {
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return value;
  }
}
