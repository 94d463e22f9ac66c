"""An answer compared with the true states, step by step, as a page (the paper's appendix F)."""
