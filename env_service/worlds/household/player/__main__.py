"""Starts a player; see `options.USAGE`."""

import os
import signal
import sys
import threading
from importlib.util import find_spec

from env_service.datasets.errors import DataPackError
from env_service.worlds.household.player.dialogue import PlayedSimulator, Player
from env_service.worlds.household.player.faults import Faults
from env_service.worlds.household.player.fifo import ControllerGoneError, Pipes, ProtocolError
from env_service.worlds.household.player.options import USAGE, read
from env_service.worlds.household.player.parent_process import end_with_parent


def main() -> int:
    """Plays until the controller goes. Returns the exit status: 0 if the controller left, 2 for
    invalid options or an invalid message."""
    if "--help" in sys.argv or "-h" in sys.argv:
        sys.stdout.write(USAGE)
        return 0
    try:
        options = read(sys.argv[1:], os.environ)
        faults = Faults.from_environment(os.environ)
    except ValueError as error:
        return _complain(str(error))
    if faults.deaf:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if find_spec("msgpack") is None:
        return _complain("msgpack is not installed: install houseguest[ai2thor]")
    # The parent may die before either side has opened a pipe.
    threading.Thread(target=end_with_parent, daemon=True).start()
    pipes = Pipes(options.to_controller, options.from_controller)
    try:
        Player(PlayedSimulator(options), pipes, faults).run()
    except (ControllerGoneError, KeyboardInterrupt):
        return 0
    except (ProtocolError, DataPackError, ValueError) as error:
        return _complain(str(error))
    return 0


def _complain(text: str) -> int:
    sys.stderr.write(f"player: {text}\n")
    return 2


if __name__ == "__main__":
    sys.exit(main())
