"""``houseguest actplan lcs``: how much plans have in common with gold plans."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import compress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from env_service.cli.errors import Failure, Misuse
from env_service.cli.options import json_option, print_json
from env_service.cli.output import print_table, progress

if TYPE_CHECKING:
    from env_service.results.manifest import Manifest
    from env_service.results.records import EpisodeRecord
    from env_service.results.run_reader import RunContents
    from env_service.suites.actplan.judges.plan_files import GivenPlan
    from env_service.suites.actplan.lcs.encoder import TransformersEncoder
    from env_service.suites.actplan.lcs.plan_pairs import (
        GivenCases,
        Golds,
        Instance,
        PlayedPlan,
        ScoredPlan,
    )
    from env_service.suites.actplan.lcs.scorer import Case, LcsSettings, Row, Score, Scorer

_EXAMPLES = """\b
Examples:
  houseguest actplan lcs
  houseguest actplan lcs --mode compat
  houseguest actplan lcs plans/ --name my-model
  houseguest actplan lcs a.jsonl b.jsonl --csv scores.csv
  houseguest actplan lcs runs/actplan-vlm-0f3a…     and then: houseguest report RUN
  houseguest actplan lcs plans/ --encoder BAAI/bge-small-en-v1.5 --threshold 0.9

\b
PLANS is a folder with files ACTIVITY/0.txt and ACTIVITY/1.txt; a folder in the published layout,
SCENE/ACTIVITY/0/sample_0/plan_NAME.txt; a .jsonl file with lines {"task": …, "plan": …}; the
published .jsonl file, with --name gpt-4v, gemini, gold_1 or gold_2; or a .json object that maps
tasks to plans. The scores of a RUN, in both modes, are stored in its folder, and `houseguest
report` shows them.
"""

_FILE = click.Path(dir_okay=False, path_type=Path)


@click.command("lcs", epilog=_EXAMPLES)
@click.argument(
    "paths", nargs=-1, metavar="[PLANS|RUN…]", type=click.Path(exists=True, path_type=Path)
)
@click.option(
    "--name", default="", metavar="NAME", help="The model's name, if PLANS is from one model."
)
@click.option(
    "--mode",
    type=click.Choice(["clean", "compat"]),
    default="clean",
    show_default=True,
    help="clean: both gold plans, without blank lines; compat: as in the published script.",
)
@click.option(
    "--against",
    type=click.Choice(["gold_1", "gold_2"]),
    help="Compare only with this gold plan."
    "  [default: both; in compat gold_2 for Gemini, else gold_1]",
)
@click.option(
    "--encoder",
    default="",
    metavar="FOLDER|NAME",
    help="A folder with a sentence encoder, or its name on the hub.  [default: all-MiniLM-L6-v2]",
)
@click.option("--device", default="auto", show_default=True, help="cpu, cuda, cuda:1 or auto.")
@click.option(
    "--threshold",
    type=click.FloatRange(-1, 1),
    default=0.8,
    show_default=True,
    metavar="T",
    help="The minimum cosine at which two steps count as equal.",
)
@click.option(
    "--csv", "csv_file", type=_FILE, metavar="FILE", help="Also write each plan's scores."
)
@json_option
def lcs_command(*, csv_file: Path | None, as_json: bool, **options: Any) -> None:
    """Compare plans with gold plans, step by step.

    The score is the longest common subsequence of steps: its length, and its length divided by the
    longer plan's.

    Without PLANS or RUN, the command compares the published models' plans. The score measures how
    similar a plan is to a gold plan, not whether it is correct: it ignores the order of arguments
    and which of two objects is meant, and people made the gold plans by editing models' answers.
    """
    given = _given(options)
    settings, encoder = _ways(options)
    scores, kept = _score(given, settings, encoder)
    if not scores:
        raise Failure(no_gold(given.without), kind="NothingScored")
    if csv_file is not None:
        _write(csv_file, scores)
    facts = {"encoder": encoder.name, "without_gold": given.without, "kept": kept}
    _print_summary(scores, settings, facts, as_json=as_json)


@dataclass(frozen=True, slots=True)
class _Given:
    """What is compared: plans in files, and in runs. ``without``: the tasks of plans that have no
    gold plan."""

    cases: Sequence[Case]
    runs: Sequence[PlayedRun]
    without: tuple[str, ...]


def _given(options: Mapping[str, Any]) -> _Given:
    from env_service.results.run_reader import is_run
    from env_service.suites.actplan.lcs.plan_pairs import (
        GivenCases,
        load_instances,
        published_cases,
    )

    paths: Sequence[Path] = options["paths"]
    check_name(paths, options["name"])
    if not paths:
        return _Given(tuple(published_cases(load_instances())), (), ())
    plans = [path for path in paths if not is_run(path)]
    given = gold_cases(plans, options["name"]) if plans else GivenCases((), ())
    instances = load_instances() if len(plans) < len(paths) else ()
    runs = [read_played(path, instances, options["name"]) for path in paths if path not in plans]
    without = (*given.without, *(task for run in runs for task in run.without))
    return _Given(given.cases, runs, without)


def _score(
    given: _Given, settings: LcsSettings, encoder: TransformersEncoder
) -> tuple[list[Score], list[str]]:
    """All scores in the mode that was asked for, and the files that keep those of runs."""
    from env_service.suites.actplan.lcs.scorer import Scorer

    scorer = Scorer(encoder, settings, progress)
    scores = scorer.score(given.cases)
    kept = []
    taken = [*{case.model for case in given.cases}, *(run.model for run in given.runs)]
    for run, scored in zip(given.runs, score_runs(given.runs, scorer, settings), strict=True):
        own = shown_scores(run, scored, settings, taken)
        scores += own
        if own:
            kept.append(str(keep(run, scored, settings, encoder)))
    return scores, kept


def _ways(options: Mapping[str, Any]) -> tuple[LcsSettings, TransformersEncoder]:
    from env_service.suites.actplan.lcs.encoder import (
        EncoderError,
        MissingPackageError,
        TransformersEncoder,
        find_source,
    )
    from env_service.suites.actplan.lcs.scorer import LcsSettings, Mode

    settings = LcsSettings(Mode(options["mode"]), options["against"] or "", options["threshold"])
    try:
        encoder = TransformersEncoder(find_source(options["encoder"]), options["device"])
    except (EncoderError, MissingPackageError) as error:
        raise Failure(str(error), kind=type(error).__name__) from error
    except ValueError as error:
        raise Misuse(f"--device: {error}") from error
    return settings, encoder


def _print_summary(
    scores: Sequence[Score], settings: LcsSettings, facts: Mapping[str, Any], *, as_json: bool
) -> None:
    from env_service.suites.actplan.lcs.scorer import PUBLISHED, summarise

    rows = summarise(scores)
    if as_json:
        head = {"mode": settings.mode.value, "against": settings.against or None}
        document = {**head, "threshold": settings.threshold, **facts}
        listed = [{**asdict(row), "published": PUBLISHED.get(row.model)} for row in rows]
        print_json({**document, "summary": listed, "plans": list(map(_record, scores))})
        return
    print_table(*_table(rows, scores, compat=settings.mode.value == "compat"))
    click.echo(f"mode {settings.mode.value}, threshold {settings.threshold:g}, {facts['encoder']}")
    if facts["without_gold"]:
        click.echo(
            f"without a gold plan here, and so without a score: {len(facts['without_gold'])}"
        )
    for path in facts["kept"]:
        click.echo(f"kept in {path}: houseguest report shows it")


def _table(
    rows: Sequence[Row], scores: Sequence[Score], *, compat: bool
) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Columns and rows; those that say nothing are left out."""
    from env_service.suites.actplan.lcs.scorer import PUBLISHED

    several = any(len(score.alignments) > 1 for score in scores)
    labelled = any(row.roc is not None for row in rows)
    published = compat and any(row.model in PUBLISHED for row in rows)
    shown = (True, True, True, True, True, several, several, labelled, published, published)
    best = ("#best LCS", "#best normalised") if several else ("#LCS", "#normalised")
    means = ("#mean LCS", "#mean normalised")
    theirs = ("#Table 4 LCS", "#Table 4 normalised")
    columns = ("model", "part", "#plans", *best, *means, "#ROC area", *theirs)
    return _only(columns, shown), [_only(_cells(row), shown) for row in rows]


def _only(cells: Sequence[str], shown: Sequence[bool]) -> tuple[str, ...]:
    return tuple(compress(cells, shown))


def _cells(row: Row) -> tuple[str, ...]:
    from env_service.suites.actplan.lcs.scorer import PUBLISHED, TOTAL

    theirs = PUBLISHED.get(row.model) if row.part == TOTAL else None
    return (
        row.model,
        row.part,
        str(row.count),
        f"{row.best_length:.2f}",
        f"{row.best_normalised:.3f}",
        f"{row.mean_length:.2f}",
        f"{row.mean_normalised:.3f}",
        "-" if row.roc is None else f"{row.roc:.3f}",
        *((f"{theirs[0]:.2f}", f"{theirs[1]:.2f}") if theirs else ("", "")),
    )


def _record(score: Score) -> dict[str, Any]:
    case = score.case
    aligned = score.alignments
    return {
        "id": case.id,
        "activity": case.activity,
        "variant": case.variant.value,
        "model": case.model,
        "length": score.best.length,
        "normalised": score.best.normalised,
        "mean_length": score.mean_length,
        "mean_normalised": score.mean_normalised,
        "correct": case.correct,
        **{f"{name}_normalised": each.normalised for name, each in aligned.items()},
    }


def _write(path: Path, scores: Sequence[Score]) -> None:
    records = list(map(_record, scores))
    columns = list(dict.fromkeys(name for record in records for name in record))
    try:
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, columns, lineterminator="\n")
            writer.writeheader()
            writer.writerows(records)
    except OSError as error:
        raise Misuse(f"{path}: {error.strerror}; name a file that can be written") from error


# --- Plans of runs, whose scores their folders keep for reports

_SUITE = "actplan"


@dataclass(frozen=True, slots=True)
class PlayedRun:
    """A run's plans. ``model``: by what they were made; ``heads``: of their transcripts, in the
    plans' order."""

    path: Path
    model: str
    plans: tuple[PlayedPlan, ...]
    heads: tuple[str, ...]

    @property
    def without(self) -> tuple[str, ...]:
        """The tasks of plans that have no gold plan."""
        return tuple(each.task_id for each in self.plans if not each.cases)


def read_played(path: Path, instances: Sequence[Instance], name: str) -> PlayedRun:
    """The plans of a run's scored episodes. ``name``: of the model; empty: as it was declared.

    Raises Misuse where it is a run of another suite, has no such episode, or a transcript is not as
    it was recorded.
    """
    from env_service.cli.run_arguments import open_run
    from env_service.suites.actplan.lcs.plan_pairs import Golds
    from env_service.suites.actplan.task_sets import PUBLISHED_SETS

    run = open_run(path, _SUITE, "compared")
    records = [record for record in run.episodes if record.fault is None]
    if not records:
        raise Misuse(f"{path} has no scored episode yet.")
    # Tasks of one's own may be called as published ones are.
    golds = Golds(instances if run.manifest.task_set in PUBLISHED_SETS else ())
    model = name or _model(run.manifest) or path.resolve().name
    with progress("reading plans", len(records)) as advance:
        plans = []
        for record in records:
            plans.append(_plan(run, record, (model, golds)))
            advance()
    heads = tuple(record.transcript_head for record in records)
    return PlayedRun(path, model, tuple(plans), heads)


def score_runs(
    runs: Sequence[PlayedRun], scorer: Scorer, settings: LcsSettings
) -> list[list[ScoredPlan]]:
    """For each run its plans' scores, in both modes; the steps of all are encoded at once."""
    from env_service.suites.actplan.lcs.plan_pairs import score_played

    every = [plan for run in runs for plan in run.plans]
    scored = iter(score_played(every, scorer, settings))
    return [[next(scored) for _ in run.plans] for run in runs]


def shown_scores(
    run: PlayedRun, scored: Sequence[ScoredPlan], settings: LcsSettings, taken: Sequence[str]
) -> list[Score]:
    """Its scores in the mode that was asked for, under the model's name; under the folder's, where
    another has the same (``taken``: the names of all)."""
    name = run.model if taken.count(run.model) == 1 else str(run.path)
    own = [score for plan in scored for score in plan.scores[settings.mode]]
    return [replace(score, case=replace(score.case, model=name)) for score in own]


def keep(
    run: PlayedRun,
    scored: Sequence[ScoredPlan],
    settings: LcsSettings,
    encoder: TransformersEncoder,
) -> Path:
    """Writes a run's scores into its folder, where reports find them. Raises Failure where that
    cannot be written."""
    from env_service.results.posthoc_scores import PosthocScore, PosthocScores, write_posthoc_scores
    from env_service.suites.actplan.lcs.plan_pairs import SCORES, scoring_text

    episodes = tuple(
        PosthocScore(
            episode_id=each.plan.episode_id,
            task_id=each.plan.task_id,
            transcript_head=head,
            metrics=each.metrics(),
            details=each.details(),
        )
        for each, head in zip(scored, run.heads, strict=True)
    )
    words = scoring_text((encoder.name, encoder.digest), run.model, settings)
    scores = PosthocScores(SCORES, words, _settings(run, settings, encoder), episodes)
    try:
        return write_posthoc_scores(run.path, scores)
    except OSError as error:
        raise Failure(
            f"The scores cannot be stored in {run.path}: {error.strerror}; reports read them"
            " there, so make it writable, or copy the run",
            kind="NotKept",
        ) from error


def _settings(
    run: PlayedRun, settings: LcsSettings, encoder: TransformersEncoder
) -> Mapping[str, Any]:
    from env_service.suites.actplan.lcs.plan_pairs import golds_digest

    return {
        "model": run.model,
        "encoder": encoder.name,
        "encoder_digest": encoder.digest,
        "threshold": settings.threshold,
        "against": settings.against or None,
        "golds_digest": golds_digest(run.plans),
    }


def _plan(run: RunContents, record: EpisodeRecord, by: tuple[str, Golds]) -> PlayedPlan:
    from env_service.cli.run_arguments import read_replies
    from env_service.suites.actplan.episode import plan_of
    from env_service.suites.actplan.lcs.plan_pairs import played_plan

    said = read_replies(run, record)
    if said.head != record.transcript_head:
        raise Misuse(
            f"The transcript of {record.task_id} was changed, so its plan may be wrong:"
            f" `houseguest verify {run.path}` shows details."
        )
    plan = plan_of(said.order, said.actions)
    return played_plan(record.episode_id, record.task_id, plan, by)


def _model(manifest: Manifest) -> str:
    """The model that the agents of a run declared, without the hub's folder; empty of several."""
    names = {str(each["model"]) for each in manifest.declared if each.get("model")}
    return names.pop().rpartition("/")[2] if len(names) == 1 else ""


# --- A user's plans with the gold plans of their instances


_TASKS_NAMED = 5


def gold_cases(paths: Sequence[Path], name: str) -> GivenCases:
    """The cases of all plans in files and folders, a model each; ``name``: of the only one.

    Raises Misuse, and DataPackMissingError if the data pack has no gold plans.
    """
    from env_service.suites.actplan.lcs.plan_pairs import GivenCases, given_cases, load_instances

    check_name(paths, name)
    instances = load_instances()
    found = [
        given_cases(_read(path, name), model, instances)
        for path, model in zip(paths, _names(paths, name), strict=True)
    ]
    return GivenCases(
        tuple(case for each in found for case in each.cases),
        tuple(task for each in found for task in each.without),
    )


def check_name(paths: Sequence[Path], name: str) -> None:
    """One name is of one model. Raises Misuse."""
    if name and len(paths) != 1:
        raise Misuse("--name names the model of one PLANS; leave it out for several, or for none")


def no_gold(without: Sequence[str]) -> str:
    """Why nothing is compared."""
    more = " …" if len(without) > _TASKS_NAMED else ""
    return (
        f"none of these plans has a gold plan here: {', '.join(without[:_TASKS_NAMED])}{more}. Gold"
        " plans come with the data pack: houseguest data fetch actplan"
    )


def _names(paths: Sequence[Path], name: str) -> Sequence[str]:
    """What results call the models: the name that was given, else their files' names."""
    stems = [name or path.resolve().stem for path in paths]
    return stems if len(set(stems)) == len(stems) else [str(path) for path in paths]


def _read(path: Path, name: str) -> Sequence[GivenPlan]:
    from env_service.datasets.pack import open_pack
    from env_service.suites.actplan.dataset.published_files import PACK, load_problems
    from env_service.suites.actplan.judges.plan_files import PlanFileError, read_plans

    try:
        return read_plans(path, load_problems(open_pack(PACK)), name)
    except PlanFileError as error:
        raise Misuse(str(error), kind="PlanFileError") from error
