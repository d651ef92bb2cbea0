/* SPDX-License-Identifier: MIT */
/* Implemented in src/slow/average. */
/* Mean drift of what is conserved but for a small parameter. Let x' = f_0(x) + eps f_1(x) + ..., and let observables I_1 .. I_m stay for eps = 0, where the motion on their levels is
 * periodic, of the period T(I). With tau = eps t, to first order,
 *
 *     dI_j/dtau = 1/T  integral over a period of  dI_j/dx . f_1,
 *
 * the average over the motion without eps (N. M. Krylov, N. N. Bogoliubov). It holds over times of 1/eps, with errors of order eps, as long as no separatrix is crossed. */
#ifndef ZWANG_AVERAGE_H
#define ZWANG_AVERAGE_H

#include "equations.h"
#include "model.h"
#include "table.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { ZW_AVERAGE_MOST = 4 };

typedef struct zw_average_options {
    size_t size;       /* of this struct, for the library */
    const char *small; /* the parameter eps */
    int n;             /* observables that stay without it, at most ZW_AVERAGE_MOST */
    const char *const *name;
    double until; /* of tau */
    int steps;    /* of tau: 200 */
    const zw_active *active;
    bool (*stop)(void *user, double done); /* asked on the way; true ends it. May be NULL */
    void *stop_user;
} zw_average_options;
ZW_API void zw_average_options_init(zw_average_options *options, size_t size);
static inline zw_average_options zw_average_options_default(void) {
    zw_average_options o;
    zw_average_options_init(&o, sizeof o);
    return o;
}

typedef struct zw_average_info {
    double tau; /* slow time reached */
    bool
        ended; /* the motion on the levels is no longer periodic there, has shrunk to rest, or crosses a separatrix */
    char why[200]; /* then: what happened */
    double from[ZW_AVERAGE_MOST], to[ZW_AVERAGE_MOST];
    double period[2]; /* at both ends */
    char doubt
        [240]; /* why the observables do not determine the orbit, so that the means hold for the motion from the start only; "": no sign of that in states near the start */
    double
        error; /* of the last values, relative to what they have changed by: from half as many steps; NaN: not known, where it ended */
} zw_average_info;

/* From the start of the model: columns tau, the observables, their mean rates rate(NAME), the period and the state on the level at which the average begins. ZW_E_DOMAIN: an
 * observable does not stay without eps; ZW_E_NUMERIC: the motion from the start does not come back. source may be NULL. */
ZW_API zw_status zw_average(const zw_system *sys, const zw_average_options *options,
                            const zw_model_source *source, zw_table **out, zw_average_info *info,
                            zw_error *err);

#ifdef __cplusplus
}
#endif
#endif
