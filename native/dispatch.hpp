// The way from Python to a kernel: see dispatch.cpp.
#pragma once

#include "kernel.hpp"

struct _object;
using PyObject = struct _object;

namespace boresight {

// Adds every kernel to the module as a function of its arrays and an optional `out`, and `take_fault()`.
// False, with a Python error set, where that fails.
bool register_kernels(PyObject *module, const KernelTable *tables, int count);

}  // namespace boresight
