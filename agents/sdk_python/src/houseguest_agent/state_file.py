"""Where a session outlives its process: the newest resume token, on disk."""

from __future__ import annotations

import json
import os
from pathlib import Path

from .errors import SetupError


class StateFile:
    """The resume token of one session. The file is readable by its owner alone.

    The token is good once, and every grant brings a new one, so ``save`` replaces the
    file in one step: a process that dies at any moment leaves an old or a new one.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def load(self) -> bytes:
        """The saved token; empty when there is none.

        Raises SetupError for a file that is not ours.
        """
        try:
            state = json.loads(self._path.read_text(encoding="utf-8"))
            return bytes.fromhex(state["resume_token"])
        except FileNotFoundError:
            return b""
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise SetupError(
                f"State file {self._path} cannot be read as one: {error!r}. Delete it to start"
                " a fresh session, or name another one in HOUSEGUEST_STATE_FILE."
            ) from error

    def save(self, session_id: str, resume_token: bytes) -> None:
        """Keeps the token of the newest grant. Raises SetupError where it cannot."""
        state = {"session": session_id, "resume_token": resume_token.hex()}
        draft = self._path.with_name(f"{self._path.name}.{os.getpid()}.new")
        try:
            handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                json.dump(state, file)
            draft.replace(self._path)
        except OSError as error:
            raise SetupError(
                f"State file {self._path} cannot be written: {error.strerror}. Name a writable"
                " place in HOUSEGUEST_STATE_FILE, or none."
            ) from error

    def remove(self) -> None:
        """Forgets the session: it is over, or cannot be resumed."""
        self._path.unlink(missing_ok=True)
