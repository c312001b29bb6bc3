// The navigation filter as a Python class: see filter.cpp.
#pragma once

#include <nanobind/nanobind.h>

namespace boresight {

// Adds the class Filter to the module. False, with a Python error set, where that fails.
bool register_filter(nanobind::module_ &m);

}  // namespace boresight
