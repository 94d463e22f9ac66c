"""For every test."""

from __future__ import annotations

import gc
import os
import signal
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from env_service.plugins import installed
from env_service.worlds.ai2thor_api.floor_plans import VARIABLE as FLOOR_PLANS
from tests.support import preloaded
from tests.support.whole import everything

# A shell that runs the tests in the background has them, and all that they start, ignore
# Ctrl-C; some of them are about what Ctrl-C does.
signal.signal(signal.SIGINT, signal.default_int_handler)

# `make test` draws the same examples everywhere, so that it passes or fails alike on every machine.
# `make test-all` draws new ones each time. No example fails for being slow on a busy machine.
settings.register_profile("same", deadline=None, derandomize=True)
settings.register_profile("new", deadline=None, derandomize=False, print_blob=True)
settings.load_profile("new" if everything() else "same")

# Who has set AI2-THOR up in this shell tests the house all the same.
_SET_UP = ("HOUSEGUEST_THOR_", "HOUSEGUEST_PLAYER_", FLOOR_PLANS)
for _name in [name for name in os.environ if name.startswith(_SET_UP)]:
    del os.environ[_name]
# Whatever servers tests ask are on this machine.
for _name in [name for name in os.environ if name.lower().endswith("_proxy")]:
    del os.environ[_name]

if not everything():
    preloaded.install()


# `.ci/run` runs the tests as a new user does, installs more, then runs those that were skipped.
SKIPPED_TO, ONLY_FROM = "SKIPPED_TESTS_TO", "ONLY_TESTS_FROM"
"""Files of node ids, a line each: where skipped tests are written, and which tests to run."""
_skipped: set[str] = set()


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.skipped:
        _skipped.add(report.nodeid)


def pytest_collectreport(report: pytest.CollectReport) -> None:
    if report.skipped:
        _skipped.add(report.nodeid)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if ONLY_FROM not in os.environ:
        return
    wanted = set(Path(os.environ[ONLY_FROM]).read_text(encoding="utf-8").splitlines())
    # A module that was skipped as a whole stands there by its path.
    kept, left_out = [], []
    for item in items:
        chosen = item.nodeid in wanted or item.nodeid.split("::")[0] in wanted
        (kept if chosen else left_out).append(item)
    items[:] = kept
    config.hook.pytest_deselected(items=left_out)


def pytest_sessionfinish(session: pytest.Session) -> None:
    worker_output = getattr(session.config, "workeroutput", None)
    if worker_output is not None:
        worker_output["skipped"] = sorted(_skipped)
    elif SKIPPED_TO in os.environ:
        text = "".join(f"{each}\n" for each in sorted(_skipped))
        Path(os.environ[SKIPPED_TO]).write_text(text, encoding="utf-8")


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Of modules that are skipped for one reason, pytest-xdist reports the first alone."""
    _skipped.update(getattr(node, "workeroutput", {}).get("skipped", ()))


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection() -> Generator[None, object, object]:
    """What collecting makes lives as long as the process: the garbage collector never looks at it
    again, neither by itself nor where a test calls it."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.collect()
        gc.freeze()


@pytest.fixture(autouse=True)
def _processes(request: pytest.FixtureRequest) -> Iterator[None]:
    """A test that is marked with ``new_processes`` has each begin as a new interpreter."""
    with preloaded.allowed(request.node.get_closest_marker("new_processes") is None):
        yield


@pytest.fixture(autouse=True)
def _floor_plans_are_shared_for_one_test_alone() -> Iterator[None]:
    """An episode tells its process where they are, which is a worker's otherwise."""
    before = os.environ.get(FLOOR_PLANS)
    yield
    if before is None:
        os.environ.pop(FLOOR_PLANS, None)
    else:
        os.environ[FLOOR_PLANS] = before


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of distributions that are installed for the length of a test.

    ``tests.support.installed_plugins.install`` puts one there.
    """
    monkeypatch.syspath_prepend(tmp_path)
    installed.cache_clear()
    yield tmp_path
    installed.cache_clear()
