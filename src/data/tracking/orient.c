/* SPDX-License-Identifier: MIT */
/* Orientations in files, checked before use. A matrix must be orthogonal up to ORTHOGONALITY_ERROR,
 * as printed numbers are, and its determinant 1: reflected axes, as by one wrong sign in a table,
 * are rejected with a hint to the correct ones. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/rotation.h"
#include "tracking.h"

/* of products of rows: entries printed with three decimals are wrong by 5e-4 each; a wrong sign or
 * a swapped column is off by more than 0.1 */
#define ORTHOGONALITY_ERROR 2e-3

static const char *const matrix_names[9] = {"R11", "R12", "R13", "R21", "R22",
                                            "R23", "R31", "R32", "R33"};
static const char *const quaternion_names[4] = {"q0", "q1", "q2", "q3"};
static const char *const axis_names[3] = {"ex", "ey", "ez"};

/* All n columns, or none; some of them are a mistake. */
static zw_status find_set(zw_orient *o, const zw_cells *c, zw_orient_kind kind, int n,
                          const char *const *name, zw_error *err) {
    int found = 0, column[9], last = 0;
    for (int i = 0; i < n; i++) {
        column[i] = zw_cells_find(c, name[i]);
        if (column[i] >= 0)
            found++, last = column[i];
    }
    if (found == 0)
        return ZW_OK;
    for (int i = 0; found < n && i < n; i++)
        if (column[i] < 0)
            return zw_cells_fail(c, ZW_E_NAME, c->header[last], err,
                                 "there is a column %s but no column %s", c->name[last], name[i]);
    if (o->kind != ZW_ORIENT_NONE)
        return zw_cells_fail(c, ZW_E_NAME, c->header[last], err,
                             "the orientation is said twice: by %s and by %s",
                             c->name[o->column[0]], c->name[last]);
    o->kind = kind;
    memcpy(o->column, column, (size_t)n * sizeof *column);
    return ZW_OK;
}

zw_status zw_orient_find(zw_orient *o, const zw_cells *c, zw_error *err) {
    *o = (zw_orient){0};
    ZW_TRY(find_set(o, c, ZW_ORIENT_MATRIX, 9, matrix_names, err));
    ZW_TRY(find_set(o, c, ZW_ORIENT_QUATERNION, 4, quaternion_names, err));
    return find_set(o, c, ZW_ORIENT_AXES, 3, axis_names, err);
}

/* -------------------------------------------------------------------------------------- numbers */

static zw_status read_numbers(const zw_orient *o, const zw_cells *c, long row, int n, double *v,
                              bool *missing, zw_error *err) {
    int empty = 0;
    for (int i = 0; i < n; i++) {
        ZW_TRY(zw_cells_number(c, row, o->column[i], &v[i], err));
        empty += isnan(v[i]);
    }
    *missing = empty == n;
    if (empty == 0 || empty == n)
        return ZW_OK;
    return zw_cells_fail(c, ZW_E_SYNTAX, zw_cells_at(c, row, o->column[0]), err,
                         "%d of the %d numbers of the orientation are missing", empty, n);
}

static zw_status check_matrix(const zw_orient *o, const zw_cells *c, long row, double A[9],
                              zw_error *err) {
    double worst = 0, e[4], size = 0;
    size_t at = zw_cells_at(c, row, o->column[0]);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            double dot =
                A[3 * i] * A[3 * j] + A[3 * i + 1] * A[3 * j + 1] + A[3 * i + 2] * A[3 * j + 2];
            worst = fmax(worst, fabs(dot - (i == j)));
        }
    if (!(worst <= ORTHOGONALITY_ERROR)) {
        zw_cells_fail(
            c, ZW_E_SYNTAX, at, err,
            "this is no rotation matrix: its rows are off by %.2g from unit vectors at right "
            "angles",
            worst);
        zw_error_hint(err,
                      "R11 R12 R13 is its first row, whose columns are the axes of what is seen");
        return ZW_E_SYNTAX;
    }
    double det = A[0] * (A[4] * A[8] - A[5] * A[7]) - A[1] * (A[3] * A[8] - A[5] * A[6]) +
                 A[2] * (A[3] * A[7] - A[4] * A[6]);
    if (det < 0) {
        zw_cells_fail(c, ZW_E_SYNTAX, at, err,
                      "the axes are left-handed: the determinant of the matrix is -1");
        zw_error_hint(err,
                      "one axis has the wrong sign, or two are exchanged: the third column must be "
                      "the cross product of the first two, (%.3g, %.3g, %.3g)",
                      A[3] * A[7] - A[6] * A[4], A[6] * A[1] - A[0] * A[7],
                      A[0] * A[4] - A[3] * A[1]);
        return ZW_E_SYNTAX;
    }
    zw_rotation_quaternion(A, e);
    for (int i = 0; i < 4; i++)
        size += e[i] * e[i];
    for (int i = 0; i < 4; i++)
        e[i] /= sqrt(size);
    zw_rotation_matrix(e, A);
    return ZW_OK;
}

static zw_status check_quaternion(const zw_orient *o, const zw_cells *c, long row, double e[4],
                                  double A[9], zw_error *err) {
    double size = sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3]);
    if (!(fabs(size - 1) <= ORTHOGONALITY_ERROR)) {
        zw_cells_fail(c, ZW_E_SYNTAX, zw_cells_at(c, row, o->column[0]), err,
                      "the quaternion has the length %.4g, not 1", size);
        zw_error_hint(err, "q0 is its real part");
        return ZW_E_SYNTAX;
    }
    for (int i = 0; i < 4; i++)
        e[i] /= size;
    zw_rotation_matrix(e, A);
    return ZW_OK;
}

/* ---------------------------------------------------------------------------------------- words */

/* Reads "+y", "-x", "z". */
static zw_status read_axis(const zw_orient *o, zw_cells *c, long row, int k, double v[3],
                           bool *missing, zw_error *err) {
    const char *word = zw_cells_word(c, row, o->column[k]);
    if (!word)
        return zw_out_of_memory(err, "tracking data");
    *missing = word[0] == '\0';
    const char *s = word + (word[0] == '+' || word[0] == '-');
    v[0] = v[1] = v[2] = 0;
    if (*missing)
        return ZW_OK;
    if (s[0] < 'x' || s[0] > 'z' || s[1]) {
        zw_cells_fail(c, ZW_E_SYNTAX, zw_cells_at(c, row, o->column[k]), err, "'%.20s' is no axis",
                      word);
        zw_error_hint(err,
                      "%s is an axis of the body in words of the marker: +x, -x, +y, -y, +z or -z",
                      axis_names[k]);
        return ZW_E_SYNTAX;
    }
    v[s[0] - 'x'] = word[0] == '-' ? -1 : 1;
    return ZW_OK;
}

static void cross(const double a[3], const double b[3], double out[3]) {
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        out[i] = a[j] * b[k] - a[k] * b[j];
    }
}

static void axis_word(const double v[3], char out[4]) {
    out[0] = '\0';
    for (int i = 0; i < 3; i++)
        if (v[i] != 0)
            snprintf(out, 4, "%c%c", v[i] < 0 ? '-' : '+', 'x' + i);
}

/* Suggests one axis from the other two. */
static void hint_axes(const double v[3][3], zw_error *err) {
    char text[160] = "";
    for (int k = 0; k < 3; k++) {
        double right[3];
        const double *a = v[(k + 1) % 3], *b = v[(k + 2) % 3];
        char word[4];
        cross(a, b, right);
        if (right[0] == 0 && right[1] == 0 && right[2] == 0)
            continue;
        axis_word(right, word);
        size_t n = strlen(text);
        snprintf(text + n, sizeof text - n, "%s%s must be %s", n ? ", or " : "", axis_names[k],
                 word);
    }
    if (text[0])
        zw_error_hint(err, "with the other two as they are, %s", text);
}

static zw_status read_axes(const zw_orient *o, zw_cells *c, long row, double A[9], bool *missing,
                           zw_error *err) {
    double v[3][3], right[3];
    bool empty[3];
    for (int k = 0; k < 3; k++)
        ZW_TRY(read_axis(o, c, row, k, v[k], &empty[k], err));
    *missing = empty[0] && empty[1] && empty[2];
    if (*missing)
        return ZW_OK;
    cross(v[0], v[1], right);
    if (right[0] != v[2][0] || right[1] != v[2][1] || right[2] != v[2][2]) {
        zw_cells_fail(c, ZW_E_SYNTAX, zw_cells_at(c, row, o->column[0]), err,
                      "ex, ey and ez are not the axes of a right-handed frame");
        hint_axes((const double(*)[3])v, err);
        return ZW_E_SYNTAX;
    }
    for (int k = 0; k < 3; k++)
        memcpy(A + 3 * k, v[k], sizeof v[k]); /* row k: axis k of the body in those of the marker */
    return ZW_OK;
}

zw_status zw_orient_read(const zw_orient *o, zw_cells *c, long row, double A[9], bool *missing,
                         zw_error *err) {
    double e[4];
    *missing = false;
    memcpy(A, (const double[9]){1, 0, 0, 0, 1, 0, 0, 0, 1}, 9 * sizeof *A);
    switch (o->kind) {
    case ZW_ORIENT_MATRIX:
        ZW_TRY(read_numbers(o, c, row, 9, A, missing, err));
        return *missing ? ZW_OK : check_matrix(o, c, row, A, err);
    case ZW_ORIENT_QUATERNION:
        ZW_TRY(read_numbers(o, c, row, 4, e, missing, err));
        return *missing ? ZW_OK : check_quaternion(o, c, row, e, A, err);
    case ZW_ORIENT_AXES:
        return read_axes(o, c, row, A, missing, err);
    case ZW_ORIENT_NONE:
        break;
    }
    return ZW_OK;
}
