"""Tables and figures that all questions share: how answers were read, prompts, cost."""

from __future__ import annotations

from env_service.suites.babybench.answers.reading import AnswerProblem
from env_service.suites.babybench.report_keys import ANSWER, UNDERSTOOD
from env_service.suites.babybench.scoring.score import PARSED
from env_service.suites.reporting import (
    COST,
    EPISODES,
    SUCCESS,
    TOKENS,
    Bars,
    Chosen,
    Field,
    Figure,
    Label,
    Measure,
    Scatter,
    Stacked,
    Table,
    mean,
    share,
)

FORMATTERS, PROMPTERS = "formatters", "prompters"
"""Tables that published numbers stand in."""

_FORMATTER, _PROMPTER = Chosen("formatter"), Chosen("prompter")


def reading_items() -> tuple[Table | Figure, ...]:
    """How many answers could be read, and why others could not."""
    problems = tuple(
        share(ANSWER, problem.value, heading=problem.value.replace("_", " "))
        for problem in AnswerProblem
    )
    counted = (EPISODES, share(ANSWER, PARSED, heading="understood"), *problems)
    return (
        Table(
            id="answers",
            title="Answers that could be read, and why others could not",
            rows=Field.AGENT,
            columns=counted,
            note=(
                "Shares of the episodes with an answer. One that cannot be read counts as wrong."
            ),
        ),
        Table(
            id="answers-by-level",
            title="Answers that could be read, by level",
            rows=Field.GROUP,
            columns=(EPISODES, UNDERSTOOD),
            total=True,
        ),
        Stacked(id="answers-by-agent", title="How answers were read", by=Field.AGENT, parts=ANSWER),
        Stacked(
            id="published-errors",
            title="How the published evaluator fails on answers",
            by=Field.AGENT,
            parts=Label("published_error", "published error"),
            note="Under scoring=compat. Such an answer has no published result at all.",
        ),
    )


def prompt_items(score: Measure, *columns: Measure) -> tuple[Table | Figure, ...]:
    """Formatters, prompters and both, by ``score`` and other numbers."""
    numbers = (EPISODES, score, *columns, UNDERSTOOD)
    kinds = ((FORMATTERS, "formatter", _FORMATTER), (PROMPTERS, "prompter", _PROMPTER))
    return (
        *(
            Table(id=id_, title=f"By {word}", rows=setting, columns=numbers)
            for id_, word, setting in kinds
        ),
        Table(
            id="prompts",
            title=f"{score.heading} by formatter and prompter",
            rows=_FORMATTER,
            across=_PROMPTER,
            columns=(score,),
        ),
        *(
            Bars(
                id=f"{id_}-by-agent",
                title=f"{score.heading} by {word}",
                by=Field.AGENT,
                measure=score,
                series=setting,
                contrast=True,
            )
            for id_, word, setting in kinds
        ),
    )


def price_items(score: Measure = SUCCESS) -> tuple[Table | Figure, ...]:
    """Repeats, and what answers take."""
    return (
        Table(id="repeats", title="By repeat", rows=Field.REPEAT, columns=(EPISODES, score)),
        Scatter(
            id="tokens-score",
            title=f"Tokens and {score.heading}",
            x=mean(TOKENS, "tokens an episode"),
            y=score,
        ),
        Scatter(
            id="cost-score",
            title=f"Cost and {score.heading}",
            x=mean(COST, "cost an episode"),
            y=score,
        ),
    )
