"""Everything that opens sockets: services of the operator, and guarded page fetches."""
