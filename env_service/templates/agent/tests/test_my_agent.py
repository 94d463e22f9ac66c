"""Tests that the agent follows the protocol: it plays the conformance kit's scenes."""

from pathlib import Path

import my_agent


def test_the_agent_keeps_the_protocol(houseguest_check_agent):
    report = houseguest_check_agent(str(Path(my_agent.__file__).parent))
    assert report.conforms, report
