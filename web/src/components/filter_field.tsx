/**
 * The filter that all lists share: `agent:random outcome:failure steps:10..40 coffee`. The address
 * alone holds the filters, so the field shows what the menus beside it choose, and they what it says.
 */
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { change, type Values } from "../router";
import { Menu } from "./filters";

/** A filter by name. Several values of one name: any of them. */
export interface FilterKey {
  /** What one types before the colon. */
  readonly key: string;
  /** Its name in the address. A range has one for each end. */
  readonly name: string | readonly [from: string, to: string];
  readonly help: string;
  /** The values that there are, as far as they are known. */
  readonly values?: readonly string[];
  /** Whether only these values are possible. */
  readonly closed?: boolean;
  readonly pattern?: RegExp;
}

interface Parsed {
  readonly values: Values;
  /** What is wrong, for the reader; empty if nothing is. */
  readonly problem: string;
  /** What is right, and finds nothing. */
  readonly note: string;
}

const TOKEN = /(?:[^\s"]|"(?:[^"\\]|\\.)*"?)+/g;
const NAMED = /^([a-z]+)(:|>=|<=|>|<)(.*)$/s;
const RANGE = /^(\d{0,6})\.\.(\d{0,6})$/;
const MOST_OFFERED = 12;

/** What a filter's text means. Words without a name are searched for as `search`. */
export function parseFilter(text: string, keys: readonly FilterKey[], search: string): Parsed {
  const values: Record<string, string | string[]> = Object.fromEntries(
    [...keys.flatMap(({ name }) => name), search].map((name) => [name, []]),
  );
  const [words, notes]: [string[], string[]] = [[], []];
  let problem = "";
  for (const token of text.match(TOKEN) ?? []) {
    const [, name, sign = "", quoted = ""] = NAMED.exec(token) ?? [];
    if (name === undefined) {
      words.push(unquoted(token));
      continue;
    }
    const key = keys.find((each) => each.key === name);
    const value = unquoted(quoted);
    problem ||= problemOf(key, name, sign, value, keys);
    if (!key || problem) continue;
    if (typeof key.name === "string") (values[key.name] as string[]).push(value);
    else Object.assign(values, range(key.name, sign, value));
    if (key.values && !key.closed && !key.values.includes(value)) notes.push(noteOf(key, value));
  }
  return { values: { ...values, [search]: words.join(" ") }, problem, note: notes.join(" ") };
}

function problemOf(
  key: FilterKey | undefined,
  name: string,
  sign: string,
  value: string,
  keys: readonly FilterKey[],
): string {
  if (!key) {
    const all = listed(keys.map((each) => each.key));
    return `There is no filter “${name}”: use ${all}. Put a text to search for in quotes.`;
  }
  if (value === "") return `Give a value after “${name}${sign}”.`;
  if (typeof key.name !== "string") {
    if (/^\d{1,6}$/.test(value) || (sign === ":" && value !== ".." && RANGE.test(value))) return "";
    return `${name}: give a number or a range, such as ${name}:10..40 or ${name}>10.`;
  }
  if (sign !== ":") return `${name}: write “${name}:${value}”.`;
  if (key.closed && !key.values?.includes(value)) {
    return `${name}: “${value}” is not possible: use ${listed(key.values ?? [])}.`;
  }
  return key.pattern && !key.pattern.test(value) ? `${name}: give ${key.help}.` : "";
}

function noteOf(key: FilterKey, value: string): string {
  const some = (key.values ?? []).slice(0, 5);
  const others = some.length > 0 ? ` There is ${listed(some)}.` : "";
  return `Nothing here has ${key.key} “${value}”.${others}`;
}

function range(
  [from, to]: readonly [string, string],
  sign: string,
  value: string,
): Record<string, string> {
  const [, least = "", most = ""] = RANGE.exec(value) ?? ["", value, value];
  const number = Number(value);
  switch (sign) {
    case ">":
      return { [from]: String(number + 1) };
    case ">=":
      return { [from]: value };
    case "<":
      return { [to]: String(Math.max(number - 1, 0)) };
    case "<=":
      return { [to]: value };
    default:
      return { [from]: least, [to]: most };
  }
}

/** The text that means what the address chooses. */
export function filterText(
  query: URLSearchParams,
  keys: readonly FilterKey[],
  search: string,
): string {
  const parts = keys.flatMap(({ key, name }) => {
    if (typeof name === "string") return query.getAll(name).map((each) => `${key}:${quote(each)}`);
    const [from, to] = name.map((each) => query.get(each) ?? "");
    if (!from && !to) return [];
    return [`${key}:${from === to ? from : `${from}..${to}`}`];
  });
  const words = query.get(search) ?? "";
  const isPlain = (words.match(TOKEN) ?? []).every((each) => !NAMED.test(each));
  if (words) parts.push(isPlain && !words.includes('"') ? words : quote(words, true));
  return parts.join(" ");
}

function quote(value: string, always = false): string {
  if (!always && value !== "" && !/[\s"]/.test(value)) return value;
  return `"${value.replace(/["\\]/g, "\\$&")}"`;
}

function unquoted(token: string): string {
  return token.replace(/"((?:[^"\\]|\\.)*)"?/g, (_, inside: string) =>
    inside.replace(/\\(.)/g, "$1"),
  );
}

function listed(names: readonly string[]): string {
  if (names.length < 2) return names.join("");
  return `${names.slice(0, -1).join(", ")} or ${names.at(-1) ?? ""}`;
}

/** Texts that go on with what was typed: names of filters, then their values. */
function offers(typed: string, keys: readonly FilterKey[]): string[] {
  const at = (/\S*$/.exec(typed) ?? { index: typed.length }).index;
  const [before, last] = [typed.slice(0, at), typed.slice(at)];
  const named = NAMED.exec(last);
  const found = named
    ? (keys.find((each) => each.key === named[1])?.values ?? [])
        .filter((value) => value.startsWith(named[3] ?? ""))
        .map((value) => `${named[1] ?? ""}:${quote(value)}`)
    : keys.filter((each) => each.key.startsWith(last)).map((each) => `${each.key}:`);
  return found.slice(0, MOST_OFFERED).map((each) => before + each);
}

const PAUSE = 150;

export function FilterField(props: {
  readonly label: string;
  readonly query: URLSearchParams;
  readonly keys: readonly FilterKey[];
  /** The name in the address of what is searched for. */
  readonly search: string;
  readonly example: string;
}) {
  const { label, query, keys, search, example } = props;
  const text = filterText(query, keys, search);
  const [typed, setTyped] = useState(text);
  const [wrong, setWrong] = useState("");
  const meant = useRef(text);
  const timer = useRef(0);
  const id = useId();
  useEffect(() => {
    if (text === meant.current) return;
    meant.current = text;
    setTyped(text);
    setWrong("");
  }, [text]);
  useEffect(() => () => window.clearTimeout(timer.current), []);
  const apply = (now: string, isDone: boolean) => {
    window.clearTimeout(timer.current);
    const { values, problem } = parseFilter(now, keys, search);
    // A name whose value is still to come is not wrong yet.
    setWrong(!isDone && /[:<>=]$/.test(now) ? "" : problem);
    if (problem) return;
    const next = new URLSearchParams(query);
    for (const [name, value] of Object.entries(values)) {
      next.delete(name);
      for (const each of Array.isArray(value) ? value : [value]) {
        if (each) next.append(name, String(each));
      }
    }
    meant.current = filterText(next, keys, search);
    change({ ...values, offset: "" }, true);
  };
  const note = wrong || (meant.current === text ? parseFilter(text, keys, search).note : "");
  return (
    <div class="filter-field">
      <input
        type="search"
        class="search"
        aria-label={label}
        aria-invalid={wrong !== ""}
        aria-describedby={`${id}-note`}
        placeholder={example}
        spellcheck={false}
        autocomplete="off"
        list={`${id}-offers`}
        value={typed}
        onInput={(event) => {
          const now = event.currentTarget.value;
          setTyped(now);
          window.clearTimeout(timer.current);
          timer.current = window.setTimeout(() => apply(now, false), PAUSE);
        }}
        onKeyDown={(event) => {
          if (event.key === "Enter") apply(event.currentTarget.value, true);
          if (event.key === "Escape") event.currentTarget.blur();
        }}
      />
      <datalist id={`${id}-offers`}>
        {offers(typed, keys).map((each) => (
          <option key={each} value={each} />
        ))}
      </datalist>
      <Help keys={keys} example={example} />
      <p id={`${id}-note`} role="status" class={`filter-note small ${wrong ? "bad" : "muted"}`}>
        {note}
      </p>
    </div>
  );
}

function Help(props: { readonly keys: readonly FilterKey[]; readonly example: string }) {
  return (
    <Menu label="?" title="What the filter understands" count={0}>
      <div class="filter-help">
        <p>
          Write words to search for, and filters as <code>name:value</code>. Repeat a name to allow
          several values. Put a value with spaces in quotes. Example: <code>{props.example}</code>
        </p>
        <dl>
          {props.keys.map(({ key, help, values }) => (
            <div key={key}>
              <dt class="mono">{key}:</dt>
              <dd>
                {help}
                {values && values.length > 0 && (
                  <span class="muted">
                    {`: ${values.slice(0, 4).join(", ")}${values.length > 4 ? ", …" : ""}`}
                  </span>
                )}
              </dd>
            </div>
          ))}
        </dl>
      </div>
    </Menu>
  );
}
