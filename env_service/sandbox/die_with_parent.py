"""Runs a command that dies with the service, however the service dies.

    python -m env_service.sandbox.die_with_parent FD COMMAND…

``FD`` is the reading end of a pipe whose writing end the service holds.
"""

import os
import sys

from env_service.processes.process_tree import die_with_parent


def main() -> None:
    """Ties this process group to the pipe, then becomes the command."""
    fd, command = int(sys.argv[1]), sys.argv[2:]
    die_with_parent(fd)
    try:
        os.execvp(command[0], command)  # noqa: S606 - the agent's own command
    except OSError as error:
        sys.exit(f"cannot start {command[0]}: {error.strerror}")


if __name__ == "__main__":
    main()
