"""PDF files: what is read of small ones written by hand, and of those made to break or to keep a reader busy."""

from __future__ import annotations

import random

import pytest

from sidecar.errors import ExtractionError
from sidecar.ingest.adapters import PAGE, Page, Wishes, find_adapter
from sidecar.ingest.document import Document
from sidecar.ingest.worker import PageReader
from tests.unit.ingest.hostile import PAYLOADS, assert_harmless
from tests.unit.ingest.pdf_bytes import Piece, paragraph, pdf

URL = "https://example.com/files/a%20paper.pdf"
WORDS = "The quick brown fox jumps over the lazy dog and goes on to"


def read(data: bytes, url: str = URL) -> Document:
    found = find_adapter("pdf").read(url, {PAGE: Page(url, "application/pdf", data=data)}, Wishes())
    assert isinstance(found, Document)
    return found


def text_page(number: int) -> list[Piece]:
    return [
        (72, 760, 8, f"Journal of Tests, vol. 3, page {number}"),
        (72, 720, 14, f"{number} Part number {number}"),
        *paragraph([WORDS, WORDS, "another place with a hyphen-", f"ated word and an end {number}."], 690),
        *paragraph(["A second one, indented, that goes on at the", "right place."], 642, 90),
        *paragraph(
            [f"The last one of page {number} goes on", f"and on, line {number * 7} as well", "to its end,", f"{'o' * number}."], 500
        ),
        (300, 30, 9, str(number)),
    ]


def test_lines_become_paragraphs_and_headings_and_page_furniture_goes() -> None:
    document = read(pdf([[(72, 740, 22, "A Study of Foxes")], *[text_page(n) for n in (1, 2, 3)]]))
    assert ("A Study of Foxes", "en", "full", "example.com") == (document.title, document.lang, document.body_state, document.site)
    expected = "".join(
        f"## {n} Part number {n}\n\n{WORDS} {WORDS} another place with a hyphenated word and an end {n}.\n\n"
        f"A second one, indented, that goes on at the right place.\n\nThe last one of page {n} goes on and on, "
        f"line {n * 7} as well to its end, {'o' * n}.\n\n"
        for n in (1, 2, 3)
    )
    assert expected.rstrip("\n") + "\n" == document.markdown


def test_a_paragraph_goes_on_over_the_end_of_a_page() -> None:
    pages = [paragraph([WORDS, WORDS], 100), paragraph(["the next page.", "It ends."], 700)]
    assert f"{WORDS} {WORDS} the next page. It ends.\n" == read(pdf(pages, "/Title (T)")).markdown


def test_two_columns_are_read_one_after_the_other() -> None:
    left = paragraph(["left one", "left two", "left three"], 700, 72)
    right = paragraph(["right one", "right two", "right three."], 700, 320)
    assert "left one left two left three right one right two right three.\n" == read(pdf([[*left, *right]], "/Title (T)")).markdown


def test_chinese_lines_are_joined_without_blanks() -> None:
    document = read(pdf([[(72, 740, 20, "关于狐狸的研究"), *paragraph(["敏捷的棕色狐狸跳过了", "懒狗，然后继续往前走。"], 700)]]))
    assert ("关于狐狸的研究", "zh") == (document.title, document.lang)
    assert "敏捷的棕色狐狸跳过了懒狗，然后继续往前走。\n" == document.markdown


def test_bullets_are_a_list() -> None:
    assert "- one goes on\n- two\n" == read(pdf([[*paragraph(["\x95 one goes", "on", "\x95 two"], 700)]], "/Title (T)")).markdown


def test_the_outline_tells_headings_of_the_text_s_own_size() -> None:
    outline = "<< /First 11 0 R /Last 11 0 R /Count 1 >>", "<< /Title (1 Methods) /Parent 10 0 R /Dest [100 0 R /Fit] >>"
    page = [*paragraph([WORDS, "an end."], 700), *paragraph(["Methods"], 640), *paragraph([WORDS, "an end."], 610)]
    document = read(pdf([page], "/Title (T)", "/Outlines 10 0 R", outline))
    assert f"{WORDS} an end.\n\n## Methods\n\n{WORDS} an end.\n" == document.markdown


@pytest.mark.parametrize(
    ("info", "expected"),
    [
        ("/Title (On Foxes) /Author (Ann Bo) /CreationDate (D:20240131120000+01'00')", ("On Foxes", "Ann Bo", "2024-01-31")),
        ("/Title <FEFF51734E8E72D072F8> /Author <FEFF738B>", ("关于狐狸", "王", "")),
        ("/Title (Microsoft Word - draft2.docx) /Author (user) /CreationDate (D:20241331)", ("First line", "", "")),
        ("/Title (untitled) /CreationDate (yesterday)", ("First line", "", "")),
        ("/Title (main.tex) /Author 99 0 R /CreationDate (D:2024)", ("First line", "", "")),
        ("/Title [] /Author << >>", ("First line", "", "")),
    ],
)
def test_what_the_file_says_of_itself_is_taken_where_it_is_sensible(info: str, expected: tuple[str, str, str]) -> None:
    document = read(pdf([paragraph(["First line", WORDS])], info))
    assert expected == (document.title, document.author, document.published)


def test_a_scan_is_a_note_without_text_that_says_so() -> None:
    document = read(pdf([[], []]))
    assert ("a paper", "missing", "") == (document.title, document.body_state, document.markdown)
    assert "scan" in document.warnings[0]


def test_text_whose_characters_are_unknown_is_not_kept() -> None:
    document = read(pdf([paragraph([chr(0xE000 + n) * 40 for n in range(5)])]))
    assert ("missing", "") == (document.body_state, document.markdown)
    assert "fonts" in document.warnings[0]


ENCRYPT = f"/Encrypt << /Filter /Standard /V 1 /R 2 /P -4 /O <{'41' * 32}> /U <{'42' * 32}> >> /ID [<41><41>]"


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "no PDF"),
        (b"<html>not found</html>", "no PDF"),
        (b"%PDF-1.7\n", "broken"),
        (b"%PDF-1.7\n" + b"junk " * 1000, "broken"),
        (pdf([[(72, 700, 10, "x")]])[:300], "broken"),
        (pdf([[(72, 700, 10, "x")]], trailer=ENCRYPT), "password"),
        (pdf([[(72, 700, 10, "x")]], trailer="/Encrypt << /Filter /Other >>"), "broken|password"),
    ],
)
def test_a_file_that_cannot_be_read_says_why(data: bytes, words: str) -> None:
    with pytest.raises(ExtractionError, match=words) as caught:
        read(data)
    assert caught.value.fix


def test_one_broken_page_does_not_cost_the_others() -> None:
    data = pdf([paragraph(["First page."]), paragraph(["Second page."])]).replace(b"/Contents 101 0 R", b"/Contents 2 0 R  ")
    document = read(data)
    assert "Second page." in document.markdown + document.title


def test_a_long_document_is_cut_and_says_so() -> None:
    document = read(pdf([paragraph([f"Text of page {n} stands here alone."], 700 - n % 90) for n in range(520)], "/Title (T)"))
    assert "summary_only" == document.body_state
    assert "520 pages; only the first 500" in document.warnings[0]
    assert "page 499" in document.markdown
    assert "page 500" not in document.markdown


# ── made to keep a reader busy ────────────────────────────────────────────────────────────────


HOSTILE = {
    "a page tree that holds itself": pdf([[(72, 700, 10, "x")]]).replace(b"/Kids [100 0 R]", b"/Kids [  2 0 R]"),
    "a page tree said to be huge": pdf([[(72, 700, 10, "words")]]).replace(b"/Count 1", b"/Count 999999999"),
    "nested arrays": pdf([[(72, 700, 10, "x")]], catalog="/A " + "[" * 30_000 + "]" * 30_000),
    "nested dictionaries": pdf([[]], raw=b"/A " + b"<<" * 30_000 + b" BDC"),
    "a stream of brackets": pdf([[]], raw=b"(" * 2_000_000),
    "a row of operators": pdf([[]], raw=b"BT /F1 10 Tf " + b"(x) Tj " * 50_000),
    "nested graphics states": pdf([[]], raw=b"q " * 100_000),
    "an outline that bites its tail": pdf(
        [paragraph(["words"])], catalog="/Outlines 10 0 R", extra=("<< /First 11 0 R >>", "<< /Title (a) /Next 11 0 R /First 10 0 R >>")
    ),
    "a table of places that lies": pdf([[(72, 700, 10, "x")]]).replace(b"startxref\n", b"startxref\n999"),
    "a previous table that is itself": pdf([[(72, 700, 10, "x")]], trailer="/Prev 9"),
    "a form that draws itself": pdf([[]], raw=b"/Fm0 Do " * 1000),
    "a compressed bomb": pdf([[]], raw=b"BT /F1 10 Tf (" + b"a" * 60_000_000 + b") Tj"),
}


@pytest.mark.parametrize("name", HOSTILE)
async def test_a_hostile_file_ends_in_a_document_or_an_error(name: str) -> None:
    reader = PageReader(timeout_s=5)
    refused: list[str] = []
    try:
        found: object = None
        for data in (HOSTILE[name], pdf([paragraph(["The reader goes on."])])):
            found = None
            try:
                found = await reader.read("pdf", URL, {PAGE: Page(URL, "application/pdf", data=data)}, Wishes())
            except ExtractionError as error:
                refused.append(error.fix)
                continue
            assert isinstance(found, Document)
            assert_harmless(found)
        assert isinstance(found, Document), "the reader goes on"
        assert all(refused)
    finally:
        await reader.close()


def test_damaged_files_are_errors_or_documents_and_nothing_else() -> None:
    whole = pdf([text_page(n) for n in (1, 2)], "/Title (T)")
    chance = random.Random(1)
    refused = []
    for _ in range(40):
        data = bytearray(whole)
        for _ in range(chance.randint(1, 20)):
            data[chance.randrange(len(data))] = chance.randrange(256)
        try:
            assert_harmless(read(bytes(data)))
        except ExtractionError as error:
            refused.append(error.fix)
    assert all(refused)


@pytest.mark.parametrize("payload", PAYLOADS)
def test_nothing_that_a_pdf_says_acts_in_the_vault(payload: str) -> None:
    lines = payload.split("\n")
    title = "".join(f"{byte:02X}" for byte in b"\xfe\xff" + payload.encode("utf-16-be"))
    pieces = [(72.0, 740.0, 20.0, lines[0]), *paragraph(lines, 700), *paragraph([f"x {payload}", *lines], 600), *paragraph([WORDS], 500)]
    assert_harmless(read(pdf([pieces], f"/Title <{title}> /Author <{title}>")))
    assert_harmless(read(pdf([pieces])))
