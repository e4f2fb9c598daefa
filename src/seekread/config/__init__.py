"""The only place that reads the environment and files of settings."""
