/** What people say about this episode and its steps: tags and comments. */
import { useEffect, useState } from "preact/hooks";
import { get, isLive, send, type AnnotationRow } from "../api";

interface Props {
  readonly run: string;
  readonly episode: string;
  readonly position: number;
  readonly go: (position: number) => void;
}

const MOST = 500;
const LONGEST_TAG = 64;
const LONGEST_COMMENT = 4000;

export function Annotations({ run, episode, position, go }: Props) {
  const [asked, setAsked] = useState(0);
  const [problem, setProblem] = useState("");
  const [rows, setRows] = useState<readonly AnnotationRow[]>([]);
  useEffect(() => {
    const stop = new AbortController();
    get("/api/annotations", { run, episode, limit: MOST }, stop.signal).then(
      (found) => setRows(found.rows),
      (failure: unknown) => {
        if (!stop.signal.aborted) setProblem(messageOf(failure));
      },
    );
    return () => stop.abort();
  }, [run, episode, asked]);
  const done = (work: Promise<unknown>) => {
    work.then(
      () => {
        setProblem("");
        setAsked((count) => count + 1);
      },
      (failure: unknown) => setProblem(messageOf(failure)),
    );
  };
  const remove = (id: number) => done(send("DELETE", `api/annotations/${id}`));
  return (
    <details class="panel annotations">
      <summary>{rows.length > 0 ? `Notes (${rows.length})` : "Notes"}</summary>
      <div class="panel-body">
        {problem && (
          <p class="notice bad" role="alert">
            {problem}
          </p>
        )}
        {rows.length > 0 && (
          <ul class="notes">
            {rows.map((row) => (
              <li key={row.id}>
                <button
                  type="button"
                  class="jump"
                  disabled={row.step === null}
                  onClick={() => go((row.step ?? -1) + 1)}
                >
                  {row.step === null ? "episode" : `step ${row.step + 1}`}
                </button>
                {row.tag && <span class="badge">{row.tag}</span>}
                <span class="note-text">{row.comment}</span>
                {isLive() && (
                  <button
                    type="button"
                    class="quiet"
                    aria-label={`Delete the note ${row.tag || row.comment.slice(0, 40)}`}
                    onClick={() => remove(row.id)}
                  >
                    ✕
                  </button>
                )}
              </li>
            ))}
          </ul>
        )}
        {isLive() && (
          <NewNote
            position={position}
            add={(step, tag, comment) =>
              done(
                send("POST", "api/annotations", { run, episode_id: episode, step, tag, comment }),
              )
            }
          />
        )}
        <p class="small muted">Notes are kept in the index. They are no part of the signed run.</p>
      </div>
    </details>
  );
}

function messageOf(failure: unknown): string {
  return failure instanceof Error ? failure.message : String(failure);
}

function NewNote(props: {
  readonly position: number;
  readonly add: (step: number | null, tag: string, comment: string) => void;
}) {
  const { position } = props;
  const [tag, setTag] = useState("");
  const [comment, setComment] = useState("");
  const [ofStep, setOfStep] = useState(true);
  const step = ofStep && position > 0 ? position - 1 : null;
  return (
    <form
      class="new-note"
      onSubmit={(event) => {
        event.preventDefault();
        props.add(step, tag.trim(), comment.trim());
        setTag("");
        setComment("");
      }}
    >
      <label>
        <span>Tag</span>
        <input
          value={tag}
          maxLength={LONGEST_TAG}
          onInput={(event) => setTag(event.currentTarget.value)}
        />
      </label>
      <label class="grow">
        <span>Comment</span>
        <input
          value={comment}
          maxLength={LONGEST_COMMENT}
          onInput={(event) => setComment(event.currentTarget.value)}
        />
      </label>
      <label class="check">
        <input
          type="checkbox"
          checked={step !== null}
          disabled={position === 0}
          onChange={(event) => setOfStep(event.currentTarget.checked)}
        />
        {position > 0 ? `on step ${position}` : "on a step"}
      </label>
      <button type="submit" disabled={!tag.trim() && !comment.trim()}>
        Add note
      </button>
    </form>
  );
}
