"""Which addresses count as the public internet, in every form they can be written in."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecar.net import is_public_address

PRIVATE = (
    "127.0.0.0/8",
    "10.0.0.0/8",
    "172.16.0.0/12",
    "192.168.0.0/16",
    "169.254.0.0/16",
    "100.64.0.0/10",
    "0.0.0.0/8",
    "192.0.2.0/24",
    "198.18.0.0/15",
    "198.51.100.0/24",
    "203.0.113.0/24",
    "240.0.0.0/4",
    "224.0.0.0/4",
    "192.88.99.0/24",
    "::1/128",
    "::/128",
    "fe80::/10",
    "fc00::/7",
    "2001:db8::/32",
    "2001::/32",
    "::ffff:0:0/96",
    "64:ff9b:1::/48",
    "2002::/16",
    "::/96",
    "fec0::/10",
    "5f00::/16",
    "3fff::/20",
    "ff00::/8",
    "100::/64",
)
_BLOCKS = [ip_network(block) for block in PRIVATE]


@pytest.mark.parametrize("block", PRIVATE)
def test_the_ends_of_each_private_block_are_refused(block: str) -> None:
    network = ip_network(block)
    assert not is_public_address(str(network[0]))
    assert not is_public_address(str(network[-1]))


@given(st.sampled_from(_BLOCKS), st.integers(min_value=0))
def test_every_address_of_a_private_block_is_refused(block: IPv4Network | IPv6Network, n: int) -> None:
    assert not is_public_address(str(block[n % block.num_addresses]))


@given(st.sampled_from([block for block in _BLOCKS if block.version == 4]), st.integers(min_value=0))
def test_a_private_address_is_refused_inside_every_ipv6_form_that_holds_one(block: IPv4Network, n: int) -> None:
    inner = int(block[n % block.num_addresses])
    for form in (
        int(IPv6Address("::ffff:0:0")) | inner,
        int(IPv6Address("64:ff9b::")) | inner,
        int(IPv6Address("2002::")) | inner << 80,
        inner,
    ):
        assert not is_public_address(str(IPv6Address(form))), IPv6Address(form)


@pytest.mark.parametrize(
    "address", ["8.8.8.8", "1.1.1.1", "93.184.216.34", "2606:4700:4700::1111", "2a00:1450:4001:80b::200e", "64:ff9b::808:808", "172.32.0.1"]
)
def test_public_addresses_may_be_reached(address: str) -> None:
    assert is_public_address(address)


@pytest.mark.parametrize(
    "text", ["", "localhost", "127.1", "0x7f.0.0.1", "017700000001", "2130706433", "fe80::1%eth0", "2606:4700::1%1", "[::1]", "8.8.8.8:80"]
)
def test_what_is_no_plain_address_is_refused(text: str) -> None:
    assert not is_public_address(text)


@given(st.one_of(st.ip_addresses(v=4), st.ip_addresses(v=6)))
def test_nothing_is_public_that_python_calls_not_global(address: IPv4Address | IPv6Address) -> None:
    if is_public_address(str(address)):
        assert ip_address(str(address)).is_global or address in IPv6Network("64:ff9b::/96")
