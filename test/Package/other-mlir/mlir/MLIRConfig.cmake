# Nothing: only the version matters.
