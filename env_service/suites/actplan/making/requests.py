"""Asks a model for descriptions, circumstances and definitions, checks what comes, and asks
again.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from env_service.chat.asking import ReplyError, ask_until_read
from env_service.chat.client import Asks, Message
from env_service.chat.completion import without_thoughts
from env_service.chat.templates import Templates
from env_service.domain.text import counted
from env_service.suites.actplan.dataset.published_files import natural
from env_service.suites.actplan.making.description import FLOOR, INSTRUCTION, describe, plural
from env_service.suites.actplan.making.files import QuestionResult, Stage, StatedCircumstance
from env_service.suites.actplan.task import Circumstance, Variant
from env_service.worlds.activity.bddl.problem import AGENT, Problem
from env_service.worlds.activity.bddl.wording import thing_in_words

# --- Prompts: templates in this package's folder, or in a folder of the user

VERSION = "1"
"""Of the packaged prompts: raised with every change of their words."""

NAMES = (
    *("again", "circumstances.ask", "circumstances.system", "counterfactual.ask"),
    *("counterfactual.system", "describe.ask", "describe.system"),
)
"""All templates, without their ending ".jinja"."""

RELATIONS = ("inside", "ontop", "onfloor", "under", "nextto", "touching")
STATES = (
    *("open", "toggled_on", "dusty", "stained", "soaked", "sliced", "cooked", "burnt", "frozen"),
    "perished",
)
"""The predicates of published definitions."""


class Prompts:
    """A set of prompts. ``version`` names the packaged set, or is "own"; ``digest`` is the SHA-256
    (hex) of all of it."""

    def __init__(self, folder: Path | None = None) -> None:
        """``folder`` has all of NAMES; None: the packaged ones. Raises TemplatesError."""
        self._templates = Templates(__package__, NAMES, folder)
        self.version = VERSION if folder is None else "own"
        self.digest = self._templates.digest

    def describe(
        self, activity: str, description: str, problem: str, circumstance: str
    ) -> list[Message]:
        """Asks for a description. ``description``: the one by template; ``problem``: BDDL."""
        return self._opening(
            "describe",
            activity=activity,
            told=description,
            problem=problem,
            circumstance=circumstance,
        )

    def circumstances(
        self, activity: str, description: str, kind: Circumstance, number: int
    ) -> list[Message]:
        """Asks for so many circumstances of a kind."""
        return self._opening(
            "circumstances",
            activity=activity,
            told=description,
            kind=kind.value,
            number=number,
            states=", ".join(STATES),
        )

    def counterfactual(self, stated: StatedCircumstance, problem: str) -> list[Message]:
        """Asks for the definition under a circumstance."""
        return self._opening(
            "counterfactual",
            activity=stated.activity,
            kind=stated.kind.value.replace("_", " "),
            circumstance=stated.text,
            problem=problem,
            relations=", ".join(RELATIONS),
            states=", ".join(STATES),
        )

    def again(self, asked: Sequence[Message], reply: str, problem: str) -> list[Message]:
        """Asks once more, with the reply that would not do and why."""
        return self._templates.again(asked, reply, "again", problem=problem)

    def _opening(self, name: str, **names: object) -> list[Message]:
        system = self._templates.fill(f"{name}.system", **names)
        return [
            Message.system(system),
            Message.user(self._templates.fill(f"{name}.ask", **names)),
        ]


RETRIES = 2
"""How often a model is asked again for what would not do."""


class Question(Protocol):
    """One thing to ask for."""

    @property
    def activity(self) -> str:
        """Whose."""

    @property
    def stage(self) -> Stage:
        """What is asked for."""

    @property
    def which(self) -> str:
        """Which of them; see `made.Key`."""

    def opening(self, prompts: Prompts) -> list[Message]:
        """What is asked first."""

    def read(self, reply: str) -> tuple[str, ...]:
        """What was asked for. Raises ReplyError."""


@dataclass(frozen=True, slots=True)
class DescriptionQuestion:
    """Asks to describe one variant. ``text``: its BDDL."""

    activity: str
    variant: Variant
    problem: Problem
    text: str
    circumstance: str = ""

    @property
    def stage(self) -> Stage:
        """DESCRIPTION."""
        return Stage.DESCRIPTION

    @property
    def which(self) -> str:
        """The variant's number."""
        return str(self.variant.number)

    def opening(self, prompts: Prompts) -> list[Message]:
        """The definition, and the description by template."""
        template = describe(self.activity, self.problem, self.circumstance).partition(INSTRUCTION)[
            0
        ]
        return prompts.describe(self.activity, template.strip(), self.text, self.circumstance)

    def read(self, reply: str) -> tuple[str, ...]:
        """The description with the instruction behind it. Raises ReplyError."""
        return (f"{read_description(reply, self.problem, self.circumstance)}\n{INSTRUCTION}\n",)


@dataclass(frozen=True, slots=True)
class CircumstancesQuestion:
    """Asks for so many circumstances of a kind. ``template``: the activity's description."""

    activity: str
    description: str
    kind: Circumstance
    number: int

    @property
    def stage(self) -> Stage:
        """CIRCUMSTANCES."""
        return Stage.CIRCUMSTANCES

    @property
    def which(self) -> str:
        """The kind and the number: more of them are another question."""
        return f"{self.kind.value}/{self.number}"

    def opening(self, prompts: Prompts) -> list[Message]:
        """The description, and what a circumstance of the kind is."""
        return prompts.circumstances(self.activity, self.description, self.kind, self.number)

    def read(self, reply: str) -> tuple[str, ...]:
        """The sentences. Raises ReplyError."""
        return read_sentences(reply, self.number)


@dataclass(frozen=True, slots=True)
class CounterfactualQuestion:
    """Asks for the definition under a circumstance.

    Attributes:
        stated: the circumstance.
        text: the normal problem's BDDL.
        faults: what is wrong with a definition, for the model to mend; empty if nothing is.
    """

    stated: StatedCircumstance
    text: str
    faults: Callable[[str], tuple[str, ...]]

    @property
    def activity(self) -> str:
        """The circumstance's."""
        return self.stated.activity

    @property
    def stage(self) -> Stage:
        """COUNTERFACTUAL."""
        return Stage.COUNTERFACTUAL

    @property
    def which(self) -> str:
        """The circumstance itself."""
        return self.stated.text

    def opening(self, prompts: Prompts) -> list[Message]:
        """The definition, and the circumstance."""
        return prompts.counterfactual(self.stated, self.text)

    def read(self, reply: str) -> tuple[str, ...]:
        """The definition. Raises ReplyError, also for one that fails its check."""
        definition = read_definition(reply)
        if faults := self.faults(definition):
            raise ReplyError("; ".join(faults))
        return (definition,)


class Asker:
    """Puts questions to a model. Safe to use from several threads if the model is."""

    def __init__(self, model: Asks, prompts: Prompts, retries: int = RETRIES) -> None:
        """``retries``: how often it asks again, for each question."""
        self._model, self._prompts, self._retries = model, prompts, retries

    def digest(self, question: Question) -> str:
        """SHA-256 (hex) of what is asked first."""
        asked = [(each.role, each.text) for each in question.opening(self._prompts)]
        return hashlib.sha256(repr(asked).encode()).hexdigest()

    def do(self, question: Question) -> QuestionResult:
        """What comes of a question. Raises ModelError where the model does not answer."""
        opening = question.opening(self._prompts)
        found = ask_until_read(
            self._model.ask,
            opening,
            question.read,
            lambda reply, problem: self._prompts.again(opening, reply, problem),
            self._retries + 1,
        )
        return QuestionResult(
            activity=question.activity,
            stage=question.stage,
            which=question.which,
            texts=found.value or (),
            asked=self.digest(question),
            problem=found.problem,
            requests=found.requests,
        )


# --- Reading what a model says: a paragraph, a list of sentences, a definition

LONGEST_REPLY = 100_000
"""Characters that are looked at, from the end."""

WORDS_OF_SENTENCE = (4, 40)
WORDS_OF_DESCRIPTION = (30, 300)
"""Least and most. Published descriptions have 55 to 177 words (docs/actplan.md, Task sets)."""

_DEFINE = re.compile(r"\(\s*define\b", re.IGNORECASE)
_LINE = re.compile(r"^\s*(?:[-*•]|\(?\d{1,3}[.):])\s+", re.MULTILINE)
_IDENTIFIER = re.compile(r"\w\.[nvars]\.\d\d|\w_\w|[(){}]")
_BLANKS = re.compile(r"\s+")
_QUOTES = "\"'“”‘’` "


def read_definition(reply: str) -> str:
    """The last definition in a reply, from its first parenthesis to the one that closes it.

    Raises:
        ReplyError: there is none, or it never closes.
    """
    said = without_thoughts(reply)[-LONGEST_REPLY:]
    places = [found.start() for found in _DEFINE.finditer(said)]
    if not places:
        raise ReplyError("no definition: it has to begin with (define (problem …).")
    for place in reversed(places):
        if (end := _closed(said, place)) is not None:
            return f"{said[place:end]}\n"
    raise ReplyError("the definition is not complete: a parenthesis is never closed.")


def read_sentences(reply: str, number: int) -> tuple[str, ...]:
    """The sentences that were asked for: a JSON list, or a line each under bullets or numbers.

    Raises:
        ReplyError: there are fewer, or one cannot be used.
    """
    said = without_thoughts(reply)[-LONGEST_REPLY:]
    found = _listed(said) or _lines(said)
    if len(found) < number:
        raise ReplyError(
            f"it has {counted(len(found), 'sentence')}, where there should be {number}."
        )
    taken = found[:number]
    met = set[str]()
    for each in taken:
        _check_sentence(each)
        if folded(each) in met:
            raise ReplyError(f"{each!r} is repeated.")
        met.add(folded(each))
    return taken


def read_description(reply: str, problem: Problem, circumstance: str = "") -> str:
    """The paragraph that was asked for.

    Raises:
        ReplyError: it is too short or too long, has identifiers in it, or leaves out a kind of
            thing that the problem has.
    """
    text = _BLANKS.sub(" ", without_thoughts(reply)[-LONGEST_REPLY:]).strip(_QUOTES)
    count, (least, most) = len(text.split()), WORDS_OF_DESCRIPTION
    if not least <= count <= most:
        raise ReplyError(f"it has {counted(count, 'word')}; {least} to {most} are due.")
    if found := _IDENTIFIER.search(text):
        around = text[max(0, found.start() - 15) : found.end() + 15]
        raise ReplyError(f"there is an identifier or a parenthesis in it: …{around}…")
    if missing := left_out(text, problem):
        raise ReplyError(f"it does not name {', '.join(missing)}.")
    if circumstance and not _tells(text, circumstance):
        raise ReplyError(f"it does not say what is out of the ordinary: {circumstance}")
    return text


def left_out(text: str, problem: Problem) -> tuple[str, ...]:
    """The kinds of things that a text does not name: by their noun, its last or its first word, in
    the singular or the plural. A floor need not be named."""
    words = f" {_BLANKS.sub(' ', re.sub(r'[^a-z]', ' ', text.lower()))} "
    nouns = {
        thing_in_words(each) for each in problem.objects.values() if each not in (AGENT, FLOOR)
    }
    missing = (each for each in nouns if not any(f" {name} " in words for name in _names(each)))
    return tuple(sorted(missing, key=natural))


def folded(sentence: str) -> str:
    """A sentence without case, marks and blanks: equal ones say the same."""
    return re.sub(r"[^a-z0-9]+", "", sentence.lower())


def _names(noun: str) -> set[str]:
    plain = noun.replace("-", " ")
    parts = (plain, plain.rpartition(" ")[2], plain.partition(" ")[0])
    return {form for part in parts for form in (part, plural(part), part.rstrip("s"))}


def _tells(text: str, circumstance: str) -> bool:
    """Whether half of the longer words of a circumstance are in a text."""
    there = set(re.findall(r"[a-z]{4,}", text.lower()))
    words = set(re.findall(r"[a-z]{4,}", circumstance.lower()))
    return not words or 2 * len(words & there) >= len(words)


def _closed(text: str, place: int) -> int | None:
    """Behind the parenthesis that closes the one at ``place``. A ";" begins a comment."""
    depth, comment = 0, False
    for end in range(place, len(text)):
        sign = text[end]
        comment = sign != "\n" and (comment or sign == ";")
        if comment:
            continue
        depth += (sign == "(") - (sign == ")")
        if not depth:
            return end + 1
    return None


def _listed(said: str) -> tuple[str, ...]:
    decoder = json.JSONDecoder()
    for found in re.finditer(r"\[", said):
        try:
            value, _ = decoder.raw_decode(said, found.start())
        except (ValueError, RecursionError):
            continue
        if isinstance(value, list) and (sentences := _sentences(value)):
            return sentences
    return ()


def _sentences(values: Sequence[object]) -> tuple[str, ...]:
    texts = []
    for each in values:
        text = each
        if isinstance(each, dict):
            text = next((v for v in each.values() if isinstance(v, str) and " " in v), None)
        if isinstance(text, str):
            texts.append(_stopped(text))
    return tuple(texts)


def _lines(said: str) -> tuple[str, ...]:
    lines = [line for line in said.splitlines() if _LINE.match(line)]
    return tuple(_stopped(_LINE.sub("", line)) for line in lines)


def _stopped(text: str) -> str:
    text = _BLANKS.sub(" ", text).strip(_QUOTES).rstrip(",").strip(_QUOTES)
    text = f"{text[:1].upper()}{text[1:]}"
    return f"{text}." if text[-1:].isalnum() else text


def _check_sentence(text: str) -> None:
    count, (least, most) = len(text.split()), WORDS_OF_SENTENCE
    if not least <= count <= most:
        raise ReplyError(f"{text[:80]!r} has {counted(count, 'word')}; {least} to {most} are due.")
    if _IDENTIFIER.search(text):
        raise ReplyError(f"{text[:80]!r} has an identifier or a parenthesis in it.")
