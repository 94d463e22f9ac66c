"""The cost and the results of the judge `lcs` on all available published plans.

    python -m benchmarks.actplan_lcs
    python -m benchmarks.actplan_lcs --encoder FOLDER --threads 1

Every model's plan is compared with the gold that the published script takes (`compat`), with both
(`clean`), and with the gold that was made from the other model's answer. The data pack has to be
here (`houseguest data fetch actplan`), and the extra `houseguest[actplan]`.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from dataclasses import dataclass

from env_service.suites.actplan.lcs.encoder import TransformersEncoder, find_source, load_torch
from env_service.suites.actplan.lcs.plan_pairs import load_instances, published_cases
from env_service.suites.actplan.lcs.scorer import (
    GOLD_1,
    GOLD_2,
    TOTAL,
    Case,
    LcsSettings,
    Mode,
    Scorer,
    summarise,
)

MODELS = ("gpt-4v", "gemini")


@dataclass(frozen=True, slots=True)
class Clock:
    """CPU seconds of this process, all threads together, and seconds of the wall clock."""

    cpu: float
    wall: float

    @classmethod
    def now(cls) -> Clock:
        """Both at this moment."""
        return cls(time.process_time(), time.perf_counter())

    def since(self) -> str:
        """What passed, for people."""
        now = Clock.now()
        return f"{now.cpu - self.cpu:.1f} s of CPU, {now.wall - self.wall:.1f} s"


def tell(name: str, scorer: Scorer, cases: Sequence[Case]) -> None:
    """Scores all cases and prints a line for each model."""
    begun = Clock.now()
    scores = scorer.score(cases)
    print(f"{name}: {len(scores)} plans, {begun.since()}")
    for row in summarise(scores):
        if row.part == TOTAL:
            best = f"{row.best_length:.2f} / {row.best_normalised:.3f}"
            mean = f"{row.mean_length:.2f} / {row.mean_normalised:.3f}"
            roc = "-" if row.roc is None else f"{row.roc:.3f}"
            print(f"  {row.model}: best {best}, mean {mean}, area under ROC {roc}")


def main() -> None:
    """Prints times and results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--encoder", default="", help="a folder, or a name on the hub")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--threads", type=int, default=0, help="of torch; 0 leaves them to it")
    asked = parser.parse_args()
    if asked.threads:
        load_torch().set_num_threads(asked.threads)
    begun = Clock.now()
    cases = [case for case in published_cases(load_instances()) if case.model in MODELS]
    encoder = TransformersEncoder(find_source(asked.encoder), asked.device)
    print(f"{encoder.name}, {len(cases)} plans; loaded in {begun.since()}")
    scorer = Scorer(encoder, LcsSettings(Mode.COMPAT))
    tell("compat, steps encoded", scorer, cases)
    tell("compat, steps known", scorer, cases)
    for name, settings in {
        "clean": LcsSettings(Mode.CLEAN),
        "compat, all against gold_1": LcsSettings(Mode.COMPAT, GOLD_1),
        "compat, all against gold_2": LcsSettings(Mode.COMPAT, GOLD_2),
    }.items():
        tell(name, scorer.under(settings), cases)


if __name__ == "__main__":
    main()
