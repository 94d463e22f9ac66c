"""What agents and operators reach: listeners, credentials, sessions, transcripts."""

import os

# grpc reads this when it is imported. No child of the service runs anything before its command
# (processes/child.py), so gRPC has no state to save across a fork.
os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")
