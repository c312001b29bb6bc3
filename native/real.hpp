// float and double from one template: constants, selection without branches, exact products and sums.
//
// Every file included from kernels.cpp lives in a namespace named for the instruction set it is compiled for
// (see CMakeLists.txt), so that code for a newer processor can never be linked in place of the baseline's.
// Contraction is off: the same input gives the same bits with every instruction set. The one use of a fused
// multiply-add is two_product, whose result is exact either way.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#ifndef BORESIGHT_ISA
#define BORESIGHT_ISA baseline
#endif

#if defined(_MSC_VER) && !defined(__clang__)
#define BORESIGHT_INLINE __forceinline
#define BORESIGHT_LAMBDA
#define BORESIGHT_OUTLINE __declspec(noinline)
#define BORESIGHT_RESTRICT __restrict
#define BORESIGHT_COLD __declspec(noinline)
#else
#define BORESIGHT_INLINE inline __attribute__((always_inline))
#define BORESIGHT_LAMBDA __attribute__((always_inline))
#define BORESIGHT_OUTLINE __attribute__((noinline))
#define BORESIGHT_RESTRICT __restrict__
#define BORESIGHT_COLD __attribute__((noinline, cold))
#endif

#if defined(__FMA__) || defined(__aarch64__) || defined(__AVX2__)
#define BORESIGHT_HAS_FMA 1
#else
#define BORESIGHT_HAS_FMA 0
#endif

namespace boresight::BORESIGHT_ISA {

template <class T>
struct Real;

template <>
struct Real<double> {
    using Bits = std::int64_t;
    static constexpr double eps = 2.220446049250313e-16;
    static constexpr double splitter = 134217729.0;             // 2^27 + 1
    static constexpr double small = 0x1p-460, large = 0x1p460;  // beyond these, squares are scaled first
    static constexpr double up = 0x1p600, down = 0x1p-600;
    static constexpr double orthogonality = 1e-5;
};

template <>
struct Real<float> {
    using Bits = std::int32_t;
    static constexpr float eps = 1.1920929e-07f;
    static constexpr float splitter = 4097.0f;  // 2^12 + 1
    static constexpr float small = 0x1p-45f, large = 0x1p45f;
    static constexpr float up = 0x1p100f, down = 0x1p-100f;
    static constexpr float orthogonality = 1e-4f;
};

template <class T>
constexpr T kNaN = std::numeric_limits<T>::quiet_NaN();

template <class T>
BORESIGHT_INLINE T larger(T a, T b) {  // b where a is NaN
    return a > b ? a : b;
}

template <class T>
BORESIGHT_INLINE bool finite(T a) {
    return std::fabs(a) <= std::numeric_limits<T>::max();
}

// A value and what rounding took from it.
template <class T>
struct Pair {
    T hi, lo;
};

// Knuth's sum: hi + lo is a + b exactly.
template <class T>
BORESIGHT_INLINE Pair<T> two_sum(T a, T b) {
    const T s = a + b;
    const T v = s - a;
    return {s, (a - (s - v)) + (b - v)};
}

// The same where a is zero or the larger of the two (Dekker).
template <class T>
BORESIGHT_INLINE Pair<T> quick_two_sum(T a, T b) {
    const T s = a + b;
    return {s, (a - s) + b};
}

// hi + lo is a * b exactly, short of under- and overflow (Dekker 1971 where there is no fused multiply-add).
template <class T>
BORESIGHT_INLINE Pair<T> two_product(T a, T b) {
    const T p = a * b;
#if BORESIGHT_HAS_FMA
    return {p, std::fma(a, b, -p)};
#else
    const T as = a * Real<T>::splitter, bs = b * Real<T>::splitter;
    const T ah = as - (as - a), bh = bs - (bs - b);
    const T al = a - ah, bl = b - bh;
    return {p, ((ah * bh - p) + ah * bl + al * bh) + al * bl};
#endif
}

template <class T>
BORESIGHT_INLINE Pair<T> operator-(Pair<T> a) {
    return {-a.hi, -a.lo};
}

template <class T>
BORESIGHT_INLINE Pair<T> operator+(Pair<T> a, Pair<T> b) {
    const Pair<T> s = two_sum(a.hi, b.hi);
    return {s.hi, s.lo + (a.lo + b.lo)};
}

template <class T>
BORESIGHT_INLINE Pair<T> operator-(Pair<T> a, Pair<T> b) {
    return a + (-b);
}

template <class T>
BORESIGHT_INLINE T rounded(Pair<T> a) {
    return a.hi + a.lo;
}

}  // namespace boresight::BORESIGHT_ISA
