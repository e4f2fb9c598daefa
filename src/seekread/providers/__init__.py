"""One file per service: declare, build, parse."""
