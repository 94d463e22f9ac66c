"""Reads a plan, step by step with loops unfolded, from whatever an agent wrote or sent."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import Enum
from itertools import chain, repeat, zip_longest

from env_service.domain.action import (
    Action,
    ActionSpace,
    Parameter,
    Plan,
    Skill,
    SkillCall,
    Text,
    Unreadable,
)
from env_service.suites.actplan.plans.tokens import (
    LOOPS,
    WRAPPERS,
    Call,
    Words,
    argument,
    cut,
    without_markup,
    words_left,
)
from env_service.suites.actplan.plans.verbs import CANONICAL, PLACING, WORDS, fold, meaning_of
from env_service.worlds.activity.actions import Verb

MAX_STEPS = 1_000
"""More steps than any published plan has (91) ten times over; what is written
after them is left out, with a diagnosis."""
MAX_NAMES = 2 * MAX_STEPS
"""So is what is written after as many objects, counted as often as steps name them."""
MAX_CHARACTERS = 400_000
"""So is what is written after these."""
_MAX_NOTES = 200
_SHOWN = 200


def read_plan(text: str) -> ReadPlan:
    """The steps of a plan, and all that was noticed on the way.

    Steps are calls, verb(argument, …), on separate lines or not. Also accepted: steps in wrappers
    (action(grab(cup))), JSON lists of steps, loops that say how often, a bare "wait". Never raises
    for a text.
    """
    reader = _Reader()
    reader.read(text)
    return reader.plan(text)


class _Reader:
    def __init__(self) -> None:
        self._steps: list[PlanStep] = []
        self._residue: list[str] = []
        self._diagnoses: list[Diagnosis] = []
        self._repairs: list[Repair] = []
        self._names = 0
        self._full = False
        self._condition = False
        self._skip_deeper_than: int | None = None

    def plan(self, text: str) -> ReadPlan:
        if not text.strip():
            self._diagnose(PlanProblem.EMPTY, "no plan: the text is empty")
        elif not self._steps:
            self._diagnose(
                PlanProblem.NO_STEPS,
                "no step was found; write each as verb(object) or verb(target, object), as in"
                " place_inside(basket, candle)",
            )
        return ReadPlan(
            tuple(self._steps),
            tuple(self._residue),
            tuple(self._diagnoses[:_MAX_NOTES]),
            tuple(self._repairs),
        )

    def read(self, text: str) -> None:
        if len(text) > MAX_CHARACTERS:
            self._diagnose(
                PlanProblem.TOO_LONG,
                f"the text has {len(text)} characters; what follows the first {MAX_CHARACTERS} is"
                " left out",
            )
        pieces = list(cut(without_markup(text[:MAX_CHARACTERS])))
        for piece, following in zip_longest(pieces, pieces[1:]):
            if isinstance(piece, Words):
                self._words(piece)
            elif not self._is_condition(piece, following) and not self._is_other_branch(piece):
                for step in self._flat(piece):
                    self._add(step)
            if self._full:
                return

    def _is_condition(self, call: Call, following: Call | Words | None) -> bool:
        """Whether a call is what an "if" asks."""
        asked, self._condition = self._condition, False
        if not asked:
            return False
        if isinstance(following, Words) and not following.text.lstrip().startswith((":", "{", "t")):
            return False
        self._diagnose(
            PlanProblem.BRANCH,
            f'whether "{call.spelling}" holds is not known here: it is taken to hold, and what'
            " is to be done otherwise is left out",
        )
        return True

    def _is_other_branch(self, call: Call) -> bool:
        """Whether a call belongs to an "else"."""
        if self._skip_deeper_than is None:
            return False
        if call.indent > self._skip_deeper_than:
            self._residue.append(call.spelling)
            return True
        self._skip_deeper_than = None
        return False

    def _words(self, words: Words) -> None:
        if words.comment:
            self._repair(RepairKind.COMMENT_CUT, _short(words.text.strip()))
            self._residue.append(words.text.strip())
            return
        for line in words.text.split("\n"):
            self._line(line)

    def _line(self, line: str) -> None:
        left = words_left(line)
        if not left:
            return
        lower = left.lower()
        if _is_wait(lower):
            word, _, rest = left.partition(" ")
            self._add(Call(word, [rest] if rest else [], left))
            return
        first, _, rest = left.partition(" ")
        if line.strip() == f"({left})" and rest and " " not in rest and lower.split()[0] in WORDS:
            self._add(Call(first, [rest], line.strip()))
            return
        self._residue.append(left)
        words = lower.replace("}", " ").split()
        self._condition = bool(words) and words[-1] in ("if", "elif", "not", "while")
        if "else" in words[-1:] or "otherwise" in words[-1:]:
            self._skip_deeper_than = len(line) - len(line.lstrip(" \t")) if "\n" in line else 1
        elif not self._condition:
            self._diagnose_loop(left, read_loop(left, len(self._steps)))

    def _diagnose_loop(self, left: str, loop: Loop | None) -> None:
        if loop is None:
            self._diagnose(PlanProblem.PROSE, f'"{_short(left)}" is not a step; it is left out')
        elif loop.times is None:
            self._diagnose(
                PlanProblem.LOOP,
                f'"{_short(left)}" does not say how often: its steps count as often as they are'
                " written; write them out",
            )
        else:
            again = self._steps[loop.first - 1 : loop.last]
            self._repair_next(RepairKind.LOOP_UNROLLED, left)
            for step in chain.from_iterable(repeat(again, loop.times)):
                if not self._append(replace(step, number=len(self._steps) + 1)):
                    return

    def _flat(self, call: Call) -> list[Call]:
        """The steps of a call in order: of a wrapper and a loop those in it."""
        inner = [step for part in call.calls for step in self._flat(part)][: MAX_STEPS + 1]
        word = fold(call.word)
        if word in LOOPS:
            return self._unrolled(call, inner)
        if word in WRAPPERS:
            return self._unwrapped(call, inner)
        return self._nested(call, inner) if inner else [call]

    def _nested(self, call: Call, inner: list[Call]) -> list[Call]:
        """A step in another's arguments comes before it, and its first argument takes its place;
        where both are of placing (place_on_top(floor, next_to(shelf))), it comes after, and says
        more of the place."""
        self._repair_next(RepairKind.WRAPPER_OPENED, call.spelling)
        if _places(call) and all(_places(each) for each in inner):
            return [
                Call(call.word, list(call.texts), call.spelling, call.indent, call.closed),
                *inner,
            ]
        parts: list[str | Call] = [
            part if isinstance(part, str) else next(iter(part.texts), part.word)
            for part in call.parts
        ]
        return [*inner, Call(call.word, parts, call.spelling, call.indent, call.closed)]

    def _unrolled(self, call: Call, inner: list[Call]) -> list[Call]:
        if not inner:
            self._diagnose_loop(
                call.spelling, read_loop(f"repeat {call.spelling}", len(self._steps))
            )
            return []
        times = times_of(call.texts)
        if times is None:
            self._diagnose(
                PlanProblem.LOOP,
                f'"{_short(call.spelling)}" does not say how often: its steps count once; write'
                " them out",
            )
            return inner
        self._repair_next(RepairKind.LOOP_UNROLLED, call.spelling)
        return (inner * min(times, MAX_STEPS + 1))[: MAX_STEPS + 1]

    def _unwrapped(self, call: Call, inner: list[Call]) -> list[Call]:
        texts = [argument(text) for text in call.texts]
        if not inner and texts and meaning_of(texts[0]) is not None:
            inner = [Call(texts[0], list(texts[1:]), call.spelling, call.indent, call.closed)]
        if inner:
            self._repair_next(RepairKind.WRAPPER_OPENED, call.spelling)
        else:
            self._residue.append(call.spelling)
            self._diagnose(
                PlanProblem.PROSE, f'"{_short(call.spelling)}" is not a step; it is left out'
            )
        return inner

    def _add(self, call: Call) -> None:
        spelling, meaning = " ".join(call.spelling.split()), meaning_of(call.word)
        arguments = tuple(filter(None, (_short(argument(text)) for text in call.texts)))
        verb = meaning.verb if meaning else None
        word = _short(call.word)
        step = PlanStep(len(self._steps) + 1, _short(spelling), word, verb, arguments)
        if not self._append(step):
            return
        if not call.closed:
            self._diagnose(PlanProblem.HALF_STEP, f'"{_short(spelling)}" lacks its ")"')
        if verb is None:
            self._diagnose(
                PlanProblem.UNKNOWN_VERB,
                f'"{word}" of "{_short(spelling)}" is not a known verb; the verbs are '
                + ", ".join(sorted(CANONICAL - {"switch-on", "switch-off"})),
            )
        elif call.word not in CANONICAL:
            self._repair(RepairKind.VERB_FOLDED, f"{word} as {verb.value}")

    def _append(self, step: PlanStep) -> bool:
        if self._full:
            return False
        self._names += len(step.arguments)
        if len(self._steps) == MAX_STEPS or self._names > MAX_NAMES:
            self._full = True
            self._diagnose(
                PlanProblem.TOO_LONG,
                f"a plan has at most {MAX_STEPS} steps, and {MAX_NAMES} objects in them; what"
                f" follows step {len(self._steps)} is left out",
            )
            return False
        self._steps.append(step)
        return True

    def _diagnose(self, problem: PlanProblem, text: str) -> None:
        self._diagnoses.append(Diagnosis(problem, len(self._steps), text))

    def _repair(self, kind: RepairKind, text: str) -> None:
        self._repairs.append(Repair(kind, len(self._steps), text))

    def _repair_next(self, kind: RepairKind, spelling: str) -> None:
        """A repair of what becomes the next step, or the next ones."""
        self._repairs.append(Repair(kind, len(self._steps) + 1, _short(spelling)))


def _places(call: Call) -> bool:
    meaning = meaning_of(call.word)
    return meaning is not None and meaning.verb in PLACING


def _is_wait(words: str) -> bool:
    meaning = WORDS.get(fold(words))
    return (meaning is not None and meaning.verb is Verb.WAIT) or words.startswith("wait ")


def _short(text: str) -> str:
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"


# --- A plan after reading


class RepairKind(Enum):
    """What reading or grounding had to put right; the values go into results and reports."""

    VERB_FOLDED = "verb_folded"
    """Another spelling, or a synonym, of a known verb."""
    ARGUMENTS_SWAPPED = "arguments_swapped"
    """The item stood before the target."""
    ARGUMENT_MISSING = "argument_missing"
    """A placing verb without its item or its target, which what is held, or where the agent is,
    makes up for."""
    WRAPPER_OPENED = "wrapper_opened"
    """A step inside another word's parentheses: action(grab(cup))."""
    LOOP_UNROLLED = "loop_unrolled"
    COMMENT_CUT = "comment_cut"
    NAME_MATCHED = "name_matched"
    """A name other than an exact category and number: a synonym, a qualifier, a typing error."""
    PLACE_READ = "place_read"
    """A place named by what it is next to, or under: on top of "next_to_sink"."""
    NUMBER_MATCHED = "number_matched"
    """A number that no instance has, or another one has by the plan's own bookkeeping."""
    COLLECTIVE = "collective"
    """One word read as all things of a kind."""
    PHANTOM = "phantom"
    """A fixture that every home has and the activity's definition does not list."""


@dataclass(frozen=True, slots=True)
class Repair:
    """One repair: the number of the step it was made in (from 1), and what was read as what.
    ``score``: of a name, how well it fits what it was read as, 0 … 1; None: it is about no name."""

    kind: RepairKind
    step: int
    text: str
    score: float | None = None

    @property
    def described(self) -> str:
        """The text, with the score where there is one: "plate_2 as plate 1 (0.77)"."""
        return self.text if self.score is None else f"{self.text} ({self.score:.2f})"


@dataclass(frozen=True, slots=True)
class PlanStep:
    """One step, as far as words alone tell.

    Attributes:
        number: from 1.
        spelling: as the plan has it.
        word: its verb in the plan's spelling.
        verb: the verb that is meant; None: the word is unknown.
        arguments: its arguments, stripped, in the plan's order and spelling.
    """

    number: int
    spelling: str
    word: str
    verb: Verb | None
    arguments: tuple[str, ...]


class PlanProblem(Enum):
    """Why no plan was found, or not all of it; the values go into results and reports."""

    EMPTY = "empty"
    NO_STEPS = "no_steps"
    """Prose alone."""
    TOO_LONG = "too_long"
    PROSE = "prose"
    """Words between steps, which are left out."""
    HALF_STEP = "half_step"
    """A step whose parenthesis never closes."""
    UNKNOWN_VERB = "unknown_verb"
    LOOP = "loop"
    """A loop that does not say how often: its steps count as often as they are written."""
    BRANCH = "branch"
    """A condition that only the house could decide: it is taken to hold."""


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What reading noticed. ``step``: the number of the step before it, 0 before the first."""

    problem: PlanProblem
    step: int
    text: str


@dataclass(frozen=True, slots=True)
class ReadPlan:
    """``residue``: what of the text is part of no step, in its order."""

    steps: tuple[PlanStep, ...]
    residue: tuple[str, ...] = ()
    diagnoses: tuple[Diagnosis, ...] = ()
    repairs: tuple[Repair, ...] = ()


# --- The number of rounds of a loop, if its words state it

_NUMBERS = {
    "once": 1,
    "one": 1,
    "twice": 2,
    "two": 2,
    "thrice": 3,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "seven": 7,
    "eight": 8,
    "nine": 9,
    "ten": 10,
}
_COUNT = r"(?:(\d{1,4}|" + "|".join(_NUMBERS) + r") (?:more )?times?|(once|twice|thrice)\b)"
_TIMES = re.compile(_COUNT)
_STEPS = re.compile(r"\bsteps? *(\d{1,4}) *(?:-|–|—|to|through|and) *(?:steps? *)?(\d{1,4})")
_ONE_STEP = re.compile(r"\bsteps? *(\d{1,4})\b")
_LOOP = re.compile(r"\b(?:repeat|for (?:each|every|all)|while|until|do the same|again for)\b")


@dataclass(frozen=True, slots=True)
class Loop:
    """Steps ``first`` to ``last`` (from 1) once more, ``times`` times; None: it does not say, or
    not which."""

    first: int
    last: int
    times: int | None


def read_loop(words: str, steps: int) -> Loop | None:
    """The loop that words speak of, after so many steps; None: they speak of none.

    "repeat steps 7-10 twice" is plain; "repeat steps 7-10 for all remaining books" is not.
    """
    lower = words.lower()
    if not _LOOP.search(lower):
        return None
    span = _STEPS.search(lower) or _ONE_STEP.search(lower)
    count = _TIMES.search(lower)
    if span is None or count is None:
        return Loop(0, 0, None)
    first, last = int(span[1]), int(span[span.re.groups])
    if not 1 <= first <= last <= steps:
        return Loop(0, 0, None)
    return Loop(first, last, _number(count[1] or count[2]))


def times_of(texts: Iterable[str]) -> int | None:
    """How often, by the arguments of a loop that are not steps: 3 of ("3",) and ("3 times",)."""
    for text in texts:
        bare = re.sub(r"^\w+ *[=:] *", "", text.strip().lower())
        if re.fullmatch(r"\d{1,4}", bare) or bare in _NUMBERS:
            return _number(bare)
        count = _TIMES.search(bare)
        if count:
            return _number(count[1] or count[2])
    return None


def _number(word: str) -> int:
    return _NUMBERS[word] if word in _NUMBERS else int(word)


# --- An agent's actions as plans


_THING = Parameter("object", "What it is done to, by name; of walk_to also a room.")
_ITEM = Parameter("item", "What is put there, by name.")
_TARGET = Parameter("target", "Where it goes, by name.")
_TOOL = Parameter("tool", "What it is done with, by name, or nothing.")

_NOTHING = ("", "nothing", "none")
"""Said of a tool: there is none. People and programs have to say something."""

_SKILLS = (
    ("walk_to", "Walk to a thing or into a room.", (_THING,)),
    ("grab", "Take a thing up.", (_THING,)),
    ("place_inside", "Put what is held into something.", (_TARGET, _ITEM)),
    ("place_on_top", "Put what is held onto something.", (_TARGET, _ITEM)),
    ("place_next_to", "Put what is held next to something.", (_TARGET, _ITEM)),
    ("place_under", "Put what is held under something.", (_TARGET, _ITEM)),
    ("place_on_floor", "Put what is held on the floor.", (Parameter("item", _ITEM.description),)),
    ("open", "Open a thing.", (_THING,)),
    ("close", "Close a thing.", (_THING,)),
    ("switch_on", "Switch a thing on.", (_THING,)),
    ("switch_off", "Switch a thing off.", (_THING,)),
    ("clean", "Clean a thing.", (_THING, _TOOL)),
    ("soak", "Make a thing wet.", (_THING,)),
    ("dry", "Make a thing dry.", (_THING,)),
    ("slice", "Cut a thing.", (_THING, _TOOL)),
    ("cook", "Cook a thing.", (_THING,)),
    ("defrost", "Thaw a thing.", (_THING,)),
    ("pour", "Pour what is in a thing onto another.", (_ITEM, _TARGET)),
    ("wait", "Let time go by.", ()),
)


def action_space() -> ActionSpace:
    """Every skill; things are named freely, as in published plans. The paper's eight actions
    (docs/actplan.md, Task sets) and the others that its plans use most."""
    return ActionSpace(tuple(Skill(*each) for each in _SKILLS))


def read_action(action: Action) -> ReadPlan:
    """`read_plan` of the words that a text has, or that skill calls come to.

    The arguments of calls are taken in the order of the skill's parameters, by name where the names
    are these; a skill that does not exist is an unknown verb.
    """
    match action:
        case Text(text):
            return read_plan(text)
        case SkillCall():
            return read_plan(_said(action))
        case Plan(steps):
            return read_plan("\n".join(map(_said, steps)))
        case Unreadable(problem):
            return ReadPlan((), diagnoses=(Diagnosis(PlanProblem.EMPTY, 0, problem),))


def _said(call: SkillCall) -> str:
    order = {
        parameter.name: place
        for name, _, parameters in _SKILLS
        if name == call.name
        for place, parameter in enumerate(parameters)
    }
    arguments = sorted(call.arguments, key=lambda each: order.get(each[0], len(order)))
    values = [
        "" if name == _TOOL.name and value.lower() in _NOTHING else value
        for name, value in ((name, _bare(value)) for name, value in arguments)
    ]
    name = "_".join(_bare(call.name).split()) or "unnamed"
    return f"{name}({', '.join(value for value in values if value)})"


def _bare(value: str) -> str:
    """A value without the characters that calls are made of."""
    for mark in "(),\n/":
        value = value.replace(mark, " ")
    return value.strip()
