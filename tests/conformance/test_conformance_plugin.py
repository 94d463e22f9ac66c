"""The kits from pytest: one test a rule, without a test file; and as fixtures."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# Blocked by the name of its entry point, so that it is there once, installed or not.
PLUGIN = ("-p", "no:houseguest", "-p", "env_service.conformance.pytest_plugin")
GUEST = f'cmd:"{sys.executable} {ROOT}/agents/random/agent.py"'


def run_pytest(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """pytest in a project of its own."""
    command = (sys.executable, "-m", "pytest", *PLUGIN, "-p", "no:cacheprovider", *arguments)
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=120, check=False
    )


def test_each_rule_is_a_test_without_a_test_file(tmp_path: Path) -> None:
    ran = run_pytest(
        tmp_path, "-q", "-rs", "--houseguest-agent", GUEST, "-k", "voided or png-pictures"
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "1 passed, 1 skipped" in ran.stdout
    assert "the agent asked for no such pictures" in ran.stdout


def test_a_broken_rule_is_a_failed_test_that_says_how(tmp_path: Path) -> None:
    (tmp_path / "test_own.py").write_text(
        "def test_own(houseguest_check_agent):\n"
        "    report = houseguest_check_agent('cmd:false', only=('finishes',))\n"
        "    assert not report.conforms\n",
        encoding="utf-8",
    )
    ran = run_pytest(tmp_path, "-v", "--houseguest-agent", "cmd:false", "-k", "own or finishes")
    assert ran.returncode == 1, ran.stdout + ran.stderr
    assert "1 failed, 1 passed" in ran.stdout
    assert "agent/finishes" in ran.stdout
    assert "the agent exited with status 1; its last call: no call at all" in ran.stdout
    assert "Traceback" not in ran.stdout


def test_the_plugin_costs_other_sessions_no_grpc() -> None:
    code = (
        "import sys, env_service.conformance.pytest_plugin\n"
        "heavy = {'grpc', 'houseguest', 'numpy', 'PIL'} & set(sys.modules)\n"
        "sys.exit(f'imported {heavy}' if heavy else 0)"
    )
    ran = subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False)
    assert ran.returncode == 0
