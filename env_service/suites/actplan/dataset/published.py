"""What the paper says of its data, to stand beside what is here (spec: actplan.md sections 1.1 and
1.4)."""

from __future__ import annotations

from collections.abc import Mapping

from env_service.suites.actplan.task import Circumstance, Variant

SOURCE = "ActPlan-1K, Table 2 and Figure 4"

INSTANCES: Mapping[Variant, int] = {Variant.NORMAL: 825, Variant.COUNTERFACTUAL: 362}
"""Table 2: up to three samplings of each instance of which plans were judged."""

STEPS: Mapping[Variant, float] = {Variant.NORMAL: 23.95, Variant.COUNTERFACTUAL: 31.93}
"""Table 2: mean number of steps of gold plans."""

CIRCUMSTANCES: Mapping[Circumstance, float] = {
    Circumstance.PROPERTY: 0.30,
    Circumstance.FUNCTION: 0.45,
    Circumstance.CAUSALITY: 0.25,
}
"""Figure 4: shares of counterfactual activities. Which is which was never published: ours is a
classification of our own."""

NOTE = (
    "Published counts are of all samples of the authors' archive; the labelled instances are one"
    " sample each. Circumstances here are classified by us: no such labels were published."
)
