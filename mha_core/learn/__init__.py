"""Learning by gradient descent: one step, or many, toward the goal of an example (``Example.learning``)."""
