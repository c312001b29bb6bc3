"""`boresight conventions`: the list, one system, one library."""

from __future__ import annotations

import json

from boresight import conventions


def test_the_list_has_every_system_and_library(boresight) -> None:
    result = boresight("conventions")
    assert result.code == 0
    first = {line.partition(" ")[0] for line in result.out.splitlines()}
    assert first.issuperset(conventions.names())
    assert first.issuperset(library.id for library in conventions.libraries())


def test_one_is_drawn_with_its_source(boresight) -> None:
    result = boresight("conventions", "ros")
    assert result.code == 0
    assert "body FLU, right-handed" in result.out
    assert "world ENU, right-handed" in result.out
    for label in ("x forward", "y left", "z up", "x east", "y north"):
        assert label in result.out
    assert "x, y, z, w; Hamilton" in result.out
    assert all(source in result.out for source in conventions.get("ros").sources)


def test_every_system_and_library_can_be_shown(boresight) -> None:
    # In this process: a process for each would take a minute.
    from typer.testing import CliRunner

    from boresight.cli.app import app

    runner = CliRunner()
    for name in (*conventions.names(), *(library.id for library in conventions.libraries())):
        result = runner.invoke(app, ["conventions", name])
        assert result.exit_code == 0, (name, result.output)
        assert max(len(line) for line in result.output.splitlines() if "://" not in line) <= 100, name


def test_an_alias_finds_its_system_and_a_library_by_its_package(boresight) -> None:
    assert boresight("conventions", "MAVROS").out.startswith("ros: ")
    assert "w, x, y, z" in boresight("conventions", "usd-core").out


def test_json(boresight) -> None:
    every = json.loads(boresight("conventions", "--json").out)
    assert [system["id"] for system in every["systems"]] == list(conventions.names())
    one = json.loads(boresight("conventions", "px4", "--json").out)
    assert conventions.Convention.from_dict(one["system"]) == conventions.get("px4")
    assert json.loads(boresight("conventions", "scipy", "--json").out)["library"]["array_order"] == "xyzw"
