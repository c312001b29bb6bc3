// Trigonometry over a block of components.
#pragma once

#include "real.hpp"

namespace boresight::BORESIGHT_ISA {

template <class T>
struct SinCos {
    T sin, cos;
};

// Sine and cosine of hi + lo.
template <class T>
inline SinCos<T> sincos(T hi, T lo = 0) {
    const T s = std::sin(hi), c = std::cos(hi);
    return {s + lo * c, c - lo * s};
}

template <class T>
inline T atan2(T y, T x) {
    return std::atan2(y, x);
}

}  // namespace boresight::BORESIGHT_ISA
