// CARLA's geometry to the last bit: see carla.cpp.
#pragma once

#include "kernel.hpp"

namespace boresight {

KernelTable carla_kernels();

}  // namespace boresight
