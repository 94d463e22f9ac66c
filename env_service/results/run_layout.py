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
EVENT_LOG = "events.jsonl"
"""A run's events with their times, in LOGS; while the run plays, only its older ones."""
SCORES = "scores"
"""A folder: ``<name>.json``, posthoc scores of episodes. They prove nothing."""
LOCK = ".lock"
INDEX_FILE = ".houseguest-index.sqlite3"
"""In a folder of runs: their index, unless it has another place."""

MOST_MANIFEST = 64 * 2**20
"""How many bytes of a manifest or a summary are read, at most."""
MOST_TRANSCRIPT = 2**30
"""The same for a transcript: 3,000 steps with traces of the greatest length."""
MOST_SCORES = 256 * 2**20
"""The same for a file of posthoc scores, or a submission's ``score.json``."""
MOST_LOG = 64 * 2**20
"""The same for a log."""
