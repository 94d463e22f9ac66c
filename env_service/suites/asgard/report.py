"""What a report on asgard shows: the paper's tables and figures, and an action as the rules
read it.
"""

from env_service.domain.action import Action
from env_service.domain.episode import FinishReason
from env_service.suites.asgard.action_language import NOTHING, Parser
from env_service.suites.asgard.conditions import NAMED
from env_service.suites.asgard.limits import Ending
from env_service.suites.asgard.rules import PAPER, RULES
from env_service.suites.asgard.scoring import (
    CATEGORIES,
    OTHER,
    TURN_SHARES,
    by_rules,
    category_metric,
    condition_labels,
)
from env_service.suites.reporting import (
    EPISODES,
    GOALS_GAINED,
    MEDIAN_REPEAT,
    STEPS,
    SUCCEEDED,
    SUCCESS,
    ActionTree,
    AgentSettings,
    Bars,
    Bins,
    Classes,
    Field,
    GoalsMet,
    Histogram,
    Label,
    Measure,
    Only,
    Profile,
    Reference,
    ReportDesign,
    Scatter,
    Stacked,
    Table,
    Unit,
    common_design,
    mean,
    metric,
    rate,
    share,
)

# --- Views by the paper's conditions (its figures 2, 4, 10, 13 and 15), and the paper's numbers

CONDITION = Label("condition", "condition")
PICTURES = "pictures"
"""The figure that published scores stand in."""
SHOWN, READ = "with pictures", "text only"
"""Its series."""


def every_condition() -> Classes:
    """The paper's conditions: those with published scores first, and all others last."""
    names = list(dict.fromkeys(("baseline", "text-only-simple", *NAMED)))
    return Classes(
        CONDITION,
        "condition",
        tuple((label, (label,)) for label in condition_labels(*names, OTHER)),
    )


def _series(heading: str, *kinds: tuple[str, str]) -> Classes:
    """Conditions, by the one rules and by the other."""
    classes = tuple(
        (by_rules(called, rules), condition_labels(condition, rules=(rules,)))
        for rules in RULES
        for called, condition in kinds
    )
    return Classes(CONDITION, heading, classes)


def _contrast(name: str, title: str, heading: str, *kinds: tuple[str, str]) -> Bars:
    """Bars by agent that compare conditions; ``kinds`` are pairs of a label and the condition's
    name in the paper."""
    return Bars(
        id=name,
        title=title,
        by=Field.AGENT,
        series=_series(heading, *kinds),
        only=Only(CONDITION, condition_labels(*(condition for _, condition in kinds))),
        contrast=True,
        note="Pictures of any size are taken together. `houseguest compare` tests a difference.",
    )


BY_CONDITION = (
    Bars(
        id=PICTURES,
        title="With pictures, and text only",
        by=Field.AGENT,
        series=_series("observation", (SHOWN, "baseline"), (READ, "text-only-simple")),
        only=Only(CONDITION, condition_labels("baseline", "text-only-simple")),
        note=(
            "Simple feedback, all else as in the baseline. Pictures of any size are taken together."
        ),
    ),
    _contrast(
        "feedback",
        "Success by feedback, with pictures",
        "feedback",
        ("none", "no-feedback"),
        ("simple", "baseline"),
        ("detailed", "detailed"),
    ),
    _contrast(
        "feedback-text-only",
        "Success by feedback, text only",
        "feedback",
        ("none", "text-only-none"),
        ("simple", "text-only-simple"),
        ("detailed", "text-only-detailed"),
    ),
    _contrast(
        "hand",
        "Without the drawn hand",
        "hand",
        ("drawn", "baseline"),
        ("not drawn", "no-hand"),
    ),
    _contrast(
        "memory",
        "Without the agent's notes",
        "memory",
        ("with notes", "baseline"),
        ("without", "no-memory"),
    ),
    _contrast(
        "previous-image",
        "Without the picture before the last action",
        "previous picture",
        ("shown", "baseline"),
        ("not shown", "no-previous-image"),
    ),
)


# --- The paper's numbers, for comparison (docs/asgard.md, "Conditions")

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
                ("max tokens per reply", "4096" if agent in _SHORT_REPLIES else "16384"),
            ),
            source=f"{_PAPER}, Table 5; where a model reasons, its effort is high",
        )
        for agent, *_ in _SCORES
    )


# --- The design

# --- An action as a report shows it: as the rules read it, such as "PICKUP Mug"

_PARSER = Parser((), PAPER)
_UNREAD = f"{NOTHING} {NOTHING}"


def action_as_read(action: Action) -> tuple[str, ...]:
    """The verb and the object that were asked for, whether there are such ones or not."""
    text = _PARSER.read(action).text
    return ("(no action)" if text == _UNREAD else text,)


SCORES = "conditions"
"""The table that the published scores stand in."""

_ENDING = Label("ending", "ending")
_VARIATION = Label("variation", "variation")
_WON = Only(Field.RESULT, (SUCCEEDED,))
_LENGTH = metric("published_steps", "steps of the published solution")
_RATIO = metric("step_ratio", "steps over published")
_EXTENDED = metric("extended", "limit extended", Unit.PERCENT)
_UNDOABLE = metric("undoable_turns", "undoable turns", Unit.PERCENT)

_STOPPED = (FinishReason.AGENT_DONE.value, FinishReason.AGENT_GAVE_UP.value)
_LOST = tuple(
    each.value for each in FinishReason if each.value not in (*_STOPPED, FinishReason.OVER.value)
)
_HOW_ENDED = Classes(
    _ENDING,
    "ending",
    (
        (SUCCEEDED, (Ending.SUCCESS.value,)),
        *((each.value, (each.value,)) for each in Ending if each is not Ending.SUCCESS),
        ("stopped by the agent", _STOPPED),
        ("agent lost", _LOST),
    ),
)
"""By the release's words; an episode that an agent lost or left has none."""

_LENGTHS = (10, 20, 30, 40, 60)


def _turns() -> tuple[Measure, ...]:
    names = dict.fromkeys(TURN_SHARES.values())
    return tuple(
        mean(metric(name, name.removesuffix("_turns").replace("_", " "), Unit.PERCENT))
        for name in names
    )


def _undoable() -> tuple[Measure, ...]:
    return tuple(mean(metric(category_metric(each), each)) for each in CATEGORIES)


def _endings() -> tuple[Measure, ...]:
    failures = [each.value for each in Ending if each is not Ending.SUCCESS]
    rules = (share(_ENDING, each, heading=each) for each in failures)
    return (
        *rules,
        share(_ENDING, *_STOPPED, heading="stopped by the agent"),
        share(_ENDING, *_LOST, heading="agent lost"),
    )


GOALS = GoalsMet("percent goals reached", "AsgardBench")
"""The released code's ``percent_goals_reached`` (docs/asgard-rules.md, "An episode")."""

_COMMON = common_design("task type", GOALS)

_STEPS = (
    Bars(
        id="by-length",
        title="Success by length of the published solution",
        by=Bins(_LENGTH, _LENGTHS),
    ),
    Histogram(
        id="steps",
        title="Steps of successful and failed episodes",
        quantity=STEPS,
        series=Field.RESULT,
    ),
    Scatter(id="steps-success", title="Steps and success", x=mean(STEPS, "steps per episode")),
    Histogram(
        id="step-ratios",
        title="Steps relative to the published solution",
        quantity=_RATIO,
        only=_WON,
        note="Of episodes that succeeded.",
    ),
)

_ENDS = (
    Table(
        id="terminations",
        title="Failures",
        rows=Field.RUN,
        columns=(EPISODES, SUCCESS, *_endings()),
        note="Shares of all episodes. The limits by the release's words.",
    ),
    Stacked(
        id="terminations-by-run",
        title="Failures by run",
        by=Field.RUN,
        parts=_HOW_ENDED,
    ),
    Stacked(
        id="terminations-by-condition",
        title="Failures by condition",
        by=CONDITION,
        parts=_HOW_ENDED,
    ),
)

_TURNS = (
    Table(
        id="turns",
        title="Action outcomes",
        rows=Field.RUN,
        columns=_turns(),
        note="Means over episodes of each episode's share; each turn counts once.",
    ),
    Table(
        id="turns-by-task-type",
        title="Action outcomes by task type",
        rows=Field.GROUP,
        columns=_turns(),
        total=True,
    ),
    Scatter(id="undoable-success", title="Undoable actions and success", x=mean(_UNDOABLE)),
    Table(
        id="undoable",
        title="Reasons for undoable actions",
        rows=Field.RUN,
        columns=_undoable(),
        note="Turns per episode.",
    ),
    Profile(
        id="undoable-categories",
        title="Undoable actions by reason",
        measures=_undoable(),
        axis="turns per episode",
        series=Field.RUN,
    ),
)

DESIGN = ReportDesign(
    group="task type",
    goals=GOALS,
    rules="rules",
    references=(
        *(
            each
            for rules in RULES
            for each in (
                *scores(SCORES, by_rules("baseline", rules), by_rules("text-only-simple", rules)),
                *scores(PICTURES, by_rules(SHOWN, rules), by_rules(READ, rules)),
            )
        ),
    ),
    agents=agents(),
    items=(
        Table(
            id=SCORES,
            title="Success by condition",
            rows=Field.AGENT,
            across=every_condition(),
            columns=(SUCCESS, MEDIAN_REPEAT),
            note=(
                "Conditions have the paper's names; rules other than the paper's have separate"
                " columns. The paper's scores are medians over runs of the released code (upstream"
                " rules)."
            ),
        ),
        *BY_CONDITION,
        *_COMMON.items,
        Table(
            id="variations",
            title="By variation of the task",
            rows=_VARIATION,
            columns=(EPISODES, SUCCESS, GOALS_GAINED),
            note="(d) marks what is dirty at the start.",
        ),
        *_STEPS,
        Table(
            id="progress",
            title="Progress of episodes",
            rows=Field.RUN,
            columns=(
                SUCCESS,
                GOALS_GAINED,
                GOALS.measure,
                mean(STEPS),
                mean(_RATIO, "steps over published, of a success", only=_WON),
                rate(_EXTENDED),
                rate(_EXTENDED, "of a success", only=_WON),
            ),
            note="Steps over published: over those of the published solution.",
        ),
        *_ENDS,
        *_TURNS,
        ActionTree(id="plans", title="Action tree for one instruction", words=action_as_read),
    ),
)
