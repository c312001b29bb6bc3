// What a kernel is, as the calling side sees it. Plain data: no Python, no NumPy, no templates, so that
// the same header serves the files that are compiled once for each instruction set and the one that isn't.
#pragma once

#include <cstddef>

namespace boresight {

using Index = std::ptrdiff_t;  // the same type as npy_intp

// The inner loop of a NumPy generalised ufunc.
using Loop = void (*)(char **args, const Index *dimensions, const Index *steps, void *data);

struct Operand {
    int ndim;     // number of core dimensions: 0, 1 or 2
    int dims[2];  // their sizes
    bool weak;    // a constant: of one row for all, and takes its type from the others, as a Python number does

    constexpr int components() const { return (ndim > 0 ? dims[0] : 1) * (ndim > 1 ? dims[1] : 1); }
};

constexpr Operand kScalar{0, {0, 0}, false};
constexpr Operand kVector{1, {3, 0}, false};
constexpr Operand kQuaternion{1, {4, 0}, false};
constexpr Operand kTwist{1, {6, 0}, false};
constexpr Operand kMatrix{2, {3, 3}, false};

constexpr Operand weak(Operand operand) {
    operand.weak = true;
    return operand;
}

constexpr int kMaxOperands = 6;

struct Kernel {
    const char *name;
    int n_in, n_out;
    Operand operands[kMaxOperands];  // inputs, then outputs
    Loop float32, float64;
    const void *data;  // handed to the loop; a static constant
    bool checked;      // a NaN row in the result means that the row was bad, and sets the fault flag
};

// Says that this thread's last checked call met a bad row. Defined beside the module.
void set_fault();

struct KernelTable {
    const Kernel *kernels;
    int size;
};

}  // namespace boresight
