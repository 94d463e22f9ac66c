"""Reads the published web viewer of solutions: what was done, from which picture, and what the
steps say.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

from env_service.suites.asgard.action_language import Command, Verb
from env_service.suites.asgard.plan_reader import PlanError, PlanNode

MARK = "const PLANS ="
"""The text before the plans."""

_SPACE = re.compile(r"[\s,]*")
_NEXT_PLAN = re.compile(r'\{\s*"name"\s*:')
_NAME = re.compile(r"(?P<name>.+) \[(?P<steps>\d+)\]")
_FRAME = re.compile(r"static/plan_images/[0-9A-Za-z_-]+\.webp")


@dataclass(frozen=True, slots=True)
class RecordedStep:
    """One step. ``frame`` is the path, in the pack, of what was seen before it; empty for none."""

    command: Command
    frame: str


@dataclass(frozen=True, slots=True)
class RecordedPlan:
    """A published solution. ``name`` is the plan's, without the count of steps behind it."""

    name: str
    description: str
    steps: tuple[RecordedStep, ...]


@dataclass(frozen=True, slots=True)
class Viewer:
    """All solutions that could be read, in the page's order, and what was wrong with others."""

    plans: tuple[RecordedPlan, ...]
    problems: tuple[PlanError, ...]


def read_viewer(text: str, source: str) -> Viewer:
    """Reads the page. Plans that cannot be read are left out and reported in the result.

    Raises PlanError if the page holds no plans at all. ``source`` is its name in errors.
    """
    start = text.find(MARK)
    opening = text.find("[", start + len(MARK)) if start >= 0 else -1
    if opening < 0 or text[start + len(MARK) : opening].strip():
        raise PlanError(source, "", f"has no list behind '{MARK}'")
    plans: dict[str, RecordedPlan] = {}
    problems: list[PlanError] = []
    for found in _entries(text, opening + 1, source):
        if isinstance(found, PlanError):
            problems.append(found)
            continue
        try:
            plan = _plan(found)
            if plan.name in plans:
                raise PlanError(source, plan.name, "occurs twice; the first one is used")
            plans[plan.name] = plan
        except PlanError as error:
            problems.append(error)
    return Viewer(tuple(plans.values()), tuple(problems))


def _entries(text: str, at: int, source: str) -> Iterator[PlanNode | PlanError]:
    """Each plan as JSON; behind one that is none, the next place where one begins."""
    decoder = json.JSONDecoder()
    number = 0
    while not text.startswith("]", at := _behind_space(text, at)):
        try:
            value, at = decoder.raw_decode(text, at)
            yield PlanNode(value, source, f"PLANS[{number}]")
        except (ValueError, RecursionError) as error:
            where, problem = _place(text, error, at)
            yield PlanError(source, f"PLANS[{number}], {where}", problem)
            begun = _NEXT_PLAN.search(text, at + 1)
            if begun is None:
                return
            at = begun.start()
        number += 1


def _behind_space(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at


def _place(text: str, error: Exception, at: int) -> tuple[str, str]:
    if isinstance(error, json.JSONDecodeError):
        return f"line {error.lineno}, column {error.colno}", f"is not JSON: {error.msg}"
    line = text.count("\n", 0, at) + 1
    if isinstance(error, RecursionError):
        return f"line {line}", "is nested too deeply to be read"
    return f"line {line}", f"cannot be read: {error}"


def _plan(entry: PlanNode) -> RecordedPlan:
    heading = entry["name"].text()
    match = _NAME.fullmatch(heading)
    if match is None:
        raise entry["name"].error(f"is {heading!r}; it has to end in its steps, as in 'NAME [12]'")
    steps = tuple(_step(each) for each in entry["steps"].items())
    if len(steps) != int(match["steps"]):
        raise entry["steps"].error(f"are {len(steps)}, and {heading!r} says {match['steps']}")
    if not steps:
        raise entry["steps"].error("is empty; a solution has at least one step")
    return RecordedPlan(match["name"], entry["task_description"].text(), steps)


def _step(step: PlanNode) -> RecordedStep:
    words = step["action"]
    try:
        command = read_phrase(words.text())
    except PlanError:
        raise
    except ValueError as error:
        raise words.error(str(error)) from error
    image = step.optional("image")
    return RecordedStep(command, "" if image is None else _frame(image))


def _frame(image: PlanNode) -> str:
    path = image.text()
    if not _FRAME.fullmatch(path):
        raise image.error(f"is {path!r}, which is not a file of static/plan_images")
    return path


# --- What the steps of a published solution say, such as "Put Mug in Cabinet" (docs/asgard.md,
# "Task")

_VERBS = {
    "Find": Verb.FIND,
    "Pickup": Verb.PICKUP,
    "Put": Verb.PUT,
    "Open": Verb.OPEN,
    "Close": Verb.CLOSE,
    "Turn on": Verb.TOGGLE_ON,
    "Turn off": Verb.TOGGLE_OFF,
    "Clean": Verb.CLEAN,
    "Slice": Verb.SLICE,
    "Empty": Verb.EMPTY,
    "Drink": Verb.DRINK,
    "Spray": Verb.SPRAY,
}
_PHRASE = re.compile(
    r"(?P<words>Turn on|Turn off|[A-Z][a-z]+) (?P<object>\w+)(?: in (?P<place>\w+))?"
)


def read_phrase(text: str) -> Command:
    """The action that a step's words stand for. Of "Put Mug in Cabinet" it is PUT Cabinet.

    Raises ValueError for words that are none of the twelve actions.
    """
    match = _PHRASE.fullmatch(text)
    verb = _VERBS.get(match["words"]) if match else None
    if match is None or verb is None or (verb is Verb.PUT) is not bool(match["place"]):
        raise ValueError(
            f"{text!r} is not an action: it has to be one of {', '.join(_VERBS)} and an object,"
            " as in 'Find Mug' or 'Put Mug in Cabinet'"
        )
    return Command(verb, match["place"] or match["object"])
