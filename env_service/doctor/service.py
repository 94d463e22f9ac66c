"""Whether the house's own parts load, and the suites with them."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module

from PIL import features

from env_service.datasets.errors import DataPackError, DataPackMissingError
from env_service.doctor.finding import Finding, State, Subject
from env_service.suites.registry import load_suite, suite_names

PARTS = (
    "env_service.gateway.service",
    "env_service.engine.worker",
    "env_service.results.verification",
    "env_service.wire.images",
)
"""Between them they import every compiled package that a run needs."""


def service(subject: Subject) -> Iterator[Finding]:
    """Whether everything that a run needs can be imported, compiled parts included."""
    del subject
    for part in PARTS:
        try:
            import_module(part)
        except (ImportError, OSError) as error:
            mend = "Install Houseguest again, or the package that is named."
            yield Finding("service", State.PROBLEM, f"{part} does not load: {error}", mend)
            return
    if not features.check("webp"):
        mend = "Install Pillow from a wheel, or build it with libwebp."
        yield Finding("service", State.PROBLEM, "Pillow was built without WebP", mend)
        return
    yield Finding("service", State.OK, "gateway, workers and verification load")


def suites(subject: Subject) -> Iterator[Finding]:
    """Whether each suite loads."""
    del subject
    for name in suite_names():
        try:
            counts = [len(each.tasks) for each in load_suite(name).task_sets().values()]
        except DataPackMissingError as error:
            mend = (
                f"To play it: houseguest data fetch {error.pack}; or, from a copy that you have:"
                f" houseguest data import {error.pack} FOLDER"
            )
            lacks = f"its tasks lie in the data pack {error.pack}, of which files are not here"
            yield Finding(f"suite {name}", State.NOTE, lacks, mend)
        except (ValueError, OSError, DataPackError) as error:
            mend = "Mend what the message names, or install Houseguest again."
            yield Finding(f"suite {name}", State.PROBLEM, str(error), mend)
        else:
            yield Finding(f"suite {name}", State.OK, f"{sum(counts):,} tasks")
