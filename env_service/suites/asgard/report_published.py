"""The paper's numbers, to stand beside ours (spec section 5.9)."""

from __future__ import annotations

from env_service.suites.reporting import AgentSettings, Reference

_SCORES = (
    ("Claude Opus 4.5", 0.765, 0.361),
    ("Gemini 3 Pro", 0.725, 0.352),
    ("GPT-5.2", 0.713, 0.250),
    ("Kimi-K2.5", 0.688, 0.219),
    ("Qwen3-VL-235B", 0.324, 0.139),
    ("GLM-4.6V", 0.306, 0.083),
    ("GPT-4o", 0.234, 0.042),
    ("Mistral-Large-3", 0.074, 0.079),
    ("Llama-4 Maverick", 0.058, 0.067),
)
"""Success of the baseline, and of text only with simple feedback: medians over runs."""

_ONE_RUN = "GPT-5.2"
"""Of this agent the paper has one run, so that it is known how many episodes are behind it."""

_TASKS = 108

_SHORT_REPLIES = ("GPT-4o", "Mistral-Large-3", "Llama-4 Maverick")
"""Their replies were bounded to 4096 tokens, all others' to 16384."""

_PAPER = "arXiv 2603.15888"


def scores(table: str, with_pictures: str, text_only: str) -> tuple[Reference, ...]:
    """The nine models' scores in a table or figure; the other two are its columns."""
    return tuple(
        Reference(
            table=table,
            row="",
            column=column,
            value=value,
            n=_TASKS if agent == _ONE_RUN else None,
            source=f"{_PAPER}, Table 6, official tasks ({_runs(agent)})",
            world="ai2thor",
            rules="upstream (released code)",
            agent=agent,
        )
        for agent, *values in _SCORES
        for column, value in zip((with_pictures, text_only), values, strict=True)
    )


def _runs(agent: str) -> str:
    return "one run" if agent == _ONE_RUN else "median"


def agents() -> tuple[AgentSettings, ...]:
    """How the nine models were run."""
    return tuple(
        AgentSettings(
            agent=agent,
            settings=(
                ("temperature", "0"),
                ("most tokens a reply", "4096" if agent in _SHORT_REPLIES else "16384"),
            ),
            source=f"{_PAPER}, Table 5; where a model reasons, its effort is high",
        )
        for agent, *_ in _SCORES
    )
