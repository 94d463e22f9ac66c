"""Published solutions as questions: which action comes next? Needs no simulator."""
