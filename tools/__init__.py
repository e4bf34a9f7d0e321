"""What looks after the repository, and what tests and benchmarks share."""
