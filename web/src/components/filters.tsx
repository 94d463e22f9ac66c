/** Filters of a list. Only the address holds what is chosen. */
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Facets } from "../api";
import { change, type Values } from "../router";

const PAUSE = 150;

/** A field for a text to search for; the address follows while one types. */
export function Search(props: {
  readonly name: string;
  readonly label: string;
  readonly value: string;
}) {
  const { name, label, value } = props;
  const [typed, setTyped] = useState(value);
  const timer = useRef(0);
  useEffect(() => setTyped(value), [value]);
  useEffect(() => () => window.clearTimeout(timer.current), []);
  return (
    <input
      type="search"
      class="search"
      aria-label={label}
      placeholder={label}
      value={typed}
      onInput={(event) => {
        const text = event.currentTarget.value;
        setTyped(text);
        window.clearTimeout(timer.current);
        timer.current = window.setTimeout(() => change({ [name]: text, offset: "" }, true), PAUSE);
      }}
      onKeyDown={(event) => {
        if (event.key === "Escape") event.currentTarget.blur();
      }}
    />
  );
}

export interface Choice {
  readonly value: string;
  readonly label?: string;
  /** How often there is such a value. */
  readonly count?: number;
}

/** Choices with their counts, from an answer's mapping. */
export function choices(
  counts: Readonly<Record<string, number>> | undefined,
  label: (value: string) => string = (value) => value,
): Choice[] {
  return Object.entries(counts ?? {})
    .filter(([value]) => value !== "")
    .map(([value, count]) => ({ value, label: label(value), count }));
}

/** A menu of values; any of the chosen ones has to be equal. Hidden while there is no choice. */
export function Facet(props: {
  readonly name: string;
  readonly label: string;
  readonly options: readonly Choice[];
  readonly chosen: readonly string[];
}) {
  const { name, label, options, chosen } = props;
  const missing = chosen.filter((value) => !options.some((each) => each.value === value));
  const all: Choice[] = [...options, ...missing.map((value) => ({ value }))];
  if (all.length < 2 && chosen.length === 0) return null;
  const toggle = (value: string) => {
    const kept = chosen.filter((each) => each !== value);
    change({ [name]: kept.length < chosen.length ? kept : [...chosen, value], offset: "" });
  };
  return (
    <Menu label={label} count={chosen.length}>
      {all.map((each) => (
        <label key={each.value} class="facet-choice">
          <input
            type="checkbox"
            checked={chosen.includes(each.value)}
            onChange={() => toggle(each.value)}
          />
          <span class="facet-label">{each.label ?? each.value}</span>
          {each.count !== undefined && <span class="muted small">{each.count}</span>}
        </label>
      ))}
    </Menu>
  );
}

/** The filters that every list of runs has. */
export function RunFacets(props: {
  readonly query: URLSearchParams;
  readonly facets: Facets | null;
}) {
  const { query, facets } = props;
  return (
    <>
      {(
        [
          ["suite", "Suite", facets?.suites],
          ["task_set", "Task set", facets?.task_sets],
          ["world", "World", facets?.worlds],
          ["agent", "Agent", facets?.agents],
          ["model", "Model", facets?.models],
        ] as const
      ).map(([name, label, counts]) => (
        <Facet
          key={name}
          name={name}
          label={label}
          options={choices(counts)}
          chosen={query.getAll(name)}
        />
      ))}
    </>
  );
}

/** A button with a panel below it, which Escape or a click elsewhere closes. */
export function Menu(props: {
  readonly label: string;
  /** What it is, where the label is a sign. */
  readonly title?: string;
  readonly count: number;
  readonly children: ComponentChildren;
}) {
  const box = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    const close = (event: Event) => {
      const element = box.current;
      if (element?.open && !element.contains(event.target as Node)) element.open = false;
    };
    document.addEventListener("pointerdown", close);
    document.addEventListener("focusin", close);
    return () => {
      document.removeEventListener("pointerdown", close);
      document.removeEventListener("focusin", close);
    };
  }, []);
  return (
    <details
      class={`facet ${props.count > 0 ? "active" : ""}`}
      ref={box}
      onToggle={() => keepInside(box.current)}
      onKeyDown={(event) => {
        if (event.key === "Escape" && box.current?.open) {
          box.current.open = false;
          box.current.querySelector("summary")?.focus();
        }
      }}
    >
      <summary title={props.title} aria-label={props.title}>
        {props.label}
        {props.count > 0 && <span class="facet-count">{props.count}</span>}
      </summary>
      <div class="facet-panel" role="group" aria-label={props.title ?? props.label}>
        {props.children}
      </div>
    </details>
  );
}

/** Hangs the panel of an open menu on the menu's right where it would leave the window. */
function keepInside(menu: HTMLDetailsElement | null): void {
  const panel = menu?.querySelector(".facet-panel");
  panel?.classList.remove("end");
  if (panel && panel.getBoundingClientRect().right > document.documentElement.clientWidth) {
    panel.classList.add("end");
  }
}

/** Two days between which a run began. */
export function Days({ from, to }: { readonly from: string; readonly to: string }) {
  return (
    <Menu label="Started" count={Number(from !== "") + Number(to !== "")}>
      <label class="field">
        From
        <input
          type="date"
          value={from}
          onChange={(event) => change({ created_from: event.currentTarget.value, offset: "" })}
        />
      </label>
      <label class="field">
        Before
        <input
          type="date"
          value={to}
          onChange={(event) => change({ created_to: event.currentTarget.value, offset: "" })}
        />
      </label>
    </Menu>
  );
}

/** One of a few values, as buttons beside one another. */
export function Segments(props: {
  readonly name: string;
  readonly label: string;
  readonly value: string;
  readonly options: readonly (readonly [value: string, label: string])[];
}) {
  return (
    <div class="segments" role="group" aria-label={props.label}>
      {props.options.map(([value, label]) => (
        <button
          key={value}
          type="button"
          aria-pressed={value === props.value}
          onClick={() => change({ [props.name]: value, offset: "" })}
        >
          {label}
        </button>
      ))}
    </div>
  );
}

/** Removes the named filters, if any is set. */
export function Clear(props: {
  readonly query: URLSearchParams;
  readonly names: readonly string[];
}) {
  if (!props.names.some((name) => props.query.has(name))) return null;
  const none: Values = Object.fromEntries(props.names.map((name) => [name, ""]));
  return (
    <button type="button" class="quiet" onClick={() => change({ ...none, offset: "" })}>
      Clear filters
    </button>
  );
}
