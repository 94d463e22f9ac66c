"""For every test."""

from __future__ import annotations

import compileall
import gc
import os
import signal
import subprocess
import sys
from collections.abc import Generator, Iterator
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from env_service.plugins import installed_by_group
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


# Workers that begin together in a fresh clone would each compile the same sources.
_ROOT = Path(__file__).parents[1]
_SOURCES = ("env_service", "houseguest", "agents", "proto/python", "tests/support")
_preparing = pytest.StashKey[subprocess.Popen[bytes]]()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_setupnodes(config: pytest.Config) -> None:
    for each in _SOURCES:
        compileall.compile_dir(_ROOT / each, quiet=2, workers=2)
    program = [sys.executable, "-m", "tests.support.prepared"]
    config.stash[_preparing] = subprocess.Popen(program, cwd=_ROOT)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_node_collection_finished(node: Any) -> None:
    """Holds the tests until all is prepared. Where that fails, each makes what it needs."""
    node.config.stash[_preparing].wait()


def _import_share(config: pytest.Config) -> None:
    """Imports this worker's share of the test modules that pytest has not rewritten yet.

    What pytest makes of a module, it keeps for the workers that collect the module later.
    """
    worker = getattr(config, "workerinput", None)
    if worker is None:
        return
    places = [config.invocation_params.dir / each.partition("::")[0] for each in config.args]
    paths = {path for place in places for path in (place, *place.rglob("test_*.py"))}
    fresh = sorted(path for path in paths if path.suffix == ".py" and not _rewritten(path))
    for path in fresh[int(worker["workerid"].removeprefix("gw")) :: worker["workercount"]]:
        # What fails, fails again as the module is collected, which reports it.
        with suppress(Exception, pytest.skip.Exception):
            import_module(".".join(path.relative_to(_ROOT).with_suffix("").parts))


def _rewritten(path: Path) -> bool:
    return any(path.parent.glob(f"__pycache__/{path.stem}.*-pytest-*.pyc"))


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection(session: pytest.Session) -> Generator[None, object, object]:
    """What collecting makes lives as long as the process: the garbage collector never looks at it
    again, neither by itself nor where a test calls it."""
    gc.disable()
    try:
        _import_share(session.config)
        return (yield)
    finally:
        gc.enable()
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
    installed_by_group.cache_clear()
    yield tmp_path
    installed_by_group.cache_clear()
