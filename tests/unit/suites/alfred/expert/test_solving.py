"""Which plan comes of a few plays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from env_service.domain.outcome import OutcomeCode
from env_service.suites.alfred.expert.play import Experience, TakenStep
from env_service.suites.alfred.expert.solver import ExpertAttempt, solution_of
from env_service.suites.alfred.skills.steps import SkillResult, SkillStep, Verb

APPLE, PEAR = SkillStep(Verb.FIND, "Apple"), SkillStep(Verb.FIND, "Potato")
WORKED = SkillResult(OutcomeCode.SUCCEEDED)
FAILED = SkillResult(OutcomeCode.PHYSICALLY_BLOCKED, "no")


@dataclass
class _Site:
    """Plays as it is told to."""

    attempts: list[ExpertAttempt]
    provable: Callable[[Sequence[SkillStep]], bool] = lambda steps: True
    learned: bool = False
    tidied: list[bool] = field(default_factory=list)

    def attempt(self, experience: Experience, *, tidy: bool) -> ExpertAttempt:
        self.tidied.append(tidy)
        if self.learned:
            experience.crowded.add(f"Shelf {len(self.tidied)}")
        return self.attempts.pop(0)

    def proves(self, steps: Sequence[SkillStep]) -> bool:
        return self.provable(steps)


def _good(step: SkillStep) -> TakenStep:
    return TakenStep(step, WORKED, idle=False, wasted=False)


WON = ExpertAttempt((_good(APPLE), _good(APPLE)), won=True, dead_ends=())
DETOUR = ExpertAttempt(
    (
        TakenStep(PEAR, WORKED, idle=False, wasted=True),
        TakenStep(PEAR, FAILED, idle=True, wasted=True),
        _good(APPLE),
    ),
    won=True,
    dead_ends=(),
)


def test_a_play_without_a_detour_is_the_plan() -> None:
    found = solution_of(_Site([WON], provable=lambda steps: False))
    assert found.solved
    assert found.steps == (APPLE, APPLE)


def test_what_led_nowhere_is_left_out_where_the_rest_does_without_it() -> None:
    assert solution_of(_Site([DETOUR])).steps == (APPLE,)


def test_only_what_did_not_work_is_left_out_where_the_rest_needs_the_detour() -> None:
    site = _Site([DETOUR], provable=lambda steps: PEAR in steps)
    assert solution_of(site).steps == (PEAR, APPLE)


def test_the_whole_play_is_the_plan_where_nothing_less_is_proved() -> None:
    site = _Site([DETOUR], provable=lambda steps: False)
    assert solution_of(site).steps == DETOUR.steps


def test_what_a_play_has_taught_is_tried_and_the_shortest_plan_is_kept() -> None:
    long = ExpertAttempt((_good(PEAR),) * 5, won=True, dead_ends=("full",))
    site = _Site([long, WON, long], learned=True)
    assert solution_of(site).steps == WON.steps


def test_a_plan_that_is_too_long_for_an_episode_is_tried_without_tidying_up() -> None:
    site = _Site([ExpertAttempt((_good(PEAR),) * 26, won=True, dead_ends=()), WON])
    assert solution_of(site).steps == WON.steps
    assert site.tidied == [True, False]


def test_a_task_that_ends_in_the_same_dead_end_twice_is_given_up() -> None:
    stuck = ExpertAttempt((_good(PEAR),), won=False, dead_ends=("no room",))
    site = _Site([stuck, stuck])
    found = solution_of(site)
    assert not found.solved
    assert found.dead_ends == ("no room",)
