"""What a report on the laboratory shows: one of everything that a design can declare."""

from __future__ import annotations

from env_service.suites.reporting import (
    AGENT_SECONDS,
    COST,
    EPISODES,
    FAILED,
    GOAL_CONDITIONS,
    STEPS,
    SUCCEEDED,
    SUCCESS,
    TOKENS,
    ActionTree,
    Bars,
    Bins,
    Chosen,
    Classes,
    Confusion,
    Field,
    Histogram,
    Label,
    Only,
    Profile,
    Reference,
    Scatter,
    Stacked,
    Table,
    common_design,
    mean,
    median,
    metric,
    rate,
    share,
    total,
)

REFUSALS = metric("refusals")
SAID = Label("said", "what was said")
TRUE = Label("true", "what is true")
PAPER = "B. Author, Journal of Laboratories (2024), table 3"

LAB_DESIGN = common_design("bench").plus(
    Table(
        id="feedback",
        title="Success by feedback",
        rows=Field.AGENT,
        across=Chosen("feedback"),
        columns=(SUCCESS,),
    ),
    Table(
        id="details",
        title="Details by collection",
        rows=Classes(
            Field.GROUP,
            "collection",
            (("even", ("group-0", "group-2")), ("low", ("group-0", "group-1"))),
        ),
        columns=(
            EPISODES,
            SUCCESS,
            GOAL_CONDITIONS,
            mean(STEPS, "steps of a success", only=Only(Field.RESULT, (SUCCEEDED,))),
            median(AGENT_SECONDS),
            total(REFUSALS),
            rate(metric("valid")),
            share(SAID, "yes", heading="said yes"),
        ),
        total=True,
    ),
    Table(
        id="usage-by-bench",
        title="What it took",
        rows=Field.GROUP,
        columns=(total(TOKENS), total(COST), mean(COST, "cost an episode")),
    ),
    Bars(id="by-refusals", title="Success by refusals", by=Bins(REFUSALS, (1, 3))),
    Stacked(
        id="said-by-bench",
        title="What was said of failures",
        by=Field.GROUP,
        parts=SAID,
        only=Only(Field.RESULT, (FAILED,)),
    ),
    Histogram(id="refusals", title="Refusals", quantity=REFUSALS, bins=4),
    Scatter(id="points", title="Steps and success", x=mean(STEPS), points=Field.GROUP),
    Profile(
        id="refusals-and-steps",
        title="Refusals and steps",
        measures=(mean(REFUSALS), mean(STEPS)),
        axis="an episode",
    ),
    Bars(
        id="by-feedback",
        title="With other feedback",
        by=Field.AGENT,
        series=Chosen("feedback"),
        contrast=True,
    ),
    ActionTree(id="actions", title="What episodes did"),
    Confusion(id="belief", title="Said and true", truth=TRUE, predicted=SAID),
    Reference(
        table="groups",
        row="group-1",
        column="success",
        value=0.4,
        n=50,
        source=PAPER,
        world="light",
        agent="Elder",
    ),
    Reference(
        table="feedback",
        row="",
        column="none",
        value=0.25,
        n=None,
        source=PAPER,
        world="real life",
        agent="<Elder & Co>",
    ),
)
