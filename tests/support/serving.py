"""A service in a thread of the test."""

import socket
import threading

import uvicorn
from starlette.types import ASGIApp


class Serving:
    """An application on a free port of loopback, for as long as it is entered."""

    def __init__(self, app: ASGIApp) -> None:
        self._listening = socket.create_server(("127.0.0.1", 0))
        config = uvicorn.Config(app, lifespan="on", ws="none", log_config=None, access_log=False)
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._server.run, kwargs={"sockets": [self._listening]})

    def __enter__(self) -> str:
        self._thread.start()
        return f"http://127.0.0.1:{self._listening.getsockname()[1]}"

    def __exit__(self, *_: object) -> None:
        self._server.should_exit = True
        self._thread.join(30)
        self._listening.close()
