"""The actions and the end of an episode, from its record, its transcript and crash logs."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from env_service.domain.action import Action, Plan, SkillCall, Text
from env_service.domain.data_node import DataNode
from env_service.domain.text import safe
from env_service.results.domain_json import read_action
from env_service.results.records import EpisodeRecord
from env_service.results.run_layout import MOST_TRANSCRIPT, TRANSCRIPTS
from env_service.storage.canonical_json import parse
from env_service.storage.plain_files import open_plain

LAST_ACTIONS = 5
"""How many actions are listed: the last ones."""

_LONGEST_ACTION = 160
_LONGEST_OUTCOME = 240
_LONGEST_WORDS = 600
_TRACE_KEYS = ("raw_model_output", "thought")


@dataclass(frozen=True, slots=True)
class EpisodeAccount:
    """What a reader needs to see why an episode ended as it did. All texts are safe for a terminal.

    ``actions`` are the last ones, each with its outcome, and ``earlier`` counts those before them.
    ``open_goals`` are the goal conditions that did not hold at the end. ``last_words`` is the end
    of the last trace of the agent or its model, ``log_tail`` the end of the agent's log if it
    crashed in this episode. Each may be empty.
    """

    instruction: str
    actions: tuple[str, ...]
    earlier: int
    open_goals: tuple[str, ...]
    last_words: str
    log_tail: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """As `houseguest show --failures --json` prints it."""
        return {
            "instruction": self.instruction,
            "actions": list(self.actions),
            "earlier_actions": self.earlier,
            "open_goals": list(self.open_goals),
            "last_words": self.last_words,
            "log_tail": list(self.log_tail),
        }


def account_of(
    run: Path, record: EpisodeRecord, lost: Iterable[Mapping[str, Any]] = ()
) -> EpisodeAccount:
    """Reads the episode's transcript, as much of it as can be read.

    ``lost`` are the lines of ``logs/lost-guests.jsonl``.
    """
    instruction, words = "", ""
    count, last = 0, deque[str](maxlen=LAST_ACTIONS)
    for line in read_lines(run, record):
        words = _words_of(line.get("trace")) or words
        if line.get("kind") == "begin":
            instruction = str(_mapping(line.get("truth")).get("instruction") or "")
        elif line.get("kind") == "step":
            for description in _steps(line):
                count += 1
                last.append(f"{count}. {description}")
    return EpisodeAccount(
        instruction=_cut(instruction, _LONGEST_WORDS),
        actions=tuple(last),
        earlier=count - len(last),
        open_goals=tuple(_cut(each.name, 200) for each in record.goal_conditions if not each.met),
        last_words=words,
        log_tail=_log_tail(record, lost),
    )


def _steps(line: Mapping[str, Any]) -> Iterator[str]:
    """Each action of one step with its outcome; a plan has several."""
    outcomes = _mapping(line.get("truth")).get("outcomes")
    found = (
        [each for each in outcomes if isinstance(each, list)] if isinstance(outcomes, list) else []
    )
    try:
        said = action_words(read_action(line.get("action")))
    except (KeyError, TypeError, ValueError):
        said = ["(an action that cannot be read)"]
    for number, words in enumerate(said):
        # A plan that ended early has no outcomes for its remaining actions.
        outcome = (
            ": ".join(map(str, filter(None, found[number])))
            if number < len(found)
            else "not reached"
        )
        yield f"{_cut(words, _LONGEST_ACTION)} → {_cut(outcome, _LONGEST_OUTCOME)}"


def action_words(action: Action) -> list[str]:
    """An action in words: a skill call, a text, or each call of a plan."""
    match action:
        case Plan():
            return [_call(call) for call in action.steps] or ["(an empty plan)"]
        case SkillCall():
            return [_call(action)]
        case Text():
            return [f"“{action.text}”"]
    return [f"(unreadable: {action.problem})"]


def _call(call: SkillCall) -> str:
    arguments = ", ".join(value for _, value in call.arguments)
    return f"{call.name}({arguments})" if arguments else call.name


def _words_of(trace: object) -> str:
    """The end of a trace, because the end of a traceback says most."""
    for key in _TRACE_KEYS:
        said = _mapping(trace).get(key)
        if isinstance(said, str) and said.strip():
            text = said.strip()
            return safe(" ".join(text[-4 * _LONGEST_WORDS :].split()))[-_LONGEST_WORDS:]
    return ""


def _log_tail(record: EpisodeRecord, lost: Iterable[Mapping[str, Any]]) -> tuple[str, ...]:
    for each in lost:
        if _mapping(each.get("first_offending_step")).get("episode_id") == record.episode_id:
            lines = str(each.get("log_tail") or "").splitlines()
            return tuple(_cut(line, _LONGEST_OUTCOME) for line in lines if line.strip())
    return ()


def _cut(text: str, most: int) -> str:
    text = safe(" ".join(text[: 4 * most].split()))
    return text if len(text) <= most else text[: most - 1] + "…"


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


# --- The actions of episodes, from the transcripts in their runs' folders

Words = Callable[[Action], tuple[str, ...]]
_SUCCEEDED = "SUCCEEDED"


@dataclass(frozen=True, slots=True)
class RecordedAction:
    """One action in words, and whether the service refused it."""

    words: str
    refused: bool = False


@dataclass(frozen=True, slots=True)
class RecordedEpisode:
    """One attempt at a task, by an agent in a run or by an expert.

    ``who`` names the run, and is empty for a single run.
    """

    task_id: str
    won: bool
    actions: tuple[RecordedAction, ...]
    who: str = ""


def instruction_of(run: Path, record: EpisodeRecord) -> str | None:
    """The instruction of the episode; None if its transcript cannot be read."""
    lines = read_lines(run, record)
    begin = next((line for line in lines if line.get("kind") == "begin"), {})
    instruction = _mapping_or_empty(begin.get("truth")).get("instruction")
    return instruction if isinstance(instruction, str) else None


def actions_of(run: Path, record: EpisodeRecord, words: Words) -> tuple[RecordedAction, ...]:
    """The episode's actions, as much of the transcript as can be read."""
    steps = (line for line in read_lines(run, record) if line.get("kind") == "step")
    return tuple(did for step in steps for did in _recorded_actions(step, words))


def _recorded_actions(step: Mapping[str, Any], words: Words) -> Iterator[RecordedAction]:
    try:
        said = words(read_action(step["action"]))
        codes = [code for code, _ in DataNode(step["truth"], "truth")["outcomes"].value]
    except (KeyError, TypeError, ValueError):
        return
    for number, word in enumerate(said):
        # A plan that ended early has no outcome for what was left of it.
        yield RecordedAction(word, number < len(codes) and codes[number] != _SUCCEEDED)


def read_lines(run: Path, record: EpisodeRecord) -> Iterator[Mapping[str, Any]]:
    """The lines of an episode's transcript, up to the first that cannot be read."""
    try:
        path = run / TRANSCRIPTS / f"{record.episode_id}.jsonl"
        with open_plain(path, MOST_TRANSCRIPT, within=run) as file:
            for line in file:
                yield _mapping_or_empty(parse(line))
    except (OSError, ValueError):
        return


def _mapping_or_empty(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
