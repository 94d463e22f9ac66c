"""The judge `lcs`: the longest common subsequence with a gold plan."""
