"""What agents and operators reach: listeners, credentials, sessions, transcripts."""

import os

# Read when grpc is imported. We start processes by fork and exec at once, so gRPC has nothing
# to save across a fork, and would only print that it could not.
os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")
