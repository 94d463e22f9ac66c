"""The report on babyai.

It has no published references: no known publication plays step by step under these rules.
"""

from env_service.suites.reporting import (
    STEPS,
    SUCCEEDED,
    Field,
    Only,
    Table,
    common_design,
    mean,
    metric,
)

_REFUSED = metric("refused", "refused turns")
_UNPARSABLE = metric("unparsable", "turns not understood")
_REWARD = metric("reward", "reward")
_WON = Only(Field.RESULT, (SUCCEEDED,))

DESIGN = common_design("level").plus(
    Table(
        id="turns",
        title="Action outcomes by level",
        rows=Field.GROUP,
        columns=(
            mean(STEPS),
            mean(STEPS, "steps per success", only=_WON),
            mean(_REFUSED),
            mean(_UNPARSABLE),
            mean(_REWARD),
        ),
        total=True,
        note=(
            "Means per episode. The reward is minigrid's: 1 minus 0.9 times the share of the step"
            " limit that was used, and 0 without success."
        ),
    ),
)
