"""The robot that carries out skills over AI2-THOR's controller API, as LoTa-Bench's executor
does: its table of skills.
"""

from collections.abc import Callable, Mapping

from env_service.domain.outcome import OutcomeCode
from env_service.suites.alfred.metadata_view import AlfredView
from env_service.suites.alfred.rules import Rules
from env_service.suites.alfred.skills.context import RobotBody, RobotMemory, SkillContext
from env_service.suites.alfred.skills.manipulation import (
    close_it,
    open_it,
    pick_up,
    put_down,
    slice_it,
    turn_off,
    turn_on,
)
from env_service.suites.alfred.skills.navigation import find
from env_service.suites.alfred.skills.steps import (
    Cause,
    Marks,
    SkillResult,
    SkillStep,
    Verb,
    failure,
)
from env_service.suites.alfred.skills.vocabulary import split_skill
from env_service.worlds.ai2thor_api.controller import ThorController

_KEEPS_DESTINATION = frozenset({Verb.PUT_DOWN, Verb.OPEN})
"""Skills before which the robot does not forget what it found (docs/alfred-rules.md, "Skills")."""

NO_SKILL = "That is no skill of the list"

_SKILLS: Mapping[Verb, Callable[[SkillContext, str], SkillResult]] = {
    Verb.FIND: find,
    Verb.PICK_UP: pick_up,
    Verb.PUT_DOWN: lambda context, _: put_down(context),
    Verb.OPEN: open_it,
    Verb.CLOSE: close_it,
    Verb.SLICE: slice_it,
    Verb.TURN_ON: turn_on,
    Verb.TURN_OFF: turn_off,
}


class Robot:
    """One robot for one episode, in a world that is set up. It answers any step; only a world that
    breaks raises (WorldFault)."""

    def __init__(
        self, world: ThorController, rules: Rules, aliases: Mapping[str, str] | None = None
    ) -> None:
        """``aliases``: object types that have another name in this world, by the skills' name:
        {"Glassbottle": "Bottle"}."""
        self._context = SkillContext(RobotBody(world), RobotMemory(), rules, dict(aliases or {}))

    @property
    def rules(self) -> Rules:
        """The rules that it plays by."""
        return self._context.rules

    @property
    def view(self) -> AlfredView:
        """The scene now."""
        return self._context.view

    @property
    def marks(self) -> Marks:
        """What it has heated, cooled and cleaned."""
        return self._context.memory.marks

    def do(self, step: SkillStep) -> SkillResult:
        """Tries a step. DONE does nothing, and works."""
        skill = _SKILLS.get(step.verb)
        if skill is None:
            return SkillResult(OutcomeCode.SUCCEEDED)
        self._forget(step.verb)
        return skill(self._context, step.object)

    def do_unknown(self, said: str) -> SkillResult:
        """Takes what is none of the 214 skills as LoTa-Bench's executor would: whatever is put
        down by whatever name is what the hand holds; what cannot be found is remembered as where
        to put things, so that they do not end in what was found before; all else makes it forget,
        as any step does, and does nothing."""
        verb, words = split_skill(said)
        self._forget(verb)
        if verb is Verb.PUT_DOWN and words:
            return put_down(self._context)
        if verb is None or not words:
            return failure(Cause.UNKNOWN_WORDS, NO_SKILL)
        name = "".join(each.capitalize() for each in words.split())[:_LONGEST_NAME]
        if verb is Verb.FIND:
            self._context.memory.destination = name
            return failure(Cause.UNKNOWN_WORDS, f"Cannot find {name}")
        return failure(Cause.UNKNOWN_WORDS, f"Cannot find {name} to {verb.value}")

    def _forget(self, verb: Verb | None) -> None:
        if verb not in _KEEPS_DESTINATION:
            self._context.memory.destination = ""


_LONGEST_NAME = 60
