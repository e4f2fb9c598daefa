"""Turn one response into the formats people and models read."""
