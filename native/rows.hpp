// Contiguous rows of N numbers to one array for each component, and back, four rows (of float eight) at a time.
//
// Four components of four rows are a 4 x 4 transposition. Rows that are no multiple of four long take their last group
// so that it ends with the row, over components already moved; rows of three read, and write, one number of the next
// row too, which is put right when its turn comes. No number outside the block is written, since inputs may lie where
// the results go, and none is read behind the last block. Compilers do well by the plain loops too, but not this well;
// without AVX it is they who do.
#pragma once

#include "real.hpp"

#if defined(__AVX__)
#include <immintrin.h>
#endif

namespace boresight::BORESIGHT_ISA {

#if defined(__AVX__)

template <class T>
constexpr int kRowsAtOnce = sizeof(T) == 8 ? 4 : 8;

// How many rows there must be for a group of them to be moved.
template <int N, class T>
constexpr int kRowsNeeded = kRowsAtOnce<T> + (N < 4 ? 1 : 0);

// Component 0 of the g-th group of four.
template <int N>
constexpr int group_start(int g) {
    return N < 4 || 4 * g + 4 <= N ? 4 * g : N - 4;
}

template <int N>
BORESIGHT_INLINE void split_group(const double *rows, double *to, int block, int used) {
    const auto pair = [rows](int row, int c) BORESIGHT_LAMBDA {
        const __m256d low = _mm256_castpd128_pd256(_mm_loadu_pd(rows + row * N + c));
        return _mm256_insertf128_pd(low, _mm_loadu_pd(rows + (row + 2) * N + c), 1);
    };
    const __m256d a = pair(0, 0), b = pair(1, 0), c = pair(0, 2), d = pair(1, 2);
    _mm256_storeu_pd(to, _mm256_unpacklo_pd(a, b));
    _mm256_storeu_pd(to + block, _mm256_unpackhi_pd(a, b));
    _mm256_storeu_pd(to + 2 * block, _mm256_unpacklo_pd(c, d));
    if (used == 4) _mm256_storeu_pd(to + 3 * block, _mm256_unpackhi_pd(c, d));
}

template <int N>
BORESIGHT_INLINE void join_group(const double *from, int block, int used, bool last, double *rows) {
    const __m256d a = _mm256_loadu_pd(from), b = _mm256_loadu_pd(from + block), c = _mm256_loadu_pd(from + 2 * block);
    const __m256d d = used == 4 ? _mm256_loadu_pd(from + 3 * block) : c;
    const __m256d ab = _mm256_unpacklo_pd(a, b), ba = _mm256_unpackhi_pd(a, b);
    const __m256d cd = _mm256_unpacklo_pd(c, d), dc = _mm256_unpackhi_pd(c, d);
    _mm256_storeu_pd(rows, _mm256_permute2f128_pd(ab, cd, 0x20));
    _mm256_storeu_pd(rows + N, _mm256_permute2f128_pd(ba, dc, 0x20));
    _mm256_storeu_pd(rows + 2 * N, _mm256_permute2f128_pd(ab, cd, 0x31));
    const __m256d end = _mm256_permute2f128_pd(ba, dc, 0x31);
    if (last)
        _mm256_maskstore_pd(rows + 3 * N, _mm256_setr_epi64x(-1, -1, -1, 0), end);
    else
        _mm256_storeu_pd(rows + 3 * N, end);
}

// The transposition of each half of four vectors.
struct Four {
    __m256 a, b, c, d;
};

BORESIGHT_INLINE Four transposed(Four v) {
    const __m256 ab = _mm256_unpacklo_ps(v.a, v.b), ba = _mm256_unpackhi_ps(v.a, v.b);
    const __m256 cd = _mm256_unpacklo_ps(v.c, v.d), dc = _mm256_unpackhi_ps(v.c, v.d);
    return {_mm256_shuffle_ps(ab, cd, 0x44), _mm256_shuffle_ps(ab, cd, 0xee), _mm256_shuffle_ps(ba, dc, 0x44),
            _mm256_shuffle_ps(ba, dc, 0xee)};
}

template <int N>
BORESIGHT_INLINE void split_group(const float *rows, float *to, int block, int used) {
    const auto pair = [rows](int row) BORESIGHT_LAMBDA {
        const __m256 low = _mm256_castps128_ps256(_mm_loadu_ps(rows + row * N));
        return _mm256_insertf128_ps(low, _mm_loadu_ps(rows + (row + 4) * N), 1);
    };
    const Four t = transposed({pair(0), pair(1), pair(2), pair(3)});
    _mm256_storeu_ps(to, t.a);
    _mm256_storeu_ps(to + block, t.b);
    _mm256_storeu_ps(to + 2 * block, t.c);
    if (used == 4) _mm256_storeu_ps(to + 3 * block, t.d);
}

template <int N>
BORESIGHT_INLINE void join_group(const float *from, int block, int used, bool last, float *rows) {
    const __m256 c = _mm256_loadu_ps(from + 2 * block);
    const Four t = transposed(
        {_mm256_loadu_ps(from), _mm256_loadu_ps(from + block), c, used == 4 ? _mm256_loadu_ps(from + 3 * block) : c});
    // Rows in order: of the numbers that a row of three lends from the next, the later write is the right one.
    _mm_storeu_ps(rows, _mm256_castps256_ps128(t.a));
    _mm_storeu_ps(rows + N, _mm256_castps256_ps128(t.b));
    _mm_storeu_ps(rows + 2 * N, _mm256_castps256_ps128(t.c));
    _mm_storeu_ps(rows + 3 * N, _mm256_castps256_ps128(t.d));
    _mm_storeu_ps(rows + 4 * N, _mm256_extractf128_ps(t.a, 1));
    _mm_storeu_ps(rows + 5 * N, _mm256_extractf128_ps(t.b, 1));
    _mm_storeu_ps(rows + 6 * N, _mm256_extractf128_ps(t.c, 1));
    const __m128 end = _mm256_extractf128_ps(t.d, 1);
    if (last)
        _mm_maskstore_ps(rows + 7 * N, _mm_setr_epi32(-1, -1, -1, 0), end);
    else
        _mm_storeu_ps(rows + 7 * N, end);
}

#endif

// Both say how many of the n rows they have done, from the first on. `more` says that rows follow after these.

template <int N, int Block, class T>
BORESIGHT_INLINE int split_rows(const T *rows, int n, [[maybe_unused]] bool more, T (*to)[Block]) {
    int i = 0;
#if defined(__AVX__)
    if constexpr (N >= 3) {
        const int needed = more ? kRowsAtOnce<T> : kRowsNeeded<N, T>;
        for (; i + needed <= n; i += kRowsAtOnce<T>)
            for (int g = 0; g < (N + 3) / 4; ++g) {
                const int c = group_start<N>(g);
                split_group<N>(rows + i * N + c, &to[c][i], Block, N < 4 ? N : 4);
            }
        return i;
    }
#endif
    for (; i < n; ++i)
        for (int c = 0; c < N; ++c) to[c][i] = rows[i * N + c];
    return n;
}

template <int N, int Block, class T>
BORESIGHT_INLINE int join_rows(const T (*from)[Block], int n, T *rows) {
    int i = 0;
#if defined(__AVX__)
    if constexpr (N >= 3) {
        for (; i + kRowsAtOnce<T> <= n; i += kRowsAtOnce<T>)
            for (int g = 0; g < (N + 3) / 4; ++g) {
                const int c = group_start<N>(g);
                join_group<N>(&from[c][i], Block, N < 4 ? N : 4, N < 4 && i + kRowsAtOnce<T> == n, rows + i * N + c);
            }
        return i;
    }
#endif
    for (; i < n; ++i)
        for (int c = 0; c < N; ++c) rows[i * N + c] = from[c][i];
    return n;
}

}  // namespace boresight::BORESIGHT_ISA
