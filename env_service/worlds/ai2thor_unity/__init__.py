"""The real AI2-THOR: its Unity player behind the package `ai2thor`, supervised."""
