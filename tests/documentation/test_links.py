"""Every link of README and pages leads somewhere; those to other sites have the form of one."""

from pathlib import Path
from urllib.parse import urlsplit

from scripts.documentation.pages import PAGES, ROOT, links, slugs


def leads_somewhere(page, target):
    if "://" in target:
        site = urlsplit(target)
        return site.scheme == "https" and "." in site.netloc
    name, _, anchor = target.partition("#")
    path = (page.parent / name).resolve() if name else page
    found = path.is_relative_to(ROOT) and path.is_file()
    return found and (not anchor or anchor in slugs(path))


def test_links_lead_somewhere():
    shown = [(page, target) for page in PAGES for target in links(page)]
    assert len(shown) > 100
    assert [each for each in shown if not leads_somewhere(*each)] == []


def test_every_page_is_led_to():
    """A page that no other page leads to would be read by nobody."""
    led = {
        (page.parent / target.partition("#")[0]).resolve()
        for page in PAGES
        for target in links(page)
        if "://" not in target
    }
    assert [page for page in PAGES if page not in led and page.name != "README.md"] == []


def test_pages_name_no_path_of_a_machine():
    for page in PAGES:
        text = page.read_text()
        assert not any(f"{folder}/" in text for folder in ("/home", "/work", "/tmp", "/root"))


def test_slugs_are_those_that_code_hosts_make(tmp_path):
    page = Path(tmp_path) / "page.md"
    page.write_text("# What it is, *now*\n\n## `--json` and A-b\n\n```text\n# no heading\n```\n")
    assert slugs(page) == {"what-it-is-now", "--json-and-a-b"}
