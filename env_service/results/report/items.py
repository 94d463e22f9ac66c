"""What a design declares, in its order, as the blocks of a section."""

from __future__ import annotations

from env_service.results.report.afterwards import tabulate_added
from env_service.results.report.contrasts import pair_runs
from env_service.results.report.episodes import Episodes
from env_service.results.report.figures import make_figures
from env_service.results.report.model import Block, Commands, Omissions
from env_service.results.report.omitted import why_omitted
from env_service.results.report.published import NO_MODEL
from env_service.results.report.tabulate import tabulate
from env_service.results.report.told import NoFactsError, list_episodes, tell_facts
from env_service.suites.base import Suite
from env_service.suites.reporting import (
    Afterwards,
    Listing,
    Paired,
    ReportDesign,
    Table,
    TaskFacts,
)


def make_items(design: ReportDesign, episodes: Episodes, suite: Suite | None) -> list[Block | None]:
    """The blocks, and at the end which figures and facts there are not, and why."""
    blocks: list[Block | None] = []
    missing: list[tuple[str, str]] = []
    tables: list[str] = []
    for item in design.items:
        match item:
            case Table(afterwards=Afterwards() as after):
                try:
                    made = tabulate_added(item, after, design, episodes)
                    blocks.append(made)
                    if isinstance(made, Commands):
                        missing.append((made.title, made.note))
                except NoFactsError as error:
                    missing.append((item.title, str(error)))
                    tables.append(item.title)
            case Table():
                blocks.append(tabulate(item, design, episodes))
            case Listing():
                blocks.append(list_episodes(item, design, episodes))
            case Paired():
                blocks.append(pair_runs(item, episodes.family))
            case TaskFacts():
                try:
                    blocks.append(tell_facts(item, episodes.family, suite))
                except NoFactsError as error:
                    missing.append((item.title, str(error)))
                    tables.append(item.title)
            case _:
                figures = make_figures(item, design, episodes)
                blocks += figures
                if not figures:
                    missing.append((item.title, why_omitted(item, design, episodes)))
    if design.references and not episodes.family.asked_models:
        missing.append(("Published numbers", NO_MODEL))
    return [*blocks, Omissions(tuple(missing), tuple(tables)) if missing else None]
