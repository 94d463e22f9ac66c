import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";

import { SetupError } from "./errors.js";

/**
 * The resume token of one session in a file, so that the session can outlive its process. Only the
 * file's owner can read it.
 *
 * Each token works once, and every grant contains a new one. `save` therefore replaces the file
 * atomically: a process that dies at any moment leaves either the old or the new token.
 */
export class StateFile {
  constructor(private readonly path: string) {}

  /** The saved token, or empty. Throws SetupError if the file is not a state file. */
  load(): Buffer {
    try {
      const state = JSON.parse(readFileSync(this.path, "utf8")) as { resume_token?: unknown };
      const token = state.resume_token;
      if (typeof token !== "string" || !/^([0-9a-f]{2})*$/i.test(token)) {
        throw new TypeError("it has no resume_token");
      }
      return Buffer.from(token, "hex");
    } catch (error) {
      if (isMissing(error)) return Buffer.alloc(0);
      throw new SetupError(
        `State file ${this.path} is not valid: ${(error as Error).message}. Delete it to start a` +
          " fresh session, or set HOUSEGUEST_STATE_FILE to another file.",
      );
    }
  }

  /** Saves the token of the newest grant. Throws SetupError on failure. */
  save(sessionId: string, resumeToken: Uint8Array): void {
    const token = Buffer.from(resumeToken).toString("hex");
    const draft = `${this.path}.${process.pid}.new`;
    try {
      const state = { session: sessionId, resume_token: token };
      writeFileSync(draft, JSON.stringify(state), { mode: 0o600 });
      renameSync(draft, this.path);
    } catch (error) {
      throw new SetupError(
        `State file ${this.path} cannot be written: ${(error as Error).message}. Set` +
          " HOUSEGUEST_STATE_FILE to a file that you can write, or unset it.",
      );
    }
  }

  /** Deletes the token: the session is over, or cannot resume. */
  remove(): void {
    rmSync(this.path, { force: true });
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}
