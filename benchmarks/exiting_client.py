"""An agent that plays and then leaves, in one of several ways.

    python -m benchmarks.exiting_client WAY TRANSPORT ADDRESS TOKEN STEPS SWITCH_SECONDS

Says "leaving" just before it does. Used by benchmarks/exits.py.
"""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable
from typing import Literal, NoReturn, cast

from houseguest_agent import Client, Episode, Options

FAILED, EXITED = 1, 3
"""Exit statuses: of an uncaught exception, and of ``sys.exit`` in this program."""


def leaving() -> None:
    """Says so."""
    print("leaving", flush=True)


class Agent:
    """A client, and the steps it takes before it leaves."""

    def __init__(self, client: Client, steps: int) -> None:
        self.client, self.steps = client, steps

    def play(self, last: Callable[[Episode], object]) -> None:
        """Takes the steps of one episode, then does the last thing."""
        for episode in self.client.episodes():
            for _ in range(self.steps):
                episode.act("noop")
            leaving()
            last(episode)
            return


def nothing(_episode: Episode) -> None:
    """Leaves the episode open."""


def win(episode: Episode) -> None:
    """Ends the episode as an agent should."""
    episode.act("win")


def go_on(episode: Episode) -> None:
    """Plays until a signal comes."""
    while episode.running:
        episode.act("noop")


def fail(_episode: Episode) -> NoReturn:
    """An error of the agent's own."""
    raise RuntimeError("this agent fails, as it should")


def exit_at_once(_episode: Episode) -> NoReturn:
    """Ends the program in the middle of an episode."""
    sys.exit(EXITED)


def block(agent: Agent) -> None:
    """Leaves the ``with`` block after the episode."""
    with agent.client:
        agent.play(win)


def middle(agent: Agent) -> None:
    """Leaves the ``with`` block in the middle of the episode."""
    with agent.client:
        agent.play(nothing)


def error(agent: Agent) -> None:
    """An exception leaves the ``with`` block."""
    with agent.client:
        agent.play(fail)


def exits(agent: Agent) -> None:
    """sys.exit in the loop over the episodes, without a ``with`` block."""
    agent.play(exit_at_once)


def dropped(agent: Agent) -> None:
    """Drops the last reference to the client without closing it."""
    agent.play(nothing)
    del agent.client


def thread(agent: Agent) -> None:
    """The program ends while a daemon thread plays."""
    playing = threading.Event()

    def last(episode: Episode) -> None:
        playing.set()
        go_on(episode)

    threading.Thread(target=agent.play, args=(last,), daemon=True).start()
    playing.wait()


def interrupt(agent: Agent) -> None:
    """Ctrl-C in the ``with`` block."""
    with agent.client:
        agent.play(go_on)


def interrupt_bare(agent: Agent) -> None:
    """Ctrl-C without a ``with`` block."""
    agent.play(go_on)


def terminate(agent: Agent) -> None:
    """SIGTERM, which the program takes for sys.exit."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(EXITED))
    agent.play(go_on)


WAYS = {
    way.__name__: way
    for way in (block, middle, error, exits, dropped, thread, interrupt, interrupt_bare, terminate)
}
SIGNALS = {
    "interrupt": signal.SIGINT,
    "interrupt_bare": signal.SIGINT,
    "terminate": signal.SIGTERM,
}
"""Which of them wait for which signal."""

STATUSES = {
    "error": FAILED,
    "exits": EXITED,
    "interrupt": -signal.SIGINT,
    "interrupt_bare": -signal.SIGINT,
    "terminate": EXITED,
}
"""What they end with, where it is not 0."""


def main() -> None:
    """Plays, and leaves."""
    way, transport, address, token, steps, switch = sys.argv[1:]
    sys.setswitchinterval(float(switch))
    chosen = cast(Literal["play", "unary"], transport)
    options = Options(address=address, token=token, transport=chosen, state_file="")
    WAYS[way](Agent(Client("exits", options=options), int(steps)))


if __name__ == "__main__":
    main()
