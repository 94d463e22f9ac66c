import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";

import { SetupError } from "./errors.js";

/**
 * The resume token of one session, on disk: where a session outlives its process. The file is
 * readable by its owner alone.
 *
 * The token is good once, and every grant brings a new one, so `save` replaces the file in one
 * step: a process that dies at any moment leaves an old or a new one.
 */
export class StateFile {
  constructor(private readonly path: string) {}

  /** The saved token; empty when there is none. Throws SetupError for a file that is not ours. */
  load(): Buffer {
    try {
      const state = JSON.parse(readFileSync(this.path, "utf8")) as { resume_token?: unknown };
      const token = state.resume_token;
      if (typeof token !== "string" || !/^([0-9a-f]{2})*$/i.test(token)) {
        throw new TypeError("it holds no resume_token");
      }
      return Buffer.from(token, "hex");
    } catch (error) {
      if (isMissing(error)) return Buffer.alloc(0);
      throw new SetupError(
        `State file ${this.path} cannot be read as one: ${(error as Error).message}. Delete it to` +
          " start a fresh session, or name another one in HOUSEGUEST_STATE_FILE.",
      );
    }
  }

  /** Keeps the token of the newest grant. Throws SetupError where it cannot. */
  save(sessionId: string, resumeToken: Uint8Array): void {
    const token = Buffer.from(resumeToken).toString("hex");
    const draft = `${this.path}.${process.pid}.new`;
    try {
      const state = { session: sessionId, resume_token: token };
      writeFileSync(draft, JSON.stringify(state), { mode: 0o600 });
      renameSync(draft, this.path);
    } catch (error) {
      throw new SetupError(
        `State file ${this.path} cannot be written: ${(error as Error).message}. Name a writable` +
          " place in HOUSEGUEST_STATE_FILE, or none.",
      );
    }
  }

  /** Forgets the session: it is over, or cannot be resumed. */
  remove(): void {
    rmSync(this.path, { force: true });
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}
