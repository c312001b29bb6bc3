// The one kernel that needs a singular value decomposition, compiled for the baseline only.
#pragma once

#include "kernel.hpp"
#include "status.hpp"

namespace boresight {

Kernel projection_kernel();

}  // namespace boresight
