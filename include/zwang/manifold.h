/* SPDX-License-Identifier: MIT */
/* Slow and fast: systems in which some entries y of the state are fast, and the manifold on which the slow motion goes.
 *
 *     x' = f(x, y, eps),    eps y' = g(x, y, eps),    eps small, f and g regular at eps = 0.
 *
 * On the critical manifold g(x, y, 0) = 0, y = h_0(x). Where the eigenvalues of dg/dy there are off the imaginary axis (normal hyperbolicity,
 * Fenichel) a manifold y = h(x, eps) near it is invariant; it attracts where they are all on the left of it. Invariance says
 *
 *     eps Dh f(x, h, eps) = g(x, h, eps),    h = h_0 + eps h_1 + eps^2 h_2 + ...,
 *     h_k = (dg/dy)^-1 ( [Dh f]_(k-1) - [g(x, h_0 + ... + eps^(k-1) h_(k-1), eps)]_k ),
 *
 * [.]_k being what stands before eps^k. Where g is linear in y, h_0 and with it all h_k are formulas of x. Otherwise y_0 = h_0(x) stands as a symbol,
 * Dh_0 = -(dg/dy)^-1 dg/dx, and the h_k are formulas of x and y_0: the recursion is the same, with the total derivative. On the manifold
 *
 *     x' = f(x, h_0 + ... + eps^k h_k, eps),
 *
 * which zw_manifold_model writes as a model. (S. Sailer, thesis, Stuttgart 2023, section 5.1; N. Fenichel, J. Differ. Equations 31 (1979)
 * 53-98.) */
#ifndef ZWANG_MANIFOLD_H
#define ZWANG_MANIFOLD_H

#include "equations.h"
#include "model.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct zw_manifold zw_manifold;

enum { ZW_MANIFOLD_ORDER_MOST = 8 };

typedef struct zw_manifold_options {
    size_t size;       /* of this struct, for the library */
    const char *small; /* the name of the parameter; NULL: as the model says */
    int nfast;         /* names of what is fast; 0: as the model says */
    const char *const *fast;
    int order;               /* of the expansion, 1 */
    const zw_active *active; /* which constraints hold; NULL: as the model says */
} zw_manifold_options;
ZW_API void zw_manifold_options_init(zw_manifold_options *options, size_t size);
static inline zw_manifold_options zw_manifold_options_default(void) {
    zw_manifold_options o;
    zw_manifold_options_init(&o, sizeof o);
    return o;
}

/* An entry of the state: a coordinate, a state or an independent velocity. */
typedef struct zw_manifold_entry {
    const char *name, *unit;
    zw_expr sym;
    zw_expr rate; /* of slow ones f, of fast ones g / eps */
} zw_manifold_entry;

typedef struct zw_manifold_result {
    zw_expr small;
    double eps; /* its value */
    int nx, ny;
    const zw_manifold_entry *x, *y; /* nx slow ones, ny fast ones */
    int norder;
    bool closed;        /* h_0 is a formula of x */
    const zw_expr *y_0; /* ny: where it is not, the symbols that stand for it */
    const zw_expr *g;   /* ny: g(x, y, eps) */
    const zw_expr *h;   /* (norder + 1) x ny: h_k of y_j is h[k ny + j]; h_0 is y_0 if not closed */
    const zw_expr *g_y; /* ny x ny: dg/dy on the critical manifold */
    bool linear;        /* f and g are linear in x and y: h_k are, too */
} zw_manifold_result;

/* Bring the equations to the form above, and expand. ZW_E_MODEL: they have no such form, or nothing is said of what is fast; ZW_E_DOMAIN: g or f
 * is not regular at eps = 0. The message says what to do. The system and its context must outlive it; it is read best with
 * zw_model_options.constants. */
ZW_API zw_status zw_manifold_create(zw_manifold **out, const zw_system *sys,
                                    const zw_manifold_options *options, zw_error *err);
ZW_API void zw_manifold_destroy(zw_manifold *m);
ZW_API const zw_manifold_result *zw_manifold_get(const zw_manifold *m);

typedef enum zw_manifold_format {
    ZW_MANIFOLD_TEXT,
    ZW_MANIFOLD_LATEX,
    ZW_MANIFOLD_JSON
} zw_manifold_format;
/* The form, the manifold and the reduced flow in a new string of the context (zw_string_free); NULL if out of memory. */
ZW_API char *zw_manifold_write(const zw_manifold *m, zw_manifold_format format);

/* The flow on the manifold, up to eps^order, as the text of a model with the parameters, the start, the steady motions, the observables and the
 * events of the first one. What was fast is observed. Where h_0 is no formula, y_0 are states, with g = 0 kept. source tells the
 * file in its head; NULL: none. A new string of the context; NULL: err says why. */
ZW_API char *zw_manifold_model(const zw_manifold *m, int order, const char *source, zw_error *err);

#ifdef __cplusplus
}
#endif
#endif
