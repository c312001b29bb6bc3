"""The way in for plain arrays."""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from boresight import kernels
from boresight.diagnosis.clock import seconds
from boresight.diagnosis.evidence import Recorded
from boresight.diagnosis.model import Claims, Diagnosis, SecondClaim
from boresight.diagnosis.second import Second
from boresight.diagnosis.twins import Direction, Order
from boresight.diagnosis.verdict import diagnose_recorded
from boresight.errors import DataError

__all__ = ["Stream", "diagnose_arrays", "recorded", "second_record"]

Floats = NDArray[np.float64]
Stream = ArrayLike | tuple[ArrayLike, ArrayLike]
"""Values, one for each of the attitude's times, or a pair of times and values."""


def diagnose_arrays(
    time: ArrayLike,
    *,
    quat: ArrayLike | None = None,
    euler: ArrayLike | None = None,
    matrix: ArrayLike | None = None,
    gyro: Stream | None = None,
    accel: Stream | None = None,
    velocity: Stream | None = None,
    position: Stream | None = None,
    mag: Stream | None = None,
    sequence: str = "ZYX",
    degrees: bool | None = None,
    order: Order | None = None,
    direction: Direction | None = None,
    same_frame: bool = False,
    same_world: bool = False,
    upright: bool = False,
    any_hand: bool = False,
    gyro_unit: str | None = None,
    accel_unit: str | None = None,
    world_up: str | None = None,
    second: Second | None = None,
    second_claim: SecondClaim | None = None,
    source: str = "",
) -> Diagnosis:
    """Tell which reading of stored orientations the sensors beside them support.

    Parameters
    ----------
    time : array_like, shape (n,)
        Times of the orientations: seconds, or integer nanoseconds.
    quat : array_like, shape (n, 4)
        Quaternions as they are stored, whatever their order. Exactly one of `quat`, `euler` and `matrix` is given.
    euler : array_like, shape (n, 3)
        Euler angles in the order of `sequence`; `degrees` says their unit.
    matrix : array_like, shape (n, 3, 3)
        Rotation matrices.
    gyro, accel, velocity, position, mag : array_like, shape (n, 3), or a pair (times, values)
        Angular rate, specific force and magnetic field in the sensors' axes, velocity and position in the world; a
        pair where the stream has times of its own, on the same clock. Units are found.
    sequence : str
        Sequence of the Euler angles; upper case intrinsic, lower case extrinsic.
    degrees : bool
        Unit of the Euler angles, needed with `euler`.
    order : {"xyzw", "wxyz"}, optional
        The order of the quaternions, where it is known.
    direction : {"body_to_world", "world_to_body"}, optional
        What is declared, to be checked.
    same_frame : bool
        Gyro and attitude are in the same body axes.
    same_world : bool
        Velocity and attitude are in the same world axes.
    upright : bool
        The sensor does not lie on its side in the body, nor the world's z axis along the ground.
    any_hand : bool
        Admit left-handed sensors (swapped columns).
    gyro_unit, accel_unit, world_up : str, optional
        Declared, to be checked: ``"rad/s"``, ``"m/s2"``, ``"-z"``.
    second : Second, optional
        Another record of the orientation, of `second_record`.
    second_claim : SecondClaim, optional
        That it is what it is read as; without it the two are compared, and nothing rests on it.
    source : str
        A name for the report.

    Returns
    -------
    Diagnosis
        What is decided, what is open and why.

    Raises
    ------
    DataError
        If a shape is wrong, or not exactly one form of orientation is given.

    Examples
    --------
    >>> import numpy as np
    >>> from boresight import Rotation
    >>> t = np.arange(0.0, 30.0, 0.01)
    >>> angles = np.stack([2.0 * np.sin(0.3 * t), 0.8 * np.sin(0.5 * t), np.sin(0.9 * t)], axis=-1)
    >>> R = Rotation.from_euler("ZYX", angles, degrees=False)
    >>> rate = (R[:-1].inv() @ R[1:]).as_rotvec() / 0.01
    >>> answer = diagnose_arrays(t, quat=R.inv().as_quat(order="wxyz"), gyro=(t[:-1] + 0.005, rate), order="wxyz")
    >>> answer["direction"].answer
    'world_to_body'
    """
    claims = Claims(
        order=order,
        direction=direction,
        same_frame=same_frame,
        same_world=same_world,
        upright=upright,
        any_hand=any_hand,
        gyro_unit=gyro_unit,
        accel_unit=accel_unit,
        world_up=world_up,
        second=second_claim,
    )
    streams = {"gyro": gyro, "accel": accel, "velocity": velocity, "position": position, "mag": mag}
    given = recorded(
        time,
        quat=quat,
        euler=euler,
        matrix=matrix,
        streams=streams,
        sequence=sequence,
        degrees=degrees,
        second=second,
    )
    return diagnose_recorded(given, claims, source=source)


def recorded(
    time: ArrayLike,
    *,
    quat: ArrayLike | None = None,
    euler: ArrayLike | None = None,
    matrix: ArrayLike | None = None,
    streams: dict[str, Stream | None],
    sequence: str = "ZYX",
    degrees: bool | None = None,
    second: Second | None = None,
) -> Recorded:
    """Check arrays and bring them to one form; see `diagnose_arrays`."""
    form, numbers = _numbers(quat, euler, matrix, degrees)
    times = seconds(time, len(numbers), "time")
    others: dict[str, tuple[Floats, NDArray[Any]]] = {}
    for name, stream in streams.items():
        if stream is not None:
            others[name] = _stream(name, stream, times, len(numbers))
    decode = _decoder(form, sequence, bool(degrees))
    tried = _other_decoders(sequence, bool(degrees)) if form == "euler" else {}
    return Recorded((times, numbers), decode, others, form, tried, second)


def second_record(
    time: ArrayLike,
    *,
    quat: ArrayLike | None = None,
    euler: ArrayLike | None = None,
    matrix: ArrayLike | None = None,
    sequence: str = "ZYX",
    degrees: bool | None = None,
    order: Order | None = None,
    direction: Direction = "body_to_world",
    name: str = "the second record",
) -> Second:
    """Describe another record of the orientation, to be compared with the first.

    Parameters
    ----------
    time : array_like, shape (n,)
        On the clock of the first: seconds, or integer nanoseconds.
    quat, euler, matrix, sequence, degrees
        As of `diagnose_arrays`.
    order : {"xyzw", "wxyz"}
        Of the quaternions, needed with `quat`.
    direction : {"body_to_world", "world_to_body"}
        What the numbers are read as.
    name : str
        What the report calls it.

    Raises
    ------
    DataError
        If a shape is wrong, or not exactly one form of orientation is given.

    Examples
    --------
    >>> import numpy as np
    >>> from boresight import Rotation
    >>> from boresight.diagnosis import SecondClaim
    >>> t = np.arange(0.0, 30.0, 0.1)
    >>> angles = np.stack([2.0 * np.sin(0.3 * t), 0.8 * np.sin(0.5 * t), np.sin(0.9 * t)], axis=-1)
    >>> q = Rotation.from_euler("ZYX", angles, degrees=False).inv().as_quat(order="xyzw")
    >>> beside = second_record(t, euler=angles, degrees=False, name="the angles")
    >>> answer = diagnose_arrays(t, quat=q, order="xyzw", second=beside, second_claim=SecondClaim())
    >>> answer["direction"].answer, answer["direction"].evidence
    ('world_to_body', ('second',))
    """
    form, numbers = _numbers(quat, euler, matrix, degrees)
    if form == "quat" and order is None:
        raise DataError(
            "the order of the second record's quaternions is not said",
            advice='give order="wxyz" or order="xyzw"',
        )
    first = _decoder(form, sequence, bool(degrees), order or "wxyz")

    def inverse(of: Callable[[NDArray[Any]], Floats]) -> Callable[[NDArray[Any]], Floats]:
        return lambda given: np.asarray(kernels.conjugate(of(given)), dtype=np.float64)

    others = _other_decoders(sequence, bool(degrees)) if form == "euler" else {}
    if direction == "world_to_body":
        first, others = inverse(first), {name: inverse(decode) for name, decode in others.items()}
    return Second(name, seconds(time, len(numbers), f"the times of {name}"), numbers, first, others)


def _numbers(
    quat: ArrayLike | None, euler: ArrayLike | None, matrix: ArrayLike | None, degrees: bool | None
) -> tuple[str, NDArray[Any]]:
    """Check orientations, and return their form and their numbers, a row each."""
    forms = {"quat": quat, "euler": euler, "matrix": matrix}
    chosen = [name for name, value in forms.items() if value is not None]
    if len(chosen) != 1:
        raise DataError(
            f"there must be one of quat, euler and matrix, not {' and '.join(chosen) or 'none'}",
            advice="give the orientations in the form in which they are stored",
        )
    form = chosen[0]
    values = np.asarray(forms[form])
    shape = {"quat": (4,), "euler": (3,), "matrix": (3, 3)}[form]
    if values.ndim != 1 + len(shape) or values.shape[1:] != shape:
        raise DataError(
            f"{form} has shape {values.shape}", advice=f"it must be {('n', *shape)}".replace("'", "")
        )
    if form == "euler" and degrees is None:
        raise DataError(
            "the unit of the Euler angles is not said", advice="give degrees=True or degrees=False"
        )
    if values.dtype.kind not in "fiu":
        raise DataError(f"{form} holds {values.dtype}, not numbers", advice="give an array of floats")
    return form, values.reshape(len(values), int(np.prod(shape)))


def _stream(name: str, stream: Any, times: Floats, rows: int) -> tuple[Floats, NDArray[Any]]:
    own: Any = None
    values: Any = stream
    if isinstance(stream, tuple) and len(stream) == 2:  # pyright: ignore[reportUnknownArgumentType]
        own, values = cast("tuple[Any, Any]", stream)
    numbers: NDArray[Any] = np.asarray(values)
    if numbers.dtype.kind not in "fiu":
        raise DataError(f"{name} holds {numbers.dtype}, not numbers", advice="give an array of floats")
    if numbers.ndim != 2 or numbers.shape[1] != 3:
        raise DataError(f"{name} has shape {numbers.shape}", advice="it must be (n, 3)")
    if own is None and len(numbers) != rows:
        raise DataError(
            f"{name} has {len(numbers)} rows and the attitude {rows}",
            advice="give a pair (times, values) where a stream has times of its own",
        )
    place = times if own is None else seconds(own, len(numbers), f"the times of {name}")
    return place, numbers


def _decoder(
    form: str, sequence: str, degrees: bool, order: Order = "wxyz"
) -> Callable[[NDArray[Any]], Floats]:
    """Return what makes unit quaternions (x, y, z, w) of stored numbers, NaN where there is none.

    Stored quaternions are read as if w came first; what another order does is known without reading them again.
    """

    def quaternion(numbers: NDArray[Any]) -> Floats:
        given = np.asarray(numbers, dtype=np.float64)
        return np.asarray(kernels.from_quaternion(given, order=order, invalid="nan"), dtype=np.float64)

    def matrix(numbers: NDArray[Any]) -> Floats:
        given = np.asarray(numbers, dtype=np.float64).reshape(-1, 3, 3)
        return np.asarray(kernels.from_matrix(given, invalid="nan", project=True), dtype=np.float64)

    def euler(numbers: NDArray[Any]) -> Floats:
        given = np.asarray(numbers, dtype=np.float64)
        return np.asarray(kernels.from_euler(sequence, given, degrees=degrees), dtype=np.float64)

    return {"quat": quaternion, "matrix": matrix, "euler": euler}[form]


def _other_decoders(sequence: str, degrees: bool) -> dict[str, Callable[[NDArray[Any]], Floats]]:
    """Decoders of the same named angles in every other intrinsic sequence, and in the other unit, by name."""
    letters = sequence.upper() if sequence.isupper() else sequence.upper()[::-1]
    if len(set(letters)) != 3:
        return {}

    def decoder(other: str, unit: bool) -> Callable[[NDArray[Any]], Floats]:
        places = [sequence.upper().index(letter) for letter in other]

        def decode(numbers: NDArray[Any]) -> Floats:
            given = np.asarray(numbers, dtype=np.float64)[:, places]
            return np.asarray(kernels.from_euler(other, given, degrees=unit), dtype=np.float64)

        return decode

    return {
        f"{other}, {'degrees' if unit else 'radians'}": decoder(other, unit)
        for other in map("".join, permutations("XYZ"))
        for unit in (degrees, not degrees)
        if (other, unit) != (letters, degrees)
    }
