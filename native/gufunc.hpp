// The one loop: strided rows -> a block of components -> the kernel's formula -> rows.
//
// A kernel K says the shapes of its operands and how one row is worked out:
//
//     struct Multiply : Simple {
//         static constexpr Operand operands[] = {kQuaternion, kQuaternion, kQuaternion};
//         static constexpr int n_in = 2;
//         template <class T> static void row(Rows<T> in, Rows<T> out, int i, const Form<T> &);
//     };
//
// What the formula cannot do for rare rows is done out of the loop: before it by `tame`, which may change the inputs,
// or after it by `mend`. `in` and `out` hold one array for each component, so that the loop over `row` is one that
// compilers vectorise: formulas must be free of branches (a choice is a select between values that are both worked
// out). A kernel that looks at its constants first, which are the same for all rows, has a `Plan` instead: it reads
// them from the first block, then runs each. A block is always worked out to a whole number of vectors, the last row
// standing in for what is missing: a row's result never depends on the rows beside it, nor on how many there are.
#pragma once

#include "kernel.hpp"
#include "real.hpp"
#include "rows.hpp"
#include "status.hpp"

namespace boresight::BORESIGHT_ISA {

template <class T>
constexpr int kBlock = 256 / static_cast<int>(sizeof(T));  // rows: so few that memory is never idle for long
template <class T>
constexpr int kLanes = 32 / static_cast<int>(sizeof(T));  // rows are rounded up to a multiple of this

template <class T>
using Rows = T (*)[kBlock<T>];

// A kernel without constants, without rare rows and without bad rows.
struct Simple {
    template <class T>
    struct Form {
        explicit Form(const void *) {}
    };
    static constexpr bool checked = false;
    static constexpr bool tames = false;  // whether `tame` does anything
    template <class T>
    static void tame(Rows<T>, int, const Form<T> &) {}
};

// One operand as the loop was handed it.
struct Access {
    char *base;
    Index outer;      // bytes from row to row
    Index inner[16];  // bytes from the row's start to each component
    bool contiguous;
};

// Rows first to n of the block that begins at row `start`, however they lie. One function for all kernels: what is
// common, whole vectors of contiguous rows, is done by split_rows and join_rows.
template <class T>
BORESIGHT_OUTLINE void gather_any(const Access &from, int components, Index start, int first, int n, Rows<T> to) {
    for (int c = 0; c < components; ++c) {
        const char *p = from.base + start * from.outer + from.inner[c];
        if (from.outer == 0) {
            const T value = *reinterpret_cast<const T *>(p);
            for (int i = first; i < n; ++i) to[c][i] = value;
        } else {
            for (int i = first; i < n; ++i) to[c][i] = *reinterpret_cast<const T *>(p + i * from.outer);
        }
    }
}

template <class T>
BORESIGHT_OUTLINE void scatter_any(Rows<T> from, const Access &to, int components, Index start, int first, int n) {
    for (int c = 0; c < components; ++c) {
        char *p = to.base + start * to.outer + to.inner[c];
        for (int i = first; i < n; ++i) *reinterpret_cast<T *>(p + i * to.outer) = from[c][i];
    }
}

template <int N, class T>
BORESIGHT_INLINE void gather(const Access &from, Index start, int n, bool more, Rows<T> to) {
    int done = 0;
    if (from.contiguous)
        done = split_rows<N, kBlock<T>>(reinterpret_cast<const T *>(from.base) + start * N, n, more, to);
    if (done < n) gather_any<T>(from, N, start, done, n, to);
}

template <int N, class T>
BORESIGHT_INLINE void scatter(Rows<T> from, const Access &to, Index start, int n) {
    int done = 0;
    if (to.contiguous) done = join_rows<N, kBlock<T>>(from, n, reinterpret_cast<T *>(to.base) + start * N);
    if (done < n) scatter_any<T>(from, to, N, start, done, n);
}

template <class K>
constexpr int operand_count() {
    return static_cast<int>(sizeof(K::operands) / sizeof(K::operands[0]));
}

template <class K>
constexpr int components(int first, int last) {
    int total = 0;
    for (int o = first; o < last; ++o) total += K::operands[o].components();
    return total;
}

// Whether a component of any row is larger than the limit or NaN.
template <int N, class T>
BORESIGHT_INLINE bool any_beyond(Rows<T> in, int n, T limit) {
    typename Real<T>::Bits beyond = 0;
    for (int c = 0; c < N; ++c)
        for (int i = 0; i < n; ++i) beyond |= std::fabs(in[c][i]) <= limit ? 0 : 1;
    return beyond != 0;
}

struct NoPlan {};

template <class K, class T>
struct PlanOrNone {
    using type = NoPlan;
};
template <class K, class T>
    requires requires { typename K::template Plan<T>; }
struct PlanOrNone<K, T> {
    using type = typename K::template Plan<T>;
};
template <class K, class T>
using PlanOf = typename PlanOrNone<K, T>::type;

// Applies `use` to every operand from O to Last, handing it the operand's number as a constant.
template <int O, int Last, class F>
BORESIGHT_INLINE void each_operand(F &&use) {
    if constexpr (O < Last) {
        use.template operator()<O>();
        each_operand<O + 1, Last>(use);
    }
}

template <class K, class T>
void loop(char **args, const Index *dimensions, const Index *steps, void *data) {
    constexpr int n_operands = operand_count<K>();
    constexpr int n_in = components<K>(0, K::n_in), n_out = components<K>(K::n_in, n_operands);
    alignas(64) T in[n_in][kBlock<T>];
    alignas(64) T out[n_out][kBlock<T>];
    const typename K::template Form<T> form(data);

    Access access[n_operands];
    const Index *core = steps + n_operands;
    for (int o = 0; o < n_operands; ++o) {
        const Operand operand = K::operands[o];
        Access &a = access[o];
        a.base = args[o];
        a.outer = steps[o];
        const int columns = operand.ndim > 0 ? operand.dims[operand.ndim - 1] : 1;
        const Index row_step = operand.ndim > 1 ? core[0] : 0;
        const Index column_step = operand.ndim > 0 ? core[operand.ndim - 1] : 0;
        a.contiguous = a.outer == static_cast<Index>(operand.components() * sizeof(T));
        for (int c = 0; c < operand.components(); ++c) {
            a.inner[c] = (c / columns) * row_step + (c % columns) * column_step;
            a.contiguous = a.contiguous && a.inner[c] == static_cast<Index>(c * sizeof(T));
        }
        core += operand.ndim;
    }

    const Index total = dimensions[0];
    if constexpr (requires(const T *from, T *to) { K::template whole<T>(from, to, 0); }) {
        if (access[0].contiguous && access[1].contiguous) {
            const auto *from = reinterpret_cast<const T *>(args[0]);
            auto *to = reinterpret_cast<T *>(args[1]);
            for (Index start = 0; start < total; start += kBlock<T>)
                K::template whole<T>(from + 4 * start, to + 4 * start,
                                     static_cast<int>(total - start < kBlock<T> ? total - start : kBlock<T>));
            clear_status();
            return;
        }
    }
    [[maybe_unused]] PlanOf<K, T> plan;
    typename Real<T>::Bits faults = 0;  // an integer: a sum of floats may not change its order, and waits for each
    for (Index start = 0; start < total; start += kBlock<T>) {
        const int n = static_cast<int>(total - start < kBlock<T> ? total - start : kBlock<T>);
        const int padded = (n + kLanes<T> - 1) / kLanes<T> * kLanes<T>;
        each_operand<0, K::n_in>([&]<int O>() {
            constexpr int n_components = K::operands[O].components();
            if (access[O].outer == 0 && start > 0 && !K::tames) return;  // one row for all: already there
            gather<n_components, T>(access[O], start, n, start + n < total, &in[components<K>(0, O)]);
        });
        for (int c = 0; c < n_in; ++c)
            for (int i = n; i < padded; ++i) in[c][i] = in[c][n - 1];
        K::template tame<T>(in, padded, form);
        if constexpr (requires { typename K::template Plan<T>; }) {
            if (start == 0) plan.read(in);
            plan.run(in, out, padded);
        } else {
            for (int i = 0; i < padded; ++i) K::template row<T>(in, out, i, form);
            if constexpr (requires { K::template mend<T>(in, out, padded); }) K::template mend<T>(in, out, padded);
        }
        each_operand<K::n_in, n_operands>([&]<int O>() {
            constexpr int n_components = K::operands[O].components();
            scatter<n_components, T>(&out[components<K>(K::n_in, O)], access[O], start, n);
        });
        if constexpr (K::checked)
            for (int i = 0; i < padded; ++i) faults |= out[0][i] != out[0][i] ? 1 : 0;
    }
    if (K::checked && faults != 0) set_fault();
    clear_status();
}

template <class K>
constexpr Kernel kernel(const char *name, const void *data = nullptr) {
    Kernel k{name, K::n_in, operand_count<K>() - K::n_in, {}, &loop<K, float>, &loop<K, double>, data, K::checked};
    for (int o = 0; o < operand_count<K>(); ++o) k.operands[o] = K::operands[o];
    return k;
}

}  // namespace boresight::BORESIGHT_ISA
