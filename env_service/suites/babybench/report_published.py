"""The paper's numbers, for comparison with ours (docs/babybench-scoring.md, Reports)."""

from env_service.suites.babybench.report_shared import MAZE, ROOM, UNBLOCK, UNLOCK
from env_service.suites.reporting import AgentSettings, Reference

_PAPER = "LLM-BabyBench"
_COUNTED = " (numbers of items inferred: 20 a level)"
_CLAUDE = "Claude"
_EVERY = "the paper's models"

_BY_DIFFICULTY = (
    (_CLAUDE, "Easy", 0.9750, 40),
    (_CLAUDE, "Medium", 0.9429, 140),
    (_CLAUDE, "Hard", 0.8667, 60),
    (_CLAUDE, "Very Hard", 0.8250, 80),
    ("Llama-70B", "Easy", 0.6382, None),
    ("Llama-8B", "Easy", 0.1289, None),
)
"""Claude's rates are whole numbers of 20 items a level; the others' are not, as means over levels
from which the items that could not be read are missing."""

_BY_SKILL = (
    (ROOM, 118 / 120, 120),
    (MAZE, 171 / 200, 200),
    (UNBLOCK, 83 / 100, 100),
    (UNLOCK, 66 / 80, 80),
    ("go to", 0.8750, None),
    ("open", 83 / 100, 100),
    ("pick up", 121 / 140, 140),
    ("put next", 85 / 100, 100),
    ("location", 0.8929, None),
    ("sequence", 48 / 60, 60),
)
"""Claude's. Where the last is None, the rate fits no whole number of items of the levels here."""

_BY_FORMATTER = (("narrative", 0.5678, 2.34), ("json", 0.5928, 2.65), ("structured", 0.6108, 2.24))
"""Success and Manhattan distance."""


def difficulties(table: str, column: str, *, whole: bool = False) -> tuple[Reference, ...]:
    """Success in Predict by difficulty; ``whole``: only what no item is missing from."""
    return tuple(
        Reference(
            table=table,
            row=row,
            column=column,
            value=value,
            n=n,
            source=f"{_PAPER}, Table 3"
            + (_COUNTED if n else " (fits a level mean, without answers that could not be read)"),
            world="babyai",
            rules="compat (released code)",
            agent=agent,
        )
        for agent, row, value, n in _BY_DIFFICULTY
        if n or not whole
    )


def skills(table: str, column: str) -> tuple[Reference, ...]:
    """Success in Predict by skill."""
    return tuple(
        Reference(
            table=table,
            row=row,
            column=column,
            value=value,
            n=n,
            source=f"{_PAPER}, Table 4" + (_COUNTED if n else " (of other levels than here)"),
            world="babyai",
            rules="compat (released code)",
            agent=_CLAUDE,
        )
        for row, value, n in _BY_SKILL
    )


def formatters(table: str, success: str, distance: str) -> tuple[Reference, ...]:
    """Success and distance in Predict by formatter: the models' means that the paper gives."""
    return tuple(
        Reference(
            table=table,
            row=row,
            column=column,
            value=value,
            n=None,
            source=(
                f"{_PAPER}, study of formatters: GoToObj and BossLevel, prompter tot; the paper"
                " does not say whether its distances are of wrong answers only"
            ),
            world="babyai",
            rules="compat (released code)",
            agent=_EVERY,
        )
        for row, *values in _BY_FORMATTER
        for column, value in zip((success, distance), values, strict=True)
    )


def agents() -> tuple[AgentSettings, ...]:
    """How the models were run, by the released configurations."""
    return tuple(
        AgentSettings(
            agent=agent,
            settings=(("temperature", "1"), ("most tokens a reply", "8192")),
            source=f"{_PAPER}, released configurations",
        )
        for agent in dict.fromkeys(agent for agent, *_ in _BY_DIFFICULTY)
    )
