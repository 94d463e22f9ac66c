"""A scene, and what came of playing it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from env_service.conformance.agent.journal import Journal
from env_service.conformance.agent.script import Script
from env_service.conformance.judgement import Judgement
from env_service.conformance.rules import Rule
from env_service.sandbox.guest import Ending


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """A script by name; each is equal to itself alone.

    ``both_ways``: a guest that uses Play meets it once more without. ``waits``: seconds that
    the house itself makes the guest wait, or lets it be. ``managed``: only for a guest that the
    kit itself starts and ends.
    """

    name: str
    script: Script
    both_ways: bool = False
    waits: float = 0.0
    managed: bool = False


@dataclass(frozen=True, slots=True)
class Played:
    """What a guest did in a scene, and how it left.

    ``ending`` is None for a guest that had to be stopped, and for an external one, which
    ``left`` by letting its connection go. ``stopping``: seconds from the request to end until it
    was gone; None where nobody asked. ``referred``: some picture went as a reference,
    ``sent_large``: some message was almost as large as one may be.
    ``struck``: every fault of the script has met a call. ``log``: its last lines.
    """

    journal: Journal
    ending: Ending | None
    left: bool
    external: bool = False
    stopping: float | None = None
    referred: bool = False
    sent_large: bool = False
    struck: bool = True
    log: str = ""

    @property
    def well(self) -> bool:
        """Whether it left by itself with exit status 0, as far as can be seen."""
        return self.left and (self.ending is None or self.ending.code == 0)

    def how_it_went(self) -> str:
        """For people: how the guest left, and what it did last."""
        return f"the guest {self._leaving()}; its last call: {self.journal.last_words()}"

    def _leaving(self) -> str:
        if self.journal.withdrawn is not None:
            return f"withdrew ({self.journal.withdrawn})"
        if not self.left:
            return "did not go on in time, and was stopped"
        if self.ending is None:
            return "let its connection go"
        if self.ending.out_of_memory:
            return "was killed: out of memory"
        code = self.ending.code
        return f"exited with status {code}" if code >= 0 else f"was killed by signal {-code}"


Judge = Callable[[Played], Judgement]


@dataclass(frozen=True, slots=True)
class AgentRule:
    """A rule, the scene that shows whether a guest keeps it, and who judges that.

    Beside what ``judge`` finds, every violation that is noted under the rule's id counts,
    whatever scene it is noted in.
    """

    rule: Rule
    scene: Scene
    judge: Judge
