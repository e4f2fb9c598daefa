"""`python -m seekread.server`: the same as `seekread serve`."""

from seekread.cli.exits import reported
from seekread.cli.serve import serve

if __name__ == "__main__":
    with reported():
        serve.main(obj={"config": None, "settings": {}, "record": None, "replay": None}, prog_name="seekread serve")
