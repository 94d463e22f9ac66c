"""A peer's server, seen from within: its arguments, its address and its end."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
import threading
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Variant:
    """What a server is asked to do."""

    frame: bool
    """Answer with pictures, not with text."""
    compression: bool
    """Compress messages, if the peer supports it."""

    @classmethod
    def from_command_line(cls, module: str) -> Variant:
        """Reads ``serve [--frame] [--no-compression]``; exits with a usage message."""
        parser = argparse.ArgumentParser(prog=f"python -m {module}")
        commands = parser.add_subparsers(required=True)
        serve = commands.add_parser("serve", help="serve until stdin closes")
        serve.add_argument("--frame", action="store_true", help="pictures, not text")
        serve.add_argument("--no-compression", dest="compression", action="store_false")
        arguments = parser.parse_args()
        return cls(arguments.frame, arguments.compression)


class Leash:
    """Ends this process when its stdin closes: on request, or because its parent ended."""

    def __init__(self) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="peer-"))
        threading.Thread(target=self._wait, name="leash", daemon=True).start()

    def socket_address(self) -> str:
        """Where to listen: a Unix socket in a folder that is removed in the end."""
        return f"unix:{self._folder / 'socket'}"

    def announce(self, address: str) -> None:
        """Prints ``address`` for the parent once it answers. Later output goes to stderr, since the
        parent reads no further."""
        print(address, flush=True)
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())

    def _wait(self) -> None:
        # Not through sys.stdin, whose lock would be held at exit.
        while os.read(0, 4096):
            pass
        shutil.rmtree(self._folder, ignore_errors=True)
        os._exit(0)
