/* SPDX-License-Identifier: MIT */
/* Rotations; the formulas are in the header. */
#include "rotation.h"

#include <math.h>
#include <string.h>

/* Smaller angles use the limit of sin(x)/x, whose next term is x^2/6: any value from 1e-300 to 1e-8
 * gives the same numbers. */
#define SMALL_ANGLE 1e-12

void zw_rotation_matrix(const double e[4], double A[9]) {
    const double *v = e + 1;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            A[3 * i + j] = 2 * v[i] * v[j] + (i == j ? 2 * e[0] * e[0] - 1 : 0);
    for (int i = 0; i < 3; i++) { /* 2 e0 [e]x */
        int j = (i + 1) % 3, k = (i + 2) % 3;
        A[3 * j + i] += 2 * e[0] * v[k];
        A[3 * i + j] -= 2 * e[0] * v[k];
    }
}

void zw_rotation_quaternion(const double A[9], double e[4]) {
    double trace = A[0] + A[4] + A[8];
    double square[4] = {trace, 2 * A[0] - trace, 2 * A[4] - trace, 2 * A[8] - trace};
    int k = 0;
    for (int i = 1; i < 4; i++)
        if (square[i] > square[k])
            k = i;
    const double first[3] = {A[7] - A[5], A[2] - A[6], A[3] - A[1]};
    e[k] = sqrt(fmax(1 + square[k], 0)) / 2;
    double scale = e[k] > 0 ? 1 / (4 * e[k]) : 0;
    for (int i = 0; i < 4; i++) {
        if (i == k)
            continue;
        if (k == 0)
            e[i] = first[i - 1] * scale;
        else if (i == 0)
            e[i] = first[k - 1] * scale;
        else
            e[i] = (A[3 * (i - 1) + k - 1] + A[3 * (k - 1) + i - 1]) * scale;
    }
}

void zw_rotation_product(const double A[9], const double B[9], double C[9]) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            C[3 * i + j] = A[3 * i] * B[j] + A[3 * i + 1] * B[3 + j] + A[3 * i + 2] * B[6 + j];
}

void zw_rotation_product_left(const double A[9], const double B[9], double C[9]) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            C[3 * i + j] = A[i] * B[j] + A[3 + i] * B[3 + j] + A[6 + i] * B[6 + j];
}

void zw_rotation_product_right(const double A[9], const double B[9], double C[9]) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            C[3 * i + j] =
                A[3 * i] * B[3 * j] + A[3 * i + 1] * B[3 * j + 1] + A[3 * i + 2] * B[3 * j + 2];
}

void zw_rotation_turn(const double A[9], const double x[3], double y[3]) {
    for (int i = 0; i < 3; i++)
        y[i] = A[3 * i] * x[0] + A[3 * i + 1] * x[1] + A[3 * i + 2] * x[2];
}

void zw_rotation_turn_back(const double A[9], const double x[3], double y[3]) {
    for (int i = 0; i < 3; i++)
        y[i] = A[i] * x[0] + A[3 + i] * x[1] + A[6 + i] * x[2];
}

void zw_rotation_vector(const double A[9], double w[3]) {
    double e[4];
    zw_rotation_quaternion(A, e);
    double sign = e[0] < 0 ? -1 : 1;
    double s = sqrt(e[1] * e[1] + e[2] * e[2] + e[3] * e[3]);
    double factor = s > SMALL_ANGLE ? 2 * atan2(s, sign * e[0]) / s : 2;
    for (int i = 0; i < 3; i++)
        w[i] = sign * factor * e[1 + i];
}

void zw_rotation_of_vector(const double w[3], double A[9]) {
    double angle = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
    double factor = angle > SMALL_ANGLE ? sin(angle / 2) / angle : 0.5;
    double e[4] = {cos(angle / 2), factor * w[0], factor * w[1], factor * w[2]};
    zw_rotation_matrix(e, A);
}

/* one rotation of Jacobi's method, in the plane of axes i and j */
static void rotate_plane(double A[9], double V[9], int i, int j) {
    double off = A[3 * i + j];
    if (off == 0)
        return;
    double angle = 0.5 * atan2(2 * off, A[3 * j + j] - A[3 * i + i]), c = cos(angle),
           s = sin(angle);
    for (int m = 0; m < 3; m++) {
        double a = A[3 * m + i], b = A[3 * m + j], u = V[3 * m + i], v = V[3 * m + j];
        A[3 * m + i] = c * a - s * b;
        A[3 * m + j] = s * a + c * b;
        V[3 * m + i] = c * u - s * v;
        V[3 * m + j] = s * u + c * v;
    }
    for (int m = 0; m < 3; m++) {
        double a = A[3 * i + m], b = A[3 * j + m];
        A[3 * i + m] = c * a - s * b;
        A[3 * j + m] = s * a + c * b;
    }
}

static void exchange_axes(double value[3], double V[9], int i, int j) {
    double kept = value[i];
    value[i] = value[j];
    value[j] = kept;
    for (int m = 0; m < 3; m++) { /* a rotation by a right angle: V stays a rotation */
        double column = V[3 * m + i];
        V[3 * m + i] = V[3 * m + j];
        V[3 * m + j] = -column;
    }
}

void zw_symmetric_axes(const double A[9], double value[3], double V[9]) {
    double B[9];
    memcpy(B, A, sizeof B);
    for (int i = 0; i < 9; i++)
        V[i] = i % 4 == 0;
    for (int sweep = 0; sweep < 12; sweep++) {
        rotate_plane(B, V, 0, 1);
        rotate_plane(B, V, 0, 2);
        rotate_plane(B, V, 1, 2);
    }
    for (int i = 0; i < 3; i++)
        value[i] = B[4 * i];
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            if (value[j + 1] > value[j])
                exchange_axes(value, V, j, j + 1);
}
