"""Pages behind a proxy that looks into TLS: the operator names its authority."""

from pathlib import Path

import pytest

from seekread import Seekread
from seekread.errors import Misconfigured
from seekread.http.guard import Guard, GuardPolicy
from seekread.http.pinned import page_transport
from seekread.http.trust import trusted_for_pages
from tests.support.every_site import every_site


@pytest.mark.anyio
@pytest.mark.process
async def test_a_page_signed_by_the_proxys_authority_is_read_where_that_is_trusted(tmp_path: Path) -> None:
    with every_site(tmp_path) as web:
        async with Seekread(settings={**web.settings, "store": "memory:"}) as reading:
            known = await reading.open_page("https://example.org/article")
        async with Seekread(settings={"page_proxy": web.server.url, "store": "memory:"}) as reading:
            strange = await reading.open_page("https://example.org/article")
    assert known.success, known.error
    assert "production starts in 2027" in known.content
    assert not strange.success
    assert (strange.outcome, "page_ca_file" in (strange.error or "")) == ("unreachable", True)


@pytest.mark.anyio
@pytest.mark.process
async def test_a_browser_does_not_read_the_file_of_the_proxys_authority(tmp_path: Path) -> None:
    with every_site(tmp_path) as web:
        async with Seekread(settings={**web.settings, "store": "memory:", "page_seconds": 60}) as reading:
            page = await reading.open_page("https://example.org/article", reader="browser")
    assert (page.success, page.outcome) == (False, "unreachable")
    assert "certificate" in (page.error or "")


def test_the_systems_authorities_stay_trusted(tmp_path: Path) -> None:
    with every_site(tmp_path) as web:
        plain, more = trusted_for_pages(None), trusted_for_pages(str(web.ca_file))
    assert more.cert_store_stats()["x509_ca"] == plain.cert_store_stats()["x509_ca"] + 1


@pytest.mark.parametrize("text", [None, "no certificate"])
def test_a_file_without_certificates_is_a_configuration_error(tmp_path: Path, text: str | None) -> None:
    file = tmp_path / "authority.pem"
    if text is not None:
        file.write_text(text)
    with pytest.raises(Misconfigured, match="page_ca_file"):
        page_transport(Guard(GuardPolicy(ca_file=str(file))))
