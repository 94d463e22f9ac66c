/** Where the player is: kept in the address, moved by keys, the slider and the clock. */
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { change, whole } from "../router";
import { useShortcuts } from "../shortcuts";

/** Steps a second. */
export const SPEEDS = [0.5, 1, 2, 4, 8, 20] as const;
const USUAL_SPEED = 2;
/** Browsers hang up on pages that change their address more often than a few times a second. */
const ADDRESS_PAUSE = 200;

export interface Player {
  readonly position: number;
  readonly total: number;
  readonly playing: boolean;
  readonly speed: number;
  readonly go: (position: number) => void;
  readonly toggle: () => void;
  readonly setSpeed: (speed: number) => void;
}

/** `known`: whether `total` is known. An episode that grows is followed from its end. */
export function usePlayer(query: URLSearchParams, total: number, known: boolean): Player {
  const asked = whole(query, "step", 0);
  const [position, setPosition] = useState(asked);
  const [playing, setPlaying] = useState(false);
  const [speed, setSpeed] = useState<number>(USUAL_SPEED);
  const written = useRef(asked);
  const end = useRef(total);

  // Another place in the address: a link, or the browser's way back.
  useEffect(() => {
    if (asked !== written.current) {
      written.current = asked;
      setPosition(asked);
    }
  }, [asked]);
  useEffect(() => {
    if (!known) return;
    const before = end.current;
    end.current = total;
    setPosition((old) => (before > 0 && old === before && total > before ? total : old));
  }, [total, known]);
  useEffect(() => {
    if (position === written.current) return undefined;
    const timer = setTimeout(() => {
      written.current = position;
      change({ step: position || null }, true);
    }, ADDRESS_PAUSE);
    return () => clearTimeout(timer);
  }, [position]);

  const shown = known ? Math.min(position, total) : position;
  const go = useCallback((next: number) => {
    setPosition(Math.max(0, Math.min(end.current, next)));
  }, []);
  const toggle = useCallback(() => {
    setPlaying((old) => !old);
  }, []);
  useClock(playing, speed, () => {
    if (shown >= total) setPlaying(false);
    else setPosition(shown + 1);
  });
  const start = () => {
    if (!playing && shown >= total) setPosition(0);
    toggle();
  };
  useShortcuts([
    { keys: "ArrowLeft", label: "Step back", run: () => go(shown - 1) },
    { keys: "ArrowRight", label: "Step on", run: () => go(shown + 1) },
    { keys: "Home", label: "To the beginning", run: () => go(0) },
    { keys: "End", label: "To the end", run: () => go(total) },
    { keys: " ", label: "Play or pause", run: start },
    { keys: "+", label: "Faster", run: () => setSpeed(otherSpeed(speed, 1)) },
    { keys: "-", label: "Slower", run: () => setSpeed(otherSpeed(speed, -1)) },
  ]);
  return { position: shown, total, playing, speed, go, toggle: start, setSpeed };
}

function otherSpeed(speed: number, by: number): number {
  const place = SPEEDS.findIndex((each) => each === speed) + by;
  return SPEEDS[place] ?? speed;
}

function useClock(running: boolean, rate: number, tick: () => void): void {
  const current = useRef(tick);
  current.current = tick;
  useEffect(() => {
    if (!running) return undefined;
    const timer = setInterval(() => current.current(), 1000 / rate);
    return () => clearInterval(timer);
  }, [running, rate]);
}
