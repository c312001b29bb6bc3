"""`boresight diagnose`: what it reads, what it says, and how it ends."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

import boresight as bs
from boresight.diagnosis import PARTS
from boresight.logs.correction import Correction, corrected
from boresight.rotation import Rotation
from flown import HEAD, Flight, answered, table

# -- logs ----------------------------------------------------------------------------------------------------------


def test_json_has_what_programs_ask_for(boresight, example_log: Path) -> None:
    answer = answered(boresight("diagnose", example_log, "--json"))
    wanted = {
        "verdict",
        "declared",
        "best",
        "parts",
        "mount_deg",
        "resets",
        "evidence",
        "systems",
        "advice",
        "fix",
    }
    assert wanted <= answer.keys()
    assert answer["verdict"] == "consistent"
    assert set(answer["parts"]) == set(PARTS)
    for part in answer["parts"].values():
        assert {"answer", "state", "margin", "evidence", "assumes", "alternatives"} <= part.keys()
        assert part["state"] in ("decided", "ambiguous", "not_observable")
    assert answer["parts"]["order"]["answer"] == "wxyz"
    assert answer["parts"]["direction"]["answer"] == "body_to_world"
    for note in answer["evidence"].values():
        assert note["used"] or note["why"]
    assert "px4" in answer["systems"]


def test_a_screen_has_room_for_the_report(boresight, example_log: Path) -> None:
    result = boresight("diagnose", example_log)
    assert result.code == 0
    lines = result.out.splitlines()
    assert lines[0].startswith("CONSISTENT")
    assert len(lines) <= 24
    assert max(map(len, lines)) <= 80
    assert "\x1b" not in result.out
    assert "assumed" in result.out


def test_a_contradiction_ends_with_1_and_comes_first(boresight, example_log: Path, tmp_path: Path) -> None:
    path = tmp_path / "wrong.parquet"
    log = bs.read(example_log)
    bs.write(corrected(log, Correction(direction="world_to_body"), of="vehicle_attitude"), path)
    result = boresight("diagnose", path)
    assert result.code == 1
    assert result.err == ""
    lines = result.out.splitlines()
    assert lines[0].startswith("CONTRADICTED")
    assert "stored world to body" in lines[2]
    assert any(line.strip().startswith("boresight convert") for line in lines[:6])
    assert len(lines) <= 30


def test_it_is_coloured_on_a_terminal_only(
    boresight, example_log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("boresight.cli.terminal.is_terminal", lambda stream: True)
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert "\x1b[32mCONSISTENT" in boresight("diagnose", example_log).out
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in boresight("diagnose", example_log).out


def test_one_stream_of_several(boresight, example_log: Path) -> None:
    answer = answered(
        boresight("diagnose", example_log, "--stream", "vehicle_attitude_groundtruth", "--json")
    )
    assert answer["verdict"] == "consistent"
    result = boresight("diagnose", example_log, "--stream", "nope")
    assert result.code == 2
    assert "there are: vehicle_attitude," in result.err
    result = boresight("diagnose", example_log, "--stream", "sensor_combined")
    assert (result.code, result.err.count("\n")) == (2, 1)
    assert "no orientation" in result.err


def test_what_is_compared_is_named(boresight, flight: Flight, example_log: Path, tmp_path: Path) -> None:
    streams = answered(boresight("diagnose", example_log, "--json"))["streams"]
    assert streams["attitude"] == "vehicle_attitude"
    assert streams["gyro"] == streams["accel"] == "sensor_combined"
    assert (
        "compared  vehicle_attitude with sensor_combined (gyro, accel)"
        in boresight("diagnose", example_log).out
    )
    path = table(tmp_path / "t.csv", flight.rows())
    for more in ((), ("--from", "px4")):
        streams = answered(boresight("diagnose", path, *more, "--json"))["streams"]
        assert streams == {"attitude": "q0,q1,q2,q3", "gyro": "gx,gy,gz", "accel": "ax,ay,az"}


def test_other_attitudes_of_a_log_are_named_where_one_tells_little(
    boresight, tmp_path: Path, example_log: Path
) -> None:
    log = bs.read(example_log)
    names = ("vehicle_attitude", "vehicle_attitude_groundtruth")
    path = tmp_path / "bare.parquet"
    bs.write(type(log)({name: log[name] for name in names}), path)
    answer = answered(boresight("diagnose", path, "--json"))
    assert "(--stream vehicle_attitude_groundtruth)" in answer["advice"][-1]
    assert "--stream" not in boresight("diagnose", path, "--stream", names[0]).out


def test_a_claim_of_another_convention_is_checked(boresight, flight: Flight, tmp_path: Path) -> None:
    path = table(tmp_path / "t.csv", flight.rows())
    right = boresight("diagnose", path, "--from", "px4", "--same-frame", "--json")
    assert (right.code, answered(right)["verdict"]) == (0, "consistent")
    wrong = boresight("diagnose", path, "--from", "ros", "--order", "wxyz", "--same-frame", "--json")
    assert (wrong.code, answered(wrong)["verdict"]) == (1, "contradicted")


def test_no_answer_is_another_code_than_a_contradiction(boresight, tmp_path: Path) -> None:
    for words in (("nope.csv",), ("nope.csv", "--json"), ("nope.csv", "--order", "up", "--json")):
        result = boresight("diagnose", *words, cwd=tmp_path)
        assert result.code == 2
        if "--json" in words:
            assert list(json.loads(result.out)) == ["error"]
    assert "none of xyzw" in json.loads(result.out)["error"]
    assert "Traceback" not in result.err
    result = boresight("diagnose", "nope.csv", "--json", cwd=tmp_path)
    assert json.loads(result.out) == {"error": "nope.csv: there is no such file"}
    assert result.err == "boresight: nope.csv: there is no such file\n"


def test_a_verdict_can_be_required(boresight, flight: Flight, example_log: Path, tmp_path: Path) -> None:
    assert boresight("diagnose", example_log, "--require", "consistent").code == 0
    path = table(tmp_path / "t.csv", flight.rows())
    assert boresight("diagnose", path).code == 0
    required = boresight("diagnose", path, "--require", "consistent", "--json")
    assert (required.code, json.loads(required.out)["verdict"]) == (1, "undeclared")
    assert json.loads(required.out)["fix"] is None
    assert boresight("diagnose", path, "--require", "consistent,undeclared").code == 0
    wrong = boresight("diagnose", path, "--require", "fine")
    assert wrong.code == 2
    assert "consistent, contradicted, undeclared" in wrong.err


# -- tables --------------------------------------------------------------------------------------------------------


def test_a_table_by_common_names(boresight, flight: Flight, tmp_path: Path) -> None:
    path = table(tmp_path / "t.csv", flight.rows())
    answer = answered(boresight("diagnose", path, "--json"))
    assert answer["verdict"] == "undeclared"
    assert answer["parts"]["sense"]["answer"] == "same"
    # q0 to q3 say no order, so that both twins are left.
    assert {reading["order"] for reading in answer["best"]} == {"wxyz", "xyzw"}
    assert answer["parts"]["order"]["state"] == "ambiguous"


def test_names_of_components_say_the_order(boresight, flight: Flight, tmp_path: Path) -> None:
    mixed = flight.rows(q=flight.q[:, [2, 1, 0, 3]])
    path = table(tmp_path / "t.csv", mixed, "t_us,q_y,q_x,q_w,q_z,gx,gy,gz,ax,ay,az")
    answer = answered(boresight("diagnose", path, "--time", "t_us:s", "--json"))
    assert answer["declared"]["order"] == "wxyz"
    assert answer["parts"]["direction"]["answer"] == "body_to_world"


@pytest.mark.parametrize("form", ["euler", "matrix"])
def test_other_forms(boresight, flight: Flight, form: str, tmp_path: Path) -> None:
    rotation = Rotation.from_quat(flight.q, order="wxyz")
    if form == "euler":
        numbers = rotation.as_euler("ZYX", degrees=True)[:, ::-1]
        head, option = "r,p,y", ("--euler", "r,p,y:deg")
    else:
        numbers = rotation.as_matrix().reshape(-1, 9)
        names = ",".join(f"R{i}{j}" for i in range(3) for j in range(3))
        head, option = names, ("--matrix", names)
    rows = np.column_stack([flight.t, numbers, np.degrees(flight.gyro)])
    path = table(tmp_path / "t.csv", rows, f"stamp,{head},wx,wy,wz")
    answer = answered(
        boresight("diagnose", path, "--time", "stamp:s", *option, "--gyro", "wx,wy,wz:deg/s", "--json")
    )
    assert answer["parts"]["direction"]["answer"] == "body_to_world"
    assert answer["parts"]["gyro_unit"]["answer"] == "deg/s"
    assert answer["best"][0]["imu_axes"] == "+x+y+z"


def test_a_wrong_unit_is_found_against_the_one_that_is_said(
    boresight, flight: Flight, tmp_path: Path
) -> None:
    path = table(tmp_path / "t.csv", flight.rows())
    result = boresight("diagnose", path, "--gyro", "gx,gy,gz:deg/s", "--json")
    assert answered(result)["verdict"] == "contradicted"
    assert "rad/s, not deg/s" in answered(result)["advice"][0]


@pytest.mark.parametrize("separator", [",", ";", "\t", " "])
def test_columns_by_number_where_there_are_no_names(
    boresight, flight: Flight, separator: str, tmp_path: Path
) -> None:
    path = tmp_path / "t.txt"
    np.savetxt(path, flight.rows(), delimiter=separator, fmt="%.10g")
    options = ("--time", "1:s", "--quat", "2,3,4,5", "--gyro", "6,7,8", "--accel", "9,10,11")
    answer = answered(boresight("diagnose", path, *options, "--json"))
    assert answer["parts"]["sense"]["answer"] == "same"


def test_a_preamble_units_below_the_names_and_tabs_at_the_end(
    boresight, flight: Flight, tmp_path: Path
) -> None:
    path = tmp_path / "t.txt"
    lines = ["// Rate: 100", "Name,x", HEAD.replace("t (s)", "t").replace(",", "\t") + "\t"]
    lines.append("\t".join(["ms", *[""] * 4, *["deg/s"] * 3, *["g"] * 3]) + "\t")
    rows = flight.rows(t=flight.t * 1e3, gyro=np.degrees(flight.gyro), force=flight.force / 9.80665)
    lines += [" " + "\t".join(f"{value:.10g}" for value in row) + "\t" for row in rows]
    path.write_text("\n".join(lines))
    answer = answered(boresight("diagnose", path, "--json"))
    assert answer["declared"] == {"gyro_unit": "deg/s", "accel_unit": "g"}
    assert answer["parts"]["gyro_unit"]["answer"] == "deg/s"
    assert answer["parts"]["accel"]["answer"]["unit"] == "g"


def test_columns_of_words_are_let_be(boresight, flight: Flight, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    lines = [
        ",".join(f"{value:.10g}" for value in row) + f",img_{i}.png" for i, row in enumerate(flight.rows())
    ]
    path.write_text("\n".join([f"{HEAD},picture", *lines]))
    answer = answered(boresight("diagnose", path, "--json"))
    assert answer["parts"]["sense"]["answer"] == "same"


def test_a_parquet_table_of_anybody(boresight, flight: Flight, tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    names = ["stamp", "a", "b", "c", "d", "u", "v", "w"]
    columns = dict(zip(names, np.column_stack([flight.t, flight.q, flight.gyro]).T, strict=True))
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table(columns), path)
    options = ("--time", "stamp:s", "--quat", "a,b,c,d", "--gyro", "u,v,w")
    answer = answered(boresight("diagnose", path, *options, "--order", "wxyz", "--json"))
    assert answer["parts"]["direction"]["answer"] == "body_to_world"


def test_sensors_in_a_file_of_their_own(boresight, flight: Flight, example_log: Path, tmp_path: Path) -> None:
    attitude = table(tmp_path / "q.csv", np.column_stack([flight.t, flight.q]), "Time (s),W,X,Y,Z")
    imu = table(
        tmp_path / "i.csv",
        np.column_stack([flight.t, np.degrees(flight.gyro)]),
        "Time (s),Gyroscope X (deg/s),Gyroscope Y (deg/s),Gyroscope Z (deg/s)",
    )
    for sensors in (imu, example_log):
        answer = answered(boresight("diagnose", attitude, "--sensors", sensors, "--json"))
        assert answer["parts"]["direction"]["answer"] == "body_to_world", sensors
    # And a log that takes its sensors from a table.
    answer = answered(boresight("diagnose", example_log, "--sensors", imu, "--json"))
    assert answer["verdict"] == "consistent"
    assert answer["parts"]["gyro_unit"]["answer"] == "deg/s"


def test_a_heading_alone(boresight, tmp_path: Path) -> None:
    t = np.arange(0.0, 20.0, 0.1)
    rows = np.column_stack([t, np.degrees(0.2 * t), 3 * t, 2 * t, 0 * t])
    path = table(tmp_path / "t.csv", rows, "t,heading,e,n,u")
    result = boresight("diagnose", path, "--time", "t:s", "--euler", "0,0,heading:deg", "--position", "e,n,u")
    assert result.code == 0
    assert result.out.startswith("NOT OBSERVABLE")
    assert "Log the gyro" in result.out


# -- rows and clocks as they are -----------------------------------------------------------------------------------


def spoilt(flight: Flight, how: str) -> np.ndarray:
    rows = flight.rows()
    n = len(rows)
    if how == "NaN gaps":
        rows[200:260, 1:5] = np.nan
        rows[900:930, 5:] = np.nan
    elif how == "infinite":
        rows[::50, 5] = np.inf
    elif how == "zero quaternions":
        rows[::9, 1:5] = 0.0
    elif how == "stamps twice":
        rows = np.repeat(rows, 2, axis=0)
    elif how == "restarted clock":
        rows[n // 2 :, 0] -= rows[n // 2, 0] - rows[0, 0]
    elif how == "reset":
        turn = Rotation.from_euler("ZYX", [1.0, 0.0, 0.0], degrees=False)
        rows[2000:, 1:5] = (turn @ Rotation.from_quat(rows[2000:, 1:5], order="wxyz")).as_quat(order="wxyz")
    elif how == "out of order":
        rows[100:200] = rows[100:200][::-1]
    return rows


@pytest.mark.parametrize(
    ("how", "told"),
    [
        ("NaN gaps", "rows without numbers"),
        ("infinite", "rows without numbers"),
        ("zero quaternions", "rows without numbers"),
        ("stamps twice", "stamps twice"),
        ("restarted clock", "1 restart of the clock"),
        ("reset", "the attitude jumps"),
        ("out of order", ""),
    ],
)
def test_a_spoilt_log_is_still_decided_and_its_faults_are_told(
    boresight, flight: Flight, how: str, told: str, tmp_path: Path
) -> None:
    path = table(tmp_path / "t.csv", spoilt(flight, how))
    answer = answered(boresight("diagnose", path, "--order", "wxyz", "--json"))
    assert answer["parts"]["direction"]["answer"] == "body_to_world"
    assert told in boresight("diagnose", path, "--order", "wxyz").out


def test_a_counter_that_wraps(boresight, flight: Flight, tmp_path: Path) -> None:
    count = (np.arange(len(flight.t)) * 2 + 64_000) % 65_536  # at 100 Hz, the log being of 50
    assert count[-1] < count[0]
    path = table(tmp_path / "t.csv", flight.rows(t=count), HEAD.replace("t (s)", "n"))
    answer = answered(boresight("diagnose", path, "--time", "n:100Hz", "--order", "wxyz", "--json"))
    assert answer["parts"]["direction"]["answer"] == "body_to_world"
    assert answer["faults"]["attitude"]["restarts"] == 0
    bare = boresight("diagnose", path, "--time", "n")
    assert (bare.code, bare.err.count("\n")) == (2, 1)
    assert "50Hz" in bare.err


def test_a_unit_of_times_that_cannot_be_is_refused(boresight, flight: Flight, tmp_path: Path) -> None:
    path = table(tmp_path / "t.csv", flight.rows(t=np.round(flight.t * 1e6)), HEAD.replace("t (s)", "t"))
    for said, right in (("s", "us"), ("ns", "us")):
        if said == "ns":
            table(path, flight.rows(t=np.round(flight.t * 1e3)), HEAD.replace("t (s)", "t"))
            right = "ms"
        result = boresight("diagnose", path, "--time", f"t:{said}")
        assert result.code == 2
        assert f"give their unit: --time t:{right}" in result.err
        assert boresight("diagnose", path, "--time", f"t:{right}").code == 0


def test_a_unit_of_times_that_the_gyro_refutes_is_told(boresight, flight: Flight, tmp_path: Path) -> None:
    path = table(tmp_path / "t.csv", flight.rows(t=np.round(flight.t * 1e3)), HEAD.replace("t (s)", "t"))
    said = ("--time", "t:s", "--gyro", "gx,gy,gz:rad/s", "--json")
    answer = answered(boresight("diagnose", path, *said))
    assert "--time t:ms" in answer["advice"][0]


def test_columns_of_one_table_have_one_clock(boresight, flight: Flight, tmp_path: Path) -> None:
    late = np.roll(flight.gyro, 25, axis=0)
    path = table(tmp_path / "t.csv", flight.rows(gyro=late))
    assert "columns of one table" in boresight("diagnose", path).out.replace("\n  ", " ")
    path = table(tmp_path / "right.csv", flight.rows())
    assert "columns of one table" not in boresight("diagnose", path).out.replace("\n  ", " ")


@pytest.mark.parametrize("how", ["few rows", "static", "no gyro", "all NaN", "noise", "gyro of another time"])
def test_what_cannot_be_told_is_said_and_no_error(
    boresight, flight: Flight, how: str, tmp_path: Path
) -> None:
    rows, head = flight.rows(), HEAD
    rng = np.random.default_rng(5)
    if how == "few rows":
        rows = rows[:5]
    elif how == "static":
        rows[:, 1:] = [1, 0, 0, 0, 0, 0, 0, 0, 0, -9.81]
        rows[:, 5:] += 1e-3 * rng.normal(size=(len(rows), 6))
    elif how == "no gyro":
        rows, head = rows[:, :5], "t (s),q0,q1,q2,q3"
    elif how == "all NaN":
        rows[:, 1:5] = np.nan
    elif how == "noise":
        rows[:, 5:8] = rng.normal(size=(len(rows), 3))
    else:
        rows[:, 5:8] = rows[::-1, 5:8]
    path = table(tmp_path / "t.csv", rows, head)
    result = boresight("diagnose", path, "--order", "wxyz", "--json")
    assert result.code == 0
    answer = answered(result)
    assert answer["verdict"] in ("not_observable", "ambiguous")
    assert answer["advice"]
    assert answer["parts"]["sense"]["state"] != "decided"


# -- wrong use -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--quat", "q0,q1,q2"], "names 3 columns, where quat has 4"),
        (["--quat", "q0,q1,q2,qq"], "there is no column 'qq'; t.csv: its columns are t (s), q0"),
        (["--gyro", "gx,gy,gz:m"], "'m' is no unit of gyro; known are rad/s, deg/s, mrad/s"),
        (["--time", "t:h"], "'h' is no unit of time; known are s, ms, us, ns, 50Hz"),
        (["--time", "when:s"], "there is no column 'when'"),
        (["--quat", "q0,q1,q2,q3:deg"], "'deg' is no unit of quat; --quat has none"),
        (["--quat", "q0,q1,q2,q3", "--euler", "q0,q1,q2:deg"], "give one of --quat and --euler"),
        (["--stream", "x"], "a table has no streams"),
        (["--order", "wxzy"], "'wxzy' is none of xyzw, wxyz"),
        (["--from", "rosx"], "did you mean ros"),
        (["--plot", "picture.txt"], "'.txt' is no picture"),
    ],
)
def test_wrong_use_ends_with_2_in_one_line(
    boresight, flight: Flight, options: list[str], says: str, tmp_path: Path
) -> None:
    table(tmp_path / "t.csv", flight.rows()[:50])
    result = boresight("diagnose", "t.csv", *options, cwd=tmp_path)
    assert result.code == 2
    last = result.err.strip().splitlines()[-1]
    assert says in last
    assert "Traceback" not in result.err


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("", "the file is empty"),
        ("a,b\nx,y\n", "no rows of numbers"),
        (
            "t (s),a,b\n0,1,2\n1,2,3\n",
            "no columns of an attitude are recognised; its columns are t (s), a, b",
        ),
        (
            "t,q0,q1,q2,q3\n0,1,0,0,0\n1,1,0,0,0\n",
            "the unit of the times in 't' is not said; give --time t:s",
        ),
        ("when,q0,q1,q2,q3\n0,1,0,0,0\n1,1,0,0,0\n", "there is no column of times"),
        ("t_s,q0,q1,q2,q3\n0,1,0,0,0\n1,1,0,zero,0\n", "line 3, column 4 (q2): 'zero' is no number"),
        ("t_s,q0,q1,q2,q3\n0,1,0,0,0\n1,1,0,0\n2,1,0,0,0\n", "line 3: 4 columns, where 5 are expected"),
        ("t_s,roll,pitch,yaw\n0,1,0,0\n1,1,0,0\n", "the unit of the angles roll, pitch, yaw is not said"),
        ("\x00\x01\x02" * 50, "no text file"),
        (
            "t_s,gx,gy,gz\n0,1,0,0\n1,1,0,0\n",
            "it has a gyro and no attitude; give it beside the attitude's: boresight diagnose ATTITUDE_FILE --sensors t.csv",
        ),
        (
            "t_s,ATTITUDE.roll,ATTITUDE.pitch,ATTITUDE.yaw,ATTITUDE.yawspeed\n0,1,0,0,0\n1,1,0,0,0\n",
            "give --euler ATTITUDE.roll,ATTITUDE.pitch,ATTITUDE.yaw:deg, or :rad",
        ),
    ],
)
def test_data_at_fault_end_with_2_in_one_line(boresight, content: str, says: str, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(content)
    result = boresight("diagnose", "t.csv", cwd=tmp_path)
    assert result.code == 2
    assert result.err.count("\n") == 1
    assert says in result.err


def test_columns_are_not_named_of_a_log_that_names_its_own(boresight, example_log: Path) -> None:
    result = boresight("diagnose", example_log, "--gyro", "a,b,c")
    assert result.code == 2
    assert "--sensors FILE" in result.err


def test_poses_without_times_are_told_so(boresight, tmp_path: Path) -> None:
    head = "# Image list with two lines of data per image:\n#   IMAGE_ID\n# Number of images: 1, mean 2\n"
    (tmp_path / "images.txt").write_text(head + "1 1 0 0 0 0 0 0 1 a.jpg\n1 2 3\n")
    result = boresight("diagnose", "images.txt", cwd=tmp_path)
    assert result.code == 2
    assert "COLMAP, which has no times: there is nothing to compare it with" in result.err


def test_a_table_s_option_for_a_log_is_told_so(boresight, example_log: Path) -> None:
    result = boresight("diagnose", example_log, "--quat", "q0,q1,q2,q3")
    assert result.code == 2
    assert "it is for tables" in result.err
    assert "ulog" in result.err


@pytest.mark.parametrize(
    ("name", "head"), [("a.npz", b"PK\x03\x04"), ("a.npy", b"\x93NUMPY"), ("a.hdf5", b"\x89HDF\r\n\x1a\n")]
)
def test_arrays_in_files_are_advised_on_in_one_line(
    boresight, name: str, head: bytes, tmp_path: Path
) -> None:
    (tmp_path / name).write_bytes(head + b"\0" * 100)
    result = boresight("diagnose", name, cwd=tmp_path)
    assert (result.code, result.err.count("\n")) == (2, 1)
    assert "CSV" in result.err
    assert "diagnose_arrays" in result.err


# -- pictures ------------------------------------------------------------------------------------------------------


def test_a_picture(boresight, example_log: Path, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    out = tmp_path / "p.png"
    assert boresight("diagnose", example_log, "--plot", out).code == 0
    assert out.read_bytes().startswith(b"\x89PNG")
    assert boresight("diagnose", example_log, "--plot", out).code == 2
    assert boresight("diagnose", example_log, "--plot", out, "--overwrite").code == 0


def test_a_picture_of_little(boresight, flight: Flight, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    path = table(tmp_path / "t.csv", flight.rows()[:, :5], "t (s),q0,q1,q2,q3")
    assert boresight("diagnose", path, "--plot", tmp_path / "p.svg").code == 0
    few = table(tmp_path / "few.csv", flight.rows()[:4])
    result = boresight("diagnose", few, "--plot", tmp_path / "q.png")
    assert result.code == 2
    assert "nothing to draw" in result.err
    assert not (tmp_path / "q.png").exists()


# -- checks in other commands --------------------------------------------------------------------------------------


@pytest.fixture
def wrong(example_log: Path, tmp_path: Path) -> Path:
    path = tmp_path / "wrong.parquet"
    log = bs.read(example_log)
    bs.write(corrected(log, Correction(direction="world_to_body"), of="vehicle_attitude"), path)
    return path


def test_convert_checks_and_refuses(boresight, wrong: Path, example_log: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.parquet"
    result = boresight("convert", wrong, "-o", out, "--check")
    assert result.code == 1
    assert result.err.count("\n") == 1
    assert "contradicted" in result.err
    assert "--direction world_to_body" in result.err
    assert "--force" in result.err
    assert not out.exists()
    result = boresight("convert", wrong, "-o", out, "--check", "--force")
    assert result.code == 0
    assert "warning" in result.err
    assert out.exists()
    shutil.copy(example_log, tmp_path / "right.ulg")
    result = boresight("convert", tmp_path / "right.ulg", "-o", tmp_path / "right.parquet", "--check")
    assert (result.code, "contradicted" in result.err) == (0, False)
    # What is corrected on the way is checked as corrected.
    options = ("--direction", "world_to_body", "--of", "vehicle_attitude")
    assert boresight("convert", wrong, "-o", tmp_path / "fixed.parquet", "--check", *options).code == 0


def test_estimate_checks_its_seed(boresight, wrong: Path, tmp_path: Path) -> None:
    result = boresight("estimate", wrong, "--seed-from-log")
    assert result.code == 1
    assert "contradicted" in result.err
    assert boresight("estimate", wrong, "--seed-from-log", "--force").code == 0
    assert boresight("estimate", wrong).code == 0


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--order", "abc"], "none of xyzw, wxyz"),
        (["--direction", "up"], "none of body_to_world, world_to_body"),
        (["--negated", "ZZX"], "no Euler sequence"),
        (["--attitude-axes", "FRD"], "is not BODY/WORLD"),
        (["--attitude-axes", "NED/FRD"], "a body has letters"),
        (["--imu-axes", "FRX"], "names no axes"),
        (["--unit", "gyro=deg/s"], "quantities are"),
        (["--unit", "angular_rate=furlong"], "is no unit"),
    ],
)
def test_wrong_corrections_are_wrong_use(boresight, example_log: Path, options: list[str], says: str) -> None:
    result = boresight("convert", example_log, "-o", "out.parquet", *options)
    assert result.code == 2
    assert says in result.err
