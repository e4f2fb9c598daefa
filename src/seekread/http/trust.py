"""Whom to trust over TLS: the authorities in a file of the operator's, or the system's."""

import ssl
import sys
from pathlib import Path

from seekread.errors import Misconfigured, NotConfigured


def trusted(ca_file: str | None, *, environment: bool) -> ssl.SSLContext:
    """A context that checks certificates and names; `environment` says whether `SSL_CERT_FILE` counts."""
    if not ca_file:
        return (None if environment else compiled_in()) or by_library(environment)
    try:
        return ssl.create_default_context(cafile=ca_file)
    except OSError as error:
        message = f"setting ca_file: {ca_file!r} holds no certificates ({error.strerror})"
        raise NotConfigured(message, sent=False) from None


def trusted_for_pages(ca_file: str | None) -> ssl.SSLContext:
    """The system's authorities, and those in a file of the operator's besides: pages are everybody's."""
    if not ca_file:
        return by_library(environment=False)
    context = compiled_in() or by_library(environment=False)
    try:
        context.load_verify_locations(ca_file)
    except OSError as error:
        raise Misconfigured(f"page_ca_file: {ca_file!r} holds no certificates ({error.strerror})") from None
    return context


def compiled_in() -> ssl.SSLContext | None:
    """The authorities where this machine's OpenSSL looks for them, if there are any."""
    paths = ssl.get_default_verify_paths()
    file, folder = Path(paths.openssl_cafile), Path(paths.openssl_capath)
    # Files in such a folder are found by a hash of the authority's name.
    hashed = folder.is_dir() and any(folder.glob("*.0"))
    if sys.platform != "linux" or not (file.is_file() or hashed):
        return None
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.load_verify_locations(str(file) if file.is_file() else None, str(folder) if hashed else None)
    return context


def by_library(environment: bool) -> ssl.SSLContext:
    """The authorities of other systems; a library that knows them is only loaded here."""
    import httpx2

    return httpx2.create_ssl_context(trust_env=environment)
