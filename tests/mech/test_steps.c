/* SPDX-License-Identifier: MIT */
/* The steps of a derivation are true: at random states of every shipped model, by every principle
 * that takes it,
 *   - what is called dX/dY is the difference quotient of what is called X, what is called d/dt X
 *     that along the motion,
 *     a constraint on the next level is the rate of the one before;
 *   - the principle, put together from what is displayed, is the residual of the equations that
 *     were derived without
 *     any steps. */
#include "support/test.h"

#include <dirent.h>

#include "support/failing_allocator.h"
#include "zwang/zwang.h"

enum { SYMBOLS = 2000, ITEMS = 4000 };

/* one derivation and the values of all its symbols at a point */
typedef struct scene {
    const zw_system *sys;
    zw_equations eq;
    int n;
    zw_expr symbol[SYMBOLS];
    double value[SYMBOLS];
    double right[ITEMS], left[ITEMS];
    long checks; /* comparisons that were made */
} scene;

static scene s;

static const char *name_of(zw_expr e) {
    return zw_expr_name(s.sys->ctx, e);
}

static int find(zw_expr symbol) {
    for (int i = 0; i < s.n; i++)
        if (s.symbol[i] == symbol)
            return i;
    return -1;
}

static void set(zw_expr symbol, double value) {
    int i = find(symbol);
    assert_true(s.n < SYMBOLS);
    s.symbol[i < 0 ? s.n : i] = symbol;
    s.value[i < 0 ? s.n++ : i] = value;
}

static double at(zw_expr e) {
    return zw_eval(s.sys->ctx, e, s.n, s.symbol, s.value);
}

/* the displayed quantity of this name; -1: there is none */
static int item(const char *format, const char *a, const char *b) {
    char name[512];
    snprintf(name, sizeof name, format, a, b);
    zw_expr symbol = zw_symbol(s.sys->ctx, name);
    for (int i = 0; i < s.eq.steps->n; i++) {
        const zw_step_item *k = &s.eq.steps->item[i];
        if (!k->words && k->left == symbol && !k->label)
            return i;
    }
    return -1;
}

/* its value; 0 where it is not displayed */
static double shown(const char *format, const char *a, const char *b) {
    int i = item(format, a, b);
    return i < 0 ? 0 : s.right[i];
}

static void evaluate(double *right, double *left) {
    static zw_expr roots[ITEMS];
    int n = s.eq.steps->n;
    assert_true(n < ITEMS);
    for (int i = 0; i < n; i++)
        roots[i] = s.eq.steps->item[i].words ? ZW_ZERO : s.eq.steps->item[i].right;
    zw_eval_all(s.sys->ctx, n, roots, s.n, s.symbol, s.value, right);
    for (int i = 0; left && i < n; i++)
        roots[i] = s.eq.steps->item[i].label ? s.eq.steps->item[i].left : ZW_ZERO;
    if (left)
        zw_eval_all(s.sys->ctx, n, roots, s.n, s.symbol, s.value, left);
}

/* ------------------------------------------------------------------------------------ the point */

static bool is_velocity_or_acceleration(zw_expr e) {
    for (int k = 0; k < s.sys->nv; k++)
        if (e == s.sys->velocity[k].sym || e == s.sys->velocity[k].accel)
            return true;
    return false;
}

/* random values of all unknowns; then dependent ones, momenta and quasi-velocities as the steps
 * say */
static void choose_point(test_random *r) {
    const zw_system *sys = s.sys;
    static double p[SYMBOLS], x[SYMBOLS];
    static bool fixed[SYMBOLS];
    s.n = 0;
    assert_int_equal(zw_system_param_values(sys, p, NULL), ZW_OK);
    assert_int_equal(zw_system_start_state(sys, p, x, fixed, NULL), ZW_OK);
    for (int i = 0; i < sys->np; i++)
        set(sys->param[i].sym, p[i]);
    set(sys->t, test_random_real(r, 0, 2));
    for (int i = 0; i < sys->nq + sys->nv; i++)
        set(i < sys->nq ? sys->coord[i].sym : sys->velocity[i - sys->nq].sym,
            x[i] + test_random_real(r, -0.3, 0.3) * (0.5 + fabs(x[i])));
    for (int i = 0; i < sys->nv; i++)
        set(sys->velocity[i].accel, test_random_real(r, -1, 1));
    for (int i = 0; i < sys->nsignal; i++)
        set(sys->signal[i].sym, test_random_real(r, -1, 1));
    for (int i = 0; i < sys->nconstraint; i++)
        set(sys->constraint[i].lambda, test_random_real(r, -1, 1));
    for (int i = 0; i < s.eq.nv; i++) {
        if (find(s.eq.v[i]) < 0)
            set(s.eq.v[i], test_random_real(r, -1, 1));
        if (find(s.eq.a[i]) < 0)
            set(s.eq.a[i], test_random_real(r, -1, 1));
    }
    bool momenta = s.eq.system_v != NULL;
    for (int i = 0; i < s.eq.steps->n; i++) {
        const zw_step_item *k = &s.eq.steps->item[i];
        if (k->words || k->label || !name_of(k->left))
            continue;
        bool velocity = is_velocity_or_acceleration(k->left);
        bool other = (momenta && strncmp(name_of(k->left), "p(", 2) == 0) ||
                     (!momenta && strncmp(name_of(k->left), "w(", 2) == 0 &&
                      strcmp(s.eq.principle, "boltzmann-hamel") == 0);
        if ((velocity && !momenta) || other)
            set(k->left, at(k->right));
    }
}

/* ------------------------------------------------------------------------- difference quotients */

static void agree(const char *what, double is, double want, double size) {
    if (!isfinite(is) && !isfinite(want))
        return;
    if (!(fabs(is - want) <= 2e-6 * (1 + fabs(want) + fabs(size))))
        fail_msg("%s by %s: %s is displayed as %.12g, but is %.12g", s.sys->name, s.eq.principle,
                 what, is, want);
    s.checks++;
}

/* all displayed right sides and left sides, differentiated along a direction over the symbols */
static void differentiate(const double *direction, double *right, double *left) {
    static double base[SYMBOLS], up[2][ITEMS], down[2][ITEMS];
    const double step = 1e-6;
    memcpy(base, s.value, sizeof base);
    for (int i = 0; i < s.n; i++)
        s.value[i] = base[i] + step * direction[i];
    evaluate(up[0], up[1]);
    for (int i = 0; i < s.n; i++)
        s.value[i] = base[i] - step * direction[i];
    evaluate(down[0], down[1]);
    memcpy(s.value, base, sizeof base);
    for (int i = 0; i < s.eq.steps->n; i++) {
        right[i] = (up[0][i] - down[0][i]) / (2 * step);
        left[i] = (up[1][i] - down[1][i]) / (2 * step);
    }
}

static double by_right[ITEMS], by_left[ITEMS], direction[SYMBOLS];

static void clear_direction(void) {
    memset(direction, 0, sizeof direction);
}

static void move(zw_expr symbol, double rate) {
    int i = find(symbol);
    assert_true(i >= 0);
    direction[i] += rate;
}

/* q' = qdot(q, v), v' = a, t' = 1; momenta and their rates likewise */
static void check_rates(void) {
    const zw_system *sys = s.sys;
    clear_direction();
    move(sys->t, 1);
    for (int i = 0; i < sys->nq; i++)
        move(sys->coord[i].sym, at(sys->coord[i].rate));
    for (int i = 0; i < sys->nv; i++)
        move(sys->velocity[i].sym, s.value[find(sys->velocity[i].accel)]);
    differentiate(direction, by_right, by_left);
    for (int i = 0; i < s.eq.steps->n; i++) {
        const zw_step_item *k = &s.eq.steps->item[i];
        const char *name = k->words ? NULL : name_of(k->left);
        int of = -1;
        if (name && strncmp(name, "d/dt ", 5) == 0)
            of = item("%s%s", name + 5, "");
        else if (name && (strncmp(name, "a(", 2) == 0 || strncmp(name, "alpha(", 6) == 0))
            of = item("%s%s", name[1] == '(' ? "v" : "w", strchr(name, '('));
        if (of >= 0)
            agree(name, s.right[i], by_right[of], s.right[of]);
        const zw_step_item *before = i ? &s.eq.steps->item[i - 1] : NULL;
        if (k->label && before && before->label == k->label &&
            strcmp(k->label, "before w = 0") != 0)
            agree(k->label, s.left[i] - s.right[i], by_left[i - 1], s.left[i - 1]);
    }
}

static const char *displacement(int velocity) {
    int c = s.sys->velocity[velocity].coord;
    return c >= 0 ? s.sys->coord[c].name : s.sys->velocity[velocity].name;
}

/* how velocity d moves with velocity k in displacements that are displayed; 0: it is not
 * dependent */
static double moved(const char *letter, int d, int k) {
    char name[300];
    int i = item("%s(%s)", letter, displacement(d));
    snprintf(name, sizeof name, "%s(%.250s)", letter, displacement(k));
    return i < 0 ? 0
                 : at(zw_diff(s.sys->ctx, s.eq.steps->item[i].right, zw_symbol(s.sys->ctx, name)));
}

/* the virtual displacements that constraints allow */
static double allowed(int d, int k) {
    return moved("delta", d, k);
}

/* those on which constraint forces do no work with what depends on them, where they are others */
static double workless(int d, int k) {
    bool others = item("epsilon(%s)%s", displacement(d), "") >= 0;
    return moved(others ? "epsilon" : "delta", d, k);
}

/* "dX/dY" of X displayed and Y a symbol; of velocities of masses with the dependent ones moving
 * along */
static void check_partials(zw_expr by) {
    clear_direction();
    move(by, 1);
    static double plain[ITEMS], embedded[ITEMS];
    differentiate(direction, plain, by_left);
    for (int k = 0; k < s.sys->nv && strcmp(s.eq.principle, "kane") == 0; k++)
        for (int d = 0; by == s.sys->velocity[k].sym && d < s.sys->nv; d++)
            move(s.sys->velocity[d].sym, workless(d, k));
    differentiate(direction, embedded, by_left);
    for (int of = 0; of < s.eq.steps->n; of++) {
        const zw_step_item *k = &s.eq.steps->item[of];
        const char *name = k->words || k->label ? NULL : name_of(k->left);
        if (!name)
            continue;
        char what[512];
        snprintf(what, sizeof what, "d%s/d%s", name, name_of(by));
        int i = item("%s%s", what, "");
        bool mass = strncmp(name, "v(", 2) == 0 || strncmp(name, "w(", 2) == 0;
        if (i >= 0)
            agree(what, s.right[i], mass ? embedded[of] : plain[of], s.right[of]);
    }
}

/* dX/dpi(v_k): along what the velocity moves, for Boltzmann and Hamel with the dependent ones */
static void check_directions(int k) {
    const zw_system *sys = s.sys;
    const char *v = sys->velocity[k].name;
    static const char *const function[] = {"T", "T(sys)", "T_w", "H_T"};
    clear_direction();
    for (int i = 0; i < sys->nq; i++)
        move(sys->coord[i].sym, at(sys->F[i * sys->nv + k]));
    for (int d = 0; d < sys->nv && strcmp(s.eq.principle, "boltzmann-hamel") == 0; d++)
        for (int l = 0; l < sys->nq; l++)
            move(sys->coord[l].sym, at(sys->F[l * sys->nv + d]) * allowed(d, k));
    differentiate(direction, by_right, by_left);
    for (int f = 0; f < 4; f++) {
        char what[300];
        snprintf(what, sizeof what, "d%s/dpi(%.200s)", function[f], v);
        int i = item("%s%s", what, ""), of = item("%s%s", function[f], "");
        if (i >= 0 && of >= 0)
            agree(what, s.right[i], by_right[of], s.right[of]);
    }
}

/* -------------------------------------------------------------------------------- the principle */

/* dX/dq along velocity k, and Hamel's term */
static double slope(const char *function, int k) {
    const zw_system *sys = s.sys;
    const char *v = sys->velocity[k].name;
    char pi[300];
    snprintf(pi, sizeof pi, "pi(%.200s)", v);
    if (item("d%s/d%s", function, pi) >= 0)
        return shown("d%s/d%s", function, pi) + shown("Gamma(%s)%s", v, "");
    assert_true(sys->velocity[k].coord >= 0);
    return shown("d%s/d%s", function, sys->coord[sys->velocity[k].coord].name);
}

static double force(const char *v) {
    return item("P(%s)%s", v, "") >= 0 ? shown("P(%s)%s", v, "") : shown("Q(%s)%s", v, "");
}

/* what the equations of constraints or dependent coordinates count in that of velocity k, times
 * these equations */
static double shares(int k) {
    const zw_system *sys = s.sys;
    double sum = 0;
    for (int c = 0; c < sys->nconstraint; c++) {
        const char *name = sys->constraint[c].name;
        double share = shown("s(%s,%s)", name, displacement(k));
        sum += share * (shown("d/dt dT_w/dw(%s)%s", name, "") -
                        shown("dT_w/dpi(w(%s))%s", name, "") - shown("Gamma(w(%s))%s", name, ""));
    }
    for (int d = 0; d < sys->nv; d++) {
        double share = shown("s(%s,%s)", displacement(d), displacement(k));
        if (share != 0)
            agree("s", share, workless(d, k) - allowed(d, k), 0);
        sum += share * shown("E(%s)%s", sys->velocity[d].name, "");
    }
    return sum;
}

/* dS/dv' in the directions in which constraint forces do no work */
static double weighted_energy(int k) {
    double sum = shown("dS/d%s%s", name_of(s.sys->velocity[k].accel), "");
    for (int d = 0; d < s.sys->nv; d++)
        if (d != k)
            sum += workless(d, k) * shown("dS/d%s%s", name_of(s.sys->velocity[d].accel), "");
    agree("N", shown("N(%s)%s", s.sys->velocity[k].name, ""), sum, 0);
    return sum;
}

/* left side minus right side of the principle for velocity k, from what is displayed */
static double from_steps(int k) {
    const char *by = s.eq.principle, *v = s.sys->velocity[k].name;
    const char *T = item("%s%s", "T(sys)", "") >= 0 ? "T(sys)" : "T";
    const char *a = name_of(s.sys->velocity[k].accel);
    if (strcmp(by, "lagrange") == 0)
        return shown("d/dt d%s/d%s", T, v) - slope(T, k) - shown("Q(%s)%s", v, "") -
               shown("K(%s)%s", v, "");
    if (strcmp(by, "vakonomic") == 0)
        return shown("d/dt d%s/d%s", T, v) - slope(T, k) - shown("Q(%s)%s", v, "") -
               shown("K(%s)%s", v, "") - shown("B(%s)%s", v, "");
    if (strcmp(by, "boltzmann-hamel") == 0)
        return shown("d/dt dT_w/d%s%s", v, "") - slope("T_w", k) + shares(k) - force(v);
    if (strcmp(by, "gibbs-appell") == 0 && item("N(%s)%s", v, "") >= 0)
        return weighted_energy(k) - force(v);
    if (strcmp(by, "gibbs-appell") == 0)
        return shown("d%s/d%s", item("%s%s", "S(sys)", "") >= 0 ? "S(sys)" : "S", a) - force(v);
    if (strcmp(by, "kane") == 0)
        return -shown("F(%s)%s", v, "") - shown("I(%s)%s", v, "");
    if (strncmp(by, "gauss", 5) == 0)
        return shown("d%s/d%s", item("%s%s", "Z(sys)", "") >= 0 ? "Z(sys)" : "Z", a) -
               shown("K(%s)%s", v, "");
    if (strcmp(by, "voronets") == 0)
        return shown("d/dt dT_c/d%s%s", v, "") - shown("D(%s)%s", v, "") - shown("A(%s)%s", v, "") +
               shares(k) - force(v);
    if (strcmp(by, "chaplygin") == 0)
        return shown("d/dt dT_c/d%s%s", v, "") - slope("T_c", k) - shown("A(%s)%s", v, "") +
               shares(k) - force(v);
    assert_string_equal(by, "maggi");
    double sum = shown("E(%s)%s", v, "");
    agree(v, sum, shown("d/dt d%s/d%s", T, v) - slope(T, k) - shown("Q(%s)%s", v, ""), 0);
    for (int d = 0; d < s.sys->nv; d++)
        sum += workless(d, k) * shown("E(%s)%s", s.sys->velocity[d].name, "");
    return sum;
}

/* p' = ... ; slope has Gamma with the sign of Lagrange's form */
static double hamilton(int k) {
    const char *v = s.sys->velocity[k].name;
    char pi[300];
    snprintf(pi, sizeof pi, "pi(%.200s)", v);
    double Gamma = shown("Gamma(%s)%s", v, ""), down = slope("H_T", k);
    if (item("dH_T/d%s%s", pi, "") >= 0)
        down -= Gamma;
    return s.value[find(s.eq.a[k])] - Gamma + down - shown("Q(%s)%s", v, "") -
           shown("K(%s)%s", v, "");
}

static void check_principle(const zw_equations *plain) {
    zw_context *ctx = s.sys->ctx;
    for (int k = 0; k < s.sys->nv; k++) {
        if (plain->row_constraint && plain->row_constraint[k] >= 0)
            continue;
        zw_expr residual =
            zw_dot(ctx, plain->nv, plain->M + (size_t)k * (size_t)plain->nv, plain->a);
        residual = zw_sub(ctx, residual, plain->h[k]);
        for (int c = 0; c < plain->nc; c++)
            residual =
                zw_sub(ctx, residual, zw_mul(ctx, plain->C[k * plain->nc + c], plain->lambda[c]));
        agree(s.sys->velocity[k].name, s.eq.system_v ? hamilton(k) : from_steps(k), at(residual),
              0);
    }
}

/* the velocities that the momenta give are those that the momenta came from */
static void check_legendre(void) {
    for (int i = 0; i < s.eq.steps->n && s.eq.system_v; i++) {
        const zw_step_item *k = &s.eq.steps->item[i];
        if (!k->words && !k->label && is_velocity_or_acceleration(k->left))
            agree(name_of(k->left), s.right[i], s.value[find(k->left)], 0);
    }
}

/* ---------------------------------------------------------------------------------------- tests */

static void check_point(const zw_equations *plain, test_random *r) {
    choose_point(r);
    evaluate(s.right, s.left);
    check_legendre();
    check_rates();
    for (int i = 0; i < s.n; i++) {
        const char *name = name_of(s.symbol[i]);
        char end[300];
        snprintf(end, sizeof end, "/d%.250s", name);
        for (int k = 0; k < s.eq.steps->n; k++) {
            const char *left = s.eq.steps->item[k].words ? NULL : name_of(s.eq.steps->item[k].left);
            size_t n = strlen(end), length = left ? strlen(left) : 0;
            if (length > n && left[0] == 'd' && strcmp(left + length - n, end) == 0) {
                check_partials(s.symbol[i]);
                break;
            }
        }
    }
    for (int k = 0; k < s.sys->nv; k++)
        check_directions(k);
    check_principle(plain);
}

static bool same(int n, const zw_expr *a, const zw_expr *b) {
    return n == 0 || memcmp(a, b, sizeof *a * (size_t)n) == 0;
}

/* false: the principle cannot take the model */
static bool check(const zw_system *sys, const char *principle) {
    zw_equations plain;
    if (zw_derive(&plain, sys, NULL, principle, NULL) < 0) {
        zw_context_reset_status(sys->ctx);
        return false;
    }
    assert_null(plain.steps);
    s.sys = sys;
    assert_int_equal(zw_derive_steps(&s.eq, sys, NULL, principle, NULL), ZW_OK);
    assert_non_null(s.eq.steps);
    assert_true(same(plain.nv * plain.nv, plain.M, s.eq.M) && same(plain.nv, plain.h, s.eq.h) &&
                same(plain.nv * plain.nc, plain.C, s.eq.C) && same(plain.nc, plain.b, s.eq.b));
    test_random r = {17};
    long before = s.checks;
    check_point(&plain, &r);
    assert_int_equal(zw_context_status(sys->ctx, NULL), ZW_OK);
    /* held on all sides there is less to say; one energy of one velocity leaves the equation alone
     * to check */
    int loose = plain.nv - plain.npos - plain.nvel,
        least = loose > 1 || (loose > 0 && sys->nparticle + sys->nbody > 0) ? 2 : 1;
    if (s.checks < before + least)
        fail_msg("%s by %s: only %ld checks", sys->name, principle, s.checks - before);
    return true;
}

static void check_model(const char *name, int *taken) {
    char path[512];
    zw_system *sys;
    zw_error err = {0};
    zw_context *ctx = zw_context_create(NULL);
    snprintf(path, sizeof path, ZW_SOURCE_DIR "/models/%s", name);
    if (zw_model_read(&sys, ctx, path, NULL, &err) < 0)
        fail_msg("%s: %s", name, err.text);
    int i = 0;
    for (const zw_principle *by = zw_principles(); by->name; by++, i++)
        taken[i] += sys->nv && test_takes(3, "steps", name, by->name) && check(sys, by->name);
    zw_context_destroy(ctx);
}

static void test_steps__are_true_of_every_model_by_every_principle(void **state) {
    (void)state;
    DIR *folder = opendir(ZW_SOURCE_DIR "/models");
    int taken[32] = {0}, models = 0, i = 0;
    assert_non_null(folder);
    for (const struct dirent *d; (d = readdir(folder));)
        if (strstr(d->d_name, ".zw")) {
            check_model(d->d_name, taken);
            models++;
        }
    closedir(folder);
    assert_true(models > 20);
    for (const zw_principle *by = zw_principles(); by->name; by++, i++)
        if (taken[i] < (strcmp(by->name, "chaplygin") == 0 ? 3 : 10) / (test_long() ? 1 : 3))
            fail_msg("%s was tried on %d models only", by->name, taken[i]);
}

/* a model may have its own T and S: those of the principle are called otherwise */
static void test_steps__names_of_the_model_are_not_taken(void **state) {
    (void)state;
    static const char text[] = "model own\nparam T = 2 [kg], S = 3 [N/m]\ncoord x [m]\n"
                               "particle P : T at (x, 0)\npotential S*x^2/2\n";
    zw_context *ctx = zw_context_create(NULL);
    zw_system *sys;
    assert_int_equal(zw_model_parse(&sys, ctx, text, strlen(text), "own.zw", NULL, NULL), ZW_OK);
    assert_true(check(sys, "lagrange") && check(sys, "gibbs-appell"));
    assert_true(item("%s%s", "S(sys)", "") >= 0);
    assert_int_equal(item("%s%s", "S", ""), -1);
    zw_context_destroy(ctx);
}

static void test_steps__survive_failing_memory(void **state) {
    (void)state;
    for (const zw_principle *by = zw_principles(); by->name; by++)
        for (long n = 1;; n = failing_allocator_next(n)) {
            failing_allocator memory = failing_allocator_make(0);
            zw_allocator alloc = failing_allocator_of(&memory);
            zw_context *ctx = zw_context_create(&alloc);
            zw_system *sys;
            zw_equations eq;
            assert_int_equal(
                zw_model_read(&sys, ctx, ZW_SOURCE_DIR "/models/rolling_penny.zw", NULL, NULL),
                ZW_OK);
            memory.fail_at = memory.requests + n;
            zw_status status = zw_derive_steps(&eq, sys, NULL, by->name, NULL);
            char *words =
                status < 0 ? NULL : zw_equations_write(&eq, ZW_EQUATIONS_LATEX, ZW_SHORTENED);
            assert_true(memory.failed ? !words : words != NULL);
            zw_string_free(ctx, words);
            zw_context_destroy(ctx);
            assert_int_equal(memory.blocks, 0);
            if (!memory.failed)
                break;
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_steps__are_true_of_every_model_by_every_principle),
        cmocka_unit_test(test_steps__names_of_the_model_are_not_taken),
        cmocka_unit_test(test_steps__survive_failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
