"""The results of runs: folders, signatures, statistics, verification."""
