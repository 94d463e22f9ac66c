"""What is wrong with a command, as far as rules can tell, and what they find in the crowd's
commands: no model is asked.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum

from env_service.suites.alfred.judging.command_reader import (
    Mention,
    mentions_of,
    read_english,
    singular,
    tokens_of,
)
from env_service.suites.alfred.judging.english_words import TOOLS
from env_service.suites.alfred.judging.integrity import check
from env_service.suites.alfred.judging.intent import Intent, Slot, goal_intent
from env_service.suites.alfred.judging.korean_reader import read_korean
from env_service.suites.alfred.object_words import BASINS, words_of
from env_service.suites.alfred.refine.sources import Source, Stage
from env_service.suites.alfred.task import Goal


class Code(Enum):
    """The kinds of findings; the value is what files call them."""

    EMPTY = "empty"
    FORM = "form"
    """Not one sentence on a line, or with quotes, numbers or no stop."""
    LANGUAGE = "language"
    OBJECT = "object"
    MOVABLE = "movable"
    DESTINATION = "destination"
    LAMP = "lamp"
    STATE = "state"
    SLICED = "sliced"
    COUNT = "count"
    NOUNS = "nouns"
    """P1 has other nouns than the base command."""
    SENTENCES = "sentences"
    """C has not exactly two."""
    TELLS_DESTINATION = "tells_destination"
    """C's second sentence names what it should leave to the first."""
    NOT_ANSWERED = "not_answered"
    """The model's reply could not be read."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong; ``words`` tell it to a person, and to the model."""

    code: Code
    words: str

    def __str__(self) -> str:
        return f"{self.code.value}: {self.words}"


SLOTS: tuple[tuple[Slot, Code], ...] = (
    (Slot.OBJECT, Code.OBJECT),
    (Slot.MOVABLE, Code.MOVABLE),
    (Slot.DESTINATION, Code.DESTINATION),
    (Slot.LAMP, Code.LAMP),
    (Slot.STATE, Code.STATE),
    (Slot.SLICED, Code.SLICED),
    (Slot.COUNT, Code.COUNT),
)
"""The parts of a goal, in the order in which they are looked at."""

_EXACT = (Slot.STATE, Slot.SLICED)
"""Parts that must not be there where the goal has none: nothing may be heated unasked."""

_HANGUL = re.compile(r"[\uac00-\ud7a3]")
_LATIN = re.compile(r"[A-Za-z]+")
_NAMES = frozenset({"cd", "tv"})
"""What Korean writes in Latin letters too."""

_LIGHT = frozenset({"light", "lighting"})
_BASINS = {part: whole for whole, part in BASINS.items()}
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")
_STOPPED = re.compile(r"[.!?]\Z")
_LEFT_OVER = re.compile(r"\A\s*(?:\d+\s*[.)]|[-*•]\s)|[\"“”«»`「」『』]|\*\*|\A['‘]|['’]\Z")


def find_defects(stage: Stage, text: str, goal: Goal, base: str = "") -> tuple[Finding, ...]:
    """All that is wrong with a text that a stage made. ``base``: the command that it was made of,
    where it was made of one."""
    if not text.strip():
        return (Finding(Code.EMPTY, "the text is empty."),)
    return (*_form(stage, text), *_content(stage, text, goal, base))


def in_words(findings: Iterable[Finding]) -> str:
    """Findings as one text, for the model to mend."""
    return " ".join(finding.words for finding in findings)


def missing(goal: Goal, text: str, stage: Stage) -> Iterator[Finding]:
    """The parts of a goal that a command does not lead to, and changes of state that it adds,
    except those that the context of C adds by stating what is usual."""
    said, loose = _readings(text, stage)
    wanted, strict = goal_intent(goal), stage is not Stage.CONTEXTUAL
    for slot, code in SLOTS:
        ours = wanted.values(slot)
        theirs = said.values(slot) or loose.values(slot)
        if ours and not ours & theirs:
            yield Finding(code, _lacks(slot, goal, ours))
        elif slot in _EXACT and strict and theirs - ours:
            named = " and ".join(sorted(theirs - ours))
            yield Finding(code, f"it says that the thing is {named}, which the task is not about.")


def _readings(text: str, stage: Stage) -> tuple[Intent, Intent]:
    """What a text asks for, and what it may mean by all that it mentions."""
    if stage is Stage.KOREAN:
        read = read_korean(text)
        return read, read
    loose = read_english(text, contextual=True)
    return (loose if stage is Stage.CONTEXTUAL else read_english(text)), loose


def sentences(text: str) -> list[str]:
    """The sentences of a text, as commands with context are split (docs/alfred.md, "Task")."""
    return [each for each in _SENTENCE_END.split(text.strip()) if each]


def words_for(object_type: str) -> str:
    """Plain words for an object type: "sink" for SinkBasin."""
    return words_of(_BASINS.get(object_type, object_type))


def _form(stage: Stage, text: str) -> Iterator[Finding]:
    if "\n" in text or "\r" in text:
        yield Finding(Code.FORM, "it has to stand on one line.")
    if _LEFT_OVER.search(text):
        # They would be counted as sentences.
        yield Finding(Code.FORM, "it must have no numbers, quotes or marks around it.")
        return
    if not _STOPPED.search(text.strip()):
        yield Finding(Code.FORM, "it has to end in a full stop.")
    count = len(sentences(text))
    if stage is Stage.CONTEXTUAL and count != 2:
        yield Finding(Code.SENTENCES, f"it has to have two sentences, not {count}.")
    if stage is not Stage.CONTEXTUAL and count != 1:
        yield Finding(Code.FORM, f"it has to be one sentence, not {count}.")


def _content(stage: Stage, text: str, goal: Goal, base: str) -> Iterator[Finding]:
    foreign = _foreign(stage, text)
    if foreign:
        yield Finding(Code.LANGUAGE, foreign)
        return
    yield from missing(goal, text, stage)
    if stage is Stage.PARAPHRASE_1 and base:
        yield from _other_nouns(text, base)
    if stage is Stage.CONTEXTUAL and len(sentences(text)) == 2:
        yield from _tells(sentences(text)[1], goal)


def _foreign(stage: Stage, text: str) -> str:
    """What is wrong with the language of a text; empty for nothing."""
    if stage is not Stage.KOREAN:
        return "" if re.search(r"[A-Za-z]{2}", text) else "it has to be in English."
    if not _HANGUL.search(text):
        return "it has to be in Korean, in Hangul."
    latin = [word for word in _LATIN.findall(text) if word.lower() not in _NAMES]
    if latin:
        return f"it has to be in Korean altogether: {', '.join(latin[:3])} is not."
    return ""


def _other_nouns(text: str, base: str) -> Iterator[Finding]:
    """The base command's nouns that the text no longer contains."""
    kept = {word for each in _nouns(text) for word in _bare(each)}
    lost = [each.words for each in _nouns(base) if not _bare(each) <= kept]
    if lost:
        yield Finding(Code.NOUNS, f"it has to keep the nouns as they are: {', '.join(lost)}.")


def _tells(second: str, goal: Goal) -> Iterator[Finding]:
    for mention in _nouns(second):
        if goal.parent in mention.types and goal.object not in mention.types:
            yield Finding(
                Code.TELLS_DESTINATION,
                f"its second sentence must not name the {words_for(goal.parent)}, but point back"
                f" to the first: it says {mention.words!r}.",
            )
            return


def _nouns(text: str) -> list[Mention]:
    return [each for each in mentions_of(tokens_of(text)) if not each.types <= TOOLS]


def _bare(mention: Mention) -> frozenset[str]:
    """The words of a noun, in the singular; the light of a lamp is the lamp's."""
    return frozenset(singular(word) for word in mention.words.split()) - _LIGHT


def _lacks(slot: Slot, goal: Goal, wanted: frozenset[str]) -> str:
    match slot:
        case Slot.OBJECT:
            return f"it has to name the thing, which is {_article(words_for(goal.object))}."
        case Slot.MOVABLE:
            movable = words_for(goal.movable)
            return f"it has to say that the {movable} is carried along, with the object in it."
        case Slot.DESTINATION:
            return f"it has to name where the thing belongs, which is the {words_for(goal.parent)}."
        case Slot.LAMP:
            return f"it has to name the {words_for(goal.toggle)}."
        case Slot.COUNT:
            return (
                "it has to say that there are two." if wanted == {"2"} else "it is about one thing."
            )
        case _:
            return f"it has to say that the thing is {' and '.join(sorted(wanted))}."


def _article(words: str) -> str:
    return f"{'an' if words[0].lower() in 'aeiou' else 'a'} {words}"


# --- What rules find wrong with the crowd's commands, in the classes of Table 1 (docs/alfred.md,
# "Task"): no model is asked


class CommandDefect(Enum):
    """The classes of Table 1, in the order of choice if several apply; and one for what its three
    classes do not cover."""

    OBJECT = "object identification"
    SPATIAL = "spatial interpretation"
    SEQUENCE = "action sequence"
    OTHER = "other"


DEFECT_OF: Mapping[int, CommandDefect] = {
    1: CommandDefect.SPATIAL,
    2: CommandDefect.OBJECT,
    3: CommandDefect.SEQUENCE,
    4: CommandDefect.OTHER,
}
"""The integrity check's types as classes."""


@dataclass(frozen=True, slots=True)
class PublishedDefects:
    """A column of Table 1: how many commands, and how many with each defect."""

    commands: int
    defects: Mapping[CommandDefect, int]


SOURCE = "refined-command paper, Table 1"

PUBLISHED: Mapping[str, PublishedDefects] = {
    "valid_seen": PublishedDefects(
        820, {CommandDefect.OBJECT: 176, CommandDefect.SPATIAL: 160, CommandDefect.SEQUENCE: 128}
    ),
    "valid_unseen": PublishedDefects(
        821, {CommandDefect.OBJECT: 112, CommandDefect.SPATIAL: 146, CommandDefect.SEQUENCE: 136}
    ),
}
"""By task set. In the paper a model assigned the classes, and people looked them over."""


@dataclass(frozen=True, slots=True)
class Judged:
    """One original command, ``place`` of its task.

    Attributes:
        defect: the class that it counts in; None: no defect.
        reason: what its words do not lead to.
        doubt: the class of a sound command if doubts count as defects: a word for several kinds of
            things, a place that is described by its neighbours, a surplus change of state.
        doubtful: the words with another possible meaning.
    """

    source: Source
    place: int
    defect: CommandDefect | None
    reason: str = ""
    doubt: CommandDefect | None = None
    doubtful: str = ""

    @property
    def text(self) -> str:
        """The command."""
        return self.source.originals[self.place]

    @property
    def strict_defect(self) -> CommandDefect | None:
        """The class that it counts in where doubts are defects."""
        return self.defect or self.doubt


def judge_originals(sources: Iterable[Source]) -> list[Judged]:
    """Each original command, with what is wrong with it or doubtful."""
    return [
        _judged(source, place, text)
        for source in sources
        for place, text in enumerate(source.originals)
    ]


def count_defects(defects: Iterable[CommandDefect | None]) -> Counter[CommandDefect]:
    """How many commands have each defect, each counted once."""
    return Counter(defect for defect in defects if defect is not None)


def _judged(source: Source, place: int, text: str) -> Judged:
    found = check(text, source.goal, source.action_sequence)
    if not found.sound:
        return Judged(source, place, DEFECT_OF[found.type], found.reason)
    doubts = list(_doubts(source.goal, text))
    doubt = next((each for each in CommandDefect if each in dict(doubts)), None)
    return Judged(source, place, None, "", doubt, "; ".join(words for _, words in doubts))


def _doubts(goal: Goal, text: str) -> Iterator[tuple[CommandDefect, str]]:
    said = read_english(text)
    extra = said.states - goal_intent(goal).states
    if extra:
        states = " and ".join(sorted(each.value for each in extra))
        yield CommandDefect.SEQUENCE, f"state change: it also says {states}"
    for slot, defect in _DOUBTFUL:
        meant = said.values(slot)
        if len(meant) > 1 and meant & goal_intent(goal).values(slot):
            several = " or ".join(sorted(words_for(each) for each in meant))
            yield defect, f"{slot.value}: the word may mean {several}"
    side = _SIDES.search(text)
    if side and goal.parent:
        yield (
            CommandDefect.SPATIAL,
            f"destination: described only by its neighbours ({side[0].lower()!r})",
        )


_DOUBTFUL = ((Slot.OBJECT, CommandDefect.OBJECT), (Slot.DESTINATION, CommandDefect.SPATIAL))
_SIDES = re.compile(
    r"\b(?:left|right|next|beside|behind|near|between|across|close|closest|farthest|nearest|front)\b",
    re.IGNORECASE,
)
