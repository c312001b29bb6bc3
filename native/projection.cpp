// The nearest rotation to any matrix, by singular values: M = U S V^T, R = U diag(1, 1, det(U V^T)) V^T.
//
// It is unique where s2 + sign(det M) s3 > 0. Where that is lost in rounding (4 eps of s1), or an entry is not finite,
// the row is bad. The result is a matrix: quaternions come of it as of any other.
#include "projection.hpp"

#include <Eigen/LU>
#include <Eigen/SVD>
#include <cmath>
#include <limits>

#include "kernel.hpp"

namespace boresight {
namespace {

template <class T>
void project_row(const char *in, const Index *from, char *out, const Index *to) {
    using Matrix = Eigen::Matrix<T, 3, 3>;
    Matrix m;
    for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c) m(r, c) = *reinterpret_cast<const T *>(in + r * from[0] + c * from[1]);
    const T largest = m.cwiseAbs().maxCoeff();
    Matrix result = Matrix::Constant(std::numeric_limits<T>::quiet_NaN());
    if (m.allFinite() && largest > 0) {
        m /= largest;
        const Eigen::JacobiSVD<Matrix> svd(m, Eigen::ComputeFullU | Eigen::ComputeFullV);
        Matrix u = svd.matrixU();
        const T sign = (u * svd.matrixV().transpose()).determinant() < 0 ? T(-1) : T(1);
        const auto &s = svd.singularValues();
        u.col(2) *= sign;
        if (s(1) + sign * s(2) > 4 * std::numeric_limits<T>::epsilon() * s(0)) result = u * svd.matrixV().transpose();
    }
    for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c) *reinterpret_cast<T *>(out + r * to[0] + c * to[1]) = result(r, c);
}

template <class T>
void project_loop(char **args, const Index *dimensions, const Index *steps, void *) {
    for (Index i = 0; i < dimensions[0]; ++i)
        project_row<T>(args[0] + i * steps[0], steps + 2, args[1] + i * steps[1], steps + 4);
    clear_status();
}

}  // namespace

Kernel projection_kernel() {
    return {"project", 1, 1, {kMatrix, kMatrix}, &project_loop<float>, &project_loop<double>, nullptr, false};
}

}  // namespace boresight
