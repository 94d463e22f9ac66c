"""What the files of a run's folder are called."""

MANIFEST = "manifest.json"
EPISODES = "episodes.jsonl"
VOIDS = "voids.jsonl"
UNCOUNTED = "uncounted.jsonl"
SUMMARY = "summary.json"
TRANSCRIPTS = "transcripts"
"""A folder: ``<episode id>.jsonl``."""
FRAMES = "frames"
"""A folder: a FrameStore."""
LOGS = "logs"
"""A folder: whatever a process writes about itself. No part of the proof."""
SCORES = "scores"
"""A folder: ``<name>.json``, what commands said of episodes afterwards. No part of the proof."""
LOCK = ".lock"

MOST_MANIFEST = 64 * 2**20
"""Bytes that are read of a manifest or a summary, at most."""
MOST_TRANSCRIPT = 2**30
"""Of a transcript: 3,000 steps with traces of the greatest length."""
MOST_SCORES = 256 * 2**20
"""Of a file of scores that were added afterwards, or of a submission's ``score.json``."""
MOST_LOG = 64 * 2**20
"""Of a log."""
