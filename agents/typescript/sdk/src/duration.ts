import { setTimeout as sleep } from "node:timers/promises";

import type { Duration, Duration__Output } from "./generated/google/protobuf/Duration.js";

const NANOS = 1e9;

/** A protobuf Duration in seconds. */
export function seconds(duration: Duration__Output): number {
  return Number(duration.seconds) + duration.nanos / NANOS;
}

/** A protobuf Duration in seconds; null if it is absent. */
export function optionalSeconds(duration: Duration__Output | null | undefined): number | null {
  return duration ? seconds(duration) : null;
}

/** Seconds as a protobuf Duration. */
export function toDuration(value: number): Duration {
  const whole = Math.trunc(value);
  return { seconds: whole, nanos: Math.round((value - whole) * NANOS) };
}

/** Waits for some seconds; returns false if `signal` ended the wait. */
export async function pause(wait: number, signal?: AbortSignal): Promise<boolean> {
  try {
    await sleep(wait * 1000, undefined, signal ? { signal } : {});
    return true;
  } catch {
    return false;
  }
}
