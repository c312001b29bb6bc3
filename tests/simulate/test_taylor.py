"""Taylor arithmetic against derivatives that are known."""

from __future__ import annotations

from math import factorial

import numpy as np
import pytest

from boresight.simulate.taylor import Taylor, atan2, cross, dot, unit

T = np.array([0.3, 1.1, 2.7])
ORDER = 5


@pytest.fixture
def t() -> Taylor:
    return Taylor.variable(T, ORDER)


def test_sine_and_cosine_differentiate_into_each_other(t: Taylor) -> None:
    sine, cosine = (2.0 * t).sincos()
    for k in range(ORDER + 1):
        assert sine.derivative(k) == pytest.approx(
            2.0**k * np.sin(2.0 * T + k * np.pi / 2.0), rel=1e-13, abs=1e-13
        )
        assert cosine.derivative(k) == pytest.approx(
            2.0**k * np.cos(2.0 * T + k * np.pi / 2.0), rel=1e-13, abs=1e-13
        )


def test_quotient_of_a_constant_has_factorial_derivatives(t: Taylor) -> None:
    inverse = Taylor.constant(1.0, t) / t
    for k in range(ORDER + 1):
        assert inverse.derivative(k) == pytest.approx((-1.0) ** k * factorial(k) / T ** (k + 1), rel=1e-13)


def test_square_root_squared_is_the_series(t: Taylor) -> None:
    inner = t * t + 1.0
    root = inner.sqrt()
    assert (root * root).coefficients == pytest.approx(inner.coefficients, rel=1e-13, abs=1e-13)
    assert root.derivative(1) == pytest.approx(T / np.sqrt(T * T + 1.0), rel=1e-14)


def test_atan2_of_a_turning_point_is_its_angle(t: Taylor) -> None:
    sine, cosine = (t * t).sincos()
    angle = atan2(3.0 * sine, 3.0 * cosine)
    assert angle.derivative(1) == pytest.approx(2.0 * T, rel=1e-12)
    assert angle.derivative(2) == pytest.approx(np.full(3, 2.0), rel=1e-12)
    assert angle.derivative(3) == pytest.approx(np.zeros(3), abs=1e-10)


def test_polynomial_and_subtraction_from_a_number(t: Taylor) -> None:
    p = 1.0 - t.polynomial([1.0, 2.0, 3.0, 4.0])
    assert p.value == pytest.approx(-(2.0 * T + 3.0 * T**2 + 4.0 * T**3))
    assert p.derivative(3) == pytest.approx(np.full(3, -24.0))
    assert p.derivative(4) == pytest.approx(np.zeros(3))


def test_polynomial_with_coefficients_of_their_own_for_each_instant(t: Taylor) -> None:
    rows = np.array([[0.0, 0.0, 0.0], [1.0, 2.0, 3.0]])
    assert t.polynomial(rows).derivative(1) == pytest.approx([1.0, 2.0, 3.0])


def test_an_array_times_a_series_is_a_series(t: Taylor) -> None:
    product = np.array([1.0, 2.0, 3.0]) * t
    assert isinstance(product, Taylor)
    assert product.derivative(1) == pytest.approx([1.0, 2.0, 3.0])


def test_mixed_orders_end_at_the_lower_one(t: Taylor) -> None:
    assert (t * t.differentiated()).order == ORDER - 1


def test_unit_vector_stays_one_long_and_is_orthogonal_to_its_cross_product(t: Taylor) -> None:
    sine, cosine = t.sincos()
    v = unit((t, sine, cosine + 2.0))
    w = cross(v, (cosine, t, sine))
    one = dot(v, v).coefficients
    assert one[0] == pytest.approx(np.ones(3), rel=1e-14)
    assert one[1:] == pytest.approx(np.zeros((ORDER, 3)), abs=1e-12)
    assert dot(v, w).coefficients == pytest.approx(np.zeros((ORDER + 1, 3)), abs=1e-11)
