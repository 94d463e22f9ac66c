import { endianness } from "node:os";

import { ImageError } from "./errors.js";
import type { Image } from "./observation.js";

/**
 * The samples of a picture, row by row from the top left.
 *
 * Of `raw`: `data` is a Uint8Array of width × height × 3, red, green and blue interleaved. Of
 * `raw_f32`: a Float32Array of width × height, in metres.
 */
export interface Pixels {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8Array | Float32Array;
}

/** Reads a raw picture. Throws ImageError for another encoding, or a size that does not fit. */
export function decodeRaw(image: Image): Pixels {
  const { encoding, width, height, data } = image;
  if (encoding !== "raw" && encoding !== "raw_f32") {
    throw new ImageError(
      `A picture in ${encoding} is a file: hand Image.data on, or decode it with a library of` +
        " your choice. Ask for raw pictures to get pixels.",
    );
  }
  const sampleBytes = encoding === "raw" ? 3 : 4;
  if (data.length !== width * height * sampleBytes) {
    throw new ImageError(
      `A picture of ${width} × ${height} pixels with ${data.length} bytes is no ${encoding}.`,
    );
  }
  return { width, height, data: encoding === "raw" ? data : floats(data) };
}

function floats(data: Uint8Array): Float32Array {
  // A copy, since the samples may start at any offset of a message.
  const copy = new Uint8Array(data);
  if (endianness() === "BE") Buffer.from(copy.buffer).swap32();
  return new Float32Array(copy.buffer);
}
