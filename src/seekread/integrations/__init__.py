"""seekread inside other programs and frameworks."""
