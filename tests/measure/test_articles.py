# SPDX-License-Identifier: MIT
"""The encyclopaedia of the service mediawiki: what is written twice is the same, and is as long, linked and read as it should be."""

import math
import re
import statistics
import subprocess
import xml.etree.ElementTree as xml
from pathlib import Path

import pytest
from conftest import ROOT, program
from measure import services
from measure.text import Trouble
from test_instances import served
from test_latency import own_service, scratch_of

articles = program("experiments/services/mediawiki/articles")


def test_the_same_seed_writes_the_same(tmp_path: Path, build: Path) -> None:
    def written(seed: int, name: str) -> tuple[bytes, bytes]:
        dump, urls = tmp_path / name, tmp_path / f"{name}.urls"
        subprocess.run(
            [ROOT / "tools/experiments/services/mediawiki/articles", "30", str(seed), dump, urls], check=True
        )
        return dump.read_bytes(), urls.read_bytes()

    first = written(1, "a")
    assert first == written(1, "b") and first[0] != written(2, "c")[0]
    found = xml.fromstring(first[0]).findall("{*}page")
    assert len(found) == 30 + len(articles.TEMPLATES)
    # As ssrequest reads them.
    if (build / "ssrequest").exists():
        words = f"{build}/ssrequest --dry-run --rate 1 -n 1 -u {tmp_path}/a.urls"
        subprocess.run(words.split(), check=True, capture_output=True)


def test_lengths_links_and_what_is_read() -> None:
    of = articles.Encyclopaedia(1000, 7)
    pages = [page for page in of.pages() if page.space == 0]
    titles = {page.title for page in pages}
    assert len(titles) == 1000
    logs = [math.log(len(page.text)) for page in pages]
    # An article ends with a whole paragraph.
    assert statistics.median(logs) == pytest.approx(math.log(articles.MEDIAN), abs=0.3)
    assert statistics.stdev(logs) == pytest.approx(articles.SIGMA, abs=0.25)
    links = [re.findall(r"\[\[(?!Category:)([^|\]{}]+)", page.text) for page in pages]
    assert all(to in titles for of_one in links for to in of_one) and statistics.mean(map(len, links)) > 5
    used = {name for page in pages for name in re.findall(r"\{\{([A-Z][a-z]+)\|", page.text)}
    assert used == set(articles.TEMPLATES)
    weights = [float(line.split()[0]) for line in of.urls()]
    assert weights[0] == 1 and weights[9] == pytest.approx(0.1) and weights[999] == pytest.approx(0.001)


@served
def test_what_a_service_prepares(tmp_path: Path, build: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHOWSTOPPER_SERVICES_CACHE", str(tmp_path / "cache"))
    made = "mkdir -p {cache}; echo once >>{cache}/times; [ ! -e {cache}/fails ] || { echo no room >&2; exit 1; }"
    name = own_service(
        tmp_path, monkeypatch, prepare=made, start="cp {cache}/times . && exec {build}/ssburn --listen unix:socket"
    )
    service = services.find(name)
    services.prepare(service, build)
    assert service.cache == tmp_path / "cache" / name and (service.cache / "times").read_text() == "once\n"
    (service.cache / "fails").touch()
    with pytest.raises(Trouble, match=f"service {name} can't be prepared: no room; its prepare is in "):
        services.prepare(service, build)
    assert not scratch_of(name)
