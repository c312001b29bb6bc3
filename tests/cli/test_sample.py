"""`boresight sample` and `boresight plot`, run as their user runs them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from boresight import Rotation
from boresight.cli import sample_file
from boresight.sampling import GeodesicBall, HopfHealpix
from boresight.sampling.named import NAMES

# For each law and grid something that makes it.
OPTIONS: dict[str, list[str]] = {
    "uniform": ["-n", "500"],
    "geodesic-ball": ["--angle", "30deg", "--center", "0deg,0deg,90deg", "-n", "500"],
    "geodesic-shell": ["--inner", "0.1rad", "--outer", "0.2rad", "-n", "500"],
    "wrapped-normal": ["--std-dev", "1deg,2deg,3deg", "--side", "world", "-n", "500"],
    "isotropic-gaussian": ["--variance", "0.1", "-n", "500"],
    "bingham": ["--matrix", "0,1,2,3", "-n", "500"],
    "matrix-fisher": ["--matrix", "5,0,0,0,3,0,0,0,1", "-n", "500"],
    "tilt-cone": ["--angle", "20deg", "--axis", "1,0,0", "-n", "500"],
    "swing-twist-box": ["--angle", "20deg", "--twist", "10deg", "-n", "500"],
    "euler-box": ["--half-widths", "10deg,20deg,180deg", "--sequence", "ZYX", "-n", "500"],
    "rotvec-box": ["--half-widths", "10deg,20deg,30deg", "-n", "500"],
    "quotient": ["--group", "O", "-n", "500"],
    "super-fibonacci": ["-n", "500"],
    "hopf-healpix": ["--level", "1"],
    "cell48": ["-n", "500"],
}


def rotations(path: Path) -> Rotation:
    table = pq.read_table(path)
    assert table.schema.names == ["qx", "qy", "qz", "qw"]
    columns = [table.column(i).to_numpy() for i in range(4)]
    return Rotation.from_quat(np.stack(columns, axis=-1), order="xyzw")


def test_a_ball_becomes_a_table(boresight, tmp_path: Path) -> None:
    path = tmp_path / "s.parquet"
    options = ("--angle", "30deg", "-n", "100000", "--seed", "1")
    result = boresight("sample", "--distribution", "geodesic-ball", *options, "-o", path)
    assert (result.code, result.err) == (0, "")
    assert "geodesic-ball, angle 30°" in result.out and "100,000 rotations, seed 1" in result.out
    drawn = rotations(path)
    assert drawn.shape == (100_000,) and drawn.angle().max() <= np.radians(30) + 1e-15
    assert drawn.as_quat(order="xyzw") == pytest.approx(
        GeodesicBall(Rotation.identity(), np.radians(30)).sample(100_000, rng=1).as_quat(order="xyzw"),
        abs=1e-15,
    )


def test_every_law_is_named_here() -> None:
    assert OPTIONS.keys() == NAMES.keys()


@pytest.mark.parametrize("name", OPTIONS)
def test_each_law_and_grid_is_drawn_and_shown(boresight, tmp_path: Path, name: str) -> None:
    path, picture = tmp_path / "s.parquet", tmp_path / "s.png"
    result = boresight("sample", "-d", name, *OPTIONS[name], "-o", path, "--json")
    assert result.code == 0, result.err
    told = json.loads(result.out)
    assert told["distribution"] == name and told["output"]["rows"] == len(rotations(path))
    grid = name in ("super-fibonacci", "hopf-healpix", "cell48")
    assert told["seed"] == (None if grid else 1)
    shown = boresight("plot", path, "-o", picture, "--json")
    assert shown.code == 0, shown.err
    assert picture.read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
    figures = json.loads(shown.out)
    assert figures["samples"] == {"path": str(path), "rows": told["output"]["rows"], "invalid": 0}
    assert figures["parameters"] == told["parameters"]
    assert (figures["difference"] is None) if grid else (figures["difference"] < figures["limit"])


def test_the_file_is_the_same_however_it_is_cut_up(
    boresight, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = ("sample", "-d", "matrix-fisher", "--matrix", "5,3,1", "-n", "1000", "--seed", "7", "-o")
    assert boresight(*arguments, tmp_path / "a.parquet").code == 0
    monkeypatch.setattr(sample_file, "BATCH", 64)
    assert boresight(*arguments, tmp_path / "b.parquet").code == 0
    assert pq.ParquetFile(tmp_path / "b.parquet").num_row_groups == 16
    a, b = (rotations(tmp_path / f"{name}.parquet") for name in "ab")
    assert a == b
    grid = ("sample", "-d", "hopf-healpix", "--level", "1", "-o", tmp_path / "c.parquet")
    assert boresight(*grid).code == 0 and rotations(tmp_path / "c.parquet").as_matrix() == pytest.approx(
        HopfHealpix(1).rotations().as_matrix(), abs=1e-15
    )


def test_the_picture_tells_a_wrong_law_from_a_right_one(boresight, tmp_path: Path) -> None:
    """A file that says it is uniform and is not."""
    path = tmp_path / "s.parquet"
    boresight("sample", "-d", "geodesic-ball", "--angle", "170deg", "-n", "20000", "-o", path)
    table = pq.read_table(path)
    told = {"version": 1, "distribution": "uniform", "parameters": {}, "seed": 1}
    pq.write_table(table.replace_schema_metadata({"boresight.samples": json.dumps(told)}), path)
    figures = json.loads(boresight("plot", path, "-o", tmp_path / "s.png", "--json").out)
    assert figures["difference"] > 3 * figures["limit"]


def test_rows_without_a_rotation_are_counted(boresight, tmp_path: Path) -> None:
    path = tmp_path / "s.parquet"
    pq.write_table(
        pa.table({"qx": [0.0, 0, 1], "qy": [0.0, 0, 0], "qz": [0.0, 0, 0], "qw": [1.0, 0, 0]}), path
    )
    result = boresight("plot", path, "-o", tmp_path / "s.svg", "--json")
    assert result.code == 0 and "1 row of 3 hold no rotation" in result.err
    told = json.loads(result.out)
    assert told["samples"]["invalid"] == 1 and told["distribution"] is None and told["difference"] is None
    assert told["largest_angle_rad"] == pytest.approx(np.pi)
    assert "<svg" in (tmp_path / "s.svg").read_text()


def test_list_shows_what_there_is(boresight) -> None:
    result = boresight("sample", "-d", "list")
    assert result.code == 0 and all(name in result.out for name in NAMES)
    assert {item["name"] for item in json.loads(boresight("sample", "-d", "list", "--json").out)} == set(
        NAMES
    )


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["-d", "geodesic-bal", "-n", "5"], "there is no distribution 'geodesic-bal'"),
        (["-d", "geodesic-ball", "-n", "5"], "geodesic-ball needs --angle"),
        (["-d", "geodesic-ball", "-n", "5", "--angle", "30"], "'30' has no unit; write 30deg"),
        (["-d", "geodesic-ball", "-n", "5", "--angle", "xdeg"], "'x' is no number"),
        (["-d", "geodesic-ball", "-n", "5", "--angle", "nandeg"], "is not finite"),
        (["-d", "geodesic-ball", "-n", "5", "--angle", "200deg"], "--angle"),
        (["-d", "geodesic-ball", "-n", "5", "--angle", "1deg,2deg"], "is not 1 angles"),
        (["-d", "geodesic-ball", "-n", "5", "--angle", "1deg", "--level", "2"], "not --level"),
        (["-d", "geodesic-ball", "-n", "0", "--angle", "1deg"], "-n"),
        (["-d", "geodesic-ball", "--angle", "1deg"], "say how many rotations"),
        (["-d", "euler-box", "-n", "5", "--half-widths", "1deg,2deg"], "is not 3 angles"),
        (["-d", "wrapped-normal", "-n", "5", "--std-dev=-1deg"], "--std-dev"),
        (["-d", "wrapped-normal", "-n", "5", "--std-dev", "1deg", "--side", "left"], "--side"),
        (["-d", "isotropic-gaussian", "-n", "5", "--variance", "0"], "--variance"),
        (["-d", "bingham", "-n", "5", "--matrix", "1,2"], "--matrix"),
        (["-d", "matrix-fisher", "-n", "5", "--matrix", "1,two,3"], "'two' is no number"),
        (["-d", "quotient", "-n", "5", "--group", "Q8"], "Q8"),
        (["-d", "hopf-healpix", "-n", "5"], "has a --level"),
        (["-d", "hopf-healpix", "--level", "40"], "--level"),
        (["-d", "cell48"], "cell48 needs --spacing or -n"),
        (["-d", "cell48", "-n", "1000000"], "-n"),
        (["-d", "uniform", "-n", "5", "--seed", "-1"], "--seed"),
        (["-d", "bingham", "-n", "5", "--matrix", ",".join(map(str, range(16)))], "--matrix: it must be sym"),
        (["-d", "matrix-fisher", "-n", "5", "--matrix", "1e200,1e200,1e200"], "concentration is too large"),
        (["-d", "swing-twist-box", "-n", "5", "--angle", "200deg", "--twist", "1deg"], "--angle: it must be"),
        (["-d", "wrapped-normal", "-n", "5", "--std-dev", "1e200rad"], "--std-dev: it is too large"),
    ],
)
def test_wrong_use_is_told(boresight, tmp_path: Path, arguments: list[str], named: str) -> None:
    result = boresight("sample", *arguments, "-o", "s.parquet", cwd=tmp_path)
    assert result.code == 2 and named in result.err, result.err
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (
            ["geodesic-ball", "-n", "5", "--angle", "400deg"],
            "--angle: it must be from 0deg to 180deg, not 400deg",
        ),
        (["geodesic-ball", "-n", "5", "--angle", "4rad"], "it must be from 0rad to 3.141592654rad, not 4rad"),
        (["tilt-cone", "-n", "5", "--angle=-5deg"], "it must be from 0deg to 180deg, not -5deg"),
        (
            ["geodesic-shell", "-n", "5", "--inner", "20deg", "--outer", "10deg"],
            "--outer: it must be from 20deg to 180deg, not 10deg",
        ),
        (
            ["swing-twist-box", "-n", "5", "--angle", "1deg", "--twist", "200deg"],
            "--twist: it must be from 0deg to 180deg, not 200deg",
        ),
        (
            ["euler-box", "-n", "5", "--half-widths", "10deg,100deg,10deg"],
            "it must be from 0deg,0deg,0deg to 180deg,90deg,180deg, not 10deg,100deg,10deg",
        ),
        (["isotropic-gaussian", "-n", "5", "--variance=-3deg2"], "must be positive and finite, not -3deg2"),
        (["isotropic-gaussian", "-n", "5", "--variance", "10deg"], "its square is 100deg2"),
        (["cell48", "--spacing", "10deg"], "of 10deg it is 0.0874887"),
        (["super-fibonacci", "-n", "5", "--seed", "3"], "leave the seed out"),
        (["hopf-healpix", "--level", "1", "--seed", "1"], "leave the seed out"),
    ],
)
def test_messages_are_in_the_unit_that_was_given(
    boresight, tmp_path: Path, arguments: list[str], told: str
) -> None:
    result = boresight("sample", "-d", *arguments, "-o", "s.parquet", cwd=tmp_path)
    assert result.code == 2 and told in result.err, result.err


def test_a_variance_may_be_in_square_degrees(boresight, tmp_path: Path) -> None:
    for i, text in enumerate(("100deg2", "100 deg^2", "100deg²", str(np.radians(10) ** 2))):
        path = tmp_path / f"{i}.parquet"
        result = boresight(
            "sample", "-d", "isotropic-gaussian", "--variance", text, "-n", "5", "-o", path, "--json"
        )
        assert json.loads(result.out)["parameters"]["variance"] == pytest.approx(np.radians(10) ** 2)


def test_the_list_says_what_the_command_asks_for(boresight) -> None:
    listed = json.loads(boresight("sample", "-d", "list", "--json").out)
    for item in listed:
        grid = item["name"] in ("super-fibonacci", "hopf-healpix", "cell48")
        assert ("seed" in item["takes"]) != grid
        assert grid or "count" in item["needs"]
    lines = boresight("sample", "-d", "list").out.splitlines()
    assert "-n" in next(line for line in lines if line.lstrip("│ ").startswith("uniform")).split()


def test_outputs_are_named_and_kept(boresight, tmp_path: Path) -> None:
    assert "name the file" in boresight("sample", "-d", "uniform", "-n", "5").err
    result = boresight("sample", "-d", "uniform", "-n", "5", "-o", tmp_path / "s.csv")
    assert result.code == 2 and "'.csv' is no sample set; give .parquet or .pq" in result.err
    path = tmp_path / "s.parquet"
    path.write_text("precious")
    result = boresight("sample", "-d", "uniform", "-n", "5", "-o", path)
    assert result.code == 1 and "exists" in result.err and path.read_text() == "precious"
    assert boresight("sample", "-d", "uniform", "-n", "5", "-o", path, "--overwrite").code == 0
    assert "name the picture" in boresight("plot", path).err
    assert boresight("plot", path, "-o", tmp_path / "s.jpg").code == 2
    assert boresight("plot", path, "-o", path).code == 2
    (tmp_path / "s.png").write_text("precious")
    assert boresight("plot", path, "-o", tmp_path / "s.png").code == 1


def test_suffixes_of_outputs_are_checked_first_and_in_any_case(boresight, tmp_path: Path) -> None:
    # Before anything that is wrong besides is found out, and before a grid is laid.
    result = boresight("sample", "-d", "geodesic-ball", "-n", "5", "-o", tmp_path / "s.csv")
    assert result.code == 2 and "is no sample set" in result.err
    path, picture = tmp_path / "S.PARQUET", tmp_path / "S.PNG"
    assert boresight("sample", "-d", "uniform", "-n", "5", "-o", path).code == 0
    result = boresight("plot", path, "-o", picture)
    assert result.code == 0, result.err
    assert picture.read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
    result = boresight("plot", "nowhere.parquet", "-o", tmp_path / "noname")
    assert result.code == 2 and "'noname' is no picture; give .png, .svg or .pdf" in result.err


def test_an_output_that_exists_is_refused_before_a_law_is_made(
    boresight, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from boresight.sampling import named

    def never(*_: object) -> None:
        raise AssertionError("the grid was laid")

    monkeypatch.setattr(named, "make", never)
    path = tmp_path / "s.parquet"
    path.write_text("precious")
    result = boresight("sample", "-d", "cell48", "-n", "100000", "-o", path)
    assert result.code == 1 and "exists" in result.err


def test_files_that_are_no_sample_set_are_told(boresight, tmp_path: Path) -> None:
    def complaint(path: Path) -> str:
        result = boresight("plot", path, "-o", tmp_path / "s.png")
        assert result.code == 1 and len(result.err.splitlines()) == 1 and not (tmp_path / "s.png").exists()
        return result.err

    path = tmp_path / "s.parquet"
    assert "no such file" in complaint(path)
    path.write_bytes(b"not a table")
    assert "cannot be read as Parquet" in complaint(path)
    pq.write_table(pa.table({"qx": [0.0]}), path)
    assert "it has no column qy" in complaint(path)
    names = ("qx", "qy", "qz", "qw")
    pq.write_table(pa.table({name: ["1"] for name in names}), path)
    assert "its column qx holds no numbers but string" in complaint(path)
    pq.write_table(pa.table({name: [np.nan] for name in names}), path)
    assert "it holds no rotation" in complaint(path)
    whole = pa.table({name: [1.0] for name in names})
    for told, named in (
        ("{", "damaged"),
        ("[]", "damaged"),
        ('{"distribution": "x", "parameters": {}, "seed": 1}', "there is no distribution 'x'"),
        ('{"distribution": "uniform", "parameters": 3, "seed": 1}', "damaged"),
    ):
        pq.write_table(whole.replace_schema_metadata({"boresight.samples": told}), path)
        assert named in complaint(path)


def test_a_full_disk_leaves_nothing(boresight, full_disk: Path) -> None:
    result = boresight("sample", "-d", "uniform", "-n", "100000", "-o", full_disk / "s.parquet")
    assert result.code == 1 and "disk is full" in result.err and not list(full_disk.iterdir())
