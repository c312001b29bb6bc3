// Deviations from a state that is given by its attributes, as a Python class: see deviate.cpp.
#pragma once

#include <nanobind/nanobind.h>

namespace boresight {

// Adds the class Deviations to the module.
void register_deviations(nanobind::module_ &m);

}  // namespace boresight
