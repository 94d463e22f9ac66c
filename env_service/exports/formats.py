"""The formats of ``houseguest export``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec

from env_service.domain.names import UnknownNameError
from env_service.exports.job import Chosen, Job


class MissingExtraError(Exception):
    """A format needs a package that is not installed. The message has the command."""


@dataclass(frozen=True, slots=True)
class Format:
    """A format. ``module`` has ``write(job)``. ``packages`` are modules that it imports from
    outside, which the extra ``extra`` installs. ``chosen`` are the episodes that it exports by
    default, ``options`` the options of the command that only such formats have. With ``prepares``,
    ``module`` has ``prepare(job)``, which gives the job to do. A ``tracker`` is a service that
    keeps runs: no folder is written, and ``module`` also has ``open_run(run)``, which gives a
    ``Tracker``."""

    module: str
    summary: str
    packages: tuple[str, ...] = ()
    extra: str = ""
    chosen: Chosen = Chosen.ALL
    options: tuple[str, ...] = ()
    prepares: bool = False
    tracker: bool = False

    def prepare(self, job: Job) -> Job:
        """The job as this format does it, before anything is written."""
        prepared: Job = import_module(self.module).prepare(job) if self.prepares else job
        return prepared

    def check(self, name: str) -> None:
        """Raises MissingExtraError if a package is not installed."""
        missing = [each for each in self.packages if not _installed(each)]
        if missing:
            raise MissingExtraError(
                f"The format {name} needs {' and '.join(missing)}: pip install"
                f" 'houseguest[{self.extra}]'"
            )

    def writer(self, name: str) -> Callable[[Job], None]:
        """What writes an export. Raises MissingExtraError."""
        self.check(name)
        found: Callable[[Job], None] = import_module(self.module).write
        return found


def _installed(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:
        # A package around it is missing.
        return False


FORMATS: Mapping[str, Format] = {
    "atif": Format(
        "env_service.exports.atif",
        "a trajectory.json per episode (Agent Trajectory Interchange Format 1.7, as in Harbor)",
    ),
    "csv": Format(
        "env_service.exports.csv_files",
        "tables of episodes, steps and usage as CSV files",
    ),
    "hf": Format(
        "env_service.exports.hugging_face",
        "a data set for Hugging Face datasets, with pictures and a card",
        ("pyarrow",),
        "parquet",
        options=("--license",),
    ),
    "inspect": Format(
        "env_service.exports.inspect_logs",
        "an .eval log per run, for inspect_ai",
        ("inspect_ai",),
        "inspect",
    ),
    "mlflow": Format(
        "env_service.exports.mlflow_runs",
        "a run in MLflow per run, with metrics, episodes and pictures",
        ("mlflow",),
        "mlflow",
        tracker=True,
    ),
    "otel": Format(
        "env_service.exports.otel_traces",
        "an OpenTelemetry trace per run, in OTLP's JSON format",
        ("opentelemetry.sdk", "opentelemetry.exporter.otlp.proto.common"),
        "otel",
    ),
    "parquet": Format(
        "env_service.exports.parquet",
        "tables of episodes, steps and usage as Parquet files",
        ("pyarrow",),
        "parquet",
    ),
    "sft": Format(
        "env_service.exports.fine_tuning",
        "chats of training tasks for supervised fine-tuning (TRL, Axolotl, LLaMA-Factory)",
        ("pyarrow",),
        "parquet",
        Chosen.SUCCESS,
        ("--license", "--include-evaluation-tasks"),
        prepares=True,
    ),
    "wandb": Format(
        "env_service.exports.wandb_runs",
        "a run in Weights & Biases per run, with metrics, episodes and pictures",
        ("wandb",),
        "wandb",
        tracker=True,
    ),
}
TRACKERS = tuple(name for name, each in FORMATS.items() if each.tracker)
"""The formats of ``--track``."""


def check_tracker(name: str) -> None:
    """Raises UnknownNameError for a tracker that does not exist, MissingExtraError for one whose
    package is not installed."""
    if name not in TRACKERS:
        raise UnknownNameError("tracker", name, TRACKERS)
    FORMATS[name].check(name)


def find_format(name: str) -> Format:
    """Raises UnknownNameError, which suggests the nearest name."""
    if name not in FORMATS:
        raise UnknownNameError("format", name, FORMATS)
    return FORMATS[name]
