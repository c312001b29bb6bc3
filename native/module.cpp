// The extension module: registers everything, nothing else.
#include <nanobind/nanobind.h>

#include <cstdlib>
#include <string_view>

#include "carla.hpp"
#include "deviate.hpp"
#include "dispatch.hpp"
#include "filter.hpp"
#include "processor.hpp"
#include "projection.hpp"

namespace {

// The best instruction set, or a lesser one that BORESIGHT_ISA asks for: tests compare their results, which agree
// bit for bit.
boresight::Isa chosen_isa() {
    using boresight::Isa;
    const Isa best = boresight::best_isa();
    const char *asked = std::getenv("BORESIGHT_ISA");
    const std::string_view name = asked ? asked : "";
    if (name == "baseline") return Isa::baseline;
    if (name == "avx2" && best == Isa::avx512) return Isa::avx2;
    return best;
}

}  // namespace

NB_MODULE(_native, m) {
    using namespace boresight;
    const Kernel projection = projection_kernel();
    KernelTable tables[] = {baseline::kernel_table(), {&projection, 1}, carla_kernels()};
    const char *isa = "baseline";
#ifdef BORESIGHT_WITH_AVX
    if (chosen_isa() == Isa::avx2) {
        tables[0] = avx2::kernel_table();
        isa = "avx2";
    } else if (chosen_isa() == Isa::avx512) {
        tables[0] = avx512::kernel_table();
        isa = "avx512";
    }
#else
    static_cast<void>(chosen_isa);
#endif
    m.attr("isa") = isa;
    if (!register_kernels(m.ptr(), tables, sizeof(tables) / sizeof(tables[0])) || !register_filter(m))
        throw nanobind::python_error();
    register_deviations(m);
}
