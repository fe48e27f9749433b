"""What a run folder says of its study comes back as written; figures are compared rightly."""

from __future__ import annotations

import math
import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from granum.studies import STUDIES, Origin, Published, origin_of

WORDS = st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), max_size=30)


@given(changes=st.lists(WORDS, max_size=3), quick=st.booleans())
def test_an_origin_is_read_as_it_was_written(changes, quick):
    origin = Origin("hourglass", "A", quick, tuple(changes))
    assert origin_of(origin.header() + '\ntitle = "# study: other"\n') == origin
    words = shlex.split(origin.command())
    assert words[:3] == ["granum", "run", "hourglass"]
    assert ("--quick" in words[3:4]) == quick
    assert [words[k + 1] for k, word in enumerate(words[:-1]) if word == "--set"][-len(changes):] \
        == changes[-len(changes):] or not changes


def test_other_files_have_no_origin():
    assert origin_of("") is None
    assert origin_of('title = "x"\n# study: hourglass\n') is None
    assert origin_of("# a comment\n[run]\n") is None


def test_an_old_folder_says_its_study_only():
    assert origin_of("# study: hourglass\ntitle = 1\n") == Origin("hourglass")
    assert Origin("hourglass").command() == "granum run hourglass"


def test_an_edited_line_is_taken_as_it_is():
    assert origin_of("# study: a\n# set: law.friction=0.2\n").changes == ("law.friction=0.2",)


# ---- figures ---------------------------------------------------------------------------------


def test_a_share_in_percent():
    figure = Published("density", 60.0, "density", unit="%", spread=0.5)
    assert figure.measured({"density": 0.604}) == pytest.approx(60.4)
    assert figure.difference({"density": 0.604}) == pytest.approx(0.4)
    assert figure.agrees({"density": 0.604}) is True
    assert figure.agrees({"density": 0.594}) is False
    assert Published("density", 60.0, "density", unit="%").agrees({"density": 0.6}) is None


def test_figures_that_are_no_numbers():
    jammed = Published("blocked", True, "jammed")
    assert jammed.agrees({"jammed": True}) is True
    assert jammed.agrees({"jammed": False}) is False
    assert jammed.difference({"jammed": True}) is None
    words = Published("flow", "regular", "unsteadiness")
    assert words.measured({"unsteadiness": 0.04}) == 0.04
    assert words.difference({"unsteadiness": 0.04}) is None
    assert words.agrees({"unsteadiness": 0.04}) is None


def test_figures_that_were_not_found():
    figure = Published("strain", 0.1, "strain", index=2, spread=1.0)
    assert figure.measured({"strain": [1, 2, 3]}) == 3.0
    for found in ({}, {"strain": [1]}, {"strain": None}, {"strain": "no"}):
        assert figure.measured(found) is None
        assert figure.difference(found) is None
        assert figure.agrees(found) is None


@pytest.mark.parametrize("study", STUDIES.values(), ids=STUDIES)
def test_published_figures_are_of_variants_that_exist(study):
    assert set(study.published) <= set(study.variants)
    for figures in study.published.values():
        for figure in figures:
            assert figure.name
            assert figure.source
            assert figure.spread is None or figure.spread >= 0.0
            assert isinstance(figure.value, bool | str) or math.isfinite(figure.value)
