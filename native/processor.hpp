// Which of the compiled instruction sets this processor (and its operating system) can run.
#pragma once

#include "kernel.hpp"

#if defined(_MSC_VER) && defined(_M_X64)
#include <immintrin.h>
#include <intrin.h>
#endif

namespace boresight {

namespace baseline {
KernelTable kernel_table();
}
#ifdef BORESIGHT_WITH_AVX
namespace avx2 {
KernelTable kernel_table();
}
namespace avx512 {
KernelTable kernel_table();
}
#endif

enum class Isa { baseline, avx2, avx512 };

inline Isa best_isa() {
#if !defined(BORESIGHT_WITH_AVX)
    return Isa::baseline;
#elif defined(_MSC_VER) && !defined(__clang__)
    int leaf[4];
    __cpuid(leaf, 0);
    if (leaf[0] < 7) return Isa::baseline;
    __cpuidex(leaf, 1, 0);
    const bool fma = leaf[2] & (1 << 12), osxsave = leaf[2] & (1 << 27);
    if (!fma || !osxsave || (_xgetbv(0) & 0x6) != 0x6) return Isa::baseline;
    __cpuidex(leaf, 7, 0);
    const int wide = (1 << 16) | (1 << 17) | (1 << 30) | (1 << 31);  // F, DQ, BW, VL
    if (!(leaf[1] & (1 << 5))) return Isa::baseline;
    return (leaf[1] & wide) == wide && (_xgetbv(0) & 0xe6) == 0xe6 ? Isa::avx512 : Isa::avx2;
#else
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return Isa::baseline;
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512vl"))
        return Isa::avx512;
    return Isa::avx2;
#endif
}

}  // namespace boresight
