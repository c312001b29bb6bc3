// One rotation or pose a deviation away from another, from plain Python numbers: see deviate.cpp.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

namespace boresight {

// Adds deviate_rotation and deviate_pose to the module. False, with a Python error set, where that fails.
bool register_deviations(PyObject *module);

}  // namespace boresight
