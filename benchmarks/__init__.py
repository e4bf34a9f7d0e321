"""What an edit costs, measured: ``python -m benchmarks`` prints one table, all of one run."""
