"""Reports and comparisons of runs: numbers from a suite's design, and the ways to show them."""
