"""Judges: what an agent has to do in a scene."""

from __future__ import annotations

from collections.abc import Callable

from env_service.conformance.agent.scene import CallJournal, Judge, ObservedCall, PlayedScene
from env_service.conformance.report import Judgement, NotApplicable, failure
from env_service.domain.text import counted

Reached = Callable[[PlayedScene], bool]

NO_SUCH_CALL = NotApplicable("the agent never made a call to which this applies")


def stepped(played: PlayedScene) -> bool:
    """Whether the agent took a step."""
    return bool(played.journal.steps)


def struck(played: PlayedScene) -> bool:
    """Whether every fault of the scene affected a call."""
    return played.struck


def always(_played: PlayedScene) -> bool:
    """True, whatever the agent did."""
    return True


def answered_with(text: str) -> Reached:
    """Whether some call got this answer, as the journal words it."""
    return lambda played: any(text in call.answer for call in played.journal.calls)


def plays_on(sent: str, reached: Reached = always) -> Judge:
    """A judge: the agent plays every episode of the scene, until AllDone.

    The rule is not applicable if the agent left properly without ``reached`` being true.
    """

    def judge(played: PlayedScene) -> Judgement:
        if not played.journal.told_all_done:
            expected = "that the agent continues, with every episode until AllDone"
            return failure(sent, expected, played.how_it_went())
        return () if reached(played) else NO_SUCH_CALL

    return judge


def keeps(reached: Reached = always) -> Judge:
    """A judge that looks only at recorded violations; not applicable if ``reached`` is false."""
    return lambda played: () if reached(played) else NO_SUCH_CALL


def both(first: Judge, second: Judge) -> Judge:
    """The first judge's findings, or the second's if there are none."""

    def judge(played: PlayedScene) -> Judgement:
        judgement = first(played)
        return judgement if judgement or isinstance(judgement, NotApplicable) else second(played)

    return judge


def leaves(sent: str, reached: Reached = always, *, with_error: bool = False) -> Judge:
    """A judge: the agent exits by itself; ``with_error`` asks for an exit status other than 0."""

    def judge(played: PlayedScene) -> Judgement:
        if not reached(played):
            return NO_SUCH_CALL
        if not played.left:
            return failure(sent, "that the agent leaves by itself", played.how_it_went())
        if with_error and played.ending is not None and played.ending.code == 0:
            expected = "that the agent leaves with an exit status other than 0"
            return failure(sent, expected, "exit status 0")
        return ()

    return judge


def calls_little(sent: str, most: int, calls: Callable[[CallJournal], list[ObservedCall]]) -> Judge:
    """A judge: the agent made at most ``most`` of these calls."""

    def judge(played: PlayedScene) -> Judgement:
        made = calls(played.journal)
        if len(made) <= most:
            return ()
        seconds = made[-1].at - made[0].at
        came = f"{counted(len(made), 'call')} within {seconds:.1f} s"
        return failure(sent, f"at most {counted(most, 'call')}", came)

    return judge


def since(mark: str, *methods: str) -> Callable[[CallJournal], list[ObservedCall]]:
    """Selects the calls since a mark, for `calls_little`."""
    return lambda journal: journal.after(mark, *methods)


def answered(reason: str) -> Callable[[CallJournal], list[ObservedCall]]:
    """Selects the calls with this answer, for `calls_little`."""
    return lambda journal: [call for call in journal.calls if call.answer.startswith(reason)]
