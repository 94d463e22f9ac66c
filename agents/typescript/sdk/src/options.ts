import {
  CHANNELS,
  IMAGE_ENCODINGS,
  nameOf,
  numberOf,
  type Channel,
  type ImageEncoding,
} from "./enums.js";
import { SetupError } from "./errors.js";
import type {
  ObservationRequest as WireRequest,
  ObservationRequest__Output,
} from "./generated/houseguest/agent/v1/ObservationRequest.js";

/**
 * One channel of pictures that the agent wants.
 *
 * `encodings` in order of preference; empty means raw samples: `raw_f32` for depth and `raw` for
 * every other channel. `previousFrame` asks for the picture before the last action.
 */
export interface ImageRequest {
  readonly channel: Channel;
  readonly encodings?: readonly ImageEncoding[];
  readonly previousFrame?: boolean;
}

/** What the agent wants to see in every episode. Empty: everything on offer, raw. */
export interface ObservationRequest {
  readonly images?: readonly ImageRequest[];
  readonly text?: boolean;
}

/**
 * How long to retry over a bad link. All times are positive numbers of seconds.
 *
 * The library repeats a request for `patience` (60) after its first failure, and the very first
 * call for `connectPatience` (5). Waits double from `firstWait` (0.05) up to `longestWait` (5);
 * `random` (a function that returns 0 to 1) shortens each by up to half. If an attempt of a step
 * takes longer than `timeout`, the library repeats it, and the repeat joins the running step; null
 * means the service's deadline plus 10 s, or 120 s if the service states none.
 */
export interface RetryPolicy {
  readonly patience: number;
  readonly connectPatience: number;
  readonly firstWait: number;
  readonly longestWait: number;
  readonly timeout: number | null;
  readonly random: () => number;
}

/** How to reach the service. The defaults suit an agent that the service started. */
export interface Options {
  /** `unix:/path` or `host:port`; default: HOUSEGUEST_ADDRESS. */
  readonly address?: string;
  /** The lease token; default: HOUSEGUEST_TOKEN. */
  readonly token?: string;
  /** A PEM file of root certificates, which turns TLS on; default: HOUSEGUEST_CA. */
  readonly ca?: string;
  /**
   * The file for the session's resume token, with which a restarted process continues where the
   * last one stopped; empty: no file. Default: HOUSEGUEST_STATE_FILE.
   */
  readonly stateFile?: string;
  readonly observation?: ObservationRequest;
  /** `play` (the default): one stream for all steps, if offered; `unary`: one call per step. */
  readonly transport?: "play" | "unary";
  readonly retry?: Partial<RetryPolicy>;
  /** Receives messages for the agent's operator; default: standard error. */
  readonly log?: (message: string) => void;
}

/** Options with all defaults filled in. */
export type Settings = Required<Omit<Options, "retry">> & { readonly retry: RetryPolicy };

const RETRY: RetryPolicy = {
  patience: 60,
  connectPatience: 5,
  firstWait: 0.05,
  longestWait: 5,
  timeout: null,
  random: Math.random,
};

/** Fills in the defaults. Throws SetupError for an invalid option. */
export function readOptions(options: Options, environment = process.env): Settings {
  const settings: Settings = {
    address: options.address ?? environment["HOUSEGUEST_ADDRESS"] ?? "",
    token: options.token ?? environment["HOUSEGUEST_TOKEN"] ?? "",
    ca: options.ca ?? environment["HOUSEGUEST_CA"] ?? "",
    stateFile: options.stateFile ?? environment["HOUSEGUEST_STATE_FILE"] ?? "",
    observation: options.observation ?? {},
    transport: options.transport ?? "play",
    retry: { ...RETRY, ...options.retry },
    log: options.log ?? ((message) => console.warn(`houseguest: ${message}`)),
  };
  check(settings);
  return settings;
}

function check({ address, token }: Settings): void {
  if (!address) {
    throw new SetupError(
      "No address of a service was given. Start the agent through the service, set HOUSEGUEST_ADDRESS to" +
        " unix:/path/to/agent.sock or host:port, or pass the option address.",
    );
  }
  if (!address.startsWith("unix:") && !address.includes(":")) {
    throw new SetupError(`Address '${address}' is neither unix:/path/to/agent.sock nor host:port.`);
  }
  if (!token) {
    throw new SetupError(
      "No lease token. Set HOUSEGUEST_TOKEN to the token that the service handed out for this" +
        " session, or pass the option token.",
    );
  }
}

/** The request as a protocol message. */
export function encodeObservationRequest(request: ObservationRequest): WireRequest {
  const images = (request.images ?? []).map(
    ({ channel, encodings = [], previousFrame = false }) => {
      const wanted = encodings.length || channel !== "depth" ? encodings : (["raw_f32"] as const);
      return {
        channel: numberOf<Channel, 0>(CHANNELS, channel),
        encodings: wanted.map((each) => numberOf<ImageEncoding, 0>(IMAGE_ENCODINGS, each)),
        previousFrame,
      };
    },
  );
  return { images, text: request.text ?? false };
}

/** Reads the granted part of the request. */
export function readObservationRequest(
  message: ObservationRequest__Output | null,
): ObservationRequest {
  const images = (message?.images ?? []).map(({ channel, encodings, previousFrame }) => ({
    channel: nameOf(CHANNELS, channel),
    encodings: encodings.map((each) => nameOf(IMAGE_ENCODINGS, each)),
    previousFrame,
  }));
  return { images, text: message?.text ?? false };
}
