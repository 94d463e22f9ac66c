"""The reports on babybench: a design for each question, and for levels that are played."""

from env_service.suites.babybench.report_shared import (
    DIFFICULTY,
    FORMATTERS,
    GRID,
    HELP_ADDED_CLASS,
    HELP_CLASS,
    LENGTH,
    MAZE,
    OBJECTS,
    OBSTACLES,
    READ,
    ROOM,
    SIZE,
    SKILLS,
    SKILLS_NOTE,
    UNBLOCK,
    UNDERSTOOD,
    UNLOCK,
    of_read,
    price_items,
    prompt_items,
    reading_items,
)
from env_service.suites.babybench.tasks import Question
from env_service.suites.reporting import (
    EPISODES,
    GOAL_CONDITIONS,
    GOALS_GAINED,
    STEPS,
    SUCCEEDED,
    SUCCESS,
    SUCCESS_FLAG,
    AgentSettings,
    Bars,
    Bins,
    Curve,
    Field,
    Figure,
    Histogram,
    Key,
    Label,
    Measure,
    Only,
    Profile,
    Quantity,
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
)

# --- The paper's numbers, for comparison (docs/babybench-scoring.md, Reports)

_PAPER = "LLM-BabyBench"
_INFERRED = " (numbers of items inferred: 20 a level)"
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
            + (_INFERRED if n else " (fits a level mean, without answers that could not be read)"),
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
            source=f"{_PAPER}, Table 4" + (_INFERRED if n else " (of other levels than here)"),
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
            settings=(("temperature", "1"), ("max tokens per reply", "8192")),
            source=f"{_PAPER}, released configurations",
        )
        for agent in dict.fromkeys(agent for agent, *_ in _BY_DIFFICULTY)
    )


# --- The report on Predict

_DISTANCE = metric("distance", "distance")
_ELSEWHERE = Only(Bins(_DISTANCE, (1,)), ("1 and more",))
_WRONG = mean(metric("distance_when_wrong", "distance when wrong"))
_PLACE = rate(metric("position_correct", "place"))
_HEADING = rate(metric("heading_correct", "heading"))

_PREDICT_NUMBERS = (EPISODES, SUCCESS, _PLACE, _HEADING, _WRONG, UNDERSTOOD)
_DISTANCES = (
    mean(_DISTANCE, "of all answers read"),
    mean(metric("distance_when_wrong"), "of wrong states"),
    mean(_DISTANCE, "of wrong places", only=_ELSEWHERE),
    rate(SUCCESS_FLAG, "exact state", only=READ),
    rate(metric("position_correct"), "right place", only=READ),
)


def _bars(id_: str, title: str, by: Key, note: str = "") -> Bars:
    return Bars(id=id_, title=f"Success {title}", by=by, note=note)


_TABLES: tuple[Table | Figure, ...] = (
    Table(
        id="difficulty",
        title="By difficulty",
        rows=DIFFICULTY,
        columns=_PREDICT_NUMBERS,
        total=True,
        note="The paper's Table 3 calls Medium moderate.",
    ),
    Table(
        id="as-published",
        title="Without unreadable answers, as in the paper",
        rows=DIFFICULTY,
        columns=(EPISODES, UNDERSTOOD, SUCCESS, *of_read()),
        total=True,
        note=(
            "The published averages seem to be means over levels, without the answers that crash"
            " the evaluator. A level mean gives each level the same weight, and has no"
            " interval. As published: under scoring=compat, what the released evaluator has a"
            " result for."
        ),
    ),
    Table(
        id="skills",
        title="By skill",
        rows=SKILLS,
        columns=(EPISODES, SUCCESS, *of_read()[:1], UNDERSTOOD),
        total=True,
        note=SKILLS_NOTE,
    ),
    Table(id="levels", title="By level", rows=Field.GROUP, columns=_PREDICT_NUMBERS, total=True),
    Table(
        id="distances",
        title="Manhattan distance from the true cell",
        rows=DIFFICULTY,
        columns=_DISTANCES,
        total=True,
        note=(
            "The released code averages over all readable answers, the paper's tables over wrong"
            " ones. A right place with a wrong heading is a wrong state at distance 0."
        ),
    ),
)

_FIGURES: tuple[Table | Figure, ...] = (
    _bars("success-difficulty", "by difficulty", DIFFICULTY),
    _bars("success-skill", "by skill", SKILLS, SKILLS_NOTE),
    _bars("success-level", "by level", Field.GROUP),
    _bars("success-grid", "by size of the grid", GRID),
    _bars("success-obstacles", "by keys, balls and boxes in the grid", OBJECTS),
    _bars("success-length", "by length of the action sequence", LENGTH),
    _bars(
        "success-help",
        "by the subgoals that the expert needs",
        HELP_CLASS,
        "Translating the mission counts, as in the released code.",
    ),
    _bars(
        "success-help-added",
        "by the subgoals that the expert adds",
        HELP_ADDED_CLASS,
        "Translating the mission does not count, as the paper says.",
    ),
    Histogram(
        id="distances-when-wrong",
        title="Distance of wrong places",
        quantity=_DISTANCE,
        only=_ELSEWHERE,
    ),
)

PREDICT = ReportDesign(
    group="level",
    rules="scoring",
    overview=_PREDICT_NUMBERS,
    references=(
        *difficulties("difficulty", SUCCESS.heading, whole=True),
        *difficulties("as-published", of_read()[1].heading),
        *skills("skills", SUCCESS.heading),
        *formatters(FORMATTERS, SUCCESS.heading, _WRONG.heading),
    ),
    agents=agents(),
    items=(
        *_TABLES,
        *_FIGURES,
        *reading_items(),
        *prompt_items(SUCCESS, _PLACE, _WRONG),
        *price_items(),
    ),
)
"""Success is the exact state: place and heading."""


# --- The report on Plan

_EFFICIENCY = mean(metric("efficiency", "efficiency"))
_OPTIMAL = metric("efficiency_optimal", "of the optimum")
_PLAN_NUMBERS = (
    EPISODES,
    SUCCESS,
    _EFFICIENCY,
    mean(_OPTIMAL),
    mean(metric("efficiency_or_zero", "efficiency, failures 0")),
    UNDERSTOOD,
)
_MORE = (
    *_PLAN_NUMBERS,
    mean(metric("ball_distance", "distance to the ball")),
    mean(metric("unknown_actions", "unknown actions")),
)
_EFFICIENCY_NOTE = (
    "Length of the expert's plan over the agent's, for successful plans. It may exceed 1, since the"
    " expert counts cells, not turns; the optimum's length over the agent's cannot."
)


def _plan_table(
    id_: str, title: str, rows: Key, columns: tuple[Measure, ...] = _PLAN_NUMBERS
) -> Table:
    return Table(id=id_, title=title, rows=rows, columns=columns, total=True, note=_EFFICIENCY_NOTE)


def _pair(id_: str, title: str, by: Key) -> tuple[Figure, ...]:
    """Success and efficiency by the same key."""
    return (
        Bars(id=f"success-{id_}", title=f"Success by {title}", by=by),
        Bars(
            id=f"efficiency-{id_}",
            title=f"Efficiency by {title}",
            by=by,
            measure=_EFFICIENCY,
            note=_EFFICIENCY_NOTE,
        ),
    )


PLAN = ReportDesign(
    group="room",
    rules="scoring",
    overview=_MORE,
    items=(
        _plan_table("sizes", "By size of the room", SIZE),
        _plan_table("environments", "By size and obstacles", Field.GROUP, _MORE),
        _plan_table("obstacles", "By number of obstacles", OBSTACLES),
        Table(
            id="as-published",
            title="Without unreadable answers",
            rows=SIZE,
            columns=(EPISODES, UNDERSTOOD, SUCCESS, *of_read()),
            total=True,
            note=(
                "A level mean gives each kind of room the same weight, and has no interval. As"
                " published: under scoring=compat, where a plan without actions counts."
            ),
        ),
        *_pair("environment", "size and obstacles", Field.GROUP),
        *_pair("size", "size of the room", SIZE),
        *_pair("obstacles", "number of obstacles", OBSTACLES),
        Bars(id="success-grid", title="Success by size of the grid", by=GRID),
        Bars(id="success-length", title="Success by length of the expert's plan", by=LENGTH),
        Histogram(
            id="efficiencies", title="Length of the optimum over the plan's", quantity=_OPTIMAL
        ),
        Scatter(id="efficiency-success", title="Efficiency and success", x=_EFFICIENCY, y=SUCCESS),
        *reading_items(),
        *prompt_items(SUCCESS, _EFFICIENCY),
        *price_items(),
    ),
)
"""Success is to stand next to the red ball and face it."""


# --- The report on Decompose

_CR_FLAG, _PR_FLAG = metric("cr", "CR", Unit.PERCENT), metric("pr", "PR", Unit.PERCENT)
_CR, _PR = rate(_CR_FLAG), rate(_PR_FLAG)
_ACI = mean(metric("aci", "ACI", Unit.PERCENT))
_ACI_ADDED = mean(metric("aci_added", "ACI, translation not counted", Unit.PERCENT))
_HELP = metric("help", "subgoals added")

_SCORES = (_CR, _PR, _ACI)
_DECOMPOSE_NUMBERS = (EPISODES, *_SCORES, mean(_HELP, "help"), UNDERSTOOD)
_ALL_NUMBERS = (
    *_DECOMPOSE_NUMBERS,
    mean(metric("subgoals", "subgoals said")),
    mean(metric("executed_steps", "steps")),
    rate(metric("stuck", "expert stuck")),
)
_MEANT = (
    "CR: the mission is fulfilled, with help or without. PR: without help. ACI: the area under the"
    " assistance curve up to the expert's own help."
)

_COUNTED = (
    "Classes and ACI count the translation of the mission among the expert's subgoals, as the"
    " released code does."
)
_NOT_COUNTED = (
    "Classes and ACI do not count the translation of the mission among the expert's subgoals, as"
    " the paper says."
)


def _decompose_table(
    id_: str, title: str, rows: Key, columns: tuple[Measure, ...], note: str
) -> Table:
    return Table(id=id_, title=title, rows=rows, columns=columns, total=True, note=note)


def _by_help() -> tuple[Table | Figure, ...]:
    """CR, PR and ACI by the expert's subgoals, in both ways of counting them."""
    counted = (*_SCORES, mean(_HELP, "help"))
    not_counted = (_CR, _PR, _ACI_ADDED, mean(_HELP, "help"))
    ways = (
        ("help", "subgoals of the expert, translation counted", HELP_CLASS, counted, _COUNTED),
        (
            *("help-added", "subgoals that the expert adds, translation not counted"),
            *(HELP_ADDED_CLASS, not_counted, _NOT_COUNTED),
        ),
    )
    return (
        *(
            _decompose_table(id_, f"By {title}", key, (EPISODES, *columns), note)
            for id_, title, key, columns, note in ways
        ),
        *(
            Bars(
                id=f"{name}-{id_}",
                title=f"{name.upper()} by {title}",
                by=key,
                measure=measure,
                note=note,
            )
            for id_, title, key, columns, note in ways
            for name, measure in zip(("cr", "pr", "aci"), columns, strict=False)
        ),
    )


def _curve(id_: str, title: str, quantity: Quantity, note: str, *, counted: bool) -> Curve:
    return Curve(id=id_, title=title, quantity=quantity, note=note, counted=counted)


_CURVES: tuple[Table | Figure, ...] = (
    _curve(
        "assistance",
        "Missions fulfilled, by maximum number of added subgoals",
        _HELP,
        "The curve starts at PR and ends at CR. Unreadable answers count as not fulfilled.",
        counted=True,
    ),
    _curve(
        "assistance-share",
        "Missions fulfilled, by maximum share of the expert's help",
        metric("help_share", "help over the expert's", Unit.PERCENT),
        "The area under it from 0 to 100 % is ACI.",
        counted=False,
    ),
)

DECOMPOSE = ReportDesign(
    group="level",
    rules="scoring",
    overview=_DECOMPOSE_NUMBERS,
    items=(
        _decompose_table("difficulty", "By difficulty", DIFFICULTY, _DECOMPOSE_NUMBERS, _MEANT),
        _decompose_table(
            "as-published",
            "Without unreadable answers",
            DIFFICULTY,
            (EPISODES, UNDERSTOOD, *of_read(_CR_FLAG), *of_read(_PR_FLAG)[:2]),
            "A level mean gives each level the same weight, and has no interval. As published:"
            " under scoring=compat, what the released evaluator has a result for.",
        ),
        _decompose_table("skills", "By skill", SKILLS, _DECOMPOSE_NUMBERS, SKILLS_NOTE),
        _decompose_table("levels", "By level", Field.GROUP, _ALL_NUMBERS, _MEANT),
        *_CURVES,
        *_by_help(),
        Bars(id="cr-difficulty", title="CR by difficulty", by=DIFFICULTY, measure=_CR),
        Bars(id="aci-difficulty", title="ACI by difficulty", by=DIFFICULTY, measure=_ACI),
        Bars(id="aci-skill", title="ACI by skill", by=SKILLS, measure=_ACI, note=SKILLS_NOTE),
        Bars(id="cr-grid", title="CR by size of the grid", by=GRID, measure=_CR),
        Bars(
            id="cr-obstacles",
            title="CR by keys, balls and boxes in the grid",
            by=OBJECTS,
            measure=_CR,
        ),
        Profile(id="scores", title="CR, PR and ACI", measures=_SCORES, axis="score", note=_MEANT),
        Stacked(
            id="stuck",
            title="Where plans got stuck",
            by=Field.AGENT,
            parts=Label("stuck", "why"),
        ),
        Scatter(
            id="help-cr", title="Help and CR", x=mean(_HELP, "subgoals added per episode"), y=_CR
        ),
        *reading_items(),
        *prompt_items(_CR, _PR, _ACI),
        *price_items(_CR),
    ),
)
"""Success is CR: the mission fulfilled, with help or without."""


_WON = Only(Field.RESULT, (SUCCEEDED,))
_PLAYED = (
    EPISODES,
    SUCCESS,
    GOALS_GAINED,
    GOAL_CONDITIONS,
    mean(STEPS),
    mean(STEPS, "steps per success", only=_WON),
    mean(metric("refused", "refused turns")),
    mean(metric("unparsable", "turns not understood")),
)

INTERACTIVE = common_design("level").plus(
    Table(id="difficulty", title="By difficulty", rows=DIFFICULTY, columns=_PLAYED, total=True),
    Table(
        id="skills", title="By skill", rows=SKILLS, columns=_PLAYED, total=True, note=SKILLS_NOTE
    ),
    Bars(id="success-difficulty", title="Success by difficulty", by=DIFFICULTY),
    Bars(id="success-skill", title="Success by skill", by=SKILLS, note=SKILLS_NOTE),
    Bars(id="success-grid", title="Success by size of the grid", by=GRID),
)
"""Levels that are played action by action. No results for this are published."""

DESIGN = ReportDesign(
    items=INTERACTIVE.items,
    group=INTERACTIVE.group,
    by_task_set={
        f"{question.value}*": design
        for question, design in (
            (Question.PREDICT, PREDICT),
            (Question.PLAN, PLAN),
            (Question.DECOMPOSE, DECOMPOSE),
        )
    },
)
"""The names of all of a question's task sets begin with the question's."""
