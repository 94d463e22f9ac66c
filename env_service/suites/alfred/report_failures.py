"""Why episodes failed: the paper's types (its Table 4), and more closely."""

from __future__ import annotations

from env_service.suites.alfred.report_keys import (
    BY_POOLED_WORDING,
    BY_WORDING,
    CODES,
    FIRST_CODE,
    LOST,
    LOST_EPISODES,
    TYPES,
    type_shares,
)
from env_service.suites.reporting import Field, Item, Label, Listing, Stacked, Table

FAILURES = "failure-types"
"""The table that the published shares stand in."""

_LABELS = (
    "Of all types told of failed episodes, of which one may have several: rows sum to 100 %, but"
    " for rounding. Decided by replaying the plan where nothing fails for geometry, and by what"
    " command, plan and goal ask for."
)


def failure_items() -> tuple[Item, ...]:
    """Tables and figures, and the reason of each failure."""
    return (*_types(), *_codes(), _REASONS)


def _types() -> tuple[Item, ...]:
    return (
        Table(
            id=FAILURES,
            title="Types of failures by wording",
            rows=BY_POOLED_WORDING,
            columns=(LOST_EPISODES, *type_shares()),
            only=LOST,
            note=_LABELS,
        ),
        Stacked(
            id="failure-types-drawn",
            title="Shares of the types of failures, by wording",
            by=BY_POOLED_WORDING,
            parts=TYPES,
            only=LOST,
            counted="types told",
        ),
        Stacked(
            id="failure-types-by-task-type",
            title="Shares of the types of failures, by task type",
            by=Field.GROUP,
            parts=TYPES,
            only=LOST,
            counted="types told",
        ),
    )


def _codes() -> tuple[Item, ...]:
    return (
        Table(
            id="failure-codes",
            title="What failed, by wording",
            rows=CODES,
            across=BY_WORDING,
            columns=(LOST_EPISODES,),
            only=LOST,
            note="Failed episodes; one may have several reasons.",
        ),
        Stacked(
            id="failure-codes-by-wording",
            title="What failed first, by wording",
            by=BY_WORDING,
            parts=FIRST_CODE,
            only=LOST,
            counted="failed episodes",
        ),
        Stacked(
            id="failure-codes-by-task-type",
            title="What failed first, by task type",
            by=Field.GROUP,
            parts=FIRST_CODE,
            only=LOST,
            counted="failed episodes",
        ),
    )


_REASONS = Listing(
    id="reasons",
    title="Why each episode failed",
    columns=(
        Label("condition", "wording"),
        Label("command"),
        Label("failure_types", "types"),
        Label("failure_codes", "what failed"),
        Label("explanation"),
    ),
    only=LOST,
    note=(
        "Types: 1 misleading command, 2 action failure, 3 plan failure. The actions of each"
        " episode are in its run's transcripts."
    ),
)
