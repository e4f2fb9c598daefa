"""The address tables: complete against the registry's blocks, with a reason for each."""

from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

import pytest

from seekread.http.addresses import (
    METADATA,
    NOT_PUBLIC_V4,
    NOT_PUBLIC_V6,
    OUTSIDE_V6,
    fake_ip_range,
    is_metadata,
    why_not_public,
)

GLOBAL_IN_PYTHON_311 = (
    "64:ff9b::a9fe:a9fe",
    "::a9fe:a9fe",
    "::ffff:0:a9fe:a9fe",
    "2002:a9fe:a9fe::1",
    "fec0::1",
    "ff02::1",
    "224.0.0.1",
    "192.88.99.1",
)
"""Addresses that the flags of some Python releases call global."""


@pytest.mark.parametrize("block", [*NOT_PUBLIC_V4, *NOT_PUBLIC_V6, *OUTSIDE_V6], ids=str)
def test_the_first_the_last_and_the_middle_of_every_block_are_refused_with_a_reason(block: object) -> None:
    network = ip_network(str(block))
    middle = network[network.num_addresses // 2]
    for address in (network[0], network[-1], middle):
        assert why_not_public(str(address))


@pytest.mark.parametrize("address", GLOBAL_IN_PYTHON_311)
def test_addresses_that_standard_flags_get_wrong_are_refused(address: str) -> None:
    assert why_not_public(address)


@pytest.mark.parametrize("prefix", range(256))
def test_every_leading_octet_of_ipv4_is_judged_as_the_registry_says(prefix: int) -> None:
    wholly_refused = {0, 10, 127, *range(224, 256)}
    assert bool(why_not_public(f"{prefix}.200.200.200")) == (prefix in wholly_refused)


@pytest.mark.parametrize("first", range(0, 0x10000, 0x400))
def test_ipv6_outside_the_assigned_eighth_is_refused(first: int) -> None:
    refused = bool(why_not_public(str(IPv6Address((first << 112) + (1 << 80) + 1))))
    assert refused == (not 0x2000 <= first <= 0x3FFF)


@pytest.mark.parametrize("address", ["fe80::1%eth0", "2606:4700::1%1", "", "localhost", "127.1", "1.1.1.1 "])
def test_what_is_not_a_plain_address_is_not_public(address: str) -> None:
    assert why_not_public(address)
    assert not is_metadata(address)
    assert fake_ip_range(address) is None


@pytest.mark.parametrize("address", ["1.1.1.1", "2606:4700:4700::1111", "64:ff9b::101:101"])
def test_public_addresses_have_no_reason_against_them(address: str) -> None:
    assert why_not_public(address) is None


def carriers(address: IPv4Address) -> list[IPv6Address]:
    """Every way to write an IPv4 address inside an IPv6 address."""
    value = int(address)
    halves = (value >> 16, value & 0xFFFF)
    return [
        IPv6Address(value),
        IPv6Address(0xFFFF_0000_0000 | value),
        IPv6Address(0xFFFF_0000_0000_0000 | value),
        IPv6Address((0x0064_FF9B << 96) | value),
        IPv6Address((0x0064_FF9B_0001 << 80) | value),
        IPv6Address((0x0064_FF9B_0001 << 80) | (halves[0] << 64) | (halves[1] << 40)),
        IPv6Address((0x2002 << 112) | (value << 80) | 1),
        IPv6Address((0x2001_0000 << 96) | (value << 64) | 1),
        IPv6Address((0x2001_0000 << 96) | (value ^ 0xFFFF_FFFF)),
        IPv6Address((0x2606_4700 << 96) | (0x5EFE << 32) | value),
        IPv6Address((0x2606_4700 << 96) | (0x0200_5EFE << 32) | value),
    ]


@pytest.mark.parametrize("address", [address for address in METADATA if address.version == 4], ids=str)
def test_a_metadata_address_is_known_in_every_disguise(address: IPv4Address) -> None:
    assert is_metadata(str(address))
    for carrier in carriers(address):
        assert is_metadata(str(carrier)), carrier
        assert why_not_public(str(carrier)), carrier


@pytest.mark.parametrize("address", METADATA, ids=str)
def test_every_metadata_address_is_refused_anyway(address: object) -> None:
    assert why_not_public(str(address))


def test_a_zone_does_not_hide_metadata() -> None:
    assert is_metadata("fe80::a9fe:a9fe%eth0")


@pytest.mark.parametrize("private", ["10.0.0.1", "127.0.0.1", "192.168.1.1", "100.64.0.1"])
def test_a_private_address_is_refused_in_every_disguise(private: str) -> None:
    for carrier in carriers(IPv4Address(private)):
        assert why_not_public(str(carrier)), carrier


@pytest.mark.parametrize(
    ("address", "block"), [("198.18.0.1", "198.18.0.0/15"), ("198.19.9.9", "198.18.0.0/15"), ("fc00::1", "fc00::/18")]
)
def test_known_fake_ip_ranges_are_named(address: str, block: str) -> None:
    assert fake_ip_range(address) == block
    assert ip_address(address) in ip_network(block)
