"""An answer beside what is true, step by step: a page to look at (the paper's appendix F)."""
