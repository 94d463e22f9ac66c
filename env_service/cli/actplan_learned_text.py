"""What the commands of ``houseguest actplan learned`` tell."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from env_service.cli.output import print_table

if TYPE_CHECKING:
    from env_service.suites.actplan.learned.evaluation import Agreement
    from env_service.suites.actplan.learned.training import Epoch


def epoch_line(epoch: Epoch) -> str:
    """One epoch on a line."""
    told = epoch.agreement.confusion
    return (
        f"epoch {epoch.number}: loss {epoch.loss:.3f}; val MCC {told.mcc:.3f}, accuracy"
        f" {told.accuracy:.1%} (constant answer {told.baseline:.1%}); {epoch.cut} of"
        f" {epoch.examples} pairs cut"
    )


def agreement_rows(found: Sequence[Agreement]) -> list[dict[str, Any]]:
    """As JSON."""
    return [each.to_json() for each in found]


def print_agreement(found: Sequence[Agreement]) -> None:
    """Prints how far people and classifier agree, the constant answer beside the accuracy."""
    columns = ("plans of", "#plans", "#MCC", "#accuracy", "#constant", "#ROC area", "#TP", "#FP")
    print_table((*columns, "#FN", "#TN"), [_cells(each) for each in found])


def _cells(found: Agreement) -> tuple[str, ...]:
    told = found.confusion
    counts = (told.true_positives, told.false_positives, told.false_negatives, told.true_negatives)
    return (
        found.model,
        str(told.count),
        f"{told.mcc:.3f}",
        f"{told.accuracy:.1%}",
        f"{told.baseline:.1%}",
        "-" if found.roc is None else f"{found.roc:.3f}",
        *map(str, counts),
    )
