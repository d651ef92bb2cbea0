/* SPDX-License-Identifier: MIT */
/* One block of memory for several arrays: a function that hands out the slices is called twice,
 * first without a block to add up the sizes, then with it. The alignment is that of allocators. */
#ifndef ZW_BASE_SLICE_H
#define ZW_BASE_SLICE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct zw_slicer {
    char *base; /* NULL: only sizes are added up */
    size_t used;
} zw_slicer;

enum { ZW_SLICE_ALIGN = 16 };

static inline void *zw_slice(zw_slicer *s, size_t bytes) {
    void *p = s->base ? s->base + s->used : NULL;
    s->used += (bytes + ZW_SLICE_ALIGN - 1) / ZW_SLICE_ALIGN * ZW_SLICE_ALIGN;
    return p;
}

static inline double *zw_slice_doubles(zw_slicer *s, int n) {
    return (double *)zw_slice(s, sizeof(double) * (size_t)n);
}

static inline int *zw_slice_ints(zw_slicer *s, int n) {
    return (int *)zw_slice(s, sizeof(int) * (size_t)n);
}

static inline bool *zw_slice_bools(zw_slicer *s, int n) {
    return (bool *)zw_slice(s, sizeof(bool) * (size_t)n);
}

#endif
