// From Python to a kernel: one call that checks types and shapes and runs the loop.
//
// Every kernel is a NumPy generalised ufunc, which broadcasts, copies what is misaligned or in foreign byte order, and
// honours out=. Arrays that need none of that (one type, of one step from row to row, one batch shape, or a single row
// beside it) go straight to the loop, since for one row the ufunc's own work is several times the kernel's.
#include <Python.h>

#define NPY_NO_DEPRECATED_API NPY_2_0_API_VERSION
#include <numpy/arrayobject.h>
#include <numpy/ufuncobject.h>

#include <memory>
#include <string>
#include <vector>

#include "dispatch.hpp"

namespace boresight {
namespace {

thread_local bool fault = false;

constexpr Index kRowsWorthReleasing = 500;  // below this, letting go of the GIL costs more than it gives

// A kernel with its ufunc and the arrays that NumPy wants to outlive it.
struct Bound {
    Kernel kernel;
    PyUFuncGenericFunction loops[2];
    void *data[2];
    char types[2 * kMaxOperands];
    std::string signature;
    PyObject *ufunc;
    PyMethodDef method;
};

std::string signature_of(const Kernel &k) {
    std::string s;
    for (int o = 0; o < k.n_in + k.n_out; ++o) {
        if (o > 0) s += o == k.n_in ? "->" : ",";
        const Operand &operand = k.operands[o];
        s += "(";
        for (int d = 0; d < operand.ndim; ++d) s += (d > 0 ? "," : "") + std::to_string(operand.dims[d]);
        s += ")";
    }
    return s;
}

struct Reference {  // an owned reference
    PyObject *object = nullptr;
    ~Reference() { Py_XDECREF(object); }
    Reference() = default;
    Reference(const Reference &) = delete;
    Reference &operator=(const Reference &) = delete;
};

PyArrayObject *as_array(PyObject *object) { return reinterpret_cast<PyArrayObject *>(object); }

bool core_matches(PyArrayObject *a, const Operand &operand) {
    const int batch = PyArray_NDIM(a) - operand.ndim;
    if (batch < 0 || (operand.weak && batch > 0)) return false;
    for (int d = 0; d < operand.ndim; ++d)
        if (PyArray_DIM(a, batch + d) != operand.dims[d]) return false;
    return true;
}

// A number where a number is wanted: it takes its type from the arrays beside it.
bool is_number(PyObject *object, const Operand &operand) {
    return operand.ndim == 0 && (PyFloat_CheckExact(object) || PyLong_CheckExact(object));
}

PyObject *refuse_shape(const Kernel &k, int o, PyArrayObject *a) {
    const Operand &operand = k.operands[o];
    Reference shape;
    shape.object = PyObject_GetAttrString(reinterpret_cast<PyObject *>(a), "shape");
    if (shape.object == nullptr) return nullptr;
    const char *batch = operand.weak ? "" : "..., ";
    if (operand.ndim == 0)
        return PyErr_Format(PyExc_ValueError, "%s: argument %d must be a number, not an array of shape %R", k.name,
                            o + 1, shape.object);
    if (operand.ndim == 2)
        return PyErr_Format(PyExc_ValueError, "%s: argument %d must have shape (%s%d, %d), not %R", k.name, o + 1,
                            batch, operand.dims[0], operand.dims[1], shape.object);
    return PyErr_Format(PyExc_ValueError, "%s: argument %d must have shape (%s%d), not %R", k.name, o + 1, batch,
                        operand.dims[0], shape.object);
}

PyObject *refuse_type(const Kernel &k, int o, PyArrayObject *a) {
    return PyErr_Format(PyExc_TypeError,
                        "%s: argument %d is an array of %S; take float32 or float64 (integers become float64)", k.name,
                        o + 1, PyArray_DESCR(a));
}

PyObject *refuse_mask(const Kernel &k, int o) {
    return PyErr_Format(PyExc_TypeError,
                        "%s: argument %d is a masked array, whose mask would be lost; give a.filled(numpy.nan)", k.name,
                        o + 1);
}

// The straight way. Sets `taken` where the arguments allow it.
PyObject *call_loop(const Bound &bound, PyObject *const *args, bool &taken) {
    const Kernel &k = bound.kernel;
    taken = false;
    int type = NPY_NOTYPE;
    PyArrayObject *widest = nullptr;
    int batch = -1;
    for (int o = 0; o < k.n_in; ++o) {
        if (is_number(args[o], k.operands[o])) continue;
        if (!PyArray_CheckExact(args[o])) return nullptr;
        PyArrayObject *a = as_array(args[o]);
        const int t = PyArray_TYPE(a);
        if ((t != NPY_DOUBLE && t != NPY_FLOAT) || (type != NPY_NOTYPE && t != type)) return nullptr;
        if (!PyArray_ISALIGNED(a) || PyArray_ISBYTESWAPPED(a)) return nullptr;
        if (!core_matches(a, k.operands[o])) return nullptr;
        type = t;
        const int b = PyArray_NDIM(a) - k.operands[o].ndim;
        if (b > 1 && !PyArray_IS_C_CONTIGUOUS(a)) return nullptr;  // of more batch axes, one step is not enough
        if (b > batch) {
            batch = b;
            widest = a;
        }
    }
    if (widest == nullptr) return nullptr;

    const Index width = type == NPY_DOUBLE ? sizeof(double) : sizeof(float);
    char *pointers[kMaxOperands];
    Index steps[kMaxOperands * 3];
    Index *core = steps + k.n_in + k.n_out;
    double numbers64[kMaxOperands];
    float numbers32[kMaxOperands];
    npy_intp dims[NPY_MAXDIMS];
    Index rows = 1;
    if (batch > NPY_MAXDIMS - 2) return nullptr;
    for (int d = 0; d < batch; ++d) {
        dims[d] = PyArray_DIM(widest, d);
        rows *= dims[d];
    }
    for (int o = 0; o < k.n_in + k.n_out; ++o) {
        const Operand &operand = k.operands[o];
        steps[o] = operand.components() * width;
        if (operand.ndim == 2) *core++ = operand.dims[1] * width;
        if (operand.ndim > 0) *core++ = width;
        if (o >= k.n_in) continue;
        if (is_number(args[o], operand)) {
            numbers64[o] = PyFloat_AsDouble(args[o]);
            if (numbers64[o] == -1.0 && PyErr_Occurred()) return nullptr;
            numbers32[o] = static_cast<float>(numbers64[o]);
            pointers[o] = width == sizeof(double) ? reinterpret_cast<char *>(&numbers64[o])
                                                  : reinterpret_cast<char *>(&numbers32[o]);
            steps[o] = 0;
            continue;
        }
        PyArrayObject *a = as_array(args[o]);
        pointers[o] = PyArray_BYTES(a);
        const int b = PyArray_NDIM(a) - operand.ndim;
        if (!PyArray_IS_C_CONTIGUOUS(a)) {
            if (b == 1) steps[o] = PyArray_STRIDE(a, 0);
            for (int d = 0; d < operand.ndim; ++d) core[d - operand.ndim] = PyArray_STRIDE(a, b + d);
        }
        if (b == 0 && batch > 0) {
            steps[o] = 0;
            continue;
        }
        if (b != batch) return nullptr;
        for (int d = 0; d < batch; ++d)
            if (PyArray_DIM(a, d) != dims[d]) return nullptr;
    }

    taken = true;
    Reference results[2];
    for (int r = 0; r < k.n_out; ++r) {
        const Operand &operand = k.operands[k.n_in + r];
        for (int d = 0; d < operand.ndim; ++d) dims[batch + d] = operand.dims[d];
        results[r].object = PyArray_SimpleNew(batch + operand.ndim, dims, type);
        if (results[r].object == nullptr) return nullptr;
        pointers[k.n_in + r] = PyArray_BYTES(as_array(results[r].object));
    }
    const Loop loop = type == NPY_DOUBLE ? k.float64 : k.float32;
    void *data = const_cast<void *>(k.data);
    if (rows > kRowsWorthReleasing) {
        Py_BEGIN_ALLOW_THREADS
        loop(pointers, &rows, steps, data);
        Py_END_ALLOW_THREADS
    } else if (rows > 0) {
        loop(pointers, &rows, steps, data);
    }
    // Of no dimension they become scalars, as NumPy's own functions have it.
    for (int r = 0; r < k.n_out; ++r) {
        results[r].object = PyArray_Return(as_array(results[r].object));
        if (results[r].object == nullptr) return nullptr;
    }
    if (k.n_out == 2) return PyTuple_Pack(2, results[0].object, results[1].object);
    PyObject *result = results[0].object;
    results[0].object = nullptr;
    return result;
}

// The general way: everything is made an array of the common type, and NumPy does the rest.
PyObject *call_ufunc(const Bound &bound, PyObject *const *args, PyObject *out) {
    const Kernel &k = bound.kernel;
    Reference held[kMaxOperands];
    PyObject *stack[kMaxOperands + 1];
    int type = NPY_NOTYPE;
    for (int o = 0; o < k.n_in; ++o) {
        stack[o] = args[o];
        if (is_number(args[o], k.operands[o])) continue;
        if (PyArray_Check(args[o]) && PyObject_HasAttrString(args[o], "mask")) return refuse_mask(k, o);
        held[o].object = PyArray_FromAny(args[o], nullptr, 0, 0, NPY_ARRAY_ENSUREARRAY, nullptr);
        if (held[o].object == nullptr) return nullptr;
        PyArrayObject *a = as_array(held[o].object);
        const int t = PyArray_TYPE(a);
        const bool integer = PyTypeNum_ISINTEGER(t);
        if (t != NPY_DOUBLE && t != NPY_FLOAT && !integer) return refuse_type(k, o, a);
        if (!core_matches(a, k.operands[o])) return refuse_shape(k, o, a);
        stack[o] = held[o].object;
        if (k.operands[o].weak) continue;
        const int becomes = t == NPY_FLOAT ? NPY_FLOAT : NPY_DOUBLE;
        type = type == NPY_DOUBLE || becomes == NPY_DOUBLE ? NPY_DOUBLE : NPY_FLOAT;
    }
    if (type == NPY_NOTYPE) type = NPY_DOUBLE;
    for (int o = 0; o < k.n_in; ++o) {
        if (held[o].object == nullptr || PyArray_TYPE(as_array(held[o].object)) == type) continue;
        PyObject *cast =
            PyArray_FromAny(held[o].object, PyArray_DescrFromType(type), 0, 0, NPY_ARRAY_FORCECAST, nullptr);
        if (cast == nullptr) return nullptr;
        Py_SETREF(held[o].object, cast);
        stack[o] = cast;
    }
    if (out == nullptr) return PyObject_Vectorcall(bound.ufunc, stack, k.n_in, nullptr);
    stack[k.n_in] = out;
    static PyObject *const keyword = Py_BuildValue("(s)", "out");
    return PyObject_Vectorcall(bound.ufunc, stack, k.n_in, keyword);
}

PyObject *call(PyObject *self, PyObject *const *args, Py_ssize_t count) {
    const auto &bound = *static_cast<const Bound *>(PyCapsule_GetPointer(self, nullptr));
    const Kernel &k = bound.kernel;
    if (count != k.n_in && count != k.n_in + 1)
        return PyErr_Format(PyExc_TypeError, "%s takes %d arrays and out, not %zd arguments", k.name, k.n_in, count);
    if (k.checked) fault = false;
    PyObject *out = count > k.n_in && args[k.n_in] != Py_None ? args[k.n_in] : nullptr;
    if (out == nullptr) {
        bool taken;
        PyObject *result = call_loop(bound, args, taken);
        if (taken || PyErr_Occurred()) return result;
    }
    return call_ufunc(bound, args, out);
}

bool bind(PyObject *module, Bound &bound) {
    const Kernel &k = bound.kernel;
    const int n = k.n_in + k.n_out;
    bound.loops[0] = reinterpret_cast<PyUFuncGenericFunction>(k.float32);
    bound.loops[1] = reinterpret_cast<PyUFuncGenericFunction>(k.float64);
    bound.data[0] = bound.data[1] = const_cast<void *>(k.data);
    for (int o = 0; o < n; ++o) {
        bound.types[o] = NPY_FLOAT;
        bound.types[n + o] = NPY_DOUBLE;
    }
    bound.signature = signature_of(k);
    bound.ufunc = PyUFunc_FromFuncAndDataAndSignature(bound.loops, bound.data, bound.types, 2, k.n_in, k.n_out,
                                                      PyUFunc_None, k.name, nullptr, 0, bound.signature.c_str());
    if (bound.ufunc == nullptr) return false;
    bound.method = {k.name, reinterpret_cast<PyCFunction>(reinterpret_cast<void *>(&call)), METH_FASTCALL, nullptr};
    Reference capsule, function;
    capsule.object = PyCapsule_New(&bound, nullptr, nullptr);
    if (capsule.object == nullptr) return false;
    function.object = PyCFunction_New(&bound.method, capsule.object);
    return function.object != nullptr && PyModule_AddObjectRef(module, k.name, function.object) == 0;
}

PyObject *take_fault(PyObject *, PyObject *) {
    const bool met = fault;
    fault = false;
    return PyBool_FromLong(met);
}

// Arrays of a value that is not to change: one call for all, since for one row setflags takes longer than the kernel.
PyObject *freeze(PyObject *, PyObject *const *args, Py_ssize_t count) {
    for (Py_ssize_t i = 0; i < count; ++i) {
        if (!PyArray_Check(args[i])) return PyErr_Format(PyExc_TypeError, "freeze takes arrays, not %R", args[i]);
        PyArray_CLEARFLAGS(as_array(args[i]), NPY_ARRAY_WRITEABLE);
    }
    Py_RETURN_NONE;
}

PyMethodDef freeze_method{"freeze", reinterpret_cast<PyCFunction>(reinterpret_cast<void *>(&freeze)), METH_FASTCALL,
                          "Make arrays read-only."};

PyMethodDef take_fault_method{"take_fault", take_fault, METH_NOARGS,
                              "Whether the last checked call in this thread met a bad row; asking clears it."};

}  // namespace

void set_fault() { fault = true; }

bool register_kernels(PyObject *module, const KernelTable *tables, int count) {
    import_array1(false);
    import_umath1(false);
    // Lives as long as the process: ufuncs keep pointers into it.
    static auto *const bound = new std::vector<std::unique_ptr<Bound>>;
    for (int t = 0; t < count; ++t)
        for (int i = 0; i < tables[t].size; ++i) {
            bound->push_back(std::make_unique<Bound>());
            bound->back()->kernel = tables[t].kernels[i];
            if (!bind(module, *bound->back())) return false;
        }
    for (PyMethodDef *method : {&take_fault_method, &freeze_method}) {
        Reference function;
        function.object = PyCFunction_New(method, nullptr);
        if (function.object == nullptr || PyModule_AddObjectRef(module, method->ml_name, function.object) < 0)
            return false;
    }
    return true;
}

}  // namespace boresight
