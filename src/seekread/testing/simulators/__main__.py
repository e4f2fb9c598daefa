"""Run the simulators until interrupted, and print the environment that points a program at them."""

import argparse
import signal
import sys
import threading

from seekread.testing import simulators


def main() -> None:
    """Start the named simulators, or all that can run here."""
    parser = argparse.ArgumentParser(prog="python -m seekread.testing.simulators", description=__doc__)
    parser.add_argument("names", nargs="*", help=f"which to run of {', '.join(simulators.names())} (default: all)")
    parser.add_argument("--port", type=int, default=0, help="first port to use (default: any free ones)")
    arguments = parser.parse_args()
    if unknown := set(arguments.names) - set(simulators.names()):
        parser.error(f"no simulator for {', '.join(sorted(unknown))}")
    running = []
    for position, name in enumerate(arguments.names or simulators.names()):
        try:
            running.append(simulators.start(name, port=arguments.port and arguments.port + position))
        except ImportError as error:
            sys.stderr.write(f"{name} is left out: {error}\n")
    # Whoever has read the lines below may stop us at once.
    over = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: over.set())
    for one in running:
        for variable, value in one.environment().items():
            sys.stdout.write(f"export {variable}={value}\n")
    sys.stdout.flush()
    over.wait()
    for one in running:
        one.stop()


if __name__ == "__main__":
    main()
