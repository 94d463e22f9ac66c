"""The parts that reports on all questions share: keys, numbers, readable answers, prompts, cost."""

from env_service.suites.babybench.answers.readings import AnswerProblem
from env_service.suites.babybench.scoring import NO_ERROR, PARSED
from env_service.suites.reporting import (
    COST,
    EPISODES,
    SUCCESS,
    SUCCESS_FLAG,
    TOKENS,
    Bars,
    Bins,
    Chosen,
    Classes,
    Field,
    Figure,
    Label,
    Measure,
    Only,
    Quantity,
    Scatter,
    Stacked,
    Table,
    mean,
    metric,
    rate,
    share,
)
from env_service.suites.reporting import macro as mean_of_means
from env_service.worlds.babyai.levels import LEVELS, PLAN_LEVELS


def _in_order(name: str, heading: str, values: tuple[str, ...]) -> Classes:
    """A label with an explicit order of its values."""
    return Classes(Label(name), heading, tuple((value, (value,)) for value in values))


DIFFICULTY = _in_order(
    "difficulty", "difficulty", tuple(dict.fromkeys(level.difficulty for level in LEVELS.values()))
)
SIZE = _in_order("size", "room", tuple(dict.fromkeys(level.size for level in PLAN_LEVELS.values())))
GRID = Label("grid", "grid")
OBSTACLES = Label("obstacles", "obstacles")
ANSWER = Label("answer", "answer")
HELP_CLASS = Label("help_class", "subgoals of the expert, translation counted")
HELP_ADDED_CLASS = Label("help_added_class", "subgoals that the expert adds")
OBJECTS = Bins(metric("objects", "keys, balls and boxes"), (2, 9, 19))
"""One; up to eight, in a single room; eighteen; more."""
LENGTH = Bins(metric("expert_steps", "actions of the expert"), (5, 10, 20, 40, 80))

ROOM, MAZE, UNBLOCK, UNLOCK = "room navigation", "maze navigation", "unblocking", "unlocking"
_SKILLS = {
    "ignore_grey_boxes": "ignoring grey things",
    "ignore_distractors": "ignoring any things",
    "maze": MAZE,
    "unblock": UNBLOCK,
    "unlock_explicit": UNLOCK,
    "unlock_implicit": "unlocking without an instruction",
    "go_to": "go to",
    "open": "open",
    "pick_up": "pick up",
    "put_next": "put next",
    "location": "location",
    "sequence": "sequence",
}
"""The skills in reports, in the order of BabyAI's taxonomy of competencies.

The one that all levels have is left out.
"""


def _skills() -> tuple[tuple[str, tuple[str, ...]], ...]:
    rooms = tuple(level.name for level in LEVELS.values() if level.rooms == 1)
    return (
        (ROOM, rooms),
        *(
            (words, tuple(level.name for level in LEVELS.values() if skill in level.skills))
            for skill, words in _SKILLS.items()
        ),
    )


SKILLS = Classes(Field.GROUP, "skill", _skills())
"""BabyAI's skills, each with its levels; a level counts under all of its skills."""
SKILLS_NOTE = (
    "A level counts under each skill that it needs, so rows overlap. Levels and skills as in"
    " BabyAI; room navigation is the six levels with a single room."
)

READ = Only(ANSWER, (PARSED,))
UNDERSTOOD = share(ANSWER, PARSED, heading="understood")
SCORED = Only(Label("published_error"), (NO_ERROR,))
"""Under the setting scoring=compat: the answers for which LLM-BabyBench's evaluator has a result.
"""


def of_read(quantity: Quantity = SUCCESS_FLAG) -> tuple[Measure, ...]:
    """A number without the answers that could not be read.

    It is given over all others, and as the mean over levels; then, under scoring=compat, without
    those that crash the published evaluator.
    """
    name = quantity.heading
    return (
        rate(quantity, f"{name}, read", READ),
        mean_of_means(quantity, Field.GROUP, f"{name}, read, level mean", READ),
        rate(quantity, f"{name}, as published", SCORED),
        mean_of_means(quantity, Field.GROUP, f"{name}, as published, level mean", SCORED),
    )


# --- Tables and figures that all questions share: readable answers, prompts, cost

FORMATTERS, PROMPTERS = "formatters", "prompters"
"""The tables that contain published numbers."""

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
            title="Readable and unreadable answers",
            rows=Field.AGENT,
            columns=counted,
            note=("Shares of the episodes with an answer. An unreadable answer counts as wrong."),
        ),
        Table(
            id="answers-by-level",
            title="Readable answers by level",
            rows=Field.GROUP,
            columns=(EPISODES, UNDERSTOOD),
            total=True,
        ),
        Stacked(id="answers-by-agent", title="Parsing of answers", by=Field.AGENT, parts=ANSWER),
        Stacked(
            id="published-errors",
            title="Answers that crash the published evaluator",
            by=Field.AGENT,
            parts=Label("published_error", "published error"),
            note="Under scoring=compat. The published evaluator has no result for such an answer.",
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
    """Repeats, and the cost of answers."""
    return (
        Table(id="repeats", title="By repeat", rows=Field.REPEAT, columns=(EPISODES, score)),
        Scatter(
            id="tokens-score",
            title=f"Tokens and {score.heading}",
            x=mean(TOKENS, "tokens per episode"),
            y=score,
        ),
        Scatter(
            id="cost-score",
            title=f"Cost and {score.heading}",
            x=mean(COST, "cost per episode"),
            y=score,
        ),
    )
