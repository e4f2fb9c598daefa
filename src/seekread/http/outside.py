"""Requests to services over a transport of httpx2 that was handed in: a host's own, or a test's."""

import httpx2

from seekread.errors import BadReply, Unreachable
from seekread.http.wire import BROKE, WireRequest, too_large
from seekread.late import dataclass
from seekread.provider import Reply

NEVER_SENT = (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout, httpx2.UnsupportedProtocol)


@dataclass
class OutsideTransport:
    """What was handed in, with its errors as ours."""

    transport: httpx2.AsyncBaseTransport
    most: int

    async def exchange(self, outgoing: WireRequest) -> Reply:
        """Send a request over it; whether a request left is known from its errors only."""
        outgoing.sent = True
        try:
            return await self._exchange(outgoing)
        except NEVER_SENT as error:
            outgoing.sent = False
            if isinstance(error, httpx2.TimeoutException):
                raise TimeoutError from None
            raise Unreachable(f"could not connect ({type(error).__name__})", sent=False) from None
        except httpx2.TimeoutException:
            raise TimeoutError from None
        except httpx2.DecodingError:
            raise BadReply("the reply's compression is broken") from None
        except httpx2.TransportError as error:
            # What is not HTTP is quoted in the error's text, and may repeat what was sent.
            raise Unreachable(f"{BROKE} ({type(error).__name__})") from None

    async def _exchange(self, outgoing: WireRequest) -> Reply:
        request = httpx2.Request(
            outgoing.method, outgoing.target.url, headers=outgoing.headers, content=outgoing.body or None
        )
        response = await self.transport.handle_async_request(request)
        try:
            body = bytearray()
            async for part in response.aiter_bytes():
                body += part
                if len(body) > self.most:
                    raise too_large(self.most, response.status_code)
        finally:
            await response.aclose()
        # The body is decoded here already.
        headers = {name.lower(): value for name, value in response.headers.items()}
        return Reply(response.status_code, headers | {"content-encoding": ""}, bytes(body))

    async def aclose(self) -> None:
        await self.transport.aclose()
