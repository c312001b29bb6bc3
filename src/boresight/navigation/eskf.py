"""`Eskf`: the error-state Kalman filter, one sample or measurement a call."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any, NoReturn, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from boresight.attitude import Attitude
from boresight.errors import FrameError, MissingExtraError
from boresight.frames import FLU, FRD, NED, FrameLike
from boresight.kernels.filter import KINDS, Filter
from boresight.navigation.calls import WRONG, Argument, explain, instance, number
from boresight.navigation.config import Config
from boresight.navigation.framed import body_axial, body_polar, earth_polar
from boresight.navigation.health import Diagnostics
from boresight.navigation.noise import AltitudeNoise, HeadingNoise, PositionNoise, VelocityNoise
from boresight.navigation.origin import Origin, check_year, magnetic_declination
from boresight.navigation.outcomes import Fusion, GnssFusion, Propagation, Status, Validity
from boresight.navigation.start import Alignment, Start, initialize, initialize_coarse, initialize_from
from boresight.navigation.state import State
from boresight.navigation.window import StaticWindow

__all__ = ["Eskf", "predicted_validity"]

Array = NDArray[np.float64]

_HORIZONTAL, _VERTICAL, _VELOCITY, _HEADING = 1, 2, 4, 8
_NONE = (0.0, 0.0, 0.0)
_PROPAGATED = Propagation.of(0)
_GNSS_POSITION, _GNSS_GEODETIC = KINDS["gnss_position"], KINDS["gnss_geodetic"]
_GNSS_VELOCITY, _BARO, _MAG = KINDS["gnss_velocity"], KINDS["baro"], KINDS["mag"]
_GNSS_HEADING, _COURSE, _STATIONARY = KINDS["gnss_heading"], KINDS["course"], KINDS["stationary"]


@final
class Eskf:
    """A filter for position, velocity, attitude and the biases of an IMU, with their covariance.

    Start it (`initialize`, `initialize_coarse` or `initialize_from`), then `predict` with every sample of the IMU and
    `fuse_...` with every measurement as it comes. Samples and measurements never raise, whatever is in them: each call
    returns what became of its data, and `diagnostics` counts it. What does raise is a call that is wrong in itself: a
    frame of another kind, a noise of another quantity, two numbers for a vector.

    Times are whole nanoseconds of one clock, the IMU's; a measurement's is when it was taken, up to .3 s before the
    state's time. Vectors say what axes they are in: ``frame=`` takes `frames.FRD` or `frames.FLU` for what is on the
    body, `frames.NED` or `frames.ENU` for what is on the earth, and any other of the same kind. Noise is said by its
    class: `PositionNoise.from_sigma(1.5)`.

    Parameters
    ----------
    config : Config, optional
        Checked, and never changed.
    year : float, optional
        With its fraction, for the magnetic model; 2025 without.

    Raises
    ------
    ConfigError
        If a figure of the configuration is out of its bound.
    DataError
        If no magnetic model covers the year.

    Notes
    -----
    The specification leaves some things open. Here: a gap beyond ``config.coast.limit`` is refused once, and followed
    if the next sample goes on from its far end. A source's rejections count as one run unless it is silent for its
    whole recovery time in between. A source is fresh for 2.5 of its periods after it was accepted, a mean over about
    eight. An altitude that recovers beside a fresh GNSS height moves the reference, and else the height. The yaw
    estimator steps every 10 ms, trusts the accelerometer less the further its size is from what GNSS makes of it, and
    is started from the filter's own attitude. A stationary claim is judged like a velocity, and establishes none. A
    measurement of the same time as the last gets the correlation of two that are 1 ms apart.

    Examples
    --------
    >>> from boresight import Attitude, frames
    >>> from boresight.navigation import Eskf, State, VelocityNoise
    >>> filter = Eskf()
    >>> sigma = np.repeat([1.0, 0.1, 0.02, 0.2, 0.01], 3)
    >>> filter.initialize_from(State(Attitude.level()), np.diag(sigma**2), time=0)
    SEEDED
    >>> filter.predict_rates(2_500_000, [0, 0, 0], [0, 0, -9.80665], 0.0025, frame=frames.FRD).name
    'PROPAGATED'
    >>> outcome = filter.fuse_gnss_velocity(
    ...     2_500_000, [0.2, 0.0, 0.0], VelocityNoise.from_sigma(0.1), frame=frames.ENU
    ... )
    >>> print(outcome)
    ACCEPTED (test_ratio 0.121)
    >>> filter.velocity.round(2)
    array([0. , 0.1, 0. ])
    """

    __slots__ = ("_config", "_native", "_predict", "_predict_rates", "_year")

    def __init__(self, config: Config | None = None, *, year: float | None = None) -> None:
        config = Config() if config is None else config
        instance(
            "the configuration", config, Config, "a Config: Config(...), or Config().with_value(path, value)"
        )
        self._config = config.validate()
        self._year = None if year is None else check_year(year)
        self._native = Filter(self._config.flat())
        self._predict, self._predict_rates = self._native.predict, self._native.predict_rates
        if self._config.declination is not None:
            self._native.set_declination(self._config.declination, True)

    def copy(self) -> Eskf:
        """Make a second filter that is where this one is, and goes its own way from there."""
        other = Eskf(self._config, year=self._year)
        other._native = self._native.copy()
        other._predict, other._predict_rates = other._native.predict, other._native.predict_rates
        return other

    __copy__ = copy

    def __deepcopy__(self, memo: dict[int, Any]) -> Eskf:
        return self.copy()

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        raise TypeError(
            "an Eskf is not pickled: what it has of the past and of its sources lives in native code. In one process "
            "copy() makes a second one; elsewhere Eskf(filter.config) goes on from the estimate with "
            "initialize_from(filter.state, filter.covariance, filter.time)"
        )

    # ---- start ----------------------------------------------------------------------------

    def initialize(self, window: StaticWindow) -> Alignment:
        """Start from a window of samples: static if it was at rest and long enough, else coarse.

        Returns
        -------
        Alignment
            What the start is worth, with the reason where it is coarse.

        Raises
        ------
        InitializationError
            If the window has no sample.
        """
        return self.load(initialize(window, self._start_config()))

    def initialize_coarse(
        self,
        time: int,
        rate: ArrayLike,
        specific_force: ArrayLike,
        *,
        frame: FrameLike,
        magnetic_field: ArrayLike | None = None,
    ) -> Alignment:
        """Start from one sample: its specific force is taken for gravity, and nothing counts as established.

        Parameters
        ----------
        time : int
            Nanoseconds.
        rate, specific_force : array_like, shape (3,)
            rad/s and m/s².
        frame : type of Frame
        magnetic_field : array_like, shape (3,), optional
            In any unit.

        Raises
        ------
        InitializationError
            If a number is not finite.
        """
        return self.load(
            initialize_coarse(
                time,
                rate,
                specific_force,
                magnetic_field=magnetic_field,
                frame=frame,
                config=self._start_config(),
            )
        )

    def initialize_from(self, state: State, covariance: ArrayLike, time: int) -> Alignment:
        """Start from a state that is known; all of it counts as established.

        An attitude in a wrong convention is the one error that nothing later detects: that is why a state takes an
        `Attitude`, whose constructors say what the numbers are.

        Parameters
        ----------
        state : State
        covariance : array_like, shape (15, 15)
            Of position, velocity, attitude (a small rotation in body axes), accelerometer and gyro bias. Made
            symmetric and trusted.
        time : int
            Nanoseconds.

        Raises
        ------
        InitializationError
            `NOT_FINITE`, or `INVALID_VARIANCE` for one on the diagonal below its floor.
        """
        return self.load(initialize_from(state, covariance, time))

    def _start_config(self) -> Config:
        """Make what a start is worked out with: a declination that was set since counts from the first heading on."""
        if not self._native.declination_fixed():
            return self._config
        return replace(self._config, declination=self._native.declination())

    def load(self, start: Start) -> Alignment:
        """Start from what a start was made of."""
        instance(
            "the start",
            start,
            Start,
            "a Start: of navigation.initialize, initialize_coarse or initialize_from",
        )
        if start.heading_magnetic:
            # Its heading counts from magnetic north, and so has what corrects it, until an origin is placed again.
            self._native.set_declination(0.0, False)
        state = start.state
        quaternion = state.attitude.body_to_ned(order="xyzw")
        numbers = np.concatenate(
            [state.position, state.velocity, quaternion, state.accel_bias, state.gyro_bias]
        )
        established = (
            (_HORIZONTAL | _VERTICAL) * start.position_established
            | _VELOCITY * start.velocity_established
            | _HEADING * start.heading_established
        )
        covariance = np.ascontiguousarray(start.covariance, dtype=np.float64)
        self._native.start(start.time, numbers, covariance, established, start.heading_magnetic)
        if start.clear_origin:
            self._native.clear_origin()
        if start.baro_reference is not None:
            self._native.set_baro_reference(*start.baro_reference)
        return start.alignment

    # ---- propagation ----------------------------------------------------------------------

    def predict(
        self,
        time: int,
        delta_angle: ArrayLike,
        angle_interval: float,
        delta_velocity: ArrayLike,
        velocity_interval: float,
        *,
        frame: FrameLike,
    ) -> Propagation:
        """Move the state on by one sample of increments.

        Parameters
        ----------
        time : int
            Nanoseconds, at the end of the increments.
        delta_angle : array_like, shape (3,)
            Radians turned, over `angle_interval` seconds.
        delta_velocity : array_like, shape (3,)
            m/s, the integral of specific force over `velocity_interval` seconds.
        frame : type of Frame
            Of both.

        Returns
        -------
        Propagation
        """
        try:
            if frame is FRD:
                code = self._predict(
                    time, delta_angle, angle_interval, delta_velocity, velocity_interval, False
                )
            elif frame is FLU:
                code = self._predict(
                    time, delta_angle, angle_interval, delta_velocity, velocity_interval, True
                )
            else:
                angle = body_axial(delta_angle, frame, what="the angle increment")
                velocity = body_polar(delta_velocity, frame, what="the velocity increment")
                code = self._predict(time, angle, angle_interval, velocity, velocity_interval, False)
        except WRONG as error:
            explain(
                error,
                time,
                ("delta_angle", delta_angle, "rad"),
                ("delta_velocity", delta_velocity, "m/s"),
                numbers=(
                    ("angle_interval", angle_interval, "s"),
                    ("velocity_interval", velocity_interval, "s"),
                ),
            )
        return self._propagation(code) if code else _PROPAGATED

    def predict_rates(
        self, time: int, rate: ArrayLike, specific_force: ArrayLike, interval: float, *, frame: FrameLike
    ) -> Propagation:
        """Move the state on by one sample of rates, which held for `interval` seconds up to its time.

        Parameters
        ----------
        time : int
            Nanoseconds.
        rate, specific_force : array_like, shape (3,)
            rad/s, and m/s²: at rest and level it is gravity's size upwards.
        interval : float
            Seconds.
        frame : type of Frame
            Of both.

        Returns
        -------
        Propagation
        """
        try:
            if frame is FRD:
                code = self._predict_rates(time, rate, specific_force, interval, False)
            elif frame is FLU:
                code = self._predict_rates(time, rate, specific_force, interval, True)
            else:
                turn = body_axial(rate, frame, what="the rate")
                force = body_polar(specific_force, frame, what="the specific force")
                code = self._predict_rates(time, turn, force, interval, False)
        except WRONG as error:
            explain(
                error,
                time,
                ("rate", rate, "rad/s"),
                ("specific_force", specific_force, "m/s²"),
                numbers=(("interval", interval, "s"),),
            )
        return self._propagation(code) if code else _PROPAGATED

    def _propagation(self, code: int) -> Propagation:
        known = Propagation.of(code)
        seconds = self._native.last_dt()
        match known.name:
            case "COASTED" | "INVALID_STEP":
                return Propagation(known.name, dt=seconds)
            case "STEP_TOO_LONG":
                return Propagation(known.name, dt=seconds, limit=self._native.last_limit())
            case "INVALID_INTERVAL":
                return Propagation(known.name, interval=seconds)
            case _:
                return known

    # ---- measurements ---------------------------------------------------------------------

    def fuse_gnss_position(
        self,
        time: int,
        position: ArrayLike,
        noise: PositionNoise,
        *,
        frame: FrameLike,
        antenna: ArrayLike | None = None,
        antenna_frame: FrameLike | None = None,
    ) -> GnssFusion:
        """Fuse a position relative to the filter's origin, in metres; the horizontal half and the height apart.

        Parameters
        ----------
        time : int
            Nanoseconds, when it was taken.
        position : array_like, shape (3,)
        noise : PositionNoise
        frame : type of Frame
            `frames.NED` or `frames.ENU`.
        antenna : array_like, shape (3,), optional
            Where the antenna is, from the IMU, in metres; at the IMU without.
        antenna_frame : type of Frame
            Its axes, on the body.
        """
        try:
            value = position if frame is NED else earth_polar(position, frame, what="the position")
            return self._fuse_position(_GNSS_POSITION, time, value, noise, _arm(antenna, antenna_frame))
        except WRONG as error:
            explain(error, time, ("position", position, "m"), *_place(antenna))

    def fuse_gnss_geodetic(
        self,
        time: int,
        latitude: float,
        longitude: float,
        height: float,
        noise: PositionNoise,
        *,
        antenna: ArrayLike | None = None,
        antenna_frame: FrameLike | None = None,
    ) -> GnssFusion:
        """Fuse a position in degrees and metres above the ellipsoid. The first one places the origin.

        It does so under the estimate where there is one, which then does not step, and else at the fix. Where the
        origin comes to be, the magnetic model gives the declination, unless the configuration has.

        Parameters
        ----------
        time : int
            Nanoseconds, when it was taken.
        latitude, longitude : float
            Degrees.
        height : float
            Metres.
        noise : PositionNoise
        antenna, antenna_frame
            As in `fuse_gnss_position`.
        """
        had_origin = self._native.origin() is not None
        value = (
            number("latitude", latitude, "degrees"),
            number("longitude", longitude, "degrees"),
            number("height", height, "m"),
        )
        try:
            outcome = self._fuse_position(_GNSS_GEODETIC, time, value, noise, _arm(antenna, antenna_frame))
        except WRONG as error:
            explain(error, time, *_place(antenna))
        if not had_origin:
            self._find_declination()
        return outcome

    def fuse_gnss_velocity(
        self,
        time: int,
        velocity: ArrayLike,
        noise: VelocityNoise,
        *,
        frame: FrameLike,
        antenna: ArrayLike | None = None,
        antenna_frame: FrameLike | None = None,
    ) -> Fusion:
        """Fuse a velocity of the antenna, in m/s; what the turning adds to the IMU's own is taken out.

        Parameters
        ----------
        time : int
            Nanoseconds, when it was taken.
        velocity : array_like, shape (3,)
        noise : VelocityNoise
        frame : type of Frame
            `frames.NED` or `frames.ENU`.
        antenna, antenna_frame
            As in `fuse_gnss_position`.
        """
        try:
            value = velocity if frame is NED else earth_polar(velocity, frame, what="the velocity")
            variance = _variance(noise, VelocityNoise)
            return self._fuse(_GNSS_VELOCITY, time, value, variance, _arm(antenna, antenna_frame))
        except WRONG as error:
            explain(error, time, ("velocity", velocity, "m/s"), *_place(antenna))

    def fuse_baro_altitude(self, time: int, altitude: float, noise: AltitudeNoise) -> Fusion:
        """Fuse an altitude above the barometer's own zero, in metres, up.

        The offset between that zero and the filter's origin is estimated too. Without a reference from the start the
        first altitude after the height is established makes one (RESET), and until then there is NO_REFERENCE.
        """
        return self._scalar(_BARO, time, number("altitude", altitude, "m"), noise, AltitudeNoise)

    def fuse_mag_heading(
        self, time: int, field: ArrayLike, noise: HeadingNoise, *, frame: FrameLike
    ) -> Fusion:
        """Fuse the heading of a magnetic field, leveled by the estimated attitude.

        Parameters
        ----------
        time : int
            Nanoseconds, when it was taken.
        field : array_like, shape (3,)
            Calibrated, in any unit.
        noise : HeadingNoise
            Of the heading. It is widened by what the tilt is not known to, times the tangent of the field's dip.
        frame : type of Frame
            `frames.FRD` or `frames.FLU`.
        """
        try:
            value = field if frame is FRD else body_polar(field, frame, what="the field")
            return self._fuse(_MAG, time, value, _scalar_variance(noise, HeadingNoise), _NONE)
        except WRONG as error:
            explain(error, time, ("field", field, "in any unit"))

    def fuse_gnss_heading(self, time: int, heading: float, noise: HeadingNoise) -> Fusion:
        """Fuse the true heading that a receiver with two antennas gives, in radians clockwise from north.

        UNOBSERVABLE where the body's x axis is within 30° of the vertical.
        """
        return self._scalar(_GNSS_HEADING, time, number("heading", heading, "rad"), noise, HeadingNoise)

    def fuse_course(self, time: int, sideslip: HeadingNoise) -> Fusion:
        """Claim that the vehicle points where it goes, to within a sideslip: for wheels and wings, not for multirotors.

        Call it after `fuse_gnss_velocity`, with the same time. UNOBSERVABLE without a fresh velocity, or where the
        vehicle is too slow for its course to be known to 15°.
        """
        return self._scalar(_COURSE, time, 0.0, sideslip, HeadingNoise)

    def fuse_stationary(self, time: int, noise: VelocityNoise) -> Fusion:
        """Claim that the vehicle stands still. A claim that the gate turns down is never adopted."""
        try:
            return self._fuse(_STATIONARY, time, _NONE, _variance(noise, VelocityNoise), _NONE)
        except WRONG as error:
            explain(error, time)

    def _fuse(self, kind: int, time: int, value: Any, variance: Any, arm: Any) -> Fusion:
        return self._fusion(self._native.fuse(kind, time, value, variance, arm) & 255, 0)

    def _scalar(self, kind: int, time: int, value: float, noise: Any, needed: type) -> Fusion:
        try:
            return self._fuse(kind, time, (value, 0.0, 0.0), _scalar_variance(noise, needed), _NONE)
        except WRONG as error:
            explain(error, time)

    def _fuse_position(self, kind: int, time: int, value: Any, noise: PositionNoise, arm: Any) -> GnssFusion:
        code = self._native.fuse(kind, time, value, _variance(noise, PositionNoise), arm)
        return GnssFusion(self._fusion(code & 255, 0), self._fusion(code >> 8, 1))

    def _fusion(self, code: int, half: int) -> Fusion:
        known = Fusion.of(code)
        match known.name:
            case "ACCEPTED" | "REJECTED":
                return Fusion(known.name, test_ratio=self._native.last_ratio()[half])
            case "OUT_OF_HORIZON":
                return Fusion(known.name, age=self._native.last_age())
            case _:
                return known

    # ---- origin and references ------------------------------------------------------------

    @property
    def origin(self) -> Origin | None:
        """Where positions count from, if a fix or `set_origin` has placed it."""
        place = self._native.origin()
        return None if place is None else Origin(*place)

    def set_origin(self, origin: Origin) -> None:
        """Count positions from a known place. A static start clears it, so call this after it."""
        instance("the origin", origin, Origin, "an Origin(latitude, longitude, height)")
        self._native.set_origin(origin.latitude, origin.longitude, origin.height)
        self._find_declination()

    @property
    def geodetic(self) -> tuple[float, float, float] | None:
        """Latitude and longitude in degrees and height in metres of the estimate; None without an origin."""
        return self._native.geodetic()

    @property
    def declination(self) -> float:
        """Radians by which magnetic north is taken to be east of true north."""
        return self._native.declination()

    def set_declination(self, declination: float) -> None:
        """Set it for good. A heading that only the magnetometer has referred to north is turned by the change."""
        self._native.set_declination(number("declination", declination, "rad"), True)

    @property
    def baro_reference(self) -> float | None:
        """The barometer's altitude at the origin as it is estimated now; None while there is none."""
        reference = self._native.baro_reference()
        return None if reference is None else reference[0]

    def set_baro_reference(self, altitude: float, noise: AltitudeNoise) -> bool:
        """Say what the barometer reads at the origin. False, changing nothing, for what is no number or no noise."""
        height = number("altitude", altitude, "m")
        return self._native.set_baro_reference(height, _scalar_variance(noise, AltitudeNoise)[0])

    def _find_declination(self) -> None:
        place = self._native.origin()
        if place is None or self._native.declination_fixed():
            return
        try:
            declination = magnetic_declination(*place, year=self._year)
        except MissingExtraError as error:
            warnings.warn(f"headings of the magnetometer stay magnetic: {error}", stacklevel=3)
            return
        self._native.set_declination(declination, False)

    @property
    def native(self) -> Filter:
        """The filter in native code, for `kernels.filter.run`."""
        return self._native

    # ---- the estimate ---------------------------------------------------------------------

    @property
    def config(self) -> Config:
        """What the filter is tuned by."""
        return self._config

    @property
    def time(self) -> int:
        """Nanoseconds, of the state."""
        return self._native.time()

    @property
    def state(self) -> State:
        """All of the estimate; level and at the origin before the start."""
        x = self._native.state()
        return State(Attitude.from_body_to_ned(x[6:10], order="xyzw"), x[0:3], x[3:6], x[10:13], x[13:16])

    @property
    def position(self) -> Array:
        """Metres north, east, down of the origin, shape (3,)."""
        return self._native.state()[0:3]

    @property
    def velocity(self) -> Array:
        """m/s north, east, down, shape (3,)."""
        return self._native.state()[3:6]

    @property
    def attitude(self) -> Attitude:
        """From body FRD to NED."""
        return Attitude.from_body_to_ned(self._native.state()[6:10], order="xyzw")

    @property
    def accel_bias(self) -> Array:
        """m/s² forward, right, down, shape (3,)."""
        return self._native.state()[10:13]

    @property
    def gyro_bias(self) -> Array:
        """rad/s forward, right, down, shape (3,)."""
        return self._native.state()[13:16]

    @property
    def covariance(self) -> Array:
        """Of position, velocity, attitude (a small rotation in body axes) and both biases, shape (15, 15)."""
        return self._native.covariance()

    @property
    def attitude_sigma(self) -> Array:
        """Standard deviations of the attitude about north, east and down, radians, shape (3,)."""
        return np.sqrt(self._native.attitude_variance())

    @property
    def is_initialized(self) -> bool:
        """Whether the filter has been started."""
        return self._native.initialized()

    @property
    def is_aligned(self) -> bool:
        """Whether the attitude has ever come within 3° of tilt and 30° of an established heading."""
        return self._native.aligned()

    @property
    def is_holding(self) -> bool:
        """Whether the position is held for want of any horizontal measurement."""
        return self._native.holding()

    @property
    def status(self) -> Status:
        """How bad the worst thing is."""
        return Status(self._native.status())

    @property
    def validity(self) -> Validity:
        """Which quantities can be used now."""
        return Validity.from_bits(self._native.validity())

    def predicted_validity(self, horizon: float | None = None) -> Validity:
        """Which quantities will be valid in `horizon` seconds without any measurement, or are held valid by one.

        Parameters
        ----------
        horizon : float, optional
            Seconds; ``config.accuracy.horizon`` without.
        """
        seconds = self._config.accuracy.horizon if horizon is None else number("horizon", horizon, "s")
        return Validity.from_bits(self._native.predicted_validity(seconds))

    @property
    def diagnostics(self) -> Diagnostics:
        """What became of everything so far."""
        return Diagnostics.from_native(self._native.diagnostics())

    def __repr__(self) -> str:
        if not self.is_initialized:
            return "Eskf(not started)"
        return f"Eskf({self.status.name}, at {self.time} ns)"


# The method under a name of its own, as `initialize` and its like have one: predicted_validity(filter, horizon).
predicted_validity = Eskf.predicted_validity


def _arm(antenna: ArrayLike | None, frame: FrameLike | None) -> Any:
    if antenna is None:
        return _NONE
    if frame is None:
        raise FrameError(
            "the antenna's place has no axes; give antenna_frame=frames.FRD or whichever they are"
        )
    return body_polar(antenna, frame, what="the antenna's place")


def _place(antenna: object) -> tuple[Argument, ...]:
    return () if antenna is None else (("antenna", antenna, "m"),)


def _variance(noise: Any, needed: type) -> Array:
    if noise.__class__ is not needed:
        name = needed.__name__
        raise TypeError(
            f"the noise is a {type(noise).__name__} and has to be a {name}: {name}.from_sigma(...) or "
            f"{name}.from_variance(...)"
        )
    return noise.variance


def _scalar_variance(noise: Any, needed: type) -> tuple[float, float, float]:
    return (float(_variance(noise, needed)), 1.0, 1.0)
