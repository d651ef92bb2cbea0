/* SPDX-License-Identifier: MIT */
/* The convex hull of points in the plane, by one chain below and one above the points in order of
 * x. */
#include <stdlib.h>
#include <string.h>

#include "scene.h"

static int by_place(const void *a, const void *b) {
    const double *p = a, *q = b;
    if (p[0] != q[0])
        return p[0] < q[0] ? -1 : 1;
    return (p[1] > q[1]) - (p[1] < q[1]);
}

/* twice the area of the triangle, positive counterclockwise */
static double triangle_area(const double *a, const double *b, const double *c) {
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

enum { HULL_MAX = 512 };

int zw_scene_hull(int n, double (*p)[2]) {
    double chain[2 * HULL_MAX][2];
    int k = 0;
    if (n > HULL_MAX)
        n = HULL_MAX;
    qsort(p, (size_t)n, sizeof *p, by_place);
    for (int i = 0; i < n; i++) {
        while (k >= 2 && triangle_area(chain[k - 2], chain[k - 1], p[i]) <= 0)
            k--;
        memcpy(chain[k++], p[i], sizeof *p);
    }
    for (int i = n - 2, first = k + 1; i >= 0; i--) {
        while (k >= first && triangle_area(chain[k - 2], chain[k - 1], p[i]) <= 0)
            k--;
        memcpy(chain[k++], p[i], sizeof *p);
    }
    k = k > 1 ? k - 1 : k; /* the first is also the last */
    memcpy(p, chain, (size_t)k * sizeof *p);
    return k;
}
