"""Official trajectories as plans of skills (spec: alfred.md section 3.5)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from env_service.suites.alfred.dataset.trajectory import Trajectory
from env_service.suites.alfred.skills.step import SkillStep, Verb
from env_service.suites.alfred.skills.vocabulary import skill_text

_VERBS: Mapping[str, Verb] = {
    "PickupObject": Verb.PICK_UP,
    "PutObject": Verb.PUT_DOWN,
    "OpenObject": Verb.OPEN,
    "CloseObject": Verb.CLOSE,
    "ToggleObjectOn": Verb.TURN_ON,
    "ToggleObjectOff": Verb.TURN_OFF,
    "SliceObject": Verb.SLICE,
}


def skills_of(trajectory: Trajectory) -> tuple[str, ...]:
    """The demonstration of any trajectory as LoTa-Bench's skill strings, without "done": moves are
    left out, and what is used is found first unless the action just before used it too."""
    return tuple(skill_text(step) for step in steps_of(trajectory))


def steps_of(trajectory: Trajectory) -> tuple[SkillStep, ...]:
    """The same as steps. Objects go by what stands before the first "|" of their ids: slices and
    basins by the whole's name ("Apple", "Sink"). To put something down is to find the receptacle,
    and to name what is put down."""
    return tuple(_steps(trajectory))


def _steps(trajectory: Trajectory) -> Iterator[SkillStep]:
    before = ""
    for action in trajectory.low_actions:
        verb = _VERBS.get(action.name)
        if verb is None:
            before = ""
            continue
        used = _type(action.receptacle_id or action.object_id)
        if used != before and verb is not Verb.CLOSE:
            yield SkillStep(Verb.FIND, used)
        yield SkillStep(verb, _type(action.object_id))
        before = used


def _type(object_id: str) -> str:
    return object_id.partition("|")[0]
