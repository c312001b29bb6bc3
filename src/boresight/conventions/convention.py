"""What a convention is: the axes, direction, order and units of the numbers that one system writes down."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, cast

from boresight.axes import Axes
from boresight.errors import ConventionError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from boresight.attitude import Attitude
    from boresight.conventions.converted import Converted
    from boresight.pose import Pose
    from boresight.rotation import Rotation

__all__ = ["LENGTHS", "Convention", "Euler"]

Order = Literal["xyzw", "wxyz"]
Direction = Literal["body_to_world", "world_to_body"]
Invalid = Literal["raise", "nan"]
Form = Literal["quat", "matrix", "euler", "transform"]

# Exact, so that a change from centimetres to metres divides by 100 and does not multiply by a rounded 0.01.
LENGTHS: Mapping[str, Fraction] = MappingProxyType(
    {"m": Fraction(1), "cm": Fraction(1, 100), "mm": Fraction(1, 1000), "km": Fraction(1000)}
)
"""Units of length that a convention may have, in metres."""

_CONFIDENCES = ("run", "source", "secondary", "memory")


@dataclass(frozen=True, slots=True)
class Euler:
    """How a system's Euler angles are meant.

    Attributes
    ----------
    sequence : str
        Upper case intrinsic, lower case extrinsic, as everywhere in the library.
    signs : str
        ``"+"`` or ``"-"`` for each letter of `sequence`: the sign of that angle on the elementary rotation
        about the letter's axis, in the system's own axes.
    unit : str
        ``"deg"`` or ``"rad"``.
    names : tuple of str
        What the system calls the angle of each letter of `sequence`.
    arguments : tuple of str
        The same names in the order in which the system's own interface has them: the order of our arrays.
    """

    sequence: str
    signs: str
    unit: Literal["deg", "rad"]
    names: tuple[str, str, str]
    arguments: tuple[str, str, str]

    def __post_init__(self) -> None:
        upper = self.sequence.upper()
        if len(upper) != 3 or set(upper) - set("XYZ") or self.sequence not in (upper, upper.lower()):
            raise ConventionError(
                f"{self.sequence!r} is no Euler sequence; give three letters of one case, as ZYX"
            )
        if len(self.signs) != 3 or set(self.signs) - set("+-"):
            raise ConventionError(f"{self.signs!r} are no signs of three angles; give + or - for each letter")
        if self.unit not in ("deg", "rad"):
            raise ConventionError(f'the unit of Euler angles is "deg" or "rad", not {self.unit!r}')
        if len(self.names) != 3 or sorted(self.names) != sorted(self.arguments):
            raise ConventionError(f"arguments {self.arguments} are not the names {self.names} in some order")

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as JSON knows them."""
        plain = dataclasses.asdict(self)
        return {**plain, "names": list(self.names), "arguments": list(self.arguments)}

    @staticmethod
    def from_dict(plain: Mapping[str, Any]) -> Euler:
        """Make it again from what `to_dict` gave."""
        wanted = {"sequence", "signs", "unit", "names", "arguments"}
        if set(plain) != wanted:
            raise ConventionError(f"euler has {sorted(plain)}; give {sorted(wanted)}")
        return Euler(
            plain["sequence"],
            plain["signs"],
            plain["unit"],
            cast("tuple[str, str, str]", tuple(plain["names"])),
            cast("tuple[str, str, str]", tuple(plain["arguments"])),
        )


@dataclass(frozen=True)
class Convention:
    """How one system writes an orientation or a pose down.

    Attributes
    ----------
    id : str
        The name that the registry knows it by.
    name : str
        Its name for people.
    kind : str
        ``"simulator"``, ``"autopilot"``, ``"dataset"``, ...
    things : mapping of str to Axes
        What the numbers can describe (``"body"``, ``"camera"``, ``"lidar"``), each with its axes. The first
        is the default.
    world : Axes
        The axes of what the things are relative to.
    position_world : Axes
        The axes of positions and of velocities in the world: `world`, but for one system.
    direction : str
        ``"body_to_world"`` or ``"world_to_body"``: what the rotation does to coordinates. With
        ``"world_to_body"`` the position is the world's origin in body axes.
    order : str or None
        ``"xyzw"`` or ``"wxyz"``; None where the system stores no quaternion.
    algebra : str
        ``"hamilton"``, or ``"jpl"`` where a quaternion means the transpose of its Hamilton matrix.
    matrix : str
        ``"column_vectors"``, or ``"row_vectors"`` where a matrix stands to the right of the vector it turns.
    euler : Euler or None
        Its Euler angles, where it has any.
    length : str
        The unit of positions: a key of `LENGTHS`.
    aliases : tuple of str
        Other names that the registry knows it by.
    confidence : str
        ``"run"`` (the system's own code was run), ``"source"`` (its code or documentation was read),
        ``"secondary"``, ``"memory"``.
    sources : tuple of str
        Where the facts are from.
    notes : str
        What the fields do not say, and which of them are weaker than `confidence`.

    Notes
    -----
    Every thing has the handedness of the world: no quaternion holds a rotation between a left-handed and a
    right-handed set of axes. In a left-handed system the quaternion is the one whose Hamilton matrix maps
    coordinates to coordinates, both in the system's own axes.

    Examples
    --------
    >>> from boresight import conventions
    >>> px4 = conventions.get("px4")
    >>> px4.things["body"], px4.world, px4.order
    (Axes('FRD'), Axes('NED'), 'wxyz')
    """

    id: str
    name: str
    kind: str
    # A mapping has no hash of its own; equality still compares it.
    things: Mapping[str, Axes] = field(hash=False)
    world: Axes
    position_world: Axes
    direction: Direction
    order: Order | None = None
    algebra: Literal["hamilton", "jpl"] = "hamilton"
    matrix: Literal["column_vectors", "row_vectors"] = "column_vectors"
    euler: Euler | None = None
    length: str = "m"
    aliases: tuple[str, ...] = ()
    confidence: str = "memory"
    sources: tuple[str, ...] = ()
    notes: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "things", MappingProxyType(dict(self.things)))
        self._refuse_unknown("direction", self.direction, ("body_to_world", "world_to_body"))
        self._refuse_unknown("order", self.order, ("xyzw", "wxyz", None))
        self._refuse_unknown("algebra", self.algebra, ("hamilton", "jpl"))
        self._refuse_unknown("matrix", self.matrix, ("column_vectors", "row_vectors"))
        self._refuse_unknown("length", self.length, tuple(LENGTHS))
        self._refuse_unknown("confidence", self.confidence, _CONFIDENCES)
        if not self.things:
            raise ConventionError(f"{self.id} describes nothing; give things, as {{'body': 'FLU'}}")
        for thing, axes in self.things.items():
            if axes.kind not in ("local", "free"):
                raise ConventionError(
                    f"{self.id}: {thing} has axes {axes}; a thing has letters of F B L R U D"
                )
            if axes.handedness != self.world.handedness:
                raise ConventionError(
                    f"{self.id}: {thing} {axes} and world {self.world} differ in handedness, and no "
                    "quaternion holds a rotation between the two"
                )
        if (
            self.position_world.kind != self.world.kind
            or self.position_world.handedness != self.world.handedness
        ):
            raise ConventionError(
                f"{self.id}: positions in {self.position_world} and orientations in "
                f"{self.world} are not of one kind"
            )

    def _refuse_unknown(self, name: str, value: object, known: tuple[object, ...]) -> None:
        if value not in known:
            options = ", ".join(str(option) for option in known if option is not None)
            raise ConventionError(f"{self.id}: {name} is {value!r}; it is one of {options}")

    # -- reading the row ---------------------------------------------------------------------------

    @property
    def handedness(self) -> Literal["left", "right"]:
        """``"left"`` or ``"right"``, as the letters say."""
        return self.world.handedness

    @property
    def metres(self) -> Fraction:
        """Metres in one unit of its positions."""
        return LENGTHS[self.length]

    @property
    def default_thing(self) -> str:
        """The thing that is meant where none is named."""
        return next(iter(self.things))

    @property
    def transposes_quaternion(self) -> bool:
        """Whether a stored quaternion is the conjugate of the body-to-world Hamilton one."""
        return (self.direction == "world_to_body") != (self.algebra == "jpl")

    def thing_axes(self, thing: str | None = None) -> Axes:
        """Return the axes of a thing, or of the first one.

        Raises
        ------
        ConventionError
            If the system has no such thing.
        """
        name = self.default_thing if thing is None else thing
        if name not in self.things:
            raise ConventionError(f"{self.id} has no thing {name!r}; it has {', '.join(self.things)}")
        return self.things[name]

    # -- changed and written down ------------------------------------------------------------------

    def replace(self, **changes: Any) -> Convention:
        """Return the convention with some fields replaced; axes may be given by their letters.

        Examples
        --------
        >>> from boresight import conventions
        >>> conventions.get("xsens_mti").replace(world="NWU").world
        Axes('NWU')
        """
        known = {f.name for f in dataclasses.fields(self)}
        if unknown := sorted(set(changes) - known):
            raise ConventionError(
                f"a convention has no {', '.join(unknown)}; it has {', '.join(sorted(known))}"
            )
        if "world" in changes and "position_world" not in changes and self.position_world is self.world:
            changes["position_world"] = changes["world"]
        for name in ("world", "position_world"):
            if name in changes:
                changes[name] = axes(changes[name])
        if "things" in changes:
            changes["things"] = {thing: axes(letters) for thing, letters in changes["things"].items()}
        return dataclasses.replace(self, **changes)

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as JSON knows them, in the form of a table of the registry."""
        plain: dict[str, Any] = {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}
        plain["things"] = {thing: str(its) for thing, its in self.things.items()}
        plain["world"] = str(self.world)
        plain["position_world"] = str(self.position_world)
        plain["euler"] = None if self.euler is None else self.euler.to_dict()
        plain["aliases"] = list(self.aliases)
        plain["sources"] = list(self.sources)
        return plain

    @staticmethod
    def from_dict(plain: Mapping[str, Any]) -> Convention:
        """Make it again from what `to_dict` gave, or from a table of the registry with its ``id``.

        Fields that are left out have their defaults, and `position_world` is `world`.

        Raises
        ------
        ConventionError
            If a field is missing, unknown or has a value that it cannot have.

        Examples
        --------
        >>> from boresight import conventions
        >>> ros = conventions.get("ros")
        >>> conventions.Convention.from_dict(ros.to_dict()) == ros
        True
        """
        who = str(plain.get("id", "a convention"))
        known = {f.name for f in dataclasses.fields(Convention)}
        if unknown := sorted(set(plain) - known):
            raise ConventionError(
                f"{who}: there is no field {', '.join(unknown)}; it has {', '.join(sorted(known))}"
            )
        needed = ("id", "name", "kind", "things", "world", "direction")
        if missing := [name for name in needed if name not in plain]:
            raise ConventionError(
                f"{who}: {', '.join(missing)} missing; give every field of {', '.join(needed)}"
            )
        fields: dict[str, Any] = dict(plain)
        try:
            fields["things"] = {thing: axes(letters) for thing, letters in plain["things"].items()}
            fields["world"] = axes(plain["world"])
            fields["position_world"] = axes(plain.get("position_world", plain["world"]))
        except ValueError as error:
            raise ConventionError(f"{who}: {error}") from error
        euler = plain.get("euler")
        fields["euler"] = None if euler is None else Euler.from_dict(euler)
        fields["aliases"] = tuple(plain.get("aliases", ()))
        fields["sources"] = tuple(plain.get("sources", ()))
        return Convention(**fields)

    def __reduce__(self) -> tuple[Callable[[Mapping[str, Any]], Convention], tuple[dict[str, Any]]]:
        return Convention.from_dict, (self.to_dict(),)

    # -- numbers in and out ------------------------------------------------------------------------
    # The imports are here because listing the systems needs neither NumPy nor the native code.

    def decode(
        self,
        *,
        quat: ArrayLike | None = None,
        matrix: ArrayLike | None = None,
        euler: ArrayLike | None = None,
        position: ArrayLike | None = None,
        order: Order | None = None,
        thing: str | None = None,
        invalid: Invalid = "raise",
    ) -> Rotation[Any, Any] | Pose[Any, Any]:
        """Read the system's own numbers.

        Parameters
        ----------
        quat, matrix, euler : array_like, shape (..., 4), (..., 3, 3) or (..., 4, 4), (..., 3)
            One of them: a quaternion in the system's order, its matrix (a 4×4 one holds the position too), or
            its Euler angles in the order of its own arguments and in its own unit.
        position : array_like, shape (..., 3), optional
            The stored position, in the system's axes and unit of length.
        order : {"xyzw", "wxyz"}, optional
            Only where the system itself fixes none.
        thing : str, optional
            What the numbers describe; the system's first thing where left out.
        invalid : {"raise", "nan"}
            What becomes of rows that hold no rotation.

        Returns
        -------
        Rotation or Pose
            From the thing to the world, in the system's own axes, whatever the direction of the stored
            numbers; a pose where there was a position, in metres and in the axes of the orientation's world.

        Raises
        ------
        ConventionError
            If the system does not have that form of orientation, or no such thing.
        InvalidRowsError
            If a row holds no rotation and `invalid` is ``"raise"``.

        Examples
        --------
        >>> from boresight import conventions
        >>> R = conventions.get("unreal").decode(euler=[0.0, 90.0, 0.0])  # pitch, yaw, roll
        >>> R.apply([1.0, 0.0, 0.0]).round(3) + 0.0
        array([0., 1., 0.])
        """
        from boresight.conventions.coding import decode

        return decode(
            self,
            quat=quat,
            matrix=matrix,
            euler=euler,
            position=position,
            order=order,
            thing=thing,
            invalid=invalid,
        )

    def encode(
        self,
        value: Rotation[Any, Any] | Pose[Any, Any] | Attitude,
        as_: Form = "quat",
        *,
        thing: str | None = None,
        order: Order | None = None,
        forward: str | float | None = None,
        world: str | None = None,
        body: str | None = None,
        origin: ArrayLike | None = None,
    ) -> NDArray[Any] | Converted:
        """Write a rotation or a pose in the system's own numbers; `decode` undoes it.

        Parameters
        ----------
        value : Rotation, Pose or Attitude
            From a thing to its world, in any axes; a position is in metres.
        as_ : {"quat", "matrix", "euler", "transform"}
            The form of the orientation; ``"transform"`` is the 4×4 matrix with the position in it.
        thing : str, optional
            What `value` describes; the system's first thing where left out.
        order : {"xyzw", "wxyz"}, optional
            Only where the system itself fixes none.
        forward, world, body, origin
            What the axes of `value` leave open; see `boresight.convert`.

        Returns
        -------
        ndarray or Converted
            The numbers of a rotation; of a pose a named tuple of the orientation and ``position``.

        Examples
        --------
        >>> from boresight import Rotation, conventions, frames
        >>> level = Rotation.identity((), source=frames.FLU, target=frames.ENU)
        >>> conventions.get("px4").encode(level).round(4)
        array([0.7071, 0.    , 0.    , 0.7071])
        """
        from boresight.conventions.coding import encode

        return encode(
            self,
            value,
            as_,
            thing=thing,
            order=order,
            forward=forward,
            world=world,
            body=body,
            origin=origin,
        )


def axes(letters: str | Axes) -> Axes:
    """Read axes as the registry writes them: letters, ``"earth"``, or ``"free"``, which is right-handed."""
    if isinstance(letters, Axes):
        return letters
    return Axes("free-right" if letters == "free" else letters)
