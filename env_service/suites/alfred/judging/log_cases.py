"""Judges what logs tell: the scene is unknown, but for what steps and messages say of it."""

from collections.abc import Collection, Mapping

from env_service.domain.outcome import OutcomeCode
from env_service.suites.alfred.command_wordings import Command
from env_service.suites.alfred.dataset.trajectories import LAMPS, MOVABLE, PARENTS
from env_service.suites.alfred.judging.analysis import NO_FAILURE, Analysis, EpisodeEnd, JudgedCase
from env_service.suites.alfred.judging.judge import judge
from env_service.suites.alfred.judging.logs import (
    LogError,
    LoggedEpisode,
    LoggedStep,
    looks_like_result,
    read_log,
    read_results,
)
from env_service.suites.alfred.object_words import PICKABLE
from env_service.suites.alfred.rules import Rules
from env_service.suites.alfred.skills.steps import (
    Cause,
    SkillResult,
    SkillStep,
    StepRecord,
    Verb,
    cause_of,
    code_of,
)
from env_service.suites.alfred.skills.vocabulary import parse_skill, split_skill
from env_service.suites.alfred.task import AlfredTask, Goal, SceneSetup, TaskType

_MESSAGES: tuple[tuple[str, Cause], ...] = (
    ("in the agent's hand", Cause.IN_HAND),
    ("currently holding", Cause.HAND_FULL),
    ("hand has something in it", Cause.HAND_FULL),
    ("nothing in hand", Cause.HAND_EMPTY),
    ("cannot move to", Cause.NOT_REACHED),
    ("cannot find", Cause.NO_SUCH_OBJECT),
    ("not visible", Cause.NOT_VISIBLE),
    ("invisible", Cause.NOT_VISIBLE),
    ("putting the object on", Cause.NO_ROOM),
    ("put down failed", Cause.NO_ROOM),
    ("action failed", Cause.REFUSED),
)
"""Parts of LoTa-Bench's messages (docs/alfred-rules.md, "Skills"), as small letters, the most
telling
first. Whatever made a put fail that was tried again and again, it is the put that failed."""

_TELLING = ("fail", "cannot", "can't", "unable", "error", "must be", "already", "not ", "no valid")
"""Words of unlisted messages that indicate a failure."""

_RULES = Rules(substring_goals=True, sliced_flag=True)
"""LoTa-Bench's, as far as they matter when distances are unknown."""

_PARTS: Mapping[str, Collection[str]] = {
    "object": PICKABLE,
    "parent": PARENTS,
    "movable": MOVABLE,
    "toggle": LAMPS,
}
"""The types that a part of a goal may have."""

_HAND_EMPTY = "not holding any"


def read_episodes(text: str, source: str) -> tuple[LoggedEpisode, ...]:
    """The recorded attempts of a file: a log, a result of one task, or a list of results.

    Raises:
        LogError: it is none of these.
    """
    if looks_like_result(text):
        return read_results(text, source)
    return read_log(text, source)


def analyse(
    episode: LoggedEpisode, tasks: Mapping[str, AlfredTask], source: str = "log"
) -> Analysis:
    """Why a recorded attempt failed; nothing for one that succeeded.

    Args:
        tasks: by trial id, where there are any: they tell goals that a log does not.

    Raises:
        LogError: it was cut, neither the log nor `tasks` tell the goal, or they tell another one.
    """
    if episode.problem:
        raise LogError(source, episode.line, episode.problem)
    return NO_FAILURE if episode.success else judge(case_of(episode, tasks, source))


def case_of(
    episode: LoggedEpisode, tasks: Mapping[str, AlfredTask], source: str = "log"
) -> JudgedCase:
    """A recorded attempt as a case; raises as `analyse`."""
    task = tasks.get(episode.trial.partition("/")[0])
    goal = episode.goal if task is None else task.goal
    if goal is None:
        raise LogError(
            source,
            episode.line,
            f"the goal is unknown for {episode.trial or 'this task'}: the file lacks it, and"
            " no data pack has a task of that trial id; fetch the pack alfred, or give the log"
            ' with its "target goal" line',
        )
    _check_goal(episode, goal, source)
    command = _command(episode, task)
    if not command:
        raise LogError(source, episode.line, "the task that begins here has no command")
    return JudgedCase(
        task=task or _task(episode, goal),
        goal=goal,
        command=Command(command, _language(command)),
        opening=None,
        records=tuple(_record(each) for each in episode.steps),
        ended=EpisodeEnd.PLAN_OVER if episode.steps else EpisodeEnd.EMPTY_PLAN,
        rules=_RULES,
        outcomes_known=episode.outcomes_known,
    )


def _check_goal(episode: LoggedEpisode, goal: Goal, source: str) -> None:
    """Checks that a goal's types exist, and that they agree with the log."""
    logged = episode.goal or goal
    needed = ("object", "toggle" if goal.type is TaskType.LOOK else "parent")
    for part, valid in _PARTS.items():
        said, meant = getattr(logged, part), getattr(goal, part)
        if said != meant:
            problem = f"it is {said!r:.60}, but the task of {episode.trial} has {meant!r:.60}"
        elif said not in valid and (said or part in needed):
            problem = f"no such type: {said!r:.60}"
        else:
            continue
        raise LogError(
            source, episode.line, f"the goal's {part} cannot be right: {problem}; mend the log"
        )


def _command(episode: LoggedEpisode, task: AlfredTask | None) -> str:
    """The command that was given; where the log does not tell it, that of its annotation."""
    if episode.command or task is None or episode.repeat is None:
        return episode.command
    return dict(enumerate(task.originals)).get(episode.repeat, "")


def _task(episode: LoggedEpisode, goal: Goal) -> AlfredTask:
    return AlfredTask(episode.trial or episode.name or "logged", goal, SceneSetup(scene=""))


def _language(command: str) -> str:
    return "ko" if any("가" <= each <= "힣" for each in command) else "en"


def _record(step: LoggedStep) -> StepRecord:
    skill = parse_skill(step.said)
    cause = _cause(step, skill)
    if cause is None:
        result = SkillResult(OutcomeCode.SUCCEEDED)
    else:
        logged = "; ".join(dict.fromkeys(step.messages)) or "no skill of the list"
        result = SkillResult(code_of(cause), logged, cause)
    return StepRecord(step.said, skill, result)


def _cause(step: LoggedStep, skill: SkillStep | None) -> Cause | None:
    """What a step's messages come down to; None where they tell of no failure."""
    if skill is None:
        return Cause.UNKNOWN_WORDS
    logged = " ".join(step.messages).lower()
    for part, cause in _MESSAGES:
        if part in logged:
            return cause
    if _HAND_EMPTY in logged:
        return Cause.REFUSED if split_skill(step.said)[0] is Verb.PICK_UP else Cause.HAND_EMPTY
    return cause_of(logged) if any(each in logged for each in _TELLING) else None
