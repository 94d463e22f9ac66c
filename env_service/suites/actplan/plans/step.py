"""A plan after reading."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from env_service.worlds.activity.deed import Verb


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
    """A name that is no exact category and number: a synonym, a qualifier, a typing error."""
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
    def told(self) -> str:
        """The text, with the score where there is one: "plate_2 as plate 1 (0.77)"."""
        return self.text if self.score is None else f"{self.text} ({self.score:.2f})"


@dataclass(frozen=True, slots=True)
class PlanStep:
    """One step, as far as words alone tell.

    Attributes:
        number: from 1.
        said: as the plan has it.
        word: its verb in the plan's spelling.
        verb: the verb that is meant; None: nobody knows the word.
        arguments: its arguments, stripped, in the plan's order and spelling.
    """

    number: int
    said: str
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
