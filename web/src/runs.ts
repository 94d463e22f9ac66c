/** What several pages say of runs: their names, conditions, and filters in the address. */
import type { Facets, Operations, RunRow } from "./api";
import type { FilterKey } from "./components/filter_field";
import { choices, type Choice } from "./components/filters";

type Filters = Operations["/api/facets"]["query"];

/** Names of the filters of runs in the address. */
export const RUN_FILTERS = [
  "search",
  "suite",
  "task_set",
  "world",
  "agent",
  "model",
  "condition",
  "setting",
  "status",
  "verified",
  "created_from",
  "created_to",
] as const;

/** The filters of runs that the address sets. */
export function runFilters(query: URLSearchParams): Filters {
  return {
    search: query.get("search") ?? "",
    suite: query.getAll("suite"),
    task_set: query.getAll("task_set"),
    world: query.getAll("world"),
    agent: query.getAll("agent"),
    model: query.getAll("model"),
    condition: query.getAll("condition"),
    setting: query.getAll("setting"),
    status: query.getAll("status") as NonNullable<Filters["status"]>,
    verified: query.getAll("verified") as NonNullable<Filters["verified"]>,
    created_from: query.get("created_from") ?? "",
    created_to: query.get("created_to") ?? "",
  };
}

const DAY = /^\d{4}(-\d{2}(-\d{2})?)?$/;

/** The filters of runs, as one types them. */
export function runKeys(facets: Facets | null): FilterKey[] {
  const known = (counts: Readonly<Record<string, number>> | undefined) =>
    counts ? { values: Object.keys(counts).filter(Boolean) } : {};
  return [
    { key: "suite", name: "suite", help: "the suite", ...known(facets?.suites) },
    { key: "set", name: "task_set", help: "the task set", ...known(facets?.task_sets) },
    { key: "world", name: "world", help: "the world", ...known(facets?.worlds) },
    { key: "agent", name: "agent", help: "the agent", ...known(facets?.agents) },
    { key: "model", name: "model", help: "the model", ...known(facets?.models) },
    {
      key: "status",
      name: "status",
      help: "how far the run is",
      values: ["complete", "running", "stopped", "unreadable"],
      closed: true,
    },
    {
      key: "verified",
      name: "verified",
      help: "what verifying found",
      values: ["passed", "failed", "changed", "never"],
      closed: true,
    },
    { key: "since", name: "created_from", help: "a day, such as 2026-11-23", pattern: DAY },
    { key: "before", name: "created_to", help: "a day, such as 2026-11-24", pattern: DAY },
  ];
}

/** What to call the agent of a run. */
export function agentOf(run: Pick<RunRow, "agent" | "agent_name" | "model">): string {
  return run.agent_name || run.agent;
}

/** A condition's settings; empty if it cannot be read. */
export function settingsOf(condition: string): Readonly<Record<string, string>> {
  try {
    const value: unknown = JSON.parse(condition);
    if (typeof value !== "object" || value === null || Array.isArray(value)) return {};
    return Object.fromEntries(
      Object.entries(value).map(([name, each]) => [
        name,
        typeof each === "string" ? each : JSON.stringify(each),
      ]),
    );
  } catch {
    return {};
  }
}

/** `feedback simple, hand 60`; of `names` alone, if they are given. */
export function conditionText(condition: string, names?: ReadonlySet<string>): string {
  return Object.entries(settingsOf(condition))
    .filter(([name]) => names === undefined || names.has(name))
    .map(([name, value]) => `${name} ${value}`)
    .join(", ");
}

/** The settings in which these conditions differ from one another. */
export function differing(conditions: readonly string[]): ReadonlySet<string> {
  const all = [...new Set(conditions)].map(settingsOf);
  const values = new Map<string, Set<string>>();
  for (const [name, value] of all.flatMap(Object.entries<string>)) {
    values.set(name, (values.get(name) ?? new Set()).add(value));
  }
  // A setting that some lack is of another suite.
  return new Set([...values].filter(([, each]) => each.size > 1).map(([name]) => name));
}

/** Conditions to choose from, told apart by what differs. */
export function conditionChoices(facets: Facets | null): Choice[] {
  const names = differing(Object.keys(facets?.conditions ?? {}));
  // Conditions of suites that share no setting: the suite's own filter tells them apart.
  if (names.size === 0) return [];
  return choices(facets?.conditions, (each) => conditionText(each, names) || conditionText(each));
}
