"""The agent's tools, once: what frameworks, hosts and protocols offer to a model."""
