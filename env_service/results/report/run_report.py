"""A report: one section for each family of runs, with what its suite's design declares."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from env_service.domain.text import safe
from env_service.results.manifest import Manifest, slug
from env_service.results.report.common_tables import (
    inference_table,
    lost_table,
    repeat_table,
    unscored_table,
    with_unscored,
)
from env_service.results.report.content import (
    Block,
    Commands,
    Document,
    Headline,
    Omissions,
    Section,
    TableData,
)
from env_service.results.report.declared_tables import (
    NO_MODEL,
    NoFactsError,
    list_episodes,
    tabulate,
    tabulate_added,
    tabulate_facts,
    usage_table,
)
from env_service.results.report.episode_columns import EpisodeColumns
from env_service.results.report.figures import make_figures, why_omitted
from env_service.results.report.paired_runs import pair_runs
from env_service.results.report.provenance import commands, facts, notices, played
from env_service.results.report.runs import Family, families
from env_service.results.run_reader import RunContents
from env_service.suites.base import Suite
from env_service.suites.reporting import (
    COMMON_DESIGN,
    COST,
    EPISODES,
    GAINED_EXPLAINED,
    GOAL_CONDITIONS,
    GOALS_GAINED,
    MEDIAN_REPEAT,
    STEPS,
    SUCCESS,
    Afterwards,
    Field,
    Label,
    Listing,
    Paired,
    ReportDesign,
    Table,
    TaskFacts,
    mean,
)

OVERVIEW = Table(
    id="overview",
    title="Overview",
    rows=Field.RUN,
    columns=(
        EPISODES,
        SUCCESS,
        MEDIAN_REPEAT,
        GOALS_GAINED,
        GOAL_CONDITIONS,
        mean(STEPS, "steps per episode"),
        mean(COST, "cost per episode"),
    ),
)


@dataclass(frozen=True, slots=True)
class Designed:
    """A suite's design, and the suite if it could be loaded. ``note`` says why not."""

    design: ReportDesign = COMMON_DESIGN
    suite: Suite | None = None
    note: str = ""

    def for_run(self, manifest: Manifest) -> ReportDesign:
        """The design for runs with this manifest's world and task set."""
        return self.design.in_world(manifest.world).of_task_set(manifest.task_set)


def paired_by(designed: Callable[[str], Designed]) -> Callable[[Manifest], Label | None]:
    """The label that pairs episodes of a task that is played as several."""
    return lambda manifest: designed(manifest.suite).for_run(manifest).paired_by


def make_report(
    runs: Sequence[RunContents],
    designed: Callable[[str], Designed],
    title: str = "",
    *,
    tree: str = "",
) -> Document:
    """Makes a report on at least one run. ``designed`` finds a suite's design by its name.

    ``tree`` are words of the instruction whose action tree is drawn; empty: the most frequent one.
    Raises UnknownNameError if a suite that draws trees has no such instruction.
    """
    found = families(runs, paired_by(designed))
    names = _ids(found)
    sections = [
        _section(EpisodeColumns(family, tree), designed(family.manifest.suite), name)
        for family, name in zip(found, names, strict=True)
    ]
    first = found[0].runs[0]
    heading = title or (
        f"{_suite(found[0])}: {first.name}"
        if len(runs) == 1
        else f"{len(runs)} runs"
        if len(found) > 1
        else f"{_suite(found[0])}: {len(runs)} runs"
    )
    return Document(
        title=safe(heading),
        sections=tuple(sections),
        extra={"runs": [str(run.contents.path) for family in found for run in family.runs]},
        runs=tuple(run.contents for family in found for run in family.runs),
    )


def _section(episodes: EpisodeColumns, designed: Designed, name: str) -> Section:
    family = episodes.family
    manifest = family.manifest
    design = designed.for_run(manifest)
    blocks: list[Block | None] = [_overview(design, episodes), inference_table(family, design)]
    if len(episodes.all):
        blocks += make_items(design, episodes, designed.suite)
        blocks += [repeat_table(family)]
        blocks += [
            _endings(design, episodes) if design.endings else None,
            lost_table(family, design.goals),
        ]
        blocks += [usage_table(design, episodes)]
    blocks += [unscored_table(family)]
    blocks += [facts(run) for run in family.runs]
    blocks.append(commands(family.runs, designed.suite, "Command to repeat this run"))
    lead = played(manifest)
    if designed.note:
        lead += f". {safe(designed.note)}"
    return Section(
        id=name,
        title=safe(_suite(family)),
        lead=lead,
        notices=notices(family),
        blocks=tuple(block for block in blocks if block is not None),
    )


def overview_of(design: ReportDesign) -> Table:
    """The overview, with goal conditions under the paper's name, and an explanation of them."""
    goals = design.goals.measure
    usual = (goals if each == GOAL_CONDITIONS else each for each in OVERVIEW.columns)
    columns = design.overview or tuple(usual)
    notes = [GAINED_EXPLAINED] if GOALS_GAINED in columns else []
    notes += [design.goals.explained] if goals in columns else []
    return replace(OVERVIEW, columns=columns, note=" ".join(notes))


def _overview(design: ReportDesign, episodes: EpisodeColumns) -> Headline | None:
    table = tabulate(overview_of(design), design, episodes)
    return None if table is None else Headline(with_unscored(table, episodes.family))


def _endings(design: ReportDesign, episodes: EpisodeColumns) -> TableData | None:
    table = Table(
        id="failures",
        title="Successes and failures",
        rows=Field.FAILURE,
        columns=(EPISODES,),
        across=Field.RUN if len(episodes.family.runs) > 1 else None,
    )
    return tabulate(table, design, episodes)


def _suite(family: Family) -> str:
    return family.manifest.suite.rpartition(":")[2]


def _ids(found: Sequence[Family]) -> list[str]:
    """An id for each section, unique and usable in file names."""
    names = [slug(f"{_suite(family)}-{family.manifest.world}") for family in found]
    return [
        name if names.count(name) == 1 else f"{name}-{place + 1}"
        for place, name in enumerate(names)
    ]


# --- The blocks of a section, in the design's order


def make_items(
    design: ReportDesign, episodes: EpisodeColumns, suite: Suite | None
) -> list[Block | None]:
    """The blocks, with a last one that lists the omitted tables and figures, and why."""
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
                    blocks.append(tabulate_facts(item, episodes.family, suite))
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
