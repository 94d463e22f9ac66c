"""Where episodes run: worker processes, supervised."""
