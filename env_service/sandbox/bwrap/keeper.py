"""The process that starts one agent in bubblewrap, enforces its limits, and cleans up after it."""

import enum
import os
import selectors
import signal
import sys
import time
from contextlib import suppress
from functools import partial

from env_service.sandbox.bwrap import cgroups, launch, process_tree
from env_service.sandbox.bwrap.keeper_plan import KeeperPlan, KeeperReport

LOOK_SECONDS = 0.2
"""How often limits are looked at."""
CLEANING_SECONDS = 5.0
"""How long killed processes may take to end."""
_COMMAND = 2
"""What the agent's command is in its pid namespace; 1 is bubblewrap's own, which reaps."""
SIGNALLED = 128
"""Over this, an exit status is that and the number of the signal that ended the command."""


def main() -> None:
    """Runs one agent from start to end."""
    plan = KeeperPlan.loads(sys.stdin.buffer.read())
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    keeper = Keeper(plan, int(sys.argv[1]))
    try:
        report = keeper.keep()
    except OSError as error:
        report = KeeperReport(problem=str(error))
    finally:
        keeper.clean_up()
    send_report(report)


def send_report(report: KeeperReport) -> None:
    """Reports to the service, if that is still there."""
    with suppress(BrokenPipeError):
        sys.stdout.buffer.write(report.dumps())
        sys.stdout.buffer.flush()


class Keeper:
    """Runs and watches one agent."""

    def __init__(self, plan: KeeperPlan, lifeline: int) -> None:
        self._plan = plan
        self._lifeline = lifeline
        self._launched: launch.Launched | None = None
        self._first: int | None = None
        self._handle: int | None = None
        self._code: int | None = None
        self._status = b""
        self._bounds = Bounds(plan)
        self._breach: Breach | None = None
        self._killed = False

    def keep(self) -> KeeperReport:
        """Starts the agent and returns how it ended. Raises OSError where it cannot start."""
        operations = list(self._plan.operations)
        if self._plan.groups is not None:
            cgroups.make(self._plan.groups)
        if self._plan.uid is not None:
            operations = launch.stage(operations)
        launch.bound(self._plan)
        self._launched = launched = launch.launch(self._plan, operations)
        ended = os.pidfd_open(launched.process.pid)
        with selectors.DefaultSelector() as selector:
            selector.register(self._lifeline, selectors.EVENT_READ, self._hear)
            learn = partial(self._learn, launched)
            selector.register(launched.status, selectors.EVENT_READ, learn)
            selector.register(ended, selectors.EVENT_READ, lambda: False)
            while ended in selector.get_map():
                for key, _ in selector.select(LOOK_SECONDS):
                    if not key.data():
                        selector.unregister(key.fileobj)
                self._look()
        while learn():
            pass
        return self._verdict(launched.process.wait())

    def clean_up(self) -> None:
        """Kills what is left of the agent and removes what was made for it."""
        self._kill()
        groups, first = self._plan.groups, self._first
        end = time.monotonic() + CLEANING_SECONDS
        while time.monotonic() < end:
            for pid in cgroups.members(groups) if groups is not None else ():
                _signal(pid, signal.SIGKILL)
            over = first is None or process_tree.gone((first,))
            if over and (groups is None or cgroups.remove(groups.folders)):
                return
            time.sleep(0.01)

    def _hear(self) -> bool:
        """Does what the service wants; whether it may want more."""
        if os.read(self._lifeline, 1):
            command = (
                process_tree.inside(self._first, _COMMAND) if self._first is not None else None
            )
            if command is None:
                self._kill()
            else:
                _signal(command, signal.SIGTERM)
            return True
        self._kill()
        return False

    def _learn(self, launched: launch.Launched) -> bool:
        """Takes in what bubblewrap says of itself; whether there may be more."""
        said = os.read(launched.status, 4096)
        self._status += said
        *documents, self._status = self._status.split(b"\n")
        for document in map(bytes.decode, documents):
            if (pid := launch.child_pid(document)) is not None:
                self._begin(launched, pid)
            if (code := launch.exit_code(document)) is not None:
                self._code = code
        return bool(said)

    def _begin(self, launched: launch.Launched, first: int) -> None:
        """Confines what will be the agent, then lets it go."""
        self._first, self._handle = first, os.pidfd_open(first)
        launch.confine(self._plan, first)
        if self._plan.groups is not None:
            cgroups.enter(self._plan.groups, first)
        launched.let_go()
        send_report(KeeperReport(running=True))

    def _look(self) -> None:
        """Kills an agent that is over its limits."""
        if self._breach is not None:
            return
        self._breach = self._bounds.breach(self._first)
        if self._breach is not None:
            # First of all: an agent may have filled the log's pipe, where we would wait.
            self._kill()
            sys.stderr.write(f"[houseguest: the agent was killed: {self._breach.value}]\n")
            sys.stderr.flush()

    def _verdict(self, status: int) -> KeeperReport:
        """``status`` is bubblewrap's; a shell's way, over 128, of saying which signal it was."""
        # The last kill may have come after the last look.
        memory = self._breach is Breach.MEMORY or self._bounds.out_of_memory()
        code = status if self._code is None else self._code
        killed = self._breach is not None or self._killed
        if self._code is None and not killed and not memory:
            return KeeperReport(problem="bubblewrap could not set up the sandbox")
        return KeeperReport(
            code=128 - code if code > SIGNALLED else code,
            out_of_memory=memory,
            out_of_time=self._breach is Breach.TIME,
        )

    def _kill(self) -> None:
        """Process 1 takes all others of its pid namespace along."""
        self._killed = True
        if self._handle is not None:
            # Not by its number, which another process may have by now.
            with suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._handle, signal.SIGKILL)
        elif self._launched is not None:
            self._launched.process.kill()


def _signal(pid: int, sign: signal.Signals) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, sign)


# --- Whether an agent is over its limits


class Breach(enum.Enum):
    """Which limit an agent went over, in words for its log."""

    MEMORY = "it exceeded its memory limit"
    TIME = "it exceeded its time limit"
    PROCESSES = "it had too many processes and threads"


class Bounds:
    """One agent's limits; its time begins now."""

    def __init__(self, plan: KeeperPlan) -> None:
        self._plan = plan
        self._deadline = None if plan.seconds is None else time.monotonic() + plan.seconds

    def breach(self, first: int | None) -> Breach | None:
        """The limit that is broken; ``first`` is process 1 of the agent's pid namespace."""
        if self.out_of_memory():
            return Breach.MEMORY
        if self._deadline is not None and time.monotonic() > self._deadline:
            return Breach.TIME
        return None if first is None else self._measured(first)

    def out_of_memory(self) -> bool:
        """Whether the kernel has killed something of it for lack of memory."""
        groups = self._plan.groups
        return groups is not None and cgroups.ran_out_of_memory(groups)

    def _measured(self, first: int) -> Breach | None:
        limits = self._plan.watch
        if limits is None:
            return None
        processes = process_tree.tree(first)
        if process_tree.memory(processes, limits.memory) > limits.memory:
            return Breach.MEMORY
        threads = sum(process.threads for process in processes)
        return Breach.PROCESSES if threads > limits.pids + cgroups.OVERHEAD else None


if __name__ == "__main__":
    main()
