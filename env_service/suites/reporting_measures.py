"""Measures: from the episodes of a group to a number with its interval."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum

from env_service.domain.text import with_article
from env_service.suites.reporting_keys import (
    GAINED_SHARE,
    GOAL_SHARE,
    SUCCESS_FLAG,
    Key,
    Label,
    Only,
    Quantity,
    Unit,
)


class Statistic(Enum):
    """What is made of many episodes."""

    EPISODES = "episodes"
    """How many there are. Needs no quantity."""
    RATE = "rate"
    """The share in which the quantity, 0 or 1, is 1; with its interval."""
    MEAN = "mean"
    """With its interval."""
    MEDIAN = "median"
    SUM = "sum"
    SHARE = "share"
    """The share of those that have ``share_of``'s key in which it has one of the values."""
    REPEAT_MEDIAN = "repeat_median"
    """The median over repeats of each repeat's mean, as many papers report it."""
    MATTHEWS = "matthews"
    """Matthews correlation of two labels, ``answers``; with its interval."""
    RATIO = "ratio"
    """The sum of the quantity over the sum of others, ``per``; with its interval."""
    MACRO = "macro"
    """The mean of the means of each value of ``over``, whatever their sizes. Without interval."""


@dataclass(frozen=True, slots=True)
class Measure:
    """One number made of many episodes. The functions below make the usual ones.

    ``only`` leaves episodes out first: the path length of what succeeded, say. Rates, shares,
    means and ratios have an interval that counts tasks of one cluster, and repeats, together.
    """

    statistic: Statistic
    heading: str
    quantity: Quantity | None = None
    unit: Unit = Unit.NUMBER
    only: Only | None = None
    share_of: Only | None = None
    answers: tuple[Label, Label] | None = None
    over: Key | None = None
    per: tuple[Quantity, ...] = ()

    def __post_init__(self) -> None:
        if self.statistic is Statistic.SHARE and self.share_of is None:
            raise ValueError("a share needs share_of")
        if self.statistic is Statistic.MATTHEWS and self.answers is None:
            raise ValueError("a correlation needs answers: the labels of truth and answer")
        if (self.statistic is Statistic.MACRO) != (self.over is not None):
            raise ValueError("a mean of means, and nothing else, needs over: what it is taken over")
        if (self.statistic is Statistic.RATIO) != bool(self.per):
            raise ValueError("a ratio, and nothing else, needs per: what it is divided by")
        without = (Statistic.EPISODES, Statistic.SHARE, Statistic.MATTHEWS)
        if self.quantity is None and self.statistic not in without:
            raise ValueError(f"{with_article(self.statistic.value)} needs a quantity")


EPISODES = Measure(Statistic.EPISODES, "episodes")
SUCCESS = Measure(Statistic.RATE, "success", SUCCESS_FLAG, Unit.PERCENT)
GOALS_GAINED = Measure(Statistic.MEAN, "goal conditions gained", GAINED_SHARE, Unit.PERCENT)
"""What `share_gained` says of an episode. Reports show it before the paper's figure."""
GOAL_CONDITIONS = Measure(Statistic.MEAN, "goal conditions met", GOAL_SHARE, Unit.PERCENT)
MEDIAN_REPEAT = Measure(Statistic.REPEAT_MEDIAN, "median repeat", SUCCESS_FLAG, Unit.PERCENT)


@dataclass(frozen=True, slots=True)
class GoalsMet:
    """The figure of goal conditions that a suite's paper has: the share of all of them that hold at
    the end, those that held from the start included.

    ``name`` is what the paper calls it, ``source`` whose name that is; empty if no such figure was
    published.
    """

    name: str = GOAL_CONDITIONS.heading
    source: str = ""

    @property
    def measure(self) -> Measure:
        """The figure under the paper's name."""
        return replace(GOAL_CONDITIONS, heading=self.name)

    @property
    def brief(self) -> str:
        """What the figure is, to stand behind the number on a terminal."""
        whose = f"{self.source}: " if self.source else ""
        return f"{whose}of all, also if met at the start"

    @property
    def explained(self) -> str:
        """What the figure is, in a sentence."""
        whose = f", {self.source}'s figure" if self.source else ""
        name = f"{self.name[0].upper()}{self.name[1:]}{whose}"
        return f"{name}: the share of all that hold at the end, also of those met from the start."


GOALS_MET = GoalsMet()
"""What it is called where no paper has such a figure."""
GAINED_BRIEF = "of those open at the start, less those lost"
"""What goal conditions gained are, to stand behind the number on a terminal."""
GAINED_EXPLAINED = (
    "Goal conditions gained: of those open at the start, the share that hold at the end, less those"
    " lost; 0 % where nothing changed, 100 % is success, and below 0 % more was lost than gained."
)
"""The same in a sentence."""


def rate(quantity: Quantity, heading: str = "", only: Only | None = None) -> Measure:
    """How often a quantity that is 0 or 1 is 1."""
    return Measure(Statistic.RATE, heading or quantity.heading, quantity, Unit.PERCENT, only)


def mean(quantity: Quantity, heading: str = "", only: Only | None = None) -> Measure:
    """The mean over episodes."""
    return Measure(Statistic.MEAN, heading or quantity.heading, quantity, quantity.unit, only)


def macro(quantity: Quantity, over: Key, heading: str = "", only: Only | None = None) -> Measure:
    """The mean over the values of ``over`` of the mean in each, as papers average over levels."""
    heading = heading or quantity.heading
    return Measure(Statistic.MACRO, heading, quantity, quantity.unit, only, over=over)


def ratio(quantity: Quantity, *per: Quantity, heading: str, only: Only | None = None) -> Measure:
    """The sum of a quantity over all episodes, over the sum of one or more others.

    Of the quantity's unit: with that of a share, where the quantity is a part of what it is
    divided by. Episodes that lack one of them are left out; without any, or where the sum below
    is 0, there is none.
    """
    return Measure(Statistic.RATIO, heading, quantity, quantity.unit, only, per=per)


def median(quantity: Quantity, heading: str = "", only: Only | None = None) -> Measure:
    """The median over episodes."""
    heading = heading or f"median {quantity.heading}"
    return Measure(Statistic.MEDIAN, heading, quantity, quantity.unit, only)


def total(quantity: Quantity, heading: str = "", only: Only | None = None) -> Measure:
    """The sum over episodes."""
    heading = heading or f"{quantity.heading}, sum"
    return Measure(Statistic.SUM, heading, quantity, quantity.unit, only)


def share(key: Key, *values: str, heading: str = "", only: Only | None = None) -> Measure:
    """How often ``key`` has one of ``values``, among the episodes that have the key."""
    return Measure(
        Statistic.SHARE,
        heading or ", ".join(values),
        unit=Unit.PERCENT,
        only=only,
        share_of=Only(key, values),
    )


def matthews(
    truth: Label, predicted: Label, heading: str = "Matthews correlation", only: Only | None = None
) -> Measure:
    """How well one label agrees with another, beyond any constant answer: -1 … 1.

    Over the episodes that have both. 0 where all truths or all answers are alike.
    """
    return Measure(Statistic.MATTHEWS, heading, only=only, answers=(truth, predicted))
