/* SPDX-License-Identifier: MIT */
/* Dimensionless groups, scaled models, regions of two parameters: closed forms, other models,
 * refusals. */
#include "formulas/groups/fractions.h"
#include "support/failing_allocator.h"
#include "support/report.h"
#include "support/test.h"
#include "zwang/zwang.h"

#define MODEL(name) ZW_SOURCE_DIR "/models/" name ".zw"

static zw_error err;
static char text[1 << 16];
static zw_model_options reading;
static zw_model_source source;

static const zw_model_source *load(const char *model, const char *variant) {
    err = (zw_error){0};
    reading = (zw_model_options){.size = sizeof reading, .variant = variant};
    if (model[0] == '/') {
        FILE *f = fopen(model, "r");
        assert_non_null(f);
        text[fread(text, 1, sizeof text - 1, f)] = 0;
        fclose(f);
    } else {
        snprintf(text, sizeof text, "%s", model);
    }
    source = (zw_model_source){text, strlen(text), "test", &reading};
    return &source;
}

/* words of a report, to be freed; does such a text contain the words? Frees it. */
static char *regions_text(const zw_regions *r) {
    zw_report *out = report_begin("m");
    zw_regions_report(r, out);
    return report_take_text(out);
}

static char *design_text(const zw_inverse_design *w) {
    zw_report *out = report_begin("m");
    zw_inverse_design_report(w, out);
    return report_take_text(out);
}

static bool says(char *whole, const char *words) {
    bool found = strstr(whole, words) != NULL;
    free(whole);
    return found;
}

/* ------------------------------------------------------------------------------------ fractions */

static void test_fractions__solve_exactly(void **state) {
    (void)state;
    /* (1/2, 1/3), (1/5, -1): 2 of the first, -3/7 of the second */
    const zw_fraction rows[4] = {{1, 2}, {1, 3}, {1, 5}, {-1, 1}};
    zw_fraction v[2], c[2], work[6];
    for (int j = 0; j < 2; j++)
        v[j] = zw_fraction_add(zw_fraction_mul(zw_fraction_of(2, 1), rows[j]),
                               zw_fraction_mul(zw_fraction_of(-3, 7), rows[2 + j]));
    assert_true(zw_fraction_express(2, 2, rows, v, c, work));
    assert_true(c[0].num == 2 && c[0].den == 1 && c[1].num == -3 && c[1].den == 7);
    const zw_fraction one[3] = {{1, 1}, {2, 1}, {3, 1}}, other[3] = {{1, 1}, {2, 1}, {4, 1}};
    assert_false(zw_fraction_express(1, 3, one, other, c, work));
    zw_fraction A[9] = {{1, 1}, {2, 1}, {3, 1}, {2, 1}, {4, 1}, {6, 1}, {1, 3}, {2, 3}, {2, 1}};
    assert_int_equal(zw_fraction_rank(3, 3, A), 2);
    /* out of bounds stays so */
    zw_fraction big = zw_fraction_of((int64_t)1 << 40, 1);
    big = zw_fraction_mul(big, big);
    assert_true(big.den == 0 && zw_fraction_add(big, rows[0]).den == 0 &&
                zw_fraction_mul(zw_fraction_of(0, 1), big).den == 0);
    /* ... and is not 0: numerators and denominators of consecutive convergents have the determinant
     * 1 or -1, and the rank 2; there is that answer, or none */
    test_random r = {11};
    int known = 0;
    for (int k = 0; k < 200; k++) {
        int64_t h[2] = {1, 0},
                d[2] = {0, 1}; /* of a continued fraction: the last two convergents */
        while (h[0] < (int64_t)1 << (k < 100 ? 20 : 40)) {
            int64_t m = 1 + test_random_int(&r, 5), h_new = m * h[0] + h[1],
                    d_new = m * d[0] + d[1];
            h[1] = h[0];
            h[0] = h_new;
            d[1] = d[0];
            d[0] = d_new;
        }
        zw_fraction block[4] = {{h[0], 1}, {d[0], 1}, {h[1], 1}, {d[1], 1}};
        int rank = zw_fraction_rank(2, 2, block);
        assert_true(rank == 2 || rank == -1);
        known += rank == 2;
    }
    assert_true(known >= 100);
}

/* ------------------------------------------------------------------------------------- products */

static zw_products *products(const char *model, int nscale, const char *const *scale, int nname,
                             const char *const *name) {
    zw_products_options o = zw_products_options_default();
    zw_products *p;
    o.nscale = nscale;
    o.scale = scale;
    o.nname = nname;
    o.name = name;
    if (zw_products_create(&p, load(model, NULL), &o, &err) < 0)
        return NULL;
    return p;
}

/* m, l, g, F, Omega, c: three dimensions, three products; with l and g, time goes in sqrt(l/g) */
static void test_products__of_a_pendulum(void **state) {
    (void)state;
    zw_products *p = products(MODEL("pendulum_polar"), 0, NULL, 0, NULL);
    assert_non_null(p);
    assert_int_equal(zw_products_magnitudes(p), 6);
    assert_int_equal(zw_products_rank(p), 3);
    assert_int_equal(zw_products_count(p), 3);
    double m = 1, l = 0.5, g = 9.8, F = 3, Omega = 1, c = 0.1;
    assert_close(zw_products_at(p, 0)->value, F / (m * g * l), 1e-15);
    assert_close(zw_products_at(p, 1)->value, Omega * sqrt(l / g), 1e-15);
    assert_close(zw_products_at(p, 2)->value, c / (m * l * sqrt(g * l)), 1e-15);
    assert_string_equal(zw_products_scale(p, 2).formula, "l^(1/2)/g^(1/2)");
    /* every product has no dimension: exactly */
    for (int k = 0; k < 3; k++)
        for (int b = 0; b < ZW_BASE_UNITS; b++) {
            zw_fraction sum = {0, 1};
            for (int i = 0; i < 6; i++)
                sum = zw_fraction_add(sum,
                                      zw_fraction_mul(zw_products_at(p, k)->exponent[i],
                                                      zw_products_magnitude(p, i)->dimension[b]));
            assert_true(sum.num == 0 && sum.den == 1);
        }
    zw_products_destroy(p);
}

typedef struct flow_of {
    zw_context *ctx;
    zw_system *sys;
    zw_kernel *kernel;
    zw_flow *flow;
    double p[32];
} flow_of;

static void open_flow(flow_of *f, const char *model_text, int nset, const char *const *set) {
    zw_model_options o = {.size = sizeof o, .nset = nset, .set = set};
    zw_equations eq;
    f->ctx = zw_context_create(NULL);
    if (zw_model_parse(&f->sys, f->ctx, model_text, strlen(model_text), "test", &o, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(zw_system_param_values(f->sys, f->p, &err), ZW_OK);
    assert_int_equal(zw_derive(&eq, f->sys, NULL, "lagrange", &err), ZW_OK);
    assert_int_equal(zw_kernel_create(&f->kernel, &eq, NULL, &err), ZW_OK);
    assert_int_equal(zw_flow_create(&f->flow, f->kernel, f->p, &err), ZW_OK);
}

static void close_flow(flow_of *f) {
    zw_flow_destroy(f->flow);
    zw_kernel_destroy(f->kernel);
    zw_context_destroy(f->ctx);
}

/* The disc with units, scaled as the thesis does it (6.1), is the model that was written without
 * units by hand. */
static void test_products__scale_the_tippedisk_as_the_thesis_does(void **state) {
    (void)state;
    static const char *const scale[] = {"length=r", "time=1/Omega", "mass=J_2/r^2"};
    static const char *const name[] = {"kappa=e/r", "zeta=J_1/J_2", "w=Omega*sqrt(J_2/(m*g*r))",
                                       "small=eps/(Omega*r)", "psi=m*r^2/J_2"};
    zw_products *p = products(MODEL("tippedisk_slow"), 3, scale, 5, name);
    const char *scaled;
    double worst;
    assert_non_null(p);
    assert_int_equal(zw_products_count(p), 6);
    assert_close(zw_products_at(p, 0)->value, 1. / 18, 1e-15); /* Table 6.1, unrounded */
    assert_close(zw_products_at(p, 1)->value, 2.48555e-4 / 2.24062e-4, 1e-5);
    assert_int_equal(zw_products_model(p, &scaled, &worst, &err), ZW_OK);
    assert_true(worst < 1e-13);
    assert_true(zw_products_at(p, 4)->idle && !zw_products_at(p, 0)->idle); /* psi drops out */
    assert_int_equal(zw_products_literals(p), 0);
    char values[5][64];
    const char *set[5], *names[5] = {"kappa", "zeta", "w", "eps", "mu"};
    for (int i = 0; i < 5; i++) {
        double v = i < 4 ? zw_products_at(p, i)->value : 0.3;
        snprintf(values[i], sizeof values[i], "%s=%.17g", names[i], v);
        set[i] = values[i];
    }
    flow_of a, b;
    open_flow(&a, scaled, 0, NULL);
    load(MODEL("tippedisk_normalised"), NULL);
    open_flow(&b, text, 5, set);
    for (int k = 0; k < 20; k++) {
        double x[2] = {0.5 + 0.1 * k, -1.5 + 0.3 * k}, f[2], g[2];
        assert_int_equal(zw_flow_rates(a.flow, 0, x, f, NULL, &err), ZW_OK);
        assert_int_equal(zw_flow_rates(b.flow, 0, x, g, NULL, &err), ZW_OK);
        for (int i = 0; i < 2; i++)
            assert_close(f[i], g[i], 1e-13);
    }
    close_flow(&a);
    close_flow(&b);
    zw_products_destroy(p);
}

/* solids keep units, so that a density stays one; variants and statements of every kind go
 * through */
static void test_products__scale_what_the_language_can_say(void **state) {
    (void)state;
    static const char *const models[] = {MODEL("tippedisk"),  MODEL("double_pendulum"),
                                         MODEL("rattleback"), MODEL("absorber_planar"),
                                         MODEL("crane_jerk"), MODEL("woodpecker")};
    for (int i = 0; i < 6; i++) {
        zw_products *p = products(models[i], 0, NULL, 0, NULL);
        const char *scaled;
        double worst = 1;
        if (!p)
            fail_msg("%s: %s", models[i], err.text);
        if (zw_products_model(p, &scaled, &worst, &err) < 0)
            fail_msg("%s: %s", models[i], err.text);
        assert_true(worst < 1e-12);
        if (i == 0) /* cylinder(rho, r, h) */
            assert_true(!strstr(scaled, "units none") && strstr(scaled, "[kg/m^3]"));
        if (i == 1)
            assert_non_null(strstr(scaled, "units none"));
        zw_products_destroy(p);
    }
    zw_products *p;
    const char *scaled;
    double worst;
    assert_int_equal(zw_products_create(&p, load(MODEL("tippedisk_slow"), "filled"), NULL, &err),
                     ZW_OK);
    assert_int_equal(zw_products_model(p, &scaled, &worst, &err), ZW_OK);
    assert_non_null(strstr(scaled, "param c = 0.4444444444444444    # c/r"));
    assert_null(strstr(scaled, "\nvariant"));
    zw_products_destroy(p);
}

/* a motion of the model is one of the scaled model: y'' = -g with drag, in units of m and its
 * terminal speed */
static void test_products__motions_agree(void **state) {
    (void)state;
    zw_products *p = products("model drop\nparam m = 2 [kg], k = 3 [g/m], g = 9.81 [m/s^2]\n"
                              "coord y [m]\nkinetic 1/2*m*y'^2\npotential m*g*y\n"
                              "force (y) = -k*y'*abs(y')\nstart y = 1 [m], y' = -4 [m/s]\n",
                              0, NULL, 0, NULL);
    const char *scaled;
    double worst, metre, second;
    assert_non_null(p);
    assert_int_equal(zw_products_count(p), 0); /* three quantities, three dimensions: no product */
    assert_int_equal(zw_products_model(p, &scaled, &worst, &err), ZW_OK);
    assert_int_equal(zw_products_literals(p), 2); /* the start */
    assert_int_equal(zw_products_unit(p, "m", &metre, &err), ZW_OK);
    assert_int_equal(zw_products_unit(p, "s", &second, &err), ZW_OK);
    assert_close(metre, 2 / 3e-3, 1e-12);
    double end[2];
    for (int k = 0; k < 2; k++) {
        zw_context *ctx = zw_context_create(NULL);
        zw_system *sys;
        zw_sim *sim;
        zw_sim_options o = zw_sim_options_default();
        const char *own = k ? scaled : text;
        if (zw_model_parse(&sys, ctx, own, strlen(own), "test", NULL, &err) < 0)
            fail_msg("%s", err.text);
        o.run.rtol = o.run.atol = 1e-12;
        o.until = k ? 2 / second : 2;
        assert_int_equal(zw_sim_create(&sim, sys, NULL, &o, &err), ZW_OK);
        assert_true(zw_sim_run(sim, &err) >= 0);
        const zw_table *t = zw_sim_rows(sim);
        end[k] = zw_table_at(t, zw_table_rows(t) - 1, zw_table_find(t, "y"));
        zw_sim_destroy(sim);
        zw_context_destroy(ctx);
    }
    assert_close(end[1] * metre, end[0], 1e-9);
    zw_products_destroy(p);
}

static void expect_refusal(const char *model, const char *scale, const char *name,
                           const char *words) {
    zw_products *p = products(model, scale ? 1 : 0, &scale, name ? 1 : 0, &name);
    assert_null(p);
    if (!strstr(err.text, words))
        fail_msg("'%s' is not in '%s'", words, err.text);
    assert_true(err.hint[0]);
}

static void test_products__refusals_teach(void **state) {
    (void)state;
    const char *pendulum = MODEL("pendulum_polar");
    expect_refusal(MODEL("lorenz"), NULL, NULL, "no units");
    expect_refusal(pendulum, "length=m", NULL, "the scale of length is");
    expect_refusal(pendulum, "width=l", NULL, "no dimension 'width'");
    expect_refusal(pendulum, "length=l + l^2/l*sin(1)", NULL, "not a product of powers");
    expect_refusal(pendulum, NULL, "q=m/l", "in kg/m");
    expect_refusal(MODEL("chaplygin_sleigh"), NULL, NULL, "make no scale of time");
    static const char *const twice[] = {"A=F/(m*g*l)", "B=(m*g*l/F)^2"};
    assert_null(products(pendulum, 0, NULL, 2, twice));
    assert_non_null(strstr(err.text, "follows from those before it"));
}

/* -------------------------------------------------------------------------------------- regions */

/* r' = r (p + q r^2 - r^4): cycles at r^2 = (q +- sqrt(q^2 + 4 p))/2 */
static const char bautin[] = "model bautin\nunits none\nparam p = 0.1, q = 0.5\n"
                             "let f = p + q*(x^2 + y^2) - (x^2 + y^2)^2\n"
                             "state x, y : x' = x*f - y, y' = y*f + x\nstart x = 0.01\n";

static zw_regions *regions(const char *model, const zw_regions_options *o) {
    zw_regions *r = NULL;
    if (zw_regions_create(&r, load(model, NULL), o, &err) < 0)
        return NULL;
    return r;
}

static void test_regions__count_cycles_as_the_closed_form_does(void **state) {
    (void)state;
    static const char *const curve[] = {"p = 0", "q^2 + 4*p = 0"};
    for (int mirrored = 0; mirrored < 2; mirrored++) {
        zw_regions_options o = zw_regions_options_default();
        o.over[0] = "q=-1:1.03:20";
        o.over[1] = "p=-0.3:0.215:18";
        o.section = "y = 0";
        o.scan = "x=0:1.6:12";
        o.mirror = mirrored ? "x = -x, y = -y" : NULL;
        o.ncurve = 2;
        o.curve = curve;
        zw_regions *r = regions(bautin, &o);
        if (!r)
            fail_msg("%s", err.text);
        int two = 0;
        for (int i = 0; i < zw_regions_points(r); i++) {
            const zw_region_point *at = zw_regions_at(r, i);
            double q = at->at[0], p = at->at[1], root = q * q + 4 * p, square[2] = {-1, -1};
            int n = 0;
            for (int k = -1; k <= 1 && root > 0; k += 2)
                if (q + k * sqrt(root) > 0)
                    square[n++] = (q + k * sqrt(root)) / 2;
            assert_int_equal(at->nrest, 1);
            assert_int_equal(at->grows[0], p > 0 ? 2 : 0);
            if (at->why)
                fail_msg("q = %g, p = %g: %s", q, p, at->why);
            if (at->ncycle != n)
                fail_msg("q = %g, p = %g: %d cycles, not %d", q, p, at->ncycle, n);
            for (int k = 0; k < n; k++) {
                assert_true(at->stable[k] == (k == n - 1));
                assert_true(fabs(at->amplitude[k] - sqrt(square[k])) < 2e-3);
            }
            two += n == 2;
        }
        assert_true(two > 10);
        zw_region_pairs pairs = zw_regions_pairs(r);
        assert_int_equal(pairs.hopf, 20); /* p changes its sign once in each column */
        assert_int_equal(pairs.connection, 0);
        assert_true(pairs.seen > 10);
        /* where the fold p = -q^2/4 lies between the same two points as Hopf's line the numbers do
         * not show it; the rule does */
        int hidden = 0;
        double below = zw_regions_at(r, 9 * 20)->at[1], above = zw_regions_at(r, 10 * 20)->at[1];
        assert_true(below < 0 && above > 0);
        for (int i = 0; i < 20; i++) {
            double q = zw_regions_at(r, i)->at[0];
            hidden += q > 0 && -q * q / 4 > below;
        }
        assert_true(hidden > 1);
        assert_int_equal(pairs.hidden, hidden);
        assert_int_equal(pairs.folds_most, 1);
        assert_int_equal(pairs.unknown, 0); /* all near the two curves */
        long n;
        const double *fold = zw_regions_curve(r, 1, &n);
        assert_true(n > 100);
        for (long k = 0; k < n; k++)
            if (isfinite(fold[2 * k]))
                assert_true(fabs(fold[2 * k] * fold[2 * k] + 4 * fold[2 * k + 1]) < 1e-12);
        zw_regions_destroy(r);
    }
}

/* r' = r (p - r^2)(r^2 - 4)(1 + 1/((r^2 - 4)^2 + 1e-18)): an unstable cycle of radius sqrt(p).
 * Beyond it motions reach the circle r = 2, where steps must be shorter than 1e-18: their time
 * stands still. Such a motion gets ten times the steps once, and no more; a stop event says that
 * it leaves. */
static void test_regions__give_up_where_time_stands_still(void **state) {
    (void)state;
    static const char wall[] =
        "model wall\nunits none\nparam p = 1, q = 0.5\nlet s = x^2 + y^2 - 4\n"
        "let f = q*(p - x^2 - y^2)*s*(1 + 1/(s^2 + 1e-18))\n"
        "state x, y : x' = x*f - y, y' = y*f + x\nstart x = 0.01\n%s";
    zw_regions_options o = zw_regions_options_default();
    o.over[0] = "p=0.5:1.5:2";
    o.over[1] = "q=0.1:0.2:2";
    o.section = "y = 0";
    o.scan = "x=0:1.9:12";
    for (int stops = 0; stops < 2; stops++) {
        char model[600];
        snprintf(model, sizeof model, wall,
                 stops ? "event out : x^2 + y^2 - 3.7 rising stop\n" : "");
        zw_regions *r = regions(model, &o);
        if (!r)
            fail_msg("%s", err.text);
        assert_int_equal(zw_regions_points(r), 4);
        for (int i = 0; i < 4; i++) {
            const zw_region_point *at = zw_regions_at(r, i);
            assert_true((at->why != NULL) == !stops);
            if (!stops)
                assert_non_null(strstr(at->why, "cannot be followed beyond t = "));
            else
                assert_true(at->ncycle == 1 && !at->stable[0] &&
                            fabs(at->amplitude[0] - sqrt(at->at[0])) < 2e-3);
        }
        /* 22 starts of the first round, with two tolerances */
        assert_true(stops || zw_regions_motions(r) <= 2 * 2 * 4 * 22);
        zw_regions_destroy(r);
    }
}

/* The same cycles in sheared coordinates: the section cuts each of them oftener than twice a turn,
 * beyond the focus (which is no matter), or on the line of starts (where the return map jumps, and
 * no number can be told). */
static void test_regions__sections_that_are_cut_again(void **state) {
    (void)state;
    static const char wavy[] =
        "model wavy\nunits none\nparam p = 0.1, q = 0.5, k = 9, c = -0.5\n"
        "let side = tanh(10*(y - c))\nlet h = sin(k*y)*(1 - side)/4\n"
        "let dh = k*cos(k*y)*(1 - side)/4 - 5/2*sin(k*y)*(1 - side^2)\nlet u = x - h\n"
        "let f = p + q*(u^2 + y^2) - (u^2 + y^2)^2\nlet dy = y*f + u\n"
        "state x, y : x' = u*f - y + dh*dy, y' = dy\nstart x = 0.01\n";
    for (int both = 0; both < 2; both++) {
        zw_regions_options o = zw_regions_options_default();
        o.over[0] = both ? "c=9:10:2" : "q=-1:1.9:5";
        o.over[1] = "p=-0.3:0.315:5";
        o.section = "x = 0";
        o.scan = "y=0:2:12";
        zw_regions *r = regions(wavy, &o);
        if (!r)
            fail_msg("%s", err.text);
        for (int i = 0; i < zw_regions_points(r); i++) {
            const zw_region_point *at = zw_regions_at(r, i);
            double q = at->at[0], p = at->at[1], root = q * q + 4 * p;
            if (both) {
                assert_non_null(at->why);
                assert_non_null(strstr(at->why, "both ways"));
                continue;
            }
            if (at->why)
                fail_msg("q = %g, p = %g: %s", q, p, at->why);
            assert_int_equal(at->ncycle, p > 0 ? 1 : q > 0 && root > 0 ? 2 : 0);
        }
        zw_regions_destroy(r);
    }
}

/* in metres or in tenths of nanometres: the same cycles, and as many that are decided; what is
 * smaller than tolerances can be is undecided */
static void test_regions__are_those_of_any_unit(void **state) {
    (void)state;
    static const char small[] = "model small\nunits none\nparam p = 0.1, q = 0.5, l = 1e-10\n"
                                "let s = (x^2 + y^2)/l^2\nlet f = p + q*s - s^2\n"
                                "state x, y : x' = x*f - y, y' = y*f + x\nstart x = 0.01*l\n";
    zw_regions_options o = zw_regions_options_default();
    o.over[0] = "q=-1:1.9:5";
    o.over[1] = "p=-0.3:0.315:5";
    o.section = "y = 0";
    o.scan = "x=0:2*l:12";
    zw_regions *r = regions(small, &o);
    if (!r)
        fail_msg("%s", err.text);
    for (int i = 0; i < zw_regions_points(r); i++) {
        const zw_region_point *at = zw_regions_at(r, i);
        double q = at->at[0], p = at->at[1];
        if (at->why)
            fail_msg("q = %g, p = %g: %s", q, p, at->why);
        assert_int_equal(at->ncycle, p > 0 ? 1 : q > 0 && q * q + 4 * p > 0 ? 2 : 0);
    }
    zw_regions_destroy(r);
    o.over[0] = "l=1e-13:2e-13:2";
    r = regions(small, &o);
    assert_non_null(r);
    for (int i = 0; i < zw_regions_points(r); i++)
        assert_non_null(strstr(zw_regions_at(r, i)->why, "too small"));
    zw_regions_destroy(r);
}

/* Three cycles r^2 = c, d, 1 about one focus, all of them steady for who turns along: equilibria
 * they are not, wherever the model starts and whatever is searched. The eigenvalues of the focus
 * are -c d +- i. */
static void test_regions__cycles_are_no_equilibria(void **state) {
    (void)state;
    static const char three[] = "model three\nunits none\nparam c = 0.2, d = 0.5\n"
                                "let r = x^2 + y^2\nlet f = (r - c)*(d - r)*(1 - r)\n"
                                "state x, y : x' = x*f - y, y' = y*f + x\nstart x = 0.5\n";
    static const char *const box[] = {"x=-1:1", "y=-1:1"};
    for (int searched = 0; searched < 2; searched++) {
        zw_regions_options o = zw_regions_options_default();
        o.over[0] = "c=0.1:0.3:3";
        o.over[1] = "d=0.35:1.4:4";
        o.section = "y = 0";
        o.scan = "x=0:1.5";
        o.nsearch = 2 * searched;
        o.search = box;
        zw_regions *r = regions(three, &o);
        if (!r)
            fail_msg("%s", err.text);
        for (int i = 0; i < zw_regions_points(r); i++) {
            const zw_region_point *at = zw_regions_at(r, i);
            assert_null(at->why);
            assert_int_equal(at->nrest, 1);
            assert_int_equal(at->grows[0], 0);
            assert_int_equal(at->ncycle, 3);
        }
        zw_regions_destroy(r);
    }
}

/* phi'' = tau - d phi' - k sin(phi) rests where k > tau, in a focus or node and in a saddle. The
 * model itself has k = 0, where phi is a symmetry: it is none anywhere on the grid. */
static void test_regions__symmetries_are_those_of_each_point(void **state) {
    (void)state;
    static const char rotor[] = "model rotor\nunits none\nparam tau = 0.5, d = 0.3, k = 0\n"
                                "coord phi\nparticle bob : 1 at (sin(phi), 0, -cos(phi))\n"
                                "force all (phi) = tau - d*phi' - k*sin(phi)\nstart phi = 0.1\n";
    static const char *const box[] = {"phi=-3:3", "phi'=-3:3"};
    zw_regions_options o = zw_regions_options_default();
    o.over[0] = "k=0.2:2:5";
    o.over[1] = "d=0.1:1:3";
    o.nsearch = 2;
    o.search = box;
    zw_regions *r = regions(rotor, &o);
    if (!r)
        fail_msg("%s", err.text);
    for (int i = 0; i < zw_regions_points(r); i++) {
        const zw_region_point *at = zw_regions_at(r, i);
        assert_null(at->why);
        assert_int_equal(at->nrest, at->at[0] > 0.5 ? 2 : 0);
        if (at->nrest == 2)
            assert_true(at->grows[0] == 0 && at->grows[1] == 1);
    }
    zw_regions_destroy(r);
}

/* a curve that is missing is missed */
static void test_regions__say_which_curve_is_missing(void **state) {
    (void)state;
    static const char *const curve[] = {"p = 0"};
    zw_regions_options o = zw_regions_options_default();
    o.over[0] = "q=0.4:1.03:8";
    o.over[1] = "p=-0.3:0.215:18";
    o.section = "y = 0";
    o.scan = "x=0:1.6:12";
    o.ncurve = 1;
    o.curve = curve;
    zw_regions *r = regions(bautin, &o);
    assert_non_null(r);
    zw_region_pairs pairs = zw_regions_pairs(r);
    assert_true(pairs.unknown > 5);
    assert_true(says(regions_text(r), "a curve is missing"));
    zw_regions_destroy(r);
}

/* The three discs of Fig. 6.4, across all that happens to them, and the boundaries of Fig. 6.3. */
static void test_regions__scenarios_of_the_tippedisk(void **state) {
    (void)state;
    static const char *const search[] = {"beta=0.5:2.6", "gamma=-2:2"};
    static const char *const curve[] = {"w = 1 + kappa", "w = 1 - kappa", "zeta = 1",
                                        "w = sqrt(15/(7 + 8*zeta))*(1 + kappa)"};
    /* zeta, and by w: numbers of cycles below the connection, between, and above (Fig. 6.4) */
    static const struct {
        const char *zeta, *w;
        int n;
        int cycles[4];
        bool inner_stable[4];
    } disc[] = {
        /* v1: none, one stable, none */
        {"zeta=1.199:1.201:2", "w=0.985:1.075:4", 4, {0, 1, 1, 0}, {false, true, true, false}},
        /* v2: unstable alone, unstable and stable, none */
        {"zeta=0.899:0.901:2", "w=1.06:1.105:4", 4, {1, 1, 0, 0}, {false, false, false, false}},
        /* v3, in the window of 1e-4 between fold and connection: stable and unstable */
        {"zeta=1.49999:1.50001:2", "w=0.9342:0.935:3", 3, {0, 2, 1}, {false, true, true}},
    };
    for (int i = 0; i < 3; i++) {
        zw_regions_options o = zw_regions_options_default();
        o.over[0] = disc[i].zeta;
        o.over[1] = disc[i].w;
        o.nsearch = 2;
        o.search = search;
        o.starts = 16;
        o.section = "beta = pi/2";
        o.scan = "gamma=pi/2:3*pi/2";
        o.mirror = "beta = pi - beta, gamma = pi - gamma";
        o.ncurve = 4;
        o.curve = curve;
        zw_regions *r = regions(MODEL("tippedisk_normalised"), &o);
        if (!r)
            fail_msg("%s", err.text);
        for (int k = 0; k < disc[i].n; k++)
            for (int side = 0; side < 2; side++) {
                const zw_region_point *at = zw_regions_at(r, 2 * k + side);
                if (at->why)
                    fail_msg("zeta = %g, w = %g: %s", at->at[0], at->at[1], at->why);
                assert_int_equal(at->ncycle, disc[i].cycles[k]);
                assert_true(!at->ncycle || at->stable[0] == disc[i].inner_stable[k]);
                /* saddle quantity (6.12), equilibria */
                double a = -0.01 / 0.3 * (at->at[1] * at->at[1] - 0.95 * 0.95) / pow(0.95, 3);
                assert_close(at->quantity, a, 1e-10);
                assert_int_equal(at->nrest, 2);
            }
        long n;
        for (int c = 0; c < 4; c++) {
            const double *at = zw_regions_curve(r, c, &n);
            for (long k = 0; k < n; k++) {
                double zeta = at[2 * k], w = at[2 * k + 1];
                double off = c == 0   ? w - 1.05
                             : c == 1 ? w - 0.95
                             : c == 2 ? zeta - 1
                                      : w - sqrt(15 / (7 + 8 * zeta)) * 1.05;
                assert_true(isnan(zeta) || fabs(off) < 1e-12);
            }
            assert_true(n > 100 || c != 3 || i == 2);
        }
        zw_regions_destroy(r);
    }
}

/* On a grid that is too coarse for the window of v3 the rule of stability asks for the fold; with
 * v1 it does not. */
static void test_regions__the_rule_finds_the_fold_that_the_grid_misses(void **state) {
    (void)state;
    for (int i = 0; i < 2; i++) {
        zw_regions_options o = zw_regions_options_default();
        o.over[0] = i ? "zeta=1.4999:1.5001:2" : "zeta=1.1999:1.2001:2";
        o.over[1] = i ? "w=0.925:0.97:4" : "w=0.99:1.02:4";
        o.section = "beta = pi/2";
        o.scan = "gamma=pi/2:3*pi/2";
        zw_regions *r = regions(MODEL("tippedisk_normalised"), &o);
        if (!r)
            fail_msg("%s", err.text);
        zw_region_pairs pairs = zw_regions_pairs(r);
        assert_int_equal(pairs.connection, 2);
        assert_int_equal(pairs.seen, 0);
        assert_int_equal(pairs.hidden, i ? 2 : 0);
        assert_int_equal(pairs.folds_most, i);
        assert_true(says(regions_text(r), "saddle quantity") == (i != 0));
        zw_regions_destroy(r);
    }
}

static void expect_no_regions(const char *model, const zw_regions_options *o, const char *words) {
    zw_regions *r = regions(model, o);
    assert_null(r);
    if (!strstr(err.text, words))
        fail_msg("'%s' is not in '%s'", words, err.text);
}

static void test_regions__refusals_teach(void **state) {
    (void)state;
    zw_regions_options o = zw_regions_options_default();
    o.over[0] = "q=-1:1:3";
    expect_no_regions(bautin, &o, "two parameters");
    o.over[1] = "p=-1:1:3";
    o.section = "y = 0";
    expect_no_regions(bautin, &o, "--scan is missing");
    o.scan = "x=0.3:1";
    expect_no_regions(bautin, &o, "not at rest");
    o.scan = "x=0:1";
    o.mirror = "x = -x, y = y";
    expect_no_regions(bautin, &o, "no symmetry of the motion");
    o.mirror = NULL;
    o.over[0] = "sigma=1:2:3";
    o.over[1] = "rho=1:2:3";
    expect_no_regions(MODEL("lorenz"), &o, "counted in a plane");
    /* a row of the grid on Hopf's line itself: said, not guessed */
    o.over[0] = "q=-1:1:3";
    o.over[1] = "p=-0.1:0.1:3";
    zw_regions *r = regions(bautin, &o);
    assert_non_null(r);
    for (int i = 0; i < 9; i++)
        assert_true((zw_regions_at(r, i)->why != NULL) == (i / 3 == 1));
    zw_table *t;
    assert_int_equal(zw_regions_table(r, &t, &err), ZW_OK);
    for (int i = 0; i < 9; i++) {
        assert_true((zw_table_at(t, i, zw_table_find(t, "region")) == 0) == (i / 3 == 1));
        assert_true(isnan(zw_table_at(t, i, zw_table_find(t, "cycles"))) == (i / 3 == 1));
    }
    zw_table_destroy(t);
    zw_warnings *doubts = zw_warnings_create(NULL);
    assert_non_null(doubts);
    zw_regions_warnings(r, doubts);
    assert_int_equal(zw_warnings_count(doubts), 1);
    zw_warnings_destroy(doubts);
    zw_regions_destroy(r);
}

/* Conditions in closed form against the cycles that motions count, on the same grid: two ways that
 * have nothing in common. */
static void test_regions__by_conditions_are_those_that_are_counted(void **state) {
    (void)state;
    static const char *const region[] = {"two: p < 0 and q > 0 and q^2 + 4*p > 0", "one: p > 0",
                                         "none: elsewhere"};
    static const char *const mark[] = {"A=0.9,-0.05", "B=0.9,-0.21", "C=-1,0.2"};
    static const int cycles[] = {2, 1, 0};
    zw_regions_options o = zw_regions_options_default();
    o.over[0] = "q=-1:1.03:20";
    o.over[1] = "p=-0.3:0.215:18";
    o.nregion = 3;
    o.region = region;
    o.nmark = 3;
    o.mark = mark;
    zw_regions *said = regions(bautin, &o);
    if (!said)
        fail_msg("%s", err.text);
    o.nregion = o.nmark = 0;
    o.section = "y = 0";
    o.scan = "x=0:1.6:12";
    zw_regions *counted = regions(bautin, &o);
    assert_non_null(counted);
    int seen[3] = {0};
    for (int i = 0; i < zw_regions_points(said); i++) {
        int k = zw_regions_at(said, i)->region;
        assert_in_range(k, 1, 3);
        assert_int_equal(zw_regions_at(counted, i)->ncycle, cycles[k - 1]);
        seen[k - 1]++;
    }
    assert_true(seen[0] > 10 && seen[1] > 10 && seen[2] > 10);
    /* marks are judged where they are: -q^2/4 = -0.2025 */
    char *words = regions_text(said);
    assert_non_null(strstr(words, "A is in region 1: two\n"));
    assert_non_null(strstr(words, "B is in region 3: none\n"));
    assert_non_null(strstr(words, "C is in region 2: one\n"));
    free(words);
    zw_report *described = report_begin("m");
    zw_regions_report(said, described);
    assert_string_equal(zw_report_get_word(described, "marks.1.name"), "B");
    assert_true(zw_report_get_number(described, "marks.1.region") == 3);
    zw_report_destroy(described);
    /* borders: p = 0 on all of the line, the parabola for q > 0 alone, and q = 0 nowhere */
    zw_table *t;
    assert_int_equal(zw_regions_table(said, &t, &err), ZW_OK);
    assert_non_null(zw_table_get_note(t, "curve 1"));
    assert_null(zw_table_get_note(t, "curve 2"));
    assert_int_equal(zw_table_columns(t), 3);
    zw_table_destroy(t);
    bool line = false, parabola = false;
    for (int i = 0; i < 2; i++) {
        long n;
        const double *at = zw_regions_curve(said, i, &n);
        double least = INFINITY, most = -INFINITY;
        for (long k = 0; k < n; k++) {
            double q = at[2 * k], p = at[2 * k + 1];
            if (!isfinite(p))
                continue;
            least = fmin(least, q);
            most = fmax(most, q);
            if (fabs(p) < 1e-12) /* halved until the numbers end */
                line = true;
            else {
                parabola = true;
                assert_true(fabs(q * q + 4 * p) < 1e-12 && q > 0);
            }
        }
        assert_true(most > 1.02 && least < (line && !parabola ? -0.99 : 0.02));
    }
    assert_true(line && parabola);
    zw_regions_destroy(said);
    zw_regions_destroy(counted);
}

static void test_regions__conditions_that_are_wrong_are_refused(void **state) {
    (void)state;
    const char *region[2] = {"a: p < 0", "b: p < 0.1"};
    zw_regions_options o = zw_regions_options_default();
    o.over[0] = "q=-1:1:5";
    o.over[1] = "p=-0.3:0.3:5";
    o.nregion = 2;
    o.region = region;
    expect_no_regions(bautin, &o, "'a' and 'b' both hold at q = -1, p = -0.3");
    region[1] = "b: p > -0.001"; /* between the points of the grid */
    expect_no_regions(bautin, &o, "'a' and 'b' both hold at q = ");
    region[1] =
        "b: p > 0 or q > 0.7 and q < 0.70000005"; /* thinner than borders can tell, but a mark is there */
    o.nmark = 1;
    o.mark = &(const char *){"M=0.70000002,-0.1"};
    expect_no_regions(bautin, &o, "both hold at q = 0.70000002, p = -0.1");
    o.nmark = 0;
    region[1] = "a: p > 0";
    expect_no_regions(bautin, &o, "a region of this name");
    region[1] = "b: p + q";
    expect_no_regions(bautin, &o, "CONDITION is expected");
    region[1] = "p > 0";
    expect_no_regions(bautin, &o, "CONDITION is expected");
    region[1] = "b: x > 0";
    expect_no_regions(bautin, &o, "'x' is not a parameter");
    region[1] = "b: 1 < 2";
    expect_no_regions(bautin, &o, "does not depend on parameters");
    region[1] = "b: elsewhere";
    o.section = "y = 0";
    expect_no_regions(bautin, &o, "--section searches for what exists");
    /* a side without a value is no answer, also where `not` or `or` would make one of it */
    o.section = NULL;
    region[0] = "a: not sqrt(q) < 0.2";
    zw_regions *r = regions(bautin, &o);
    assert_non_null(r);
    for (int i = 0; i < 25; i++) {
        const zw_region_point *at = zw_regions_at(r, i);
        assert_true((at->why != NULL) == (at->at[0] < 0));
        assert_int_equal(at->region, at->at[0] < 0 ? 0 : at->at[0] > 0.04 ? 1 : 2);
    }
    zw_regions_destroy(r);
}

/* equilibria are called as the model calls them; what all regions have is not in the legend */
static void test_regions__have_the_names_of_the_model(void **state) {
    (void)state;
    static const char *const search[] = {"beta=0.5:2.6", "gamma=-2:2"};
    zw_regions_options o = zw_regions_options_default();
    o.over[0] = "zeta=1.19:1.21:2";
    o.over[1] = "w=1.02:1.08:2"; /* Hopf's line is w = 1.05 */
    o.nsearch = 2;
    o.search = search;
    zw_regions *r = regions(MODEL("tippedisk_normalised"), &o);
    assert_non_null(r);
    assert_string_equal(zw_regions_words(r, zw_regions_at(r, 0)->region),
                        "inverted_spin unstable, plain_spin saddle");
    assert_string_equal(zw_regions_words(r, zw_regions_at(r, 2)->region),
                        "inverted_spin stable, plain_spin saddle");
    zw_table *t;
    assert_int_equal(zw_regions_table(r, &t, &err), ZW_OK);
    assert_string_equal(zw_table_get_note(t, "region 1"),
                        "inverted spin unstable; with plain_spin saddle");
    zw_table_destroy(t);
    zw_regions_destroy(r);
}

static bool at_half(void *user, double done) {
    (void)user;
    return done > 0.5;
}

static bool at_once(void *user, double done) {
    (void)user;
    (void)done;
    return true;
}

/* Stopped by the user: points that are done are those of the whole chart, the others say so. */
static void test_regions__keep_what_is_done(void **state) {
    (void)state;
    zw_regions_options o = zw_regions_options_default();
    o.over[0] = "q=-1:1.03:20";
    o.over[1] = "p=-0.3:0.215:18";
    o.section = "y = 0";
    o.scan = "x=0:1.6:12";
    zw_regions *all = regions(bautin, &o);
    o.stop = at_half;
    zw_regions *half = regions(bautin, &o);
    assert_true(all && half);
    assert_true(zw_regions_is_stopped(half) && !zw_regions_is_stopped(all));
    int done = 0;
    for (int i = 0; i < 360; i++) {
        const zw_region_point *a = zw_regions_at(all, i), *b = zw_regions_at(half, i);
        if (b->why) {
            assert_string_equal(b->why, "it was stopped before");
            continue;
        }
        done++;
        assert_int_equal(a->ncycle, b->ncycle);
        assert_string_equal(zw_regions_words(all, a->region), zw_regions_words(half, b->region));
    }
    assert_in_range(done, 50, 300);
    zw_table *t;
    char note[60];
    snprintf(note, sizeof note, "%d of 360 points are not done", 360 - done);
    assert_int_equal(zw_regions_table(half, &t, &err), ZW_OK);
    assert_string_equal(zw_table_get_note(t, "stopped"), note);
    zw_table_destroy(t);
    zw_regions_destroy(half);
    zw_regions_destroy(all);
    o.stop = at_once;
    half = regions(bautin, &o);
    assert_true(half && zw_regions_is_stopped(half) && zw_regions_count(half) == 0);
    zw_regions_destroy(half);
}

/* van der Pol: a coordinate and its velocity. One cycle, stable for mu > 0, of amplitude 2.00861986
 * at mu = 1 (the literature); time turned round it is that of -mu, where motions outside of it grow
 * beyond all numbers. */
static void test_regions__van_der_pol(void **state) {
    (void)state;
    zw_regions_options o = zw_regions_options_default();
    o.over[0] = "mu=-1:1:6";
    o.over[1] = "k=1:4:2";
    o.section = "x' = 0";
    o.scan = "x=0:4 [m]";
    zw_regions *r = regions(MODEL("van_der_pol"), &o);
    if (!r)
        fail_msg("%s", err.text);
    for (int i = 0; i < 12; i++) {
        const zw_region_point *at = zw_regions_at(r, i),
                              *turned = zw_regions_at(r, i / 6 * 6 + 5 - i % 6);
        if (at->why)
            fail_msg("mu = %g: %s", at->at[0], at->why);
        assert_int_equal(at->ncycle, 1);
        assert_true(at->stable[0] == (at->at[0] > 0));
        assert_true(fabs(at->amplitude[0] - turned->amplitude[0]) < 4e-3);
        if (fabs(at->at[0]) == 1)
            assert_true(fabs(at->amplitude[0] - 2.00861986087) < 4e-3);
    }
    zw_regions_destroy(r);
}

/* results over both parameters are curves like those in closed form, by their branches; specimens
 * have places */
static void test_regions__take_curves_of_results(void **state) {
    (void)state;
    zw_table *t = zw_table_create(NULL);
    zw_table_column(t, "q", "");
    zw_table_column(t, "p", "");
    zw_table_column(t, "branch", "");
    for (int i = 0; i <= 40; i++) /* the fold and Hopf's line of the closed form */
        zw_table_row(t, (double[]){0.4 + 0.02 * i, -pow(0.4 + 0.02 * i, 2) / 4, 1});
    zw_table_row(t, (double[]){0.3, 0, 2});
    zw_table_row(t, (double[]){1.2, 0, 2});
    const zw_table *with[] = {t};
    const char *name = "some/where/folds.csv", *mark = "here=0.8,-0.1", *wrong = "nowhere";
    zw_regions_options o = zw_regions_options_default();
    o.over[0] = "q=0.4:1.03:8";
    o.over[1] = "p=-0.3:0.215:18";
    o.section = "y = 0";
    o.scan = "x=0:1.6:12";
    o.nwith = 1;
    o.with = with;
    o.with_name = &name;
    o.nmark = 1;
    o.mark = &mark;
    zw_regions *r = regions(bautin, &o);
    assert_non_null(r);
    assert_int_equal(zw_regions_pairs(r).unknown, 0);
    assert_true(says(regions_text(r), "here: the nearest point"));
    zw_table *out;
    assert_int_equal(zw_regions_table(r, &out, &err), ZW_OK);
    assert_int_equal(zw_table_rows(out), 8 * 18);
    assert_string_equal(zw_table_get_note(out, "map"), "q p region");
    assert_int_equal(strncmp(zw_table_get_note(out, "curve 0"), "folds\n0.4 -0.04; ", 17), 0);
    assert_string_equal(zw_table_get_note(out, "specimen 0"), "here\n0.8 -0.1");
    zw_table_destroy(out);
    zw_regions_destroy(r);
    o.mark = &wrong;
    expect_no_regions(bautin, &o, "NAME=VALUE,VALUE is expected");
    o.nmark = 0;
    o.over[1] = NULL;
    zw_table_destroy(t);
}

/* ------------------------------------------------------------------------------------- surfaces */

/* figure 6.1: every point of a net is on its surface, and the connection is parted where the saddle
 * quantity is zero */
static void test_surfaces__are_those_of_the_equations(void **state) {
    (void)state;
    static const char *const curve[] = {"Hopf: w = 1 + kappa", "zeta = 1",
                                        "w = if(sqrt(15/(7 + 8*zeta))*(1 + kappa) < 1 - kappa, "
                                        "sqrt(15/(7 + 8*zeta))*(1 + kappa), 0)"};
    static const char *const mark[] = {"V1=0.0556,1.109,1.04"};
    zw_surfaces_options o = zw_surfaces_options_default();
    zw_table *t;
    o.over[0] = "kappa=0.001:0.1:5";
    o.over[1] = "zeta=0.5:2:7";
    o.over[2] = "w=0.8:1.3:4";
    o.ncurve = 3;
    o.curve = curve;
    o.nmark = 1;
    o.mark = mark;
    if (zw_surfaces_table(load(MODEL("tippedisk_normalised"), NULL), &o, &t, &err) < 0)
        fail_msg("%s", err.text);
    int n[5] = {0};
    for (long i = 0; i < zw_table_rows(t); i++) {
        double kappa = zw_table_at(t, i, 1), zeta = zw_table_at(t, i, 2), w = zw_table_at(t, i, 3);
        int k = (int)zw_table_at(t, i, 0);
        if (isnan(w))
            continue;
        n[k]++;
        if (k == 1)
            assert_true(fabs(w - 1 - kappa) < 1e-12);
        if (k == 2)
            assert_true(fabs(zeta - 1) < 1e-12);
        if (k == 3)
            assert_true(fabs(w - sqrt(15 / (7 + 8 * zeta)) * (1 + kappa)) < 1e-12 && w < 1 - kappa);
    }
    assert_int_equal(n[1], 5 * 7); /* nodes of a net */
    assert_int_equal(n[2], 5 * 4); /* it does not depend on w: solved for zeta */
    assert_true(n[3] > 5 && n[3] < 5 * 7);
    assert_int_equal(n[4], 1);
    assert_string_equal(zw_table_get_note(t, "part surface 1"), "mesh 7 \"Hopf\"");
    zw_table_destroy(t);
    static const char *const away[] = {"w = 3"};
    o.ncurve = 1;
    o.curve = away;
    assert_true(zw_surfaces_table(load(MODEL("tippedisk_normalised"), NULL), &o, &t, &err) < 0);
    assert_non_null(strstr(err.text, "is outside the ranges"));
    assert_null(t);
}

/* curves in space: where two surfaces meet, and lines of a surface at values of an axis, against
 * their closed forms */
static void test_surfaces__meet_in_curves(void **state) {
    (void)state;
    static const char *const curve[] = {
        "sign: w = sqrt(15/(7 + 8*zeta))*(1 + kappa) and w = 1 - kappa",
        "zeta = 1 and w = 1 + kappa",
        "lines: w = sqrt(15/(7 + 8*zeta))*(1 + kappa) for zeta = 0.75, 1.25",
        "two: (zeta - 1.2)^2 = 0.01 and w = 1 + kappa"};
    zw_surfaces_options o = zw_surfaces_options_default();
    zw_table *t;
    o.over[0] = "kappa=0.001:0.1";
    o.over[1] = "zeta=0.5:2";
    o.over[2] = "w=0.8:1.3";
    o.ncurve = 4;
    o.curve = curve;
    if (zw_surfaces_table(load(MODEL("tippedisk_normalised"), NULL), &o, &t, &err) < 0)
        fail_msg("%s", err.text);
    int n[5] = {0}, low = 0;
    double least = 1, most = 0;
    for (long i = 0; i < zw_table_rows(t); i++) {
        double kappa = zw_table_at(t, i, 1), zeta = zw_table_at(t, i, 2), w = zw_table_at(t, i, 3);
        int k = (int)zw_table_at(t, i, 0);
        if (isnan(w))
            continue;
        n[k]++;
        if (k == 1) { /* (6.13), (6.14) solved for zeta */
            double ratio = (1 + kappa) / (1 - kappa);
            assert_close(w, 1 - kappa, 1e-10);
            assert_close(zeta, (15 * ratio * ratio - 7) / 8, 1e-8);
            least = fmin(least, kappa);
            most = fmax(most, kappa);
        }
        if (k == 2)
            assert_true(fabs(zeta - 1) < 1e-10 && fabs(w - 1 - kappa) < 1e-10);
        if (k == 3) {
            assert_true(fabs(zeta - 0.75) < 1e-10 || fabs(zeta - 1.25) < 1e-10);
            assert_close(w, sqrt(15 / (7 + 8 * zeta)) * (1 + kappa), 1e-10);
            low += zeta < 1;
        }
        if (k == 4)
            assert_true(fabs(fabs(zeta - 1.2) - 0.1) < 1e-8 && fabs(w - 1 - kappa) < 1e-10);
    }
    assert_true(n[1] > 50 && n[2] > 50 && n[3] > 100 && n[4] > 100);
    assert_true(low > 50 && n[3] - low > 50);
    assert_true(least < 0.004 && most > 0.098); /* from end to end of the box */
    zw_table_destroy(t);
    static const char *const wrong[] = {"w = 3 and zeta = 1", "w = 1 + kappa for zeta",
                                        "w = 1 + kappa for nothing = 1", "w = 1 for zeta = 1, ,2"};
    static const char *const why[] = {"is outside the ranges", "after 'for', a parameter",
                                      "after 'for', a parameter", "after 'for', a parameter"};
    o.ncurve = 1;
    for (int i = 0; i < 4; i++) {
        o.curve = &wrong[i];
        err = (zw_error){0};
        assert_true(zw_surfaces_table(load(MODEL("tippedisk_normalised"), NULL), &o, &t, &err) < 0);
        assert_non_null(strstr(err.text, why[i]));
    }
}

/* isoclines: one curve for each value of a further parameter, with words at the border of the
 * plane */
static void test_regions__families_of_curves(void **state) {
    (void)state;
    static const char *const region[] = {"I: w > 1 + kappa", "II: elsewhere"};
    static const char *const curve[] = {
        "isoclines: w = sqrt(15/(7 + 8*zeta))*(1 + kappa) for zeta = 0.9, 1.2, 1.5"};
    zw_regions_options o = zw_regions_options_default();
    o.over[0] = "w=0.85:1.15:6";
    o.over[1] = "kappa=0.001:0.1:6";
    o.nregion = 2;
    o.region = region;
    o.ncurve = 1;
    o.curve = curve;
    zw_regions *r = regions(MODEL("tippedisk_normalised"), &o);
    zw_table *t;
    assert_non_null(r);
    assert_int_equal(zw_regions_table(r, &t, &err), ZW_OK);
    const char *said = zw_table_get_note(t, "curve 0"), *at = strchr(said, '\n');
    int points[3] = {0};
    for (double x, k; at && *at;) {
        char *end;
        x = strtod(at, &end);
        k = strtod(end, &end);
        at = end + strspn(end, " ;");
        if (isnan(x))
            continue;
        bool on = false;
        for (int i = 0; i < 3; i++)
            if (fabs(x - sqrt(15 / (7 + 8 * (0.9 + 0.3 * i))) * (1 + k)) < 1e-9) {
                points[i]++;
                on = true;
            }
        assert_true(on);
    }
    assert_true(points[0] > 100 && points[1] > 100 && points[2] > 100);
    assert_int_equal(strncmp(zw_table_get_note(t, "words 1"), "zeta = 1.2\n", 11), 0);
    assert_null(zw_table_get_note(t, "words 3"));
    zw_table_destroy(t);
    zw_regions_destroy(r);
    static const char *const wrong[] = {"w = 1 + kappa for kappa = 1"};
    o.curve = wrong;
    expect_no_regions(MODEL("tippedisk_normalised"), &o, "is an axis");
}

/* -------------------------------------------------------------------------------- wanted values */

static zw_inverse_design *wanted(const char *model, const char *variant, const char *want,
                                 const char *vary, const char *tell) {
    zw_inverse_design_options o = zw_inverse_design_options_default();
    static const char *items[3];
    zw_inverse_design *w = NULL;
    items[0] = want;
    items[1] = vary;
    items[2] = tell;
    o.nwant = want != NULL;
    o.want = &items[0];
    o.nvary = vary != NULL;
    o.vary = &items[1];
    o.ntell = tell != NULL;
    o.tell = &items[2];
    if (zw_inverse_design_create(&w, load(model, variant), &o, &err) < 0)
        return NULL;
    return w;
}

/* Tables 2.1 and 5.2, recomputed by composite cylinders and Steiner's rule; (4.55), (5.57) */
static void test_wanted__a_disc_from_its_drawing(void **state) {
    (void)state;
    static const struct {
        const char *variant;
        double value[8];
    } disc[] = {
        {NULL,
         {0.435425, 2.5e-3, 2.48555e-4, 2.24062e-4, 1. / 18, 2.48555e-4 / 2.24062e-4, 30.9168,
          30.053}},
        {"filled",
         {0.54428, 2e-3, 2.58307e-4, 2.77901e-4, 2. / 45, 2.58307e-4 / 2.77901e-4, 30.711, 31.305}},
    };
    /* as many digits as are there, 1e-6 where formulas give them */
    static const double digits[8] = {5e-6, 1e-12, 4e-6, 4e-6, 1e-12, 6e-6, 1.7e-5, 2e-5};
    for (int k = 0; k < 2; k++) {
        zw_inverse_design *w = wanted(MODEL("tippedisk_drawn"), disc[k].variant, NULL, NULL,
                                      "m, e, J_1, J_2, kappa, zeta, Omega_c, Omega_h");
        assert_non_null(w);
        for (int i = 0; i < 8; i++)
            assert_close(zw_inverse_design_told(w, -1, i), disc[k].value[i], digits[i]);
        /* the formulas of the other model, which has no solids */
        double r = 0.045, a = 0.015, b = 0.02, h = 0.01, c = 0.02, rho = 7700 * M_PI;
        double plate = rho * r * r * h, hole = rho * a * a * h, mass = k ? rho * a * a * c : 0;
        double m = plate - hole + mass, e = b * (k ? mass - hole : hole) / m;
        double J_1 = plate * (h * h + 3 * r * r) / 12 - hole * (h * h + 3 * a * a) / 12 +
                     mass * (c * c + 3 * a * a) / 12;
        double J_2 = J_1 + (mass - hole) * b * b - m * e * e;
        assert_close(zw_inverse_design_told(w, -1, 0), m, 1e-14);
        assert_close(zw_inverse_design_told(w, -1, 2), J_1, 1e-14);
        assert_close(zw_inverse_design_told(w, -1, 3), J_2, 1e-13);
        assert_close(zw_inverse_design_told(w, -1, 6), (r + e) * sqrt(m * 9.81 / (r * J_2)), 1e-13);
        zw_inverse_design_destroy(w);
    }
}

/* and back: the drawing that is found has the wanted numbers, by the formulas of
 * models/tippedisk_slow.zw */
static void test_wanted__a_drawing_for_a_disc(void **state) {
    (void)state;
    zw_inverse_design *w = wanted(MODEL("tippedisk_drawn"), NULL, "zeta = 1.09, kappa = 0.05",
                                  "a=5:20mm, b=10:30mm", "Omega_c");
    assert_non_null(w);
    assert_int_equal(zw_inverse_design_count(w), 1);
    assert_int_equal(zw_inverse_design_free(w), 0);
    double a = zw_inverse_design_at(w, 0)->value[0], b = zw_inverse_design_at(w, 0)->value[1],
           r = 0.045, h = 0.01;
    double m = M_PI * 7700 * (r * r - a * a) * h, e = b * a * a / (r * r - a * a);
    double J_1 =
        7700 * M_PI * h / 12 * (3 * pow(r, 4) + r * r * h * h - a * a * h * h - 3 * pow(a, 4));
    double J_2 = J_1 - 7700 * M_PI * h * a * a * b * b - m * e * e;
    assert_close(e / r, 0.05, 1e-12);
    assert_close(J_1 / J_2, 1.09, 1e-12);
    assert_close(zw_inverse_design_told(w, 0, 0), (r + e) * sqrt(m * 9.81 / (r * J_2)), 1e-12);
    zw_inverse_design_destroy(w);
    /* one number too many is a family, said; the first of it is told */
    w = wanted(MODEL("tippedisk_drawn"), NULL, "zeta = 1.09", "a=5:20mm, b=10:30mm", NULL);
    assert_non_null(w);
    assert_int_equal(zw_inverse_design_free(w), 1);
    assert_true(says(design_text(w), "Not unique: 1 parameter more"));
    zw_inverse_design_destroy(w);
    /* no disc with such a hole is that long */
    assert_null(wanted(MODEL("tippedisk_drawn"), NULL, "zeta = 1.5, kappa = 0.05",
                       "a=5:20mm, b=10:30mm", NULL));
    assert_int_equal(err.status, ZW_E_NUMERIC);
    assert_non_null(strstr(err.text, "no parameters in the ranges"));
}

static const char cubic[] = "model c\nparam p = 5 [m], q = 2*p, s = 1\ncoord x [m]\n"
                            "kinetic x'^2/2*1 [kg]\nlet area = p*q\nstart x = p*s\n";

static void test_wanted__all_solutions_and_refusals(void **state) {
    (void)state;
    /* (s - 1)(s - 2)(s - 4) = 0: three */
    zw_inverse_design *w = wanted(cubic, NULL, "s^3 - 7*s^2 + 14*s = 8", "s=0:5", NULL);
    assert_non_null(w);
    assert_int_equal(zw_inverse_design_count(w), 3);
    for (int k = 0; k < 3; k++) {
        double s = zw_inverse_design_at(w, k)->value[0];
        assert_true(fabs(s - 1) < 1e-9 || fabs(s - 2) < 1e-9 || fabs(s - 4) < 1e-9);
    }
    assert_true(says(design_text(w), "Not unique: 3 solutions"));
    zw_inverse_design_destroy(w);
    /* q follows from p: 2 p^2 = 18 m^2 */
    w = wanted(cubic, NULL, "area = 18 [m^2]", "p=1:10m", NULL);
    assert_non_null(w);
    assert_close(zw_inverse_design_at(w, 0)->value[0], 3, 1e-11);
    zw_inverse_design_destroy(w);
    /* a double root is told as such */
    w = wanted(cubic, NULL, "(s - 2)^2 = 0", "s=0:5", NULL);
    assert_non_null(w);
    assert_true(zw_inverse_design_at(w, 0)->singular);
    assert_true(fabs(zw_inverse_design_at(w, 0)->value[0] - 2) < 1e-4);
    zw_inverse_design_destroy(w);
    /* a triple root is one, though starts end all around it; two roots that are near are two */
    w = wanted(cubic, NULL, "s^3 - 6*s^2 + 12*s = 8", "s=0:5", NULL); /* (s - 2)^3 = 0 */
    assert_non_null(w);
    assert_int_equal(zw_inverse_design_count(w), 1);
    assert_true(zw_inverse_design_at(w, 0)->singular &&
                fabs(zw_inverse_design_at(w, 0)->value[0] - 2) < 1e-3);
    zw_inverse_design_destroy(w);
    w = wanted(cubic, NULL, "(s - 2)*(s - 2.001) = 0", "s=0:5", NULL);
    assert_non_null(w);
    assert_int_equal(zw_inverse_design_count(w), 2);
    zw_inverse_design_destroy(w);
    /* small is not zero: no p has exp(-p) = 0, though it is 5e-15 somewhere */
    assert_null(wanted(cubic, NULL, "exp(-s) = 0", "s=0:100", NULL));
    assert_non_null(strstr(err.text, "no parameters in the ranges"));
    assert_null(wanted(cubic, NULL, "area = 3 [m]", "p=1:10m", NULL));
    assert_int_equal(err.status, ZW_E_UNIT);
    assert_null(wanted(cubic, NULL, "area = 18 [m^2]", "s=0:1", NULL));
    assert_non_null(strstr(err.text, "no varied parameter has an effect"));
    assert_null(wanted(cubic, NULL, "s = 2, p = 1 [m]", "s=0:1", NULL));
    assert_non_null(strstr(err.text, "2 required values and 1 parameter"));
    assert_null(wanted(cubic, NULL, "x = 2 [m]", "s=0:1", NULL));
    assert_non_null(strstr(err.text, "depends on x"));
}

/* --------------------------------------------------------------------------------------- memory */

/* as words and as JSON; NULL: it was not made */
static zw_status write_report(zw_report *r) {
    zw_bytes words = {0}, json = {0};
    zw_status status = r ? zw_report_text(r, &words, &err) : ZW_E_MEMORY;
    if (status >= 0)
        status = zw_report_json(r, &json, &err);
    zw_bytes_clear(&words);
    zw_bytes_clear(&json);
    zw_report_destroy(r);
    return status;
}

/* What a chart is made of, each with its words and tables; a number of the answer. */
static zw_status chart_products(const zw_allocator *alloc, double *answer) {
    zw_products_options o = zw_products_options_default();
    static const char *const name[] = {"A=F/(m*g*l)"};
    zw_products *p;
    const char *scaled;
    double worst;
    o.allocator = alloc;
    o.states = 2;
    o.nname = 1;
    o.name = name;
    zw_status status = zw_products_create(&p, &source, &o, &err);
    if (status >= 0)
        status = zw_products_model(p, &scaled, &worst, &err);
    if (status >= 0) {
        zw_report *r = zw_report_create(alloc);
        if (r)
            zw_products_report(p, r);
        status = write_report(r);
        *answer = zw_products_at(p, 0)->value;
    }
    zw_products_destroy(p);
    return status;
}

static zw_status chart_wanted(const zw_allocator *alloc, double *answer) {
    zw_inverse_design_options o = zw_inverse_design_options_default();
    static const char *const want[] = {"area = 18 [m^2]"}, *const vary[] = {"p=1:10m"},
                             *const tell[] = {"q"};
    zw_inverse_design *w;
    o.allocator = alloc;
    o.starts = 3;
    o.nwant = o.nvary = o.ntell = 1;
    o.want = want;
    o.vary = vary;
    o.tell = tell;
    zw_status status = zw_inverse_design_create(&w, &source, &o, &err);
    if (status >= 0) {
        zw_report *r = zw_report_create(alloc);
        if (r)
            zw_inverse_design_report(w, r);
        if (r && zw_report_get_word(r, "solutions.0.expressions.0.expression"))
            assert_close(zw_report_get_number(r, "solutions.0.expressions.0.value"), 6, 1e-9);
        status = write_report(r);
        *answer = zw_inverse_design_at(w, 0)->value[0];
    }
    zw_inverse_design_destroy(w);
    return status;
}

static zw_status chart_regions(const zw_allocator *alloc, double *answer) {
    static const char *const curve[] = {"p = 0"}, *const mark[] = {"here=0.5,0.1"};
    zw_regions_options o = zw_regions_options_default();
    zw_regions *r;
    zw_table *t = NULL;
    o.allocator = alloc;
    o.over[0] = "q=0.4:1:2";
    o.over[1] = "p=-0.3:0.2:3";
    o.starts = 4;
    o.ncurve = o.nmark = 1;
    o.curve = curve;
    o.mark = mark;
    zw_status status = zw_regions_create(&r, &source, &o, &err);
    if (status >= 0)
        status = zw_regions_table(r, &t, &err);
    if (status >= 0) {
        zw_report *said = zw_report_create(alloc);
        if (said)
            zw_regions_report(r, said);
        status = write_report(said);
        *answer = zw_regions_count(r) + 100 * zw_regions_at(r, 5)->grows[0];
    }
    zw_table_destroy(t);
    zw_regions_destroy(r);
    return status;
}

static zw_status chart_cycles(const zw_allocator *alloc, double *answer) {
    zw_regions_options o = zw_regions_options_default();
    zw_regions *r;
    o.allocator = alloc;
    o.over[0] = "q=0.4:1:2";
    o.over[1] = "p=0.1:0.2:2";
    o.starts = 2;
    o.section = "y = 0";
    o.scan = "x=0:1.6:4";
    o.mirror = "x = -x, y = -y";
    o.threads = 1;
    zw_status status = zw_regions_create(&r, &source, &o, &err);
    if (status >= 0)
        *answer = zw_regions_at(r, 3)->ncycle;
    zw_regions_destroy(r);
    return status;
}

static zw_status chart_surfaces(const zw_allocator *alloc, double *answer) {
    static const char *const curve[] = {"one: m = k*2 [kg*m/N]"}, *const mark[] = {
                                                                      "V=1 [kg],2 [N/m],2 [kg/s]"};
    zw_surfaces_options o = zw_surfaces_options_default();
    zw_table *t;
    o.allocator = alloc;
    o.over[0] = "m=1:5kg:2";
    o.over[1] = "k=1:3N/m:2";
    o.over[2] = "d=1:2kg/s:2";
    o.ncurve = o.nmark = 1;
    o.curve = curve;
    o.mark = mark;
    zw_status status = zw_surfaces_table(&source, &o, &t, &err);
    if (status >= 0)
        *answer = zw_table_at(t, 1, 1) + (double)zw_table_rows(t);
    zw_table_destroy(t);
    return status;
}

/* Whichever request for memory fails: said so, or the answer is the same; and nothing is left
 * behind. */
static void survive(zw_status (*make)(const zw_allocator *, double *), const char *model) {
    double expected = NAN, answer = NAN;
    long all = 0;
    load(model, NULL);
    for (long n = 0; n <= all; n += n < 50 ? 1 : 1 + all / (test_long() ? 1500 : 150)) {
        failing_allocator f = failing_allocator_make(n);
        zw_allocator alloc = failing_allocator_of(&f);
        err = (zw_error){0};
        zw_status status = make(&alloc, &answer);
        if (n == 0) {
            if (status != ZW_OK)
                fail_msg("%d: %s", status, err.text);
            all = f.requests;
            expected = answer;
        } else if (status == ZW_OK && answer != expected) {
            fail_msg("request %ld of %ld: %.17g, not %.17g", n, all, answer, expected);
        } else if (status != ZW_OK && status != ZW_E_MEMORY) {
            fail_msg("request %ld of %ld: %d, %s", n, all, status, err.text);
        }
        assert_int_equal(f.blocks, 0);
        assert_int_equal(f.bytes, 0);
    }
    assert_true(all > 50);
}

static void test_chart__survives_failing_allocations(void **state) {
    (void)state;
    survive(chart_products, MODEL("pendulum_polar"));
    survive(chart_wanted, cubic);
    survive(chart_surfaces, "model s\nparam m = 1 [kg], k = 1 [N/m], d = 1 [kg/s]\ncoord x [m]\n"
                            "kinetic 1/2*m*x'^2\npotential 1/2*k*x^2\ndissipation 1/2*d*x'^2\n");
    survive(chart_regions, bautin);
    survive(chart_cycles, bautin);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fractions__solve_exactly),
        cmocka_unit_test(test_products__of_a_pendulum),
        cmocka_unit_test(test_products__scale_the_tippedisk_as_the_thesis_does),
        cmocka_unit_test(test_products__scale_what_the_language_can_say),
        cmocka_unit_test(test_products__motions_agree),
        cmocka_unit_test(test_products__refusals_teach),
        cmocka_unit_test(test_regions__count_cycles_as_the_closed_form_does),
        cmocka_unit_test(test_regions__give_up_where_time_stands_still),
        cmocka_unit_test(test_regions__sections_that_are_cut_again),
        cmocka_unit_test(test_regions__are_those_of_any_unit),
        cmocka_unit_test(test_regions__cycles_are_no_equilibria),
        cmocka_unit_test(test_regions__symmetries_are_those_of_each_point),
        cmocka_unit_test(test_regions__say_which_curve_is_missing),
        cmocka_unit_test(test_regions__scenarios_of_the_tippedisk),
        cmocka_unit_test(test_regions__the_rule_finds_the_fold_that_the_grid_misses),
        cmocka_unit_test(test_regions__refusals_teach),
        cmocka_unit_test(test_regions__by_conditions_are_those_that_are_counted),
        cmocka_unit_test(test_regions__conditions_that_are_wrong_are_refused),
        cmocka_unit_test(test_regions__have_the_names_of_the_model),
        cmocka_unit_test(test_regions__keep_what_is_done),
        cmocka_unit_test(test_regions__van_der_pol),
        cmocka_unit_test(test_regions__take_curves_of_results),
        cmocka_unit_test(test_surfaces__are_those_of_the_equations),
        cmocka_unit_test(test_surfaces__meet_in_curves),
        cmocka_unit_test(test_regions__families_of_curves),
        cmocka_unit_test(test_wanted__a_disc_from_its_drawing),
        cmocka_unit_test(test_wanted__a_drawing_for_a_disc),
        cmocka_unit_test(test_wanted__all_solutions_and_refusals),
        cmocka_unit_test(test_chart__survives_failing_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
