"""What a notebook shows of the heads of a running model."""
