import { createHash } from "node:crypto";

import {
  CHANNELS,
  IMAGE_ENCODINGS,
  IMAGE_ROLES,
  nameOf,
  type Channel,
  type ImageEncoding,
  type ImageRole,
} from "./enums.js";
import { ImageError } from "./errors.js";
import type { Image__Output } from "./generated/houseguest/agent/v1/Image.js";
import type { Observation__Output } from "./generated/houseguest/agent/v1/Observation.js";
import { decodeRaw, type Pixels } from "./pixels.js";

/** One picture. `width` and `height` in pixels; `encoding` is the format of `data`. */
export class Image {
  constructor(
    readonly channel: Channel,
    readonly encoding: ImageEncoding,
    readonly width: number,
    readonly height: number,
    readonly role: ImageRole,
    /** The picture's name if `role` is `"view"`; otherwise empty. */
    readonly view: string,
    readonly data: Uint8Array,
  ) {}

  /** SHA-256 (hex) of `data`. */
  get digest(): string {
    return createHash("sha256").update(this.data).digest("hex");
  }

  /**
   * The samples of a picture in `raw` or `raw_f32`. Throws ImageError if the size does not fit the
   * data, and for any other encoding: `data` is then an image file.
   */
  get pixels(): Pixels {
    return decodeRaw(this);
  }
}

/** What the agent sees at one moment: index 0 opens the episode, n follows step n - 1. */
export class Observation {
  constructor(
    readonly index: number,
    readonly text: string,
    readonly images: readonly Image[],
  ) {}

  /**
   * The current colour picture, or else the first picture. Throws ImageError if the observation has
   * no pictures.
   */
  get image(): Image {
    const current = this.images.find((each) => each.channel === "rgb" && each.role === "current");
    const found = current ?? this.images[0];
    if (found) return found;
    throw new ImageError(
      "This observation has no pictures: the run's condition shows texts alone, or the agent's" +
        " observation request asked for no channel.",
    );
  }
}

/**
 * Reads the observations of one episode and resolves references to earlier pictures. It keeps the
 * newest picture of each channel, role and view.
 */
export class Album {
  readonly #kept = new Map<string, { index: number; data: Uint8Array }>();

  /**
   * The observation with all its pictures. Throws ImageError if it refers to a picture that is not
   * the newest of its kind.
   */
  read(message: Observation__Output): Observation {
    const images = message.images.map((image) => this.#image(message.index, image));
    return new Observation(message.index, message.text, images);
  }

  #image(index: number, message: Image__Output): Image {
    return new Image(
      nameOf(CHANNELS, message.channel),
      nameOf(IMAGE_ENCODINGS, message.encoding),
      message.width,
      message.height,
      nameOf(IMAGE_ROLES, message.role),
      message.view,
      this.#data(index, message),
    );
  }

  #data(index: number, message: Image__Output): Uint8Array {
    const kind = `${message.channel} ${message.role} ${message.view}`;
    const wanted = message.sameAsObservation;
    if (wanted === undefined) {
      const data = message.data ?? new Uint8Array();
      this.#kept.set(kind, { index, data });
      return data;
    }
    const kept = this.#kept.get(kind);
    if (kept?.index === wanted) return kept.data;
    throw new ImageError(
      `The service refers to a picture of observation ${wanted}, which is missing.`,
    );
  }
}
