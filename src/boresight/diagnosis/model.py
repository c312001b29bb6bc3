"""What a diagnosis is made of: what was claimed, the readings that are left, and the answers part by part."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from boresight.diagnosis.clock import Faults
from boresight.diagnosis.evidence import Evidence, Note
from boresight.diagnosis.twins import Direction, Order, Sense

__all__ = [
    "CALLER",
    "PARTS",
    "VERDICTS",
    "Claim",
    "ClaimName",
    "Claims",
    "Diagnosis",
    "Part",
    "Reading",
    "SecondClaim",
    "State",
    "Verdict",
]

Verdict: TypeAlias = Literal["consistent", "contradicted", "undeclared", "ambiguous", "not_observable"]
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
State: TypeAlias = Literal["decided", "ambiguous", "not_observable"]
ClaimName: TypeAlias = Literal["order", "same_frame", "same_world", "upright", "second"]

CALLER = "the caller"
"""Who says what nobody else does."""

PARTS: tuple[str, ...] = (
    "sense",
    "half_converted",
    "order",
    "direction",
    "imu_axes",
    "handedness",
    "body_up",
    "body_forward",
    "body_axes",
    "world_up",
    "heading",
    "position_axes",
    "world_axes",
    "gyro_unit",
    "accel",
    "time_offset",
)
"""The names of the parts, in the order in which they are reported."""


@dataclass(frozen=True, slots=True)
class Claim:
    """One thing that was claimed.

    Attributes
    ----------
    name : {"order", "same_frame", "same_world", "upright", "second"}
        Which of `Claims`.
    says : str
        Who claims it: ``"the caller"``, ``"the file (px4)"``.
    words : str
        What is claimed, to follow "that".
    """

    name: ClaimName
    says: str
    words: str


@dataclass(frozen=True, slots=True)
class SecondClaim:
    """What is said of a second record of the orientation.

    Attributes
    ----------
    says : str
        Who says that it is what it is read as.
    trusted : bool
        Whether the caller vouches for it. What a format says of all its records alike tells nothing of one by another.
    another : bool
        Whether the format says of it something else than of the attitude: another form, or another convention.
    world, body : str
        Letters of its axes; empty where they are not known.
    changes : pair of ndarray, shape (3, 3), or None
        From the attitude's world to its own, and from its body to the attitude's, if both are what they are said to be.
    """

    says: str = CALLER
    trusted: bool = True
    another: bool = False
    world: str = ""
    body: str = ""
    changes: tuple[NDArray[np.float64], NDArray[np.float64]] | None = None


@dataclass(frozen=True, slots=True)
class Claims:
    """What the file's format or the user says of a log. Only these may decide what no measurement can.

    Attributes
    ----------
    order : {"xyzw", "wxyz"}, optional
        The order of the stored quaternion, from the file's own field names or message type, or from the user.
    order_from : str
        Who says so, for `Part.assumes`.
    direction : {"body_to_world", "world_to_body"}, optional
        What the format declares; never believed, only checked.
    same_frame : bool
        The inertial sensors' axes are the record's body axes (M = I), as in one device's attitude and gyro.
    same_frame_from : str
        Who says so.
    same_world : bool
        Velocities are in the record's world (N = I).
    same_world_from : str
        Who says so.
    same_world_decides : bool
        Whether sense and half conversion may rest on that; else it is only checked.
    upright : bool
        The sensor's z axis stands along the body's, and up is along the world's z, either way round.
    any_hand : bool
        The gyro's axes may be left-handed, as where two of its columns were swapped.
    gyro_unit, accel_unit : str, optional
        Declared units, checked.
    world_up : str, optional
        The axis of the record's world that is declared to point up: ``"-z"`` of NED. Checked.
    convention : str
        The registry's name of what is declared.
    second : SecondClaim, optional
        What is said of a second record of the orientation.
    """

    order: Order | None = None
    order_from: str = CALLER
    direction: Direction | None = None
    same_frame: bool = False
    same_frame_from: str = CALLER
    same_world: bool = False
    same_world_from: str = CALLER
    same_world_decides: bool = True
    upright: bool = False
    any_hand: bool = False
    gyro_unit: str | None = None
    accel_unit: str | None = None
    world_up: str | None = None
    convention: str = ""
    second: SecondClaim | None = None

    def declared(self) -> dict[str, Any]:
        """What was said, without what was not."""
        out: dict[str, Any] = {}
        for name in ("convention", "order", "direction", "gyro_unit", "accel_unit", "world_up"):
            if value := getattr(self, name):
                out[name] = value
        for name in ("same_frame", "same_world", "upright"):
            if getattr(self, name):
                out[name] = True
        return out


@dataclass(frozen=True, slots=True)
class Part:
    """One answer.

    Attributes
    ----------
    answer : object
        What the part is; None where it is open.
    state : {"decided", "ambiguous", "not_observable"}
    margin : float or None
        Noise that the best reading with another answer leaves, as a multiple of the best one's.
    evidence : tuple of str
        What it rests on: ``"gyro"``, ``"accel"``, ``"velocity"``, ...
    assumes : tuple of str
        What was taken for granted, in plain words.
    alternatives : tuple
        The other answers that are left where it is ambiguous.
    why : str
        Why it is open.
    settles : str
        Which motion, sensor or word would settle it, where it is open and one would.
    """

    answer: Any = None
    state: State = "not_observable"
    margin: float | None = None
    evidence: tuple[str, ...] = ()
    assumes: tuple[str, ...] = ()
    alternatives: tuple[Any, ...] = ()
    why: str = ""
    settles: str = ""

    @property
    def decided(self) -> bool:
        """Whether there is an answer."""
        return self.state == "decided"


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to read the stored numbers that the data leave open, with what it makes of the rest of the log.

    Attributes
    ----------
    order : {"xyzw", "wxyz"} or None
        None where no quaternion is stored.
    direction : {"body_to_world", "world_to_body"}
    sense : {"same", "inverse"}
    half_converted : {"none", "one_euler_angle_negated"}
    imu_axes : str or None
        M: the record's body x, y and z in the sensors' axes, ``"+x-y-z"``; None where it is open.
    mount : tuple of tuple of float or None
        M itself, 3x3.
    mount_deg : float or None
        Degrees between M and `imu_axes`.
    world_up : str or tuple of float or None
        Axis of the record's world that points up, ``"radial"`` from the earth's centre, or a vector.
    position_axes : str or None
        N: the x, y and z of velocities in the axes of the record's world.
    sequence : str or None
        ``"XYZ, radians"``: of Euler angles, only where it is another than was said.
    """

    order: Order | None
    direction: Direction
    sense: Sense
    half_converted: str
    imu_axes: str | None = None
    mount: tuple[tuple[float, ...], ...] | None = None
    mount_deg: float | None = None
    world_up: str | tuple[float, ...] | None = None
    position_axes: str | None = None
    sequence: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        return plain(asdict(self))


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What a log says about how its attitude is to be read.

    Attributes
    ----------
    verdict : str
        ``"consistent"``: what was declared is what the data support. ``"contradicted"``: it is not. ``"undeclared"``:
        nothing was declared, and the data decide. ``"ambiguous"``: several readings are left. ``"not_observable"``:
        something is missing that could tell.
    declared : dict
        What was claimed, see `Claims`.
    best : tuple of Reading
        Every reading that is left; both twins wherever the order is not fixed.
    parts : dict of str to Part
        By the names of `PARTS`.
    mount_deg : float or None
        How far the sensors stand from the nearest relabelling of axes, where that is decided.
    resets : tuple of float
        Times in the log's own clock, seconds, at which the attitude jumped.
    evidence : dict of str to Note
        What was used, and of what was not, why.
    faults : dict of str to Faults
        Clock and rows of each stream.
    systems : tuple of str
        Names of the registry that fit.
    advice : tuple of str
        What to do, or which motion or sensor would settle what is open.
    fix : str
        The command that repairs the file; empty where nothing is to be repaired or it cannot be named.
    source : str
        What was diagnosed.
    streams : dict of str to str
        Which stream of the log, or which columns of a table, each kind of evidence was taken from; ``"attitude"`` is the
        one that is judged.
    data : Evidence or None
        What it was drawn from, for pictures; not part of `to_dict`.
    refuted : tuple of Claim
        The claims that no reading bears out, with who made them. An order stands here where it is another claim that
        excludes it, so that the two cannot both be true.
    """

    verdict: Verdict
    declared: Mapping[str, Any]
    best: tuple[Reading, ...]
    parts: Mapping[str, Part]
    mount_deg: float | None = None
    resets: tuple[float, ...] = ()
    evidence: Mapping[str, Note] = field(default_factory=dict[str, Note])
    faults: Mapping[str, Faults] = field(default_factory=dict[str, Faults])
    systems: tuple[str, ...] = ()
    advice: tuple[str, ...] = ()
    fix: str = ""
    source: str = ""
    streams: Mapping[str, str] = field(default_factory=dict[str, str])
    data: Evidence | None = field(default=None, repr=False, compare=False)
    refuted: tuple[Claim, ...] = ()

    def __getitem__(self, name: str) -> Part:
        try:
            return self.parts[name]
        except KeyError:
            raise KeyError(
                f"a diagnosis has no part {name!r}; its parts are {', '.join(self.parts)}"
            ) from None

    def to_dict(self) -> dict[str, Any]:
        """As plain data: lists, dicts, strings, finite numbers and None."""
        return {
            "source": self.source,
            "streams": dict(self.streams),
            "verdict": self.verdict,
            "declared": plain(dict(self.declared)),
            "refuted": [asdict(claim) for claim in self.refuted],
            "best": [reading.to_dict() for reading in self.best],
            "parts": {name: plain(asdict(part)) for name, part in self.parts.items()},
            "mount_deg": plain(self.mount_deg),
            "resets": plain(list(self.resets)),
            "evidence": {name: plain(asdict(note)) for name, note in self.evidence.items()},
            "faults": {name: plain(asdict(faults)) for name, faults in self.faults.items()},
            "systems": list(self.systems),
            "advice": list(self.advice),
            "fix": self.fix or None,
        }

    def to_json(self, *, indent: int | None = 2) -> str:
        """As JSON."""
        return json.dumps(self.to_dict(), indent=indent, allow_nan=False)

    def report(self, *, width: int = 100) -> str:
        """As one screen of text for people, worst news first."""
        from boresight.diagnosis.report import report_text

        return report_text(self, width=width)

    def __str__(self) -> str:
        return self.report()


def plain(value: Any) -> Any:
    """Make plain data of NumPy's scalars, arrays and tuples; numbers that are not finite become None."""
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]  # pyright: ignore[reportUnknownVariableType]
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, float):
        return round(value, 9) if np.isfinite(value) else None
    return value
