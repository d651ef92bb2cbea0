/* SPDX-License-Identifier: MIT */
/* Bodies of which only mass and inertia are known are drawn as the homogeneous ellipsoid with both:
 * for the moments J_1, J_2, J_3 about its principal axes, the half axes are
 *
 *     a_i^2 = 5/2 (J_j + J_k - J_i)/m.
 *
 * Moments that no body can have give a thin axis. Planes on which something rolls are as large as
 * the motion on them. */
#include <math.h>
#include <string.h>

#include "base/rotation.h"
#include "sketch.h"

enum { XX, YY, ZZ, XY, XZ, YZ };

/* half axes of the ellipsoid; false if the body has no extent */
static bool half_axes(const double inertia[7], double a[3], double V[9]) {
    const double *J = inertia + 1;
    const double matrix[9] = {J[XX], J[XY], J[XZ], J[XY], J[YY], J[YZ], J[XZ], J[YZ], J[ZZ]};
    double moment[3], most = 0;
    if (!(inertia[0] > 0))
        return false;
    if (J[XY] == 0 && J[XZ] == 0 && J[YZ] == 0) { /* the axes of the body, in their order */
        for (int i = 0; i < 9; i++)
            V[i] = i % 4 == 0;
        memcpy(moment, J, sizeof moment);
    } else {
        zw_symmetric_axes(matrix, moment, V);
    }
    for (int i = 0; i < 3; i++) {
        double square = 2.5 * (moment[(i + 1) % 3] + moment[(i + 2) % 3] - moment[i]) / inertia[0];
        a[i] = sqrt(fmax(square, 0));
        most = fmax(most, a[i]);
    }
    for (int i = 0; i < 3; i++)
        a[i] = fmax(a[i], 0.08 * most);
    return isfinite(most) && most > 0;
}

static zw_status put_turned(zw_sketch *k, zw_drawing d, const double V[9], int n,
                            const double *numbers, zw_error *err) {
    zw_expr axes[9];
    for (int i = 0; i < 9; i++)
        axes[i] = zw_real(k->ctx, V[i]);
    d.axes = axes;
    return zw_sketch_put(k, d, n, numbers, err);
}

zw_status zw_sketch_inertia(zw_sketch *k, int body, zw_error *err) {
    const zw_body *b = &k->s->body[body];
    zw_drawing d = {.shape = "ellipsoid", .name = b->name, .colour = "", .frame = b->frame};
    double a[3], V[9];
    memcpy(d.at, b->cog, sizeof d.at);
    if (!half_axes(k->inertia + 7 * body, a, V)) {
        d.shape = "point";
        return zw_sketch_put(k, d, 1, (double[]){2}, err);
    }
    for (int i = 0; i < 3; i++)
        if (zw_rows_move(k->rows, b->cog[i]))
            return put_turned(k, d, V, 3, a, err);
    zw_hull *hull = &k->hull[k->nhull++];
    *hull = (zw_hull){.frame = b->frame, .radius = fmin(fmin(a[0], a[1]), a[2])};
    for (int i = 0; i < 3; i++)
        hull->centre[i] = zw_rows_at_rest(k->rows, b->cog[i]);
    return put_turned(k, d, V, 3, a, err);
}

/* ------------------------------------------------------------------------------------ supports */

/* a rotation whose third column is n */
static void upright_rotation(const double n[3], double V[9]) {
    int axis = fabs(n[0]) < 0.8 ? 0 : 1;
    double x[3] = {-n[axis] * n[0], -n[axis] * n[1], -n[axis] * n[2]};
    x[axis] += 1;
    double size = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
    for (int i = 0; i < 3; i++)
        x[i] /= size;
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, m = (i + 2) % 3;
        V[3 * i] = x[i];
        V[3 * i + 1] = n[j] * x[m] - n[m] * x[j];
        V[3 * i + 2] = n[i];
    }
}

/* does the node belong to a body that rolls on this plane? */
static bool is_on(const zw_sketch *k, const zw_drawing *support, const zw_sketch_node *node) {
    for (int i = 0; i < k->s->nsketch; i++) {
        const zw_drawing *d = &k->s->sketch[i];
        if (strcmp(d->shape, "support") == 0 && d->frame == support->frame &&
            memcmp(d->numbers, support->numbers, 4 * sizeof *d->numbers) == 0 &&
            strcmp(d->name, node->name) == 0)
            return true;
    }
    return false;
}

/* the middle and half the size of the motion on a plane, in the axes of its frame turned by V */
static double find_extent(const zw_sketch *k, const zw_drawing *support, const double V[9],
                          bool turns, double middle[2]) {
    int frame = support->frame < 0 ? 0 : support->frame;
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY}, most = 0;
    for (int s = 0; s < k->nsample; s++)
        for (int i = 0; i < k->nnode; i++) {
            if (k->node[i].dropped || !is_on(k, support, &k->node[i]))
                continue;
            const double *A = k->axes + 12 * ((size_t)s * (size_t)k->s->nframe + (size_t)frame),
                         *r = zw_sketch_r(k, s, i);
            double place[2] = {0, 0};
            for (int c = 0; c < 2; c++)
                for (int j = 0; j < 3; j++)
                    for (int m = 0; m < 3; m++)
                        place[c] += V[3 * j + c] * A[3 * m + j] * (r[m] - A[9 + m]);
            most = fmax(most, hypot(place[0], place[1]));
            for (int c = 0; c < 2; c++) {
                low[c] = fmin(low[c], place[c]);
                high[c] = fmax(high[c], place[c]);
            }
        }
    if (!isfinite(low[0]))
        return 0;
    for (int c = 0; c < 2; c++)
        middle[c] = turns ? 0 : (low[c] + high[c]) / 2;
    return turns ? most : fmax(high[0] - low[0], high[1] - low[1]) / 2;
}

static bool frame_turns(const zw_sketch *k, int frame) {
    for (int i = 0; i < 9; i++)
        if (zw_rows_move(k->rows, k->s->frame[frame].A[i]))
            return true;
    return false;
}

zw_status zw_sketch_support(zw_sketch *k, const zw_drawing *support, zw_error *err) {
    int frame = support->frame < 0 ? 0 : support->frame;
    bool turns = frame_turns(k, frame);
    double n[3], V[9], middle[2] = {0, 0}, along = 0;
    for (int i = 0; i < 4; i++)
        if (zw_rows_move(k->rows, support->numbers[i]))
            return ZW_OK;
    for (int i = 0; i < 3; i++)
        n[i] = zw_rows_at_rest(k->rows, support->numbers[i]);
    for (int i = 0; i < 3 && !turns; i++)
        for (int j = 0; j < 3; j++)
            along += k->up[i] * k->axes[12 * frame + 3 * i + j] * n[j];
    if (along > 0.999)
        return ZW_OK; /* the ground is drawn anyway */
    upright_rotation(n, V);
    double half = 1.25 * find_extent(k, support, V, turns, middle) + 0.05 * k->size,
           height = zw_rows_at_rest(k->rows, support->numbers[3]);
    if (!(half > 0) || !isfinite(half))
        return ZW_OK;
    if (turns)
        height -= 0.015 * half; /* half the thickness of a disc */
    zw_drawing d = {
        .shape = turns ? "disk" : "plane", .name = "", .colour = "grey", .frame = frame};
    for (int i = 0; i < 3; i++)
        d.at[i] = zw_real(k->ctx, height * n[i] + middle[0] * V[3 * i] + middle[1] * V[3 * i + 1]);
    return put_turned(k, d, V, turns ? 1 : 2, (double[]){turns ? half : 2 * half, 2 * half}, err);
}
