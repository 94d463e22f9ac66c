/** Numbers and times as pages show them. An en dash stands for what is not known. */
export const NONE = "–";

export function percent(rate: number | null, digits = 1): string {
  return rate === null ? NONE : `${(rate * 100).toFixed(digits)} %`;
}

/** A difference of rates, in percentage points. */
export function points(difference: number | null): string {
  if (difference === null) return NONE;
  return `${difference >= 0 ? "+" : "−"}${Math.abs(difference * 100).toFixed(1)}`;
}

/** `12.0 to 45.1 %`. */
export function interval(low: number | null, high: number | null): string {
  if (low === null || high === null) return "";
  return `${(low * 100).toFixed(1)} to ${(high * 100).toFixed(1)} %`;
}

export function dollars(cost: number | null): string {
  if (cost === null) return NONE;
  return `$${cost.toFixed(cost !== 0 && Math.abs(cost) < 0.1 ? 4 : 2)}`;
}

/** `940`, `12.3 k`, `4.56 M`. */
export function count(value: number): string {
  if (value < 10_000) return String(value);
  return value < 1_000_000
    ? `${(value / 1000).toFixed(1)} k`
    : `${(value / 1_000_000).toFixed(2)} M`;
}

/** `8.2 s`, `3 min 12 s`, `5 h 04 min`. */
export function seconds(value: number): string {
  if (value < 60) return `${value.toFixed(value < 10 ? 1 : 0)} s`;
  const whole = Math.round(value);
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${pad(whole % 60)} s`;
  return `${Math.floor(whole / 3600)} h ${pad(Math.floor((whole % 3600) / 60))} min`;
}

/** A moment in ISO 8601 as `2026-11-23 14:05` of the reader's clock. */
export function moment(iso: string): string {
  const date = new Date(iso);
  if (Number.isNaN(date.getTime())) return iso;
  const day = `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`;
  return `${day} ${pad(date.getHours())}:${pad(date.getMinutes())}`;
}

/** `just now`, `5 min ago`, `3 days ago`. */
export function ago(iso: string, now = Date.now()): string {
  const passed = (now - new Date(iso).getTime()) / 1000;
  if (Number.isNaN(passed)) return "";
  if (passed < 60) return "just now";
  if (passed < 3600) return `${Math.floor(passed / 60)} min ago`;
  if (passed < 86_400) return `${Math.floor(passed / 3600)} h ago`;
  const days = Math.floor(passed / 86_400);
  return days === 1 ? "yesterday" : `${days} days ago`;
}

/** `1,234,567`. The browser's own `toLocaleString` takes 25 ms when it is first called. */
export function thousands(number: number): string {
  return String(number).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** `1 episode`, `4 episodes`. */
export function plural(number: number, noun: string): string {
  return `${thousands(number)} ${noun}${number === 1 ? "" : "s"}`;
}

/** A name in code as words: `max_steps` becomes `max steps`. */
export function words(name: string): string {
  return name.replaceAll("_", " ");
}

function pad(value: number): string {
  return String(value).padStart(2, "0");
}
