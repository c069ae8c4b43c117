"""Traditional and simplified Chinese as one: the character table of OpenCC (pure but for its library's own data)."""

from __future__ import annotations

import importlib.util
from functools import cache
from importlib.abc import ResourceLoader


@cache
def simplified_characters() -> dict[str, str]:
    """Give the simplified form of each traditional character that has one.

    Of several forms the first, OpenCC's usual one, is taken: notes and queries are folded alike, so a wrong choice costs
    nothing but a little precision. The table is read past its package, whose import would load phrases that are not needed here.
    """
    spec = importlib.util.find_spec("opencc_purepy")
    assert spec is not None, "opencc-purepy is a dependency"
    assert spec.submodule_search_locations, "it is a package"
    assert isinstance(spec.loader, ResourceLoader), "it lies on disk"
    table = spec.loader.get_data(f"{spec.submodule_search_locations[0]}/dicts/TSCharacters.txt").decode("utf-8")
    pairs = (line.split("\t") for line in table.splitlines() if "\t" in line)
    return {traditional: forms.split(" ")[0] for traditional, forms in pairs if len(traditional) == 1}
