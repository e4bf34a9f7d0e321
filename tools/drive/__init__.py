"""The app driven from outside: its server, a browser, its pages. Tests and benchmarks share this."""
