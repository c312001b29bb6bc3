"""A whole log in one call: the same numbers as one call a sample, in the order that is promised."""

from __future__ import annotations

import copy

import numpy as np
import pytest
from drives import GRAVITY, seeded

from boresight import frames
from boresight.kernels.filter import KINDS, MEASUREMENT, SOURCES, Filter, run
from boresight.navigation import (
    AltitudeNoise,
    Config,
    Eskf,
    Fusion,
    HeadingNoise,
    PositionNoise,
    Propagation,
    Status,
    Validity,
    VelocityNoise,
)

CONFIG = Config(declination=0.0)


def a_log(samples=2000, seed=0):
    """Samples and measurements of every kind, late ones among them, some of both refused."""
    rng = np.random.default_rng(seed)
    time = np.arange(1, samples + 1) * 5_000_000
    imu = np.zeros((samples, 8))
    imu[:, 3] = imu[:, 7] = 0.005
    imu[:, 0:3] = rng.standard_normal((samples, 3)) * 1e-3
    imu[:, 4:7] = [0, 0, -GRAVITY * 0.005] + rng.standard_normal((samples, 3)) * 1e-2
    imu[40, 2] = np.nan
    time[50] = time[49]
    time[70:] += 400_000_000  # a gap
    rows = np.zeros(samples // 5, MEASUREMENT)
    rows["after"] = np.sort(rng.integers(0, samples + 1, len(rows)))
    rows["time"] = (
        np.where(rows["after"] > 0, time[rows["after"] - 1], 0)
        - rng.integers(-50, 350, len(rows)) * 1_000_000
    )
    rows["kind"] = rng.choice([1, 3, 4, 5, 6, 7, 8], len(rows))
    rows["value"] = rng.standard_normal((len(rows), 3)) * 0.3
    rows["value"][rows["kind"] == 5] = [0.4, 0.01, 0.8]
    rows["variance"] = 0.1
    rows["variance"][7] = -1.0
    rows["arm"] = [0.1, 0.0, -0.2]
    return time, imu, rows


def one_by_one(eskf, time, imu, rows):
    """Feed the same through the calls of a user, and note what each answers and the state after each sample."""
    propagation, fusion, states = [], [], []
    m = 0

    def fuse_until(done):
        nonlocal m
        while m < len(rows) and rows["after"][m] <= done:
            row = rows[m]
            t, z, v, arm = int(row["time"]), row["value"], row["variance"], row["arm"]
            match int(row["kind"]):
                case 1:
                    out = eskf.fuse_gnss_position(
                        t,
                        z,
                        PositionNoise.from_variance(v),
                        frame=frames.NED,
                        antenna=arm,
                        antenna_frame=frames.FRD,
                    )
                case 3:
                    out = eskf.fuse_gnss_velocity(
                        t,
                        z,
                        VelocityNoise.from_variance(v),
                        frame=frames.NED,
                        antenna=arm,
                        antenna_frame=frames.FRD,
                    )
                case 4:
                    out = eskf.fuse_baro_altitude(t, z[0], AltitudeNoise.from_variance(v[0]))
                case 5:
                    out = eskf.fuse_mag_heading(t, z, HeadingNoise.from_variance(v[0]), frame=frames.FRD)
                case 6:
                    out = eskf.fuse_gnss_heading(t, z[0], HeadingNoise.from_variance(v[0]))
                case 7:
                    out = eskf.fuse_course(t, HeadingNoise.from_variance(v[0]))
                case _:
                    out = eskf.fuse_stationary(t, VelocityNoise.from_variance(v))
            fusion.append(tuple(out) if isinstance(out, tuple) else (out,))
            m += 1

    fuse_until(0)
    for i in range(len(time)):
        propagation.append(
            eskf.predict(int(time[i]), imu[i, :3], imu[i, 3], imu[i, 4:7], imu[i, 7], frame=frames.FRD)
        )
        fuse_until(i + 1)
        states.append((eskf._native.state(), eskf.covariance, eskf.status, eskf.validity, eskf.time))
    return propagation, fusion, states


@pytest.mark.parametrize("every", [1, 7])
def test_it_gives_what_one_call_a_sample_gives(every):
    time, imu, rows = a_log()
    eskf, other = seeded(CONFIG), seeded(CONFIG)
    propagation, fusion, states = one_by_one(eskf, time, imu, rows)
    result = run(other._native, time, imu, rows, every=every, full_covariance=True)
    assert result.done
    assert result.next == (len(time), len(rows), len(time) // every)
    assert [Propagation.of(code).name for code in result.propagation] == [p.name for p in propagation]
    for outcomes, codes, ratios in zip(fusion, result.fusion, result.test_ratio, strict=True):
        for half in range(2):
            if half == len(outcomes):
                assert codes[half] == 255
                continue
            assert Fusion.of(codes[half]).name == outcomes[half].name
            if outcomes[half].test_ratio is not None:
                assert ratios[half] == outcomes[half].test_ratio
            elif outcomes[half].name != "RESET":
                assert np.isnan(ratios[half])
    chosen = states[every - 1 :: every]
    np.testing.assert_array_equal(result.state, [s[0] for s in chosen])
    np.testing.assert_array_equal(result.covariance, [s[1] for s in chosen])
    np.testing.assert_array_equal(result.variance, [np.diagonal(s[1]) for s in chosen])
    assert [Status(code) for code in result.status] == [s[2] for s in chosen]
    assert [Validity.from_bits(int(bits)) for bits in result.validity] == [s[3] for s in chosen]
    np.testing.assert_array_equal(result.time, [s[4] for s in chosen])
    names = {outcome.name for outcomes in fusion for outcome in outcomes}
    assert {"ACCEPTED", "INVALID_NOISE", "OUT_OF_HORIZON"} <= names
    assert {"COASTED", "NOT_FINITE", "INVALID_STEP"} <= {p.name for p in propagation}


def test_the_innovations_are_those_of_the_gate():
    time, imu, rows = a_log()
    result = run(seeded(CONFIG)._native, time, imu, rows, every=100)
    scalar = np.isin(rows["kind"], [KINDS["baro"], KINDS["gnss_heading"]]) & (result.fusion[:, 0] <= 1)
    assert scalar.sum() > 50
    ratio = result.innovation[scalar, 0] ** 2 / result.innovation_variance[scalar, 0] / 10.827566
    np.testing.assert_allclose(ratio, result.test_ratio[scalar, 0], rtol=1e-9)
    height = (rows["kind"] == KINDS["gnss_position"]) & (result.fusion[:, 1] <= 1)
    ratio = result.innovation[height, 2] ** 2 / result.innovation_variance[height, 2] / 10.827566
    np.testing.assert_allclose(ratio, result.test_ratio[height, 1], rtol=1e-9)
    refused = result.fusion[:, 0] >= 3
    assert np.isnan(result.innovation[refused]).all()


def test_without_covariances_there_are_variances():
    time, imu, rows = a_log(200)
    full = run(seeded(CONFIG)._native, time, imu, rows, full_covariance=True)
    short = run(seeded(CONFIG)._native, time, imu, rows)
    assert short.covariance is None
    np.testing.assert_array_equal(short.variance, full.variance)


def test_it_stops_where_the_origin_is_placed_and_goes_on():
    time, imu, _ = a_log(400)
    rows = np.zeros(3, MEASUREMENT)
    rows["kind"] = [KINDS["baro"], KINDS["gnss_geodetic"], KINDS["gnss_geodetic"]]
    rows["after"] = [10, 200, 300]
    rows["time"] = time[rows["after"] - 1]
    rows["value"] = [[5.0, 0, 0], [47.0, 8.0, 400.0], [47.0, 8.0, 401.0]]
    rows["variance"] = 1.0
    eskf = seeded(Config())
    result = run(eskf._native, time, imu, rows, pause_at_origin=True)
    assert not result.done
    assert result.next == (200, 2, 199)
    assert eskf.origin is not None
    assert run(eskf._native, time, imu, rows, pause_at_origin=True, result=result) is result
    assert result.done
    assert result.next == (400, 3, 400)
    whole = run(seeded(Config())._native, time, imu, rows)
    np.testing.assert_array_equal(result.state, whole.state)
    np.testing.assert_array_equal(result.fusion, whole.fusion)


def test_nothing_in_gives_nothing_out():
    result = run(seeded(CONFIG)._native, np.zeros(0, np.int64), np.zeros((0, 8)), np.zeros(0, MEASUREMENT))
    assert result.done
    assert len(result.time) == 0


def test_strided_and_foreign_arrays_are_taken():
    time, imu, rows = a_log(100)
    plain = run(seeded(CONFIG)._native, time, imu, rows)
    wide = np.zeros((100, 16))
    wide[:, ::2] = imu
    other = run(seeded(CONFIG)._native, time.astype(">i8"), wide[:, ::2], rows[:, np.newaxis][:, 0])
    np.testing.assert_array_equal(plain.state, other.state)


def test_arrays_that_do_not_fit_are_an_error():
    time, imu, rows = a_log(100)
    native = seeded(CONFIG)._native
    with pytest.raises(ValueError, match="n, 8"):
        run(native, time[:-1], imu, rows)
    with pytest.raises(ValueError, match="every"):
        run(native, time, imu, rows, every=0)
    for field, value in (("kind", 9), ("kind", 0), ("after", -5)):
        bad = rows.copy()
        bad[field][5] = value
        with pytest.raises(ValueError, match="kind"):
            run(native, time, imu, bad)


def test_a_filter_wants_all_its_figures_and_no_others():
    flat = Config().flat()
    with pytest.raises(ValueError, match="gravity"):
        Filter({name: value for name, value in flat.items() if name != "gravity"})
    with pytest.raises(ValueError, match="colour"):
        Filter({**flat, "colour": 1.0})


@pytest.mark.parametrize("make", [Eskf.copy, copy.copy, copy.deepcopy])
def test_a_copy_goes_its_own_way(make):
    eskf = seeded(CONFIG)
    other = make(eskf)
    eskf.predict_rates(10_000_000, [0, 0, 0], [0, 0, 0], 0.01, frame=frames.FRD)
    assert other.time == 0
    assert eskf.time == 10_000_000
    other.predict_rates(10_000_000, [0, 0, 0], [0, 0, 0], 0.01, frame=frames.FRD)
    np.testing.assert_array_equal(eskf.covariance, other.covariance)
    assert other.config is eskf.config


def test_the_sources_have_one_order():
    diagnostics = Eskf(CONFIG)._native.diagnostics()
    assert tuple(diagnostics["sources"]) == SOURCES
