"""What published plans are made of, and what people said of them (spec: actplan.md sections 0 and
1.3)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from env_service.suites.actplan.dataset.labelled import MODELS, LabelledInstance
from env_service.suites.actplan.dataset.samples import GOLDS
from env_service.suites.actplan.dataset.spread import Spread, spread
from env_service.suites.actplan.dataset.steps import split_steps
from env_service.suites.actplan.plans.verbs import meaning_of
from env_service.suites.actplan.task import Variant

_Parts = dict[Variant | None, list[LabelledInstance]]


@dataclass(frozen=True, slots=True)
class VerbUse:
    """One spelling of a verb in gold plans: what it means ("walk_to"; empty: nobody knows), how
    often each gold has it, and with how many arguments."""

    word: str
    meaning: str
    uses: Mapping[str, int]
    arities: Mapping[int, int]

    @property
    def total(self) -> int:
        """How often all golds have it."""
        return sum(self.uses.values())


@dataclass(frozen=True, slots=True)
class Label:
    """How many of one model's plans people found correct."""

    plans: int
    correct: int

    @property
    def share(self) -> float:
        """0 … 1; 0 of none."""
        return self.correct / self.plans if self.plans else 0.0


@dataclass(frozen=True, slots=True)
class PlanStatistics:
    """Of labelled plans.

    Attributes:
        steps: steps of each plan, by whose they are ("gold_1", "gold_2", "gpt-4v", "gemini") and
            variant; all variants under None.
        verbs: of gold plans, the most frequent first.
        labels: by model and variant; all variants under None.
    """

    instances: int
    steps: Mapping[str, Mapping[Variant | None, Spread]]
    verbs: tuple[VerbUse, ...]
    labels: Mapping[str, Mapping[Variant | None, Label]]


def plan_statistics(instances: Iterable[LabelledInstance]) -> PlanStatistics:
    """Counts labelled plans."""
    every = tuple(instances)
    return PlanStatistics(
        instances=len(every),
        steps={name: _steps(every, name) for name in (*GOLDS, *MODELS)},
        verbs=_verbs(every),
        labels={model: _labels(every, model) for model in MODELS},
    )


def plan_of(instance: LabelledInstance, name: str) -> str:
    """One of an instance's plans by whose it is; empty where there is none."""
    golds = dict(zip(GOLDS, (instance.gold_1, instance.gold_2), strict=True))
    return golds[name] if name in golds else instance.plans[name].text


def _parts(
    instances: Iterable[LabelledInstance],
) -> _Parts:
    found: _Parts = {each: [] for each in (*Variant, None)}
    for instance in instances:
        found[instance.key.variant].append(instance)
        found[None].append(instance)
    return {part: members for part, members in found.items() if members}


def _steps(instances: Iterable[LabelledInstance], name: str) -> Mapping[Variant | None, Spread]:
    return {
        part: spread(len(split_steps(text)) for each in members if (text := plan_of(each, name)))
        for part, members in _parts(instances).items()
    }


def _labels(instances: Iterable[LabelledInstance], model: str) -> Mapping[Variant | None, Label]:
    return {
        part: Label(len(members), sum(each.plans[model].correct for each in members))
        for part, members in _parts(instances).items()
    }


def _verbs(instances: Iterable[LabelledInstance]) -> tuple[VerbUse, ...]:
    uses: dict[str, Counter[str]] = defaultdict(Counter)
    arities: dict[str, Counter[int]] = defaultdict(Counter)
    for instance in instances:
        for gold in GOLDS:
            for step in split_steps(plan_of(instance, gold)):
                word, arguments = _taken_apart(step)
                uses[word][gold] += 1
                arities[word][arguments] += 1
    found = (
        VerbUse(
            word,
            _meaning(word),
            {gold: counts[gold] for gold in GOLDS},
            dict(sorted(arities[word].items())),
        )
        for word, counts in uses.items()
    )
    return tuple(sorted(found, key=lambda each: (-each.total, each.word)))


def _taken_apart(step: str) -> tuple[str, int]:
    """A step's verb as it is written, and the number of its arguments."""
    word, _, rest = step.partition("(")
    inside = rest.removesuffix(")").strip()
    return word.strip(), inside.count(",") + 1 if inside else 0


def _meaning(word: str) -> str:
    meaning = meaning_of(word)
    return "" if meaning is None else meaning.verb.value
