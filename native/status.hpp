// NumPy warns of whatever floating-point status a loop leaves behind. Ours answer bad rows with NaN instead.
#pragma once

#if defined(__SSE2__) || defined(_M_X64)
#include <xmmintrin.h>
#else
#include <cfenv>
#endif

namespace boresight {
namespace {

inline void clear_status() {
#if defined(__SSE2__) || defined(_M_X64)
    const unsigned status = _mm_getcsr();
    if (status & 0x3fu) _mm_setcsr(status & ~0x3fu);
#else
    std::feclearexcept(FE_ALL_EXCEPT);
#endif
}

}  // namespace
}  // namespace boresight
