// Deviations from a state that is given by its attributes, handed out one by one.
//
// For planners that ask for one state at a time: an array of one row takes ten times as long to make as to multiply,
// and so do thirty operations of the interpreter. boresight.kernels.deviations says what the arguments are. States are
// known by their attributes alone: a rotation has x, y, z, w, and a pose getX(), getY(), getZ(), setXYZ() and
// rotation().
#include "deviate.hpp"

#include <nanobind/ndarray.h>

#include <algorithm>
#include <array>

#include "quaternion.hpp"

namespace boresight {
namespace {

namespace nb = nanobind;
using Quaternion = baseline::Quat<double>;
using Rows = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Box = nb::ndarray<const double, nb::shape<2, 3>, nb::c_contig, nb::device::cpu>;

// Made once, and never given back: they are needed until the interpreter ends.
struct Names {
    nb::handle x = name("x"), y = name("y"), z = name("z"), w = name("w");
    nb::handle get_x = name("getX"), get_y = name("getY"), get_z = name("getZ");
    nb::handle set_xyz = name("setXYZ"), rotation = name("rotation");

    static nb::handle name(const char *text) {
        PyObject *made = PyUnicode_InternFromString(text);
        if (made == nullptr) throw nb::python_error();
        return made;
    }
};

const Names &names() {
    static const Names made;
    return made;
}

nb::object checked(PyObject *made) {
    if (made == nullptr) throw nb::python_error();
    return nb::steal(made);
}

double number(const nb::object &given) {
    const double value = PyFloat_AsDouble(given.ptr());
    if (value == -1.0 && PyErr_Occurred()) throw nb::python_error();
    return value;
}

nb::object call(nb::handle object, nb::handle method) {
    return checked(PyObject_CallMethodNoArgs(object.ptr(), method.ptr()));
}

double read(nb::handle object, nb::handle attribute) {
    return number(checked(PyObject_GetAttr(object.ptr(), attribute.ptr())));
}

void write(nb::handle object, nb::handle attribute, double value) {
    const nb::object given = checked(PyFloat_FromDouble(value));
    if (PyObject_SetAttr(object.ptr(), attribute.ptr(), given.ptr()) < 0) throw nb::python_error();
}

Quaternion read_rotation(nb::handle state) {
    const Names &n = names();
    return {read(state, n.x), read(state, n.y), read(state, n.z), read(state, n.w)};
}

void write_rotation(nb::handle state, Quaternion q) {
    const Names &n = names();
    write(state, n.x, q.x);
    write(state, n.y, q.y);
    write(state, n.z, q.z);
    write(state, n.w, q.w);
}

void write_translation(nb::handle state, const std::array<double, 3> &t) {
    const nb::object x = checked(PyFloat_FromDouble(t[0])), y = checked(PyFloat_FromDouble(t[1])),
                     z = checked(PyFloat_FromDouble(t[2]));
    PyObject *const given[] = {state.ptr(), x.ptr(), y.ptr(), z.ptr()};
    checked(PyObject_VectorcallMethod(names().set_xyz.ptr(), given, 4, nullptr));
}

class Deviations {
  public:
    Deviations(const Rows &rows, const Box &box) : rows_(rows), count_(rows.shape(0)) {
        std::copy_n(box.data(), 3, low_.begin());
        std::copy_n(box.data() + 3, 3, high_.begin());
    }

    // Whether there was a row left.
    bool turn(nb::handle state, nb::handle center) {
        need_width(4);
        if (next_ >= count_) return false;
        // Taken before anything of Python's is called, which could let another thread in.
        const double *row = rows_.data() + 4 * next_++;
        write_rotation(state, baseline::multiply(read_rotation(center), quaternion(row)));
        return true;
    }

    // Negative where a row could be taken; otherwise how many tries are left.
    long move(nb::handle state, nb::handle center, long tries) {
        const std::size_t width = rows_.shape(1);
        if (width != 8) need_width(7);
        const Names &n = names();
        const std::array<double, 3> from = {number(call(center, n.get_x)), number(call(center, n.get_y)),
                                            number(call(center, n.get_z))};
        const std::size_t last = next_ + std::min(count_ - next_, static_cast<std::size_t>(std::max(tries, 0L)));
        for (; next_ < last; --tries) {
            const double *row = rows_.data() + width * next_++;
            std::array<double, 3> to = {row[0], row[1], row[2]};
            if (!(width == 8 ? within(to, from, row[7]) : add_inside(to, from))) continue;
            const Quaternion q = baseline::multiply(read_rotation(call(center, n.rotation)), quaternion(row + 3));
            write_translation(state, to);
            write_rotation(call(state, n.rotation), q);
            return -1;
        }
        return std::max(tries, 0L);
    }

  private:
    // Whether a place is no farther than that from another.
    static bool within(const std::array<double, 3> &to, const std::array<double, 3> &from, double most) {
        double square = 0;
        for (int i = 0; i < 3; ++i) square += (to[i] - from[i]) * (to[i] - from[i]);
        return square <= most * most;
    }

    // Whether the sum, which replaces the first, is in the box.
    bool add_inside(std::array<double, 3> &to, const std::array<double, 3> &from) const {
        bool inside = true;
        for (int i = 0; i < 3; ++i) {
            to[i] += from[i];
            inside &= low_[i] <= to[i] && to[i] <= high_[i];
        }
        return inside;
    }

    static Quaternion quaternion(const double *row) { return {row[0], row[1], row[2], row[3]}; }

    void need_width(std::size_t width) const {
        if (rows_.shape(1) != width) throw nb::value_error("the rows are of another kind of state");
    }

    Rows rows_;
    std::size_t count_;
    std::size_t next_ = 0;
    std::array<double, 3> low_{}, high_{};
};

}  // namespace

void register_deviations(nb::module_ &m) {
    names();
    nb::class_<Deviations>(m, "Deviations")
        .def(nb::init<const Rows &, const Box &>())
        .def("turn", &Deviations::turn)
        .def("move", &Deviations::move);
}

}  // namespace boresight
