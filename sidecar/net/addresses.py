"""Which addresses may be reached (pure).

``ipaddress.is_global`` alone lets through NAT64 and 6to4 forms of private addresses, multicast and a few reserved blocks, and
differs between Python versions; so the blocks are named here and addresses inside addresses are judged too.
"""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address

Address = IPv4Address | IPv6Address

_NAT64 = IPv6Network("64:ff9b::/96")
_V4_COMPATIBLE = IPv6Network("::/96")
_REFUSED_V6 = tuple(
    IPv6Network(block)
    for block in ("64:ff9b:1::/48", "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20", "5f00::/16", "fec0::/10", "100::/64")
)
_RELAY_6TO4 = IPv4Address("192.88.99.0")


def is_public_address(text: str) -> bool:
    """Whether an IP address lies in the public internet, in every form it may be written in."""
    try:
        address = ip_address(text)
    except ValueError:
        return False
    return _is_public(address)


def _is_public(address: Address) -> bool:
    if isinstance(address, IPv6Address):
        if address.scope_id is not None:
            return False
        if address.ipv4_mapped is not None:
            return False  # no name resolves to one honestly
        if address in _NAT64:
            return _is_public(IPv4Address(int(address) & 0xFFFFFFFF))
        if address in _V4_COMPATIBLE or any(address in block for block in _REFUSED_V6):
            return False
    elif int(address) >> 8 == int(_RELAY_6TO4) >> 8:
        return False
    return address.is_global and not (
        address.is_multicast or address.is_reserved or address.is_unspecified or address.is_loopback or address.is_link_local
    )
