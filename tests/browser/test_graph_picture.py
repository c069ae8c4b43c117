"""The exported picture of the graph in a real Chromium."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.async_api import Browser, Page

from sidecar.cli.main import main
from tests.conftest import MakeVault

pytestmark = pytest.mark.browser

HOSTILE = '</script><img src=x onerror="window.broken=1"><script>window.broken=1</script>'
FILES = {
    "Soil.md": "",
    "Garden.md": "[[Soil]] [[Worm]] [[Wish]]",
    "Worm.md": "[[Soil]] [[Wish]]",
    "Lone.md": "",
    "h.md": f"---\ntitle: '{HOSTILE}'\n---\n[[Soil]] [[</script><svg onload=window.broken=1>]]",
}
COUNT_INK = """() => {
  const {data} = document.querySelector('canvas').getContext('2d').getImageData(300, 0, innerWidth - 300, innerHeight);
  let ink = 0, left = 1e9, right = 0;
  for (let i = 0; i < data.length; i += 4) if (data[i + 3] && Math.abs(data[i] - data[0]) > 60) {
    ink++; const x = (i / 4) % (innerWidth - 300); left = Math.min(left, x); right = Math.max(right, x);
  }
  return [ink, left, right];
}"""


@pytest.fixture
def picture(make_vault: MakeVault, tmp_path: Path) -> Path:
    where = tmp_path / "graph.html"
    assert 0 == main(["--vault", str(make_vault(FILES)), "graph", "-o", str(where)])
    return where


async def test_a_note_is_found_and_no_title_becomes_markup(
    picture: Path, browser: Browser, watch_page: Callable[[Page], list[str]]
) -> None:
    page = await browser.new_page(viewport={"width": 1200, "height": 700}, reduced_motion="reduce")
    complaints = watch_page(page)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    await page.goto(picture.as_uri())
    said, found = page.locator("#said"), page.locator("aside li button")
    assert "7 nodes, 7 links, 1 notes without any" == await said.text_content()
    await page.keyboard.press("/")
    await page.keyboard.type("worm")
    await page.keyboard.press("Enter")
    assert "Worm – Worm.md – other notes, 1 in, 2 out" == await said.text_content()
    await page.keyboard.press("Escape")
    assert "" == await page.locator("input").input_value()
    await page.locator("input").fill("script")
    assert HOSTILE in await found.all_text_contents()
    await found.get_by_text("onerror").click()
    assert HOSTILE in str(await said.text_content())
    await page.locator("#hubs").click()
    assert ["Soil", "Worm"] == await found.all_text_contents(), "what is not written yet is no hub"
    await page.locator("#orphans").click()
    assert ["Lone"] == await found.all_text_contents()
    assert ("false", "true") == (
        await page.locator("#hubs").get_attribute("aria-pressed"),
        await page.locator("#orphans").get_attribute("aria-pressed"),
    )
    assert await page.evaluate("window.broken === undefined && !document.querySelector('img, svg')")
    assert ([], [picture.as_uri()]) == (complaints, asked), "nothing is loaded, nothing refused"


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_the_graph_stands_in_the_middle_of_the_free_room(scheme: str, picture: Path, browser: Browser) -> None:
    page = await browser.new_page(viewport={"width": 1200, "height": 700}, color_scheme=scheme, reduced_motion="reduce")  # type: ignore[arg-type]
    await page.goto(picture.as_uri())
    await page.wait_for_function("heat <= 0.01")
    await page.wait_for_timeout(300)
    ink, left, right = await page.evaluate(COUNT_INK)
    assert ink > 200
    assert abs((left + right) / 2 - 450) < 60
    await page.keyboard.press("Tab")
    await page.keyboard.press("ArrowLeft")
    await page.wait_for_timeout(300)
    assert left < (await page.evaluate(COUNT_INK))[1], "arrows move the view"
