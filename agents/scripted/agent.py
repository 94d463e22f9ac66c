"""A guest that plays recorded actions: it matches each episode by its opening."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from houseguest_agent import Client, Episode, Plan, Text
from script_file import Script, ScriptError, load_scripts


def opening_of(episode: Episode) -> tuple[str, str, list[str]]:
    """Instruction, text and picture digests of what the episode opened with."""
    first = episode.observation
    return episode.instruction, first.text, [image.digest for image in first.images]


def play(episode: Episode, script: Script) -> None:
    """Plays the script's actions, then says that it is done.

    An episode that a restarted process finds half played goes on where it stopped.
    """
    for action in script.actions[len(episode.history) :]:
        if not episode.running:
            return
        if isinstance(action, Text):
            episode.say(action.text)
        elif isinstance(action, Plan):
            episode.plan(action.steps)
        else:
            episode.act(action)
    episode.done()
