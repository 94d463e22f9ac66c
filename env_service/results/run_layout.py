"""The names and size limits of the files in a run's folder."""

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
"""A folder for logs of processes. They prove nothing."""
SERVICE_LOG = "service.log"
"""The service's own log, in LOGS."""
SCORES = "scores"
"""A folder: ``<name>.json``, posthoc scores of episodes. They prove nothing."""
LOCK = ".lock"

MOST_MANIFEST = 64 * 2**20
"""How many bytes of a manifest or a summary are read, at most."""
MOST_TRANSCRIPT = 2**30
"""The same for a transcript: 3,000 steps with traces of the greatest length."""
MOST_SCORES = 256 * 2**20
"""The same for a file of posthoc scores, or a submission's ``score.json``."""
MOST_LOG = 64 * 2**20
"""The same for a log."""
