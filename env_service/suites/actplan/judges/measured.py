"""How far judges agree with people, as it was measured on the published labels.

The table `measured.toml` is written by ``houseguest actplan agreement``: counts alone, no plan.
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from env_service.suites.actplan.judges.agreement import Confusion, Interval

_HEAD = """\
# How far judges agree with people's verdicts on published plans (bleu-cls/data of ActPlan-1K).
# Counts over the instances of a split; mcc_low and mcc_high: 95 %, whole activities drawn anew.
# Written by `houseguest actplan agreement --out FILE`.
"""
_CELLS = ("true_positives", "false_positives", "false_negatives", "true_negatives")


@dataclass(frozen=True, slots=True)
class Measured:
    """One judge on one model's plans of one split. ``interval``: of Matthews' coefficient."""

    judge: str
    model: str
    split: str
    confusion: Confusion
    interval: Interval

    def to_json(self) -> dict[str, Any]:
        """As commands print it: shares in 0 … 1, None where they are undefined."""
        found = self.confusion
        return {
            **{"judge": self.judge, "model": self.model, "split": self.split},
            **{"plans": found.count, **{cell: getattr(found, cell) for cell in _CELLS}},
            **{"mcc": found.mcc, "mcc_low": self.interval.low, "mcc_high": self.interval.high},
            **{"accuracy": found.accuracy, "constant_answer": found.baseline},
            **{"precision": found.precision, "recall": found.recall},
        }


@cache
def measured() -> tuple[Measured, ...]:
    """What this release was measured to agree."""
    text = (files(__package__) / "measured.toml").read_text(encoding="utf-8")
    return read_measured(text)


def read_measured(text: str) -> tuple[Measured, ...]:
    """What `write_measured` wrote. Raises TOMLDecodeError, KeyError or TypeError for others."""
    return tuple(
        Measured(
            judge=row["judge"],
            model=row["model"],
            split=row["split"],
            confusion=Confusion(*(int(row[cell]) for cell in _CELLS)),
            interval=Interval(float(row["mcc_low"]), float(row["mcc_high"])),
        )
        for row in tomllib.loads(text).get("row", [])
    )


def write_measured(rows: Sequence[Measured]) -> str:
    """The table as TOML; reading it gives the rows again, limits to four digits."""
    return "\n".join((_HEAD, *map(_row, rows)))


def _row(row: Measured) -> str:
    lines = ["[[row]]"]
    lines += [f'{name} = "{getattr(row, name)}"' for name in ("judge", "model", "split")]
    lines += [f"{cell} = {getattr(row.confusion, cell)}" for cell in _CELLS]
    lines.append(f"mcc_low = {row.interval.low:.4f}")
    lines.append(f"mcc_high = {row.interval.high:.4f}")
    return "\n".join(lines) + "\n"
