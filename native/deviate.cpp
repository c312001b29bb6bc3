// One rotation or pose a deviation away from another, from plain Python numbers to plain Python numbers.
//
// For planners that ask for one state at a time: an array of one row takes ten times as long to make as to multiply,
// and so do thirty operations of the interpreter. boresight.kernels.single says what the arguments are.
#include "deviate.hpp"

#include <initializer_list>

#include "quaternion.hpp"

namespace boresight {
namespace {

using Quaternion = baseline::Quat<double>;

bool read_numbers(PyObject *const *given, int count, double *out) {
    for (int i = 0; i < count; ++i) {
        out[i] = PyFloat_AsDouble(given[i]);
        if (out[i] == -1.0 && PyErr_Occurred()) return false;
    }
    return true;
}

// A list or tuple of so many floats. Of nothing else: what turns itself into a number could change the list meanwhile.
bool read_row(PyObject *given, const char *name, int count, double *out) {
    if ((PyList_Check(given) || PyTuple_Check(given)) && PySequence_Fast_GET_SIZE(given) == count) {
        int i = 0;
        for (; i < count; ++i) {
            PyObject *item = PySequence_Fast_GET_ITEM(given, i);
            if (!PyFloat_Check(item)) break;
            out[i] = PyFloat_AS_DOUBLE(item);
        }
        if (i == count) return true;
    }
    PyErr_Format(PyExc_TypeError, "%s must be a list or tuple of %d floats, not %R", name, count, given);
    return false;
}

bool need_arguments(const char *name, Py_ssize_t given, Py_ssize_t needed) {
    if (given == needed) return true;
    PyErr_Format(PyExc_TypeError, "%s() takes %zd arguments, not %zd", name, needed, given);
    return false;
}

Quaternion product(const double *first, const double *second) {
    return baseline::multiply(Quaternion{first[0], first[1], first[2], first[3]},
                              Quaternion{second[0], second[1], second[2], second[3]});
}

PyObject *make_tuple(std::initializer_list<double> numbers) {
    PyObject *made = PyTuple_New(static_cast<Py_ssize_t>(numbers.size()));
    Py_ssize_t i = 0;
    for (const double number : numbers) {
        PyObject *item = made == nullptr ? nullptr : PyFloat_FromDouble(number);
        if (item == nullptr) {
            Py_XDECREF(made);
            return nullptr;
        }
        PyTuple_SET_ITEM(made, i++, item);
    }
    return made;
}

PyObject *deviate_rotation(PyObject *, PyObject *const *arguments, Py_ssize_t count) {
    double center[4], row[4];
    if (!need_arguments("deviate_rotation", count, 5) || !read_numbers(arguments, 4, center) ||
        !read_row(arguments[4], "row", 4, row))
        return nullptr;
    const Quaternion q = product(center, row);
    return make_tuple({q.x, q.y, q.z, q.w});
}

PyObject *deviate_pose(PyObject *, PyObject *const *arguments, Py_ssize_t count) {
    double center[7], row[7], box[6];
    if (!need_arguments("deviate_pose", count, 9) || !read_numbers(arguments, 7, center) ||
        !read_row(arguments[7], "row", 7, row) || !read_row(arguments[8], "box", 6, box))
        return nullptr;
    double place[3];
    for (int i = 0; i < 3; ++i) {
        place[i] = center[i] + row[i];
        if (!(box[i] <= place[i] && place[i] <= box[3 + i])) Py_RETURN_NONE;
    }
    const Quaternion q = product(center + 3, row + 3);
    return make_tuple({place[0], place[1], place[2], q.x, q.y, q.z, q.w});
}

using Fast = PyObject *(*)(PyObject *, PyObject *const *, Py_ssize_t);

PyCFunction plain(Fast function) { return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function)); }

}  // namespace

bool register_deviations(PyObject *module) {
    static PyMethodDef methods[] = {
        {"deviate_rotation", plain(deviate_rotation), METH_FASTCALL, nullptr},
        {"deviate_pose", plain(deviate_pose), METH_FASTCALL, nullptr},
        {nullptr, nullptr, 0, nullptr},
    };
    return PyModule_AddFunctions(module, methods) == 0;
}

}  // namespace boresight
