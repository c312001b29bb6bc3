// The navigation filter as a Python class: one call a sample or measurement, and one call for a whole log.
//
// Only boresight.kernels.filter uses it, and says there what the arrays are. Calls with one sample read their vectors
// without going through NumPy's machinery, which would take several times as long as the filter.
#include "filter.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#define NPY_NO_DEPRECATED_API NPY_2_0_API_VERSION
#include <numpy/arrayobject.h>

#include <cstring>
#include <string>

#include "eskf.hpp"

namespace boresight {
namespace {

namespace nb = nanobind;
using namespace eskf;

template <class T, class... Shape>
using In = nb::ndarray<const T, nb::shape<Shape::value...>, nb::c_contig, nb::device::cpu>;
template <long N>
using Size = std::integral_constant<long, N>;
template <class T, class... Shape>
using Out = nb::ndarray<T, nb::shape<Shape::value...>, nb::c_contig, nb::device::cpu>;

struct Filter {
    explicit Filter(const Config &config) : eskf(config) {}

    Eskf eskf;
    Propagated propagated;
    Fused fused;
};

struct Owned {
    PyObject *object;
    ~Owned() { Py_XDECREF(object); }
};

void read_vector(nb::handle given, Vector3 &out) {
    PyObject *o = given.ptr();
    if (PyArray_CheckExact(o)) {
        auto *a = reinterpret_cast<PyArrayObject *>(o);
        if (PyArray_TYPE(a) == NPY_DOUBLE && PyArray_NDIM(a) == 1 && PyArray_DIM(a, 0) == 3 &&
            PyArray_ISBEHAVED_RO(a)) {
            const char *data = PyArray_BYTES(a);
            const npy_intp step = PyArray_STRIDE(a, 0);
            for (int i = 0; i < 3; ++i) out[i] = *reinterpret_cast<const double *>(data + i * step);
            return;
        }
    } else if ((PyTuple_CheckExact(o) || PyList_CheckExact(o)) && PySequence_Fast_GET_SIZE(o) == 3) {
        for (int i = 0; i < 3; ++i) {
            out[i] = PyFloat_AsDouble(PySequence_Fast_GET_ITEM(o, i));
            if (out[i] == -1.0 && PyErr_Occurred()) throw nb::python_error();
        }
        return;
    }
    const Owned array{PyArray_FROM_OTF(o, NPY_DOUBLE, NPY_ARRAY_IN_ARRAY)};
    if (array.object == nullptr) throw nb::python_error();
    auto *a = reinterpret_cast<PyArrayObject *>(array.object);
    if (PyArray_NDIM(a) != 1 || PyArray_DIM(a, 0) != 3) throw nb::value_error("a vector has three numbers");
    std::memcpy(out.data(), PyArray_DATA(a), 3 * sizeof(double));
}

Nanoseconds read_time(nb::handle given) {
    const long long time = PyLong_AsLongLong(given.ptr());
    if (time == -1 && PyErr_Occurred()) throw nb::python_error();
    return time;
}

nb::object make_array(std::initializer_list<npy_intp> shape, const double *data) {
    npy_intp dims[3];
    std::copy(shape.begin(), shape.end(), dims);
    PyObject *array = PyArray_SimpleNew(static_cast<int>(shape.size()), dims, NPY_DOUBLE);
    if (array == nullptr) throw nb::python_error();
    auto *a = reinterpret_cast<PyArrayObject *>(array);
    std::memcpy(PyArray_DATA(a), data, static_cast<std::size_t>(PyArray_NBYTES(a)));
    return nb::steal(array);
}

void pack(const State &x, double *out) {
    const Quaternion &q = x.attitude;
    const double packed[16] = {x.position[0],
                               x.position[1],
                               x.position[2],
                               x.velocity[0],
                               x.velocity[1],
                               x.velocity[2],
                               q.x,
                               q.y,
                               q.z,
                               q.w,
                               x.accel_bias[0],
                               x.accel_bias[1],
                               x.accel_bias[2],
                               x.gyro_bias[0],
                               x.gyro_bias[1],
                               x.gyro_bias[2]};
    std::memcpy(out, packed, sizeof packed);
}

State unpack(const double *in) {
    State x;
    x.position = Vector3(in[0], in[1], in[2]);
    x.velocity = Vector3(in[3], in[4], in[5]);
    x.attitude = {in[6], in[7], in[8], in[9]};
    x.accel_bias = Vector3(in[10], in[11], in[12]);
    x.gyro_bias = Vector3(in[13], in[14], in[15]);
    return x;
}

void pack(const Covariance &p, double *out) {
    for (int i = 0; i < kStates; ++i) std::memcpy(out + kStates * i, p[i], kStates * sizeof(double));
}

Config read_config(const nb::dict &given) {
    Config config;
    std::size_t found = 0;
    for (const ConfigField &field : kConfigFields) {
        if (!given.contains(field.name)) throw nb::value_error((std::string("no ") + field.name).c_str());
        config.*field.value = nb::cast<double>(given[field.name]);
        ++found;
    }
    if (found == given.size()) return config;
    for (const auto &[key, value] : given) {
        const auto name = nb::cast<std::string>(key);
        bool known = false;
        for (const ConfigField &field : kConfigFields) known |= name == field.name;
        if (!known) throw nb::value_error(("unknown: " + name).c_str());
    }
    return config;
}

void start(Filter &f, nb::handle time, In<double, Size<16>> state, In<double, Size<15>, Size<15>> covariance,
           unsigned established, bool magnetic) {
    Covariance p;
    for (int i = 0; i < kStates; ++i) std::memcpy(p[i], covariance.data() + kStates * i, kStates * sizeof(double));
    f.eskf.start(read_time(time), unpack(state.data()), p, established, magnetic);
}

// FLU to FRD.
void turn_over(ImuSample &sample) {
    for (int i = 1; i < 3; ++i) {
        sample.angle[i] = -sample.angle[i];
        sample.velocity[i] = -sample.velocity[i];
    }
}

int predict(Filter &f, nb::handle time, nb::handle angle, double angle_interval, nb::handle velocity,
            double velocity_interval, bool flu) {
    ImuSample sample;
    sample.angle_interval = angle_interval;
    sample.velocity_interval = velocity_interval;
    const Nanoseconds at = read_time(time);
    read_vector(angle, sample.angle);
    read_vector(velocity, sample.velocity);
    if (flu) turn_over(sample);
    f.propagated = f.eskf.predict(at, sample);
    return static_cast<int>(f.propagated.code);
}

int predict_rates(Filter &f, nb::handle time, nb::handle rate, nb::handle force, double interval, bool flu) {
    ImuSample sample;
    sample.angle_interval = sample.velocity_interval = interval;
    const Nanoseconds at = read_time(time);
    read_vector(rate, sample.angle);
    read_vector(force, sample.velocity);
    sample.angle *= interval;
    sample.velocity *= interval;
    if (flu) turn_over(sample);
    f.propagated = f.eskf.predict(at, sample);
    return static_cast<int>(f.propagated.code);
}

int fuse(Filter &f, int kind, nb::handle time, nb::handle value, nb::handle variance, nb::handle arm) {
    if (kind < 1 || kind > 8) throw nb::value_error("no such kind of measurement");
    Measurement z;
    z.kind = static_cast<Kind>(kind);
    z.time = read_time(time);
    read_vector(value, z.value);
    read_vector(variance, z.variance);
    read_vector(arm, z.arm);
    f.fused = f.eskf.fuse(z);
    return static_cast<int>(f.fused.code[0]) | static_cast<int>(f.fused.code[1]) << 8;
}

nb::object seconds_since(bool ever, Nanoseconds then, Nanoseconds now) {
    return ever ? nb::cast(seconds(then, now)) : nb::none();
}

nb::dict diagnostics(const Filter &f) {
    const Eskf &e = f.eskf;
    nb::dict sources;
    for (int s = 0; s < kSources; ++s) {
        const SourceHealth &h = e.source(s);
        nb::dict d;
        d["accepted"] = h.accepted;
        d["rejected"] = h.rejected;
        d["refused"] = h.refused;
        d["adopted"] = h.adopted;
        d["recovered"] = h.recovered;
        d["consecutive_rejections"] = h.consecutive_rejections;
        d["test_ratio"] = h.test_ratio;
        d["period"] = h.period;
        double covariance[9];
        for (int i = 0; i < h.rows; ++i)
            for (int k = 0; k < h.rows; ++k) covariance[i * h.rows + k] = h.innovation_covariance[i][k];
        d["innovation"] = make_array({h.rows}, h.innovation);
        d["innovation_covariance"] = make_array({h.rows, h.rows}, covariance);
        d["last_refusal"] = static_cast<int>(h.last_refusal);
        d["since_accepted"] = seconds_since(h.accepted_once, h.accepted_at, e.clock());
        sources[kSourceNames[s]] = d;
    }
    nb::list counts;
    for (const auto count : e.propagation().counts) counts.append(count);
    nb::dict out;
    out["sources"] = sources;
    out["propagation"] = counts;
    out["longest_gap"] = e.propagation().longest_gap;
    out["floored"] = e.floored();
    return out;
}

// A measurement as it stands in the array that run() is given.
struct Row {
    Nanoseconds time, after, kind;
    double value[3], variance[3], arm[3];
};
static_assert(sizeof(Row) == 96);

struct Records {
    std::uint8_t *propagation, *fusion, *status, *validity;
    double *test_ratio, *innovation, *innovation_variance;
    Nanoseconds *time;
    double *state, *covariance, *attitude_variance, *reference;
};

void record(const Eskf &e, std::size_t r, bool full, const Records &out) {
    out.time[r] = e.time();
    pack(e.state(), out.state + 16 * r);
    if (full)
        pack(e.covariance(), out.covariance + 225 * r);
    else
        for (int i = 0; i < kStates; ++i) out.covariance[kStates * r + i] = e.covariance()[i][i];
    const Vector3 attitude = e.attitude_variance();
    for (int i = 0; i < 3; ++i) out.attitude_variance[3 * r + i] = attitude[i];
    out.status[r] = static_cast<std::uint8_t>(e.status());
    out.validity[r] = static_cast<std::uint8_t>(e.validity());
    out.reference[r] = e.has_baro_reference() ? e.baro_reference() : kNaN;
}

void fuse_row(Eskf &e, const Row &row, std::size_t m, const Records &out) {
    Measurement z;
    z.time = row.time;
    z.kind = static_cast<Kind>(row.kind);
    for (int i = 0; i < 3; ++i) {
        z.value[i] = row.value[i];
        z.variance[i] = row.variance[i];
        z.arm[i] = row.arm[i];
    }
    const Fused fused = e.fuse(z);
    for (int half = 0; half < 2; ++half) {
        out.fusion[2 * m + half] = static_cast<std::uint8_t>(fused.code[half]);
        out.test_ratio[2 * m + half] = fused.test_ratio[half];
    }
    for (int i = 0; i < 3; ++i) {
        out.innovation[3 * m + i] = fused.innovation[i];
        out.innovation_variance[3 * m + i] = fused.innovation_variance[i];
    }
}

using Bytes = Out<std::uint8_t, Size<-1>>;
using Times = Out<Nanoseconds, Size<-1>>;
using Numbers = Out<double, Size<-1>>;

// Sample by sample from `begin` on; True with where it stopped, at the end or (with `pause`) at the measurement that
// placed the origin. The door has made the arrays and their lengths agree.
nb::tuple run(Filter &f, In<Nanoseconds, Size<-1>> times, In<double, Size<-1>, Size<8>> imu,
              In<std::uint8_t, Size<-1>, Size<96>> measurements, std::size_t every, bool full, bool pause,
              std::size_t i, std::size_t m, std::size_t r, Bytes propagation, Bytes fusion, Numbers test_ratio,
              Numbers innovation, Numbers innovation_variance, Times time, Numbers state, Numbers covariance,
              Numbers attitude_variance, Bytes status, Bytes validity, Numbers reference) {
    const Records out{propagation.data(),
                      fusion.data(),
                      status.data(),
                      validity.data(),
                      test_ratio.data(),
                      innovation.data(),
                      innovation_variance.data(),
                      time.data(),
                      state.data(),
                      covariance.data(),
                      attitude_variance.data(),
                      reference.data()};
    const std::size_t samples = times.shape(0), count = measurements.shape(0), records = time.shape(0);
    const Nanoseconds *at = times.data();
    const double *values = imu.data();
    const std::uint8_t *rows = measurements.data();
    Eskf &e = f.eskf;
    bool paused = false;
    {
        const nb::gil_scoped_release release;
        // i samples are done: those measurements are next that came before sample i.
        while (true) {
            for (; m < count && !paused; ++m) {
                Row row;
                std::memcpy(&row, rows + sizeof(Row) * m, sizeof(Row));
                if (row.after > static_cast<Nanoseconds>(i)) break;
                const bool placed = e.origin().placed();
                fuse_row(e, row, m, out);
                paused = pause && e.origin().placed() && !placed;
            }
            if (paused) break;
            if (i > 0 && i % every == 0 && i / every > r && r < records) record(e, r++, full, out);
            if (i >= samples) break;
            const double *v = values + 8 * i;
            const ImuSample sample{Vector3(v[0], v[1], v[2]), v[3], Vector3(v[4], v[5], v[6]), v[7]};
            out.propagation[i] = static_cast<std::uint8_t>(e.predict(at[i], sample).code);
            ++i;
        }
    }
    return nb::make_tuple(!paused, i, m, r);
}

nb::object place(const Eskf &e) {
    if (!e.origin().placed()) return nb::none();
    const Geodetic &g = e.origin().place();
    return nb::make_tuple(g.latitude, g.longitude, g.height);
}

}  // namespace

bool register_filter(nb::module_ &m) {
    import_array1(false);
    nb::class_<Filter>(m, "Filter")
        .def("__init__", [](Filter *self, const nb::dict &config) { new (self) Filter(read_config(config)); })
        .def("copy", [](const Filter &f) { return Filter(f); })
        .def("start", &start)
        .def("predict", &predict)
        .def("predict_rates", &predict_rates)
        .def("fuse", &fuse)
        .def("run", &run)
        .def("set_baro_reference", [](Filter &f, double a, double v) { return f.eskf.set_baro_reference(a, v); })
        .def("clear_baro_reference", [](Filter &f) { f.eskf.clear_baro_reference(); })
        .def("baro_reference",
             [](const Filter &f) -> nb::object {
                 if (!f.eskf.has_baro_reference()) return nb::none();
                 return nb::make_tuple(f.eskf.baro_reference(), f.eskf.covariance()[kOffset][kOffset]);
             })
        .def("set_origin", [](Filter &f, double latitude, double longitude,
                              double height) { return f.eskf.set_origin({latitude, longitude, height}); })
        .def("clear_origin", [](Filter &f) { f.eskf.clear_origin(); })
        .def("origin", [](const Filter &f) { return place(f.eskf); })
        .def("geodetic",
             [](const Filter &f) -> nb::object {
                 if (!f.eskf.origin().placed()) return nb::none();
                 const Geodetic g = f.eskf.origin().to_geodetic(f.eskf.state().position);
                 return nb::make_tuple(g.latitude, g.longitude, g.height);
             })
        .def("set_declination", [](Filter &f, double d, bool fixed) { f.eskf.set_declination(d, fixed); })
        .def("declination", [](const Filter &f) { return f.eskf.declination(); })
        .def("declination_fixed", [](const Filter &f) { return f.eskf.declination_fixed(); })
        .def("state",
             [](const Filter &f) {
                 double packed[16];
                 pack(f.eskf.state(), packed);
                 return make_array({16}, packed);
             })
        .def("covariance",
             [](const Filter &f) {
                 double packed[225];
                 pack(f.eskf.covariance(), packed);
                 return make_array({15, 15}, packed);
             })
        .def("baro_covariance", [](const Filter &f) { return make_array({16}, f.eskf.covariance()[kOffset]); })
        .def("attitude_variance", [](const Filter &f) { return make_array({3}, f.eskf.attitude_variance().data()); })
        .def("status", [](const Filter &f) { return static_cast<int>(f.eskf.status()); })
        .def("validity", [](const Filter &f) { return f.eskf.validity(); })
        .def("predicted_validity", [](const Filter &f, double horizon) { return f.eskf.predicted_validity(horizon); })
        .def("established", [](const Filter &f) { return f.eskf.established(); })
        .def("initialized", [](const Filter &f) { return f.eskf.initialized(); })
        .def("aligned", [](const Filter &f) { return f.eskf.aligned(); })
        .def("holding", [](const Filter &f) { return f.eskf.holding(); })
        .def("time", [](const Filter &f) { return f.eskf.time(); })
        .def("diagnostics", &diagnostics)
        .def("last_dt", [](const Filter &f) { return f.propagated.dt; })
        .def("last_limit", [](const Filter &f) { return f.propagated.limit; })
        .def("last_age", [](const Filter &f) { return f.fused.age; })
        .def("last_ratio",
             [](const Filter &f) { return nb::make_tuple(f.fused.test_ratio[0], f.fused.test_ratio[1]); });
    return true;
}

}  // namespace boresight
