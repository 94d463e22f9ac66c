import { endianness } from "node:os";

import { ImageError } from "./errors.js";
import type { Image } from "./observation.js";

/**
 * The samples of a picture, row by row from the top left.
 *
 * For `raw`, `data` is a Uint8Array of width × height × 3: red, green and blue interleaved. For
 * `raw_f32`, it is a Float32Array of width × height, in metres.
 */
export interface Pixels {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8Array | Float32Array;
}

/** Reads a raw picture. Throws ImageError for another encoding or a wrong size. */
export function decodeRaw(image: Image): Pixels {
  const { encoding, width, height, data } = image;
  if (encoding !== "raw" && encoding !== "raw_f32") {
    throw new ImageError(
      `A picture in ${encoding} is an image file: use Image.data as a file, or decode it with a` +
        " library of your choice. To get pixels, request raw pictures.",
    );
  }
  const sampleBytes = encoding === "raw" ? 3 : 4;
  if (data.length !== width * height * sampleBytes) {
    throw new ImageError(
      `A picture of ${width} × ${height} pixels with ${data.length} bytes is not ${encoding}.`,
    );
  }
  return { width, height, data: encoding === "raw" ? data : floats(data) };
}

function floats(data: Uint8Array): Float32Array {
  // A copy, since the samples can start at any offset in the message.
  const copy = new Uint8Array(data);
  if (endianness() === "BE") Buffer.from(copy.buffer).swap32();
  return new Float32Array(copy.buffer);
}
