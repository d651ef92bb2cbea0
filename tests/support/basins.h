/* SPDX-License-Identifier: MIT */
/* What the tests of basins share: models in their texts, and a study of one. */
#ifndef ZW_TEST_BASINS_H
#define ZW_TEST_BASINS_H

#include <stdlib.h>

#include "support/test.h"
#include "zwang/basin.h"

#define HEAD "model m \"m\"\nunits none\n"
#define POINT HEAD "coord x\nparticle p : 1 at (x, 0, 0)\nstart x = 0, x' = 0\n"
#define DOUBLE_WELL POINT "param c = 0.25\npotential x^4/4 - x^2/2\ndissipation c*x'^2/2\n"
#define DUFFING                                                                                    \
    POINT "param c = 0.1, k_nl = 1, F = 0.5, w = 1.6\npotential x^2/2 + k_nl*x^4/4\n"              \
          "force (x) = F*cos(w*t) - c*x'\n"
/* S. W. McDonald, C. Grebogi, E. Ott, J. A. Yorke, Physica D 17 (1985) 125 */
#define PENDULUM                                                                                   \
    HEAD "param f = 2.1, nu = 0.1\ncoord phi\nperiodic phi\nparticle p : 1 at (sin(phi), 0, "      \
         "-cos(phi))\n"                                                                            \
         "potential 1 - cos(phi)\nforce (phi) = f*cos(t) - nu*phi'\nstart phi = 0, phi' = 0\n"
/* cycles at r = 1 and 3, r = 2 parts them; a turn takes 2 pi */
#define RINGS                                                                                      \
    HEAD "let r2 = x^2 + y^2\nlet g = -(r2 - 1)*(r2 - 4)*(r2 - 9)/50\nstate x : x' = g*x - y\n"    \
         "state y : y' = g*y + x\nstart x = 0.1, y = 0\n"

static const char *const two_axes[] = {"x=-2:2:40", "x'=-2:2:40"};

static zw_basin *study_with(const char *text, zw_basin_options o) {
    zw_model_source source = {.text = text, .length = strlen(text), .file = "m.zw"};
    zw_error err = {0};
    zw_basin *b;
    if (zw_basin_create(&b, &source, &o, &err) < 0 || zw_basin_run(b, &err) != ZW_OK) {
        print_error("%s: %s\n", err.text, err.hint);
        fail();
    }
    return b;
}

static inline zw_basin *study(const char *text, int n, const char *const *axis) {
    zw_basin_options o = zw_basin_options_default();
    o.naxis = n;
    o.axis = axis;
    return study_with(text, o);
}

static inline zw_basin_info info_of(const zw_basin *b) {
    zw_basin_info info;
    zw_basin_statistics(b, &info, sizeof info);
    return info;
}

/* nothing is left open, each of those that were followed by themselves agrees, and so many doubts
 * there are, about the tolerance */
static inline void assert_sure_but(const zw_basin *b, int doubtful) {
    zw_basin_info info = info_of(b);
    zw_warnings *doubts = zw_warnings_create(NULL);
    zw_basin_warnings(b, doubts);
    for (int i = 0; i < zw_warnings_count(doubts) && !doubtful; i++)
        print_error("%s\n", zw_warnings_at(doubts, i)->text);
    assert_int_equal(zw_warnings_count(doubts), doubtful);
    for (int i = 0; i < doubtful; i++)
        assert_non_null(strstr(zw_warnings_at(doubts, i)->text, "with the tolerance"));
    assert_int_equal(info.unresolved + info.failed + info.check_differs, 0);
    assert_true(info.checked > 0 && info.fine_checked > 0);
    assert_true((info.fine_differs > 0) == (doubtful > 0));
    zw_warnings_destroy(doubts);
}

static inline void assert_sure(const zw_basin *b) {
    assert_sure_but(b, 0);
}

/* beside a fractal boundary labels of single starts are those of the tolerance, and that is said */
static inline void assert_sure_but_for_single_labels(const zw_basin *b) {
    assert_sure_but(b, 1);
}

static inline const zw_basin_attractor *at(const zw_basin *b, int i) {
    assert_true(i < zw_basin_attractors(b));
    return zw_basin_attractor_at(b, i);
}

#endif
