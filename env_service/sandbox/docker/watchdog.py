"""Removes a service's containers as soon as the service has ended, for any reason.

    python -m env_service.sandbox.docker.watchdog OWNER

Standard input is the reading end of a pipe whose writing end the service holds. The service writes
one byte when it has removed everything itself. Containers are the engine's processes, so no
signal to a process group reaches them. This process leads a separate session, so Ctrl-C in the
service's terminal does not end it.
"""

import contextlib
import os
import subprocess
import sys
import time

from env_service.sandbox.docker.owner import Owner

DONE = b"."
_LOOKS = 10
"""How often it looks: a container that was being made when the service ended comes later."""
_PAUSE = 1.0


class Watchdog:
    """The watchdog's process, as the service sees it."""

    def __init__(self, owner: Owner) -> None:
        """Starts the process."""
        reading, self._writing = os.pipe()
        try:
            self._process = subprocess.Popen(
                (sys.executable, "-m", __name__, owner.text),
                stdin=reading,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        except BaseException:
            os.close(self._writing)
            raise
        finally:
            os.close(reading)

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    def dismiss(self, *, clean: bool) -> None:
        """Ends the watchdog. ``clean``: nothing is left to remove; else it removes what is left."""
        if clean:
            # Somebody may have killed it.
            with contextlib.suppress(BrokenPipeError):
                os.write(self._writing, DONE)
        os.close(self._writing)
        if clean:
            self._process.wait()


def main() -> None:
    """Waits until the service has finished or died; if it died, removes its containers."""
    owner = Owner.parse(sys.argv[1])
    if owner is None or os.read(0, 1) == DONE:
        return
    # Not before: as long as it waits it should hold little memory.
    from env_service.sandbox.docker.container import remove_owned  # noqa: PLC0415 - see above
    from env_service.sandbox.docker.engine import FAILURES, connect  # noqa: PLC0415 - see above
    from env_service.sandbox.errors import AgentStartError  # noqa: PLC0415 - see above

    for _ in range(_LOOKS):
        try:
            client = connect()
            remove_owned(client, owner)
            client.close()
        except (AgentStartError, *FAILURES):
            # The engine may be on its way back.
            pass
        time.sleep(_PAUSE)


if __name__ == "__main__":
    main()
