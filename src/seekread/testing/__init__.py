"""What plugin authors and hosts test with: simulators of the services, contract suites, a clock to turn by hand."""
