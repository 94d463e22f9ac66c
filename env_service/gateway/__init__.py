"""What agents and operators reach: listeners, credentials, sessions, transcripts."""
