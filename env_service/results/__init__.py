"""What a run leaves behind: its folder, signatures, statistics, verification."""
