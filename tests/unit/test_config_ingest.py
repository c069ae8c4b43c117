"""Settings of ingest: which captions are wanted, and whether a program outside may be asked."""

from __future__ import annotations

import pytest

from sidecar.config import Config, parse_config
from sidecar.errors import ConfigError


@pytest.mark.parametrize(
    ("text", "languages"),
    [("", ("en", "zh")), ('language = "zh-CN"', ("zh", "en")), ('[ingest]\ncaption_languages = ["ja", "zh-Hant"]', ("ja", "zh-Hant"))],
)
def test_captions_are_wanted_in_the_owners_languages(text: str, languages: tuple[str, ...]) -> None:
    assert languages == parse_config(text).caption_languages


@pytest.mark.parametrize("value", ['["--exec"]', '["english"]', '[""]', '"en"', "[1]"])
def test_what_is_no_language_is_refused_by_name(value: str) -> None:
    with pytest.raises(ConfigError, match=r"ingest\.caption_languages"):
        parse_config(f"[ingest]\ncaption_languages = {value}")


def test_the_media_tool_can_be_switched_off() -> None:
    assert Config().ingest.media_tool
    assert not parse_config("[ingest]\nmedia_tool = false").ingest.media_tool
