"""Entry points: found by name, loaded when asked for, told apart, and named when broken."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from env_service.domain.names import UnknownNameError
from env_service.plugins import Group, PluginError, find_plugin, installed
from env_service.worlds.ai2thor_api.controller import ThorStart
from env_service.worlds.ai2thor_api.world_registry import Capabilities, capabilities, open_world
from env_service.worlds.base import WorldLoadError, describe_world
from tests.support.installed_plugins import install


def test_a_plug_in_of_another_distribution_is_found_and_loaded(site: Path) -> None:
    (site / "my_world.py").write_text("WORLD = 'a world'\n")
    install(site, "my-world", "[houseguest.worlds]\nmine = my_world:WORLD\n")
    plugin = find_plugin(Group.WORLDS, "mine")
    assert (plugin.load(), plugin.distributions) == ("a world", ("my-world",))
    assert "household" in installed(Group.WORLDS)


def test_an_unknown_name_is_answered_with_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match=r"No suite named 'asgrad'\. Did you mean 'asgard'"):
        find_plugin(Group.SUITES, "asgrad")


def test_one_that_cannot_be_imported_is_named_with_its_distribution(site: Path) -> None:
    install(site, "torn", "[houseguest.worlds]\ntorn = torn_world:WORLD\n")
    with pytest.raises(PluginError, match=r"world 'torn' of the distribution torn .* torn_world"):
        find_plugin(Group.WORLDS, "torn").load()


def test_a_name_that_two_distributions_register_is_refused(site: Path) -> None:
    install(site, "one", "[houseguest.worlds]\ntwice = one:WORLD\n")
    install(site, "two", "[houseguest.worlds]\ntwice = two:WORLD\n")
    with pytest.raises(PluginError, match=r"registered by (one and by two|two and by one)"):
        find_plugin(Group.WORLDS, "twice").load()


def test_listing_the_suites_imports_none() -> None:
    code = (
        "import sys; from env_service.suites.registry import suite_names; names = suite_names();"
        "assert 'asgard' in names;"
        "print([name for name in sys.modules if name.startswith('env_service.suites.asgard')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_world_that_lacks_something_of_the_contract_is_refused_as_it_is_loaded(
    site: Path,
) -> None:
    (site / "half_world.py").write_text(
        "def describe():\n    return {}\n\n\ndef open_scene(scene):\n    return None\n"
    )
    install(site, "half", "[houseguest.worlds]\nhalf = half_world\n")
    with pytest.raises(
        WorldLoadError,
        match=r"world half lacks hosting_limits\(facts, environment\)\. .*worlds/base\.py",
    ):
        describe_world("half")
    with pytest.raises(
        WorldLoadError,
        match=r"world half lacks .*hosting_limits.*, open_scene\(scene, start\) \(its sig",
    ):
        open_world("half", "household-kitchen-1", ThorStart())


def test_a_world_is_played_where_it_says_that_it_can_be(site: Path) -> None:
    (site / "whole_world.py").write_text(
        "from env_service.worlds.ai2thor_api.world_registry import Capabilities\n"
        "capabilities = Capabilities(built_in_rooms=True)\n"
        "def describe(): return {}\n"
        "def hosting_limits(facts, environment): return None\n"
        "def open_scene(scene, start): raise ValueError(scene)\n"
    )
    install(site, "whole", "[houseguest.worlds]\nwhole = whole_world\ntorn = torn_world\n")
    assert capabilities("whole").built_in_rooms
    assert not capabilities("whole").deterministic
    assert capabilities("absent") == Capabilities()
    # Whoever asks for it is told that it cannot be imported, not that there is no such world.
    assert capabilities("torn").built_in_rooms
