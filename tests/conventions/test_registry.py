"""The registry: complete, of one form, found by every name, and open to systems of others."""

from __future__ import annotations

import pickle
import re
from importlib.metadata import EntryPoint
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from boresight import conventions
from boresight.conventions import Convention, registry
from boresight.errors import ConventionError

OWN = """
[system.my_rig]
name = "My rig"
kind = "robotics"
aliases = ["rig"]
things = { body = "FLU", camera = "RDF" }
world = "NWU"
direction = "body_to_world"
order = "wxyz"
length = "mm"
"""


def test_counts() -> None:
    assert len(conventions.names()) == 58
    assert len(conventions.libraries()) == 34


@pytest.mark.parametrize("name", conventions.names())
def test_row(name: str) -> None:
    row = conventions.get(name)
    assert row.id == name
    assert row.name and row.notes and row.sources, "every row says what it is, where from, and what to mind"
    assert all(source.startswith("https://") or "package" in source for source in row.sources)
    assert row.confidence in ("run", "source", "secondary", "memory")
    assert {axes.handedness for axes in row.things.values()} == {row.world.handedness}
    if row.order is None:
        stores_a_matrix = row.euler is not None or row.kind in ("graphics", "vision", "dataset")
        assert stores_a_matrix, "a row without an order has another form to be read in"


@pytest.mark.parametrize("name", conventions.names())
def test_row_survives_json_and_pickle(name: str) -> None:
    row = conventions.get(name)
    assert Convention.from_dict(row.to_dict()) == row
    assert pickle.loads(pickle.dumps(row)) == row
    assert hash(Convention.from_dict(row.to_dict())) == hash(row)


def test_a_few_rows_as_their_users_know_them() -> None:
    assert str(conventions.get("carla").world) == "ESU"
    assert conventions.get("carla").handedness == "left"
    assert conventions.get("colmap").direction == "world_to_body"
    assert conventions.get("usd_y_up").matrix == "row_vectors"
    assert str(conventions.get("nuscenes").thing_axes("lidar")) == "RFU"
    assert conventions.get("vicon").metres.denominator == 1000
    assert str(conventions.get("xplane").position_world) == "EUS"


@pytest.mark.parametrize(
    ("spelling", "found"),
    [
        ("px4", "px4"),
        ("PX4", "px4"),
        ("ROS-odom", "ros_odom"),
        ("isaac lab 3", "isaac_lab_3"),
        ("mavros", "ros"),
    ],
)
def test_spellings(spelling: str, found: str) -> None:
    assert conventions.get(spelling).id == found


def test_a_convention_is_its_own_name() -> None:
    row = conventions.get("ros").replace(world="NWU")
    assert conventions.get(row) is row
    assert row.position_world is row.world


@pytest.mark.parametrize(("wrong", "offered"), [("pix4", "px4"), ("usd", "usd_y_up"), ("colmapp", "colmap")])
def test_unknown_system_names_close_ones(wrong: str, offered: str) -> None:
    with pytest.raises(ConventionError, match=rf"no system '{wrong}'; did you mean .*\b{offered}\b"):
        conventions.get(wrong)


def test_a_library_is_no_system() -> None:
    with pytest.raises(
        ConventionError, match=r"no system 'SciPy'; .*; scipy is a library, .*\(xyzw\) and no axes"
    ):
        conventions.get("SciPy")


def test_unknown_system_that_is_close_to_nothing() -> None:
    with pytest.raises(ConventionError, match="`boresight conventions` lists them all"):
        conventions.get("qqqqqq")


def test_library_by_package_name() -> None:
    assert conventions.get_library("numpy-quaternion").array_order == "wxyz"
    assert conventions.get_library("pin").id == "pinocchio"
    assert conventions.get_library("gtsam").constructor_order == "wxyz"
    with pytest.raises(ConventionError, match="no library 'nympy'"):
        conventions.get_library("nympy")


# -- systems of others --------------------------------------------------------------------------------------


@pytest.fixture
def entry_point(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Install a value under the group of entry points, for one test."""

    def install(value: Any) -> None:
        point = SimpleNamespace(value="their_package:CONVENTIONS", load=lambda: value)

        def points(*, group: str) -> list[Any]:
            assert group == "boresight.conventions"
            return [point]

        monkeypatch.setattr(registry, "entry_points", points)
        registry._load.cache_clear()

    yield install
    monkeypatch.undo()
    registry._load.cache_clear()


@pytest.mark.parametrize("as_path", [False, True])
def test_entry_point_adds_a_system(entry_point: Any, tmp_path: Path, as_path: bool) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(OWN)
    entry_point(path if as_path else OWN)
    assert conventions.get("rig").length == "mm"
    assert len(conventions.names()) == 59


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (OWN.replace("my_rig", "px4"), "already; rename it"),
        (OWN.replace('"rig"', '"mavros"'), "'mavros' names both ros and my_rig"),
        (OWN.replace("NWU", "NWX"), "my_rig: 'NWX' names no axes"),
        (OWN.replace("RDF", "RUF"), "my_rig: camera RUF and world NWU differ in handedness"),
        (OWN.replace('length = "mm"', 'length = "ft"'), "length is 'ft'; it is one of m, cm, mm, km"),
        (OWN.replace("direction", "directions"), "no field directions"),
        (OWN.replace('kind = "robotics"', ""), "kind missing"),
        ("[system", "their_package:CONVENTIONS is a|cannot be read"),
        (OWN + "[system", "their_package:CONVENTIONS: "),
        (Path("/nowhere/mine.toml"), "/nowhere/mine.toml cannot be read"),
        (7, "is a int; it is the path of a TOML file, or its text"),
    ],
)
def test_entry_point_that_is_wrong(entry_point: Any, value: Any, message: str) -> None:
    entry_point(value)
    with pytest.raises(ConventionError, match=message):
        conventions.names()


def test_the_group_is_the_documented_one() -> None:
    assert EntryPoint("x", "y", registry.GROUP).group == "boresight.conventions"
    text = (Path(__file__).parents[2] / "docs" / "conventions.md").read_text("utf-8")
    assert re.search(r"boresight\.conventions", text)
