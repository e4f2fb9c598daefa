"""A certificate authority that exists for one test run."""

import ssl
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Certificates:
    """A server's TLS context, and the file its clients must trust."""

    context: ssl.SSLContext
    ca_file: Path


def certificates(hosts: Sequence[str], folder: Path) -> Certificates:
    """Make an authority and a certificate for these hosts; the authority's file is written into the folder."""
    try:
        import trustme
    except ImportError as error:
        raise ImportError("simulating HTTPS needs the package trustme: install seekread[dev]") from error
    authority = trustme.CA()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.set_alpn_protocols(["http/1.1"])
    authority.issue_cert(*hosts).configure_cert(context)
    ca_file = folder / "simulated-authority.pem"
    authority.cert_pem.write_to_path(str(ca_file))
    return Certificates(context, ca_file)
