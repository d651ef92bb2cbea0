/* SPDX-License-Identifier: MIT */
/* Eigenvalues over a number of a model, by names: published and closed-form values of crossings,
 * zeros and coalescences, what must be held, what follows a parameter, where it ends, and the
 * table. */
#include "zwang/linear.h"

#include "support/failing_allocator.h"
#include "support/report.h"
#include "support/test.h"
#include "zwang/zwang.h"

#define MODEL(name) ZW_SOURCE_DIR "/models/" name ".zw"

static zw_context *ctx;
static zw_system *sys;
static zw_locus *l;
static zw_error err;
static const char *set[8], *hold[8], *with[4];
static int nset, nhold, nwith;
static const char *variant;

/* text that begins with / is a path; --set, --hold, --with and --variant come from above and are
 * forgotten */
static zw_status try_open(const char *text, const char *over, bool cubic) {
    zw_model_options o = {0};
    zw_locus_options options = zw_locus_options_default();
    zw_equilibria_options motion = zw_equilibria_options_default();
    o.nset = nset;
    o.set = set;
    o.nwith = nwith;
    o.with = with;
    o.variant = variant;
    motion.nhold = nhold;
    motion.hold = hold;
    options.over = over;
    options.motion = &motion;
    options.cubic = cubic;
    nset = nhold = nwith = 0;
    variant = NULL;
    ctx = zw_context_create(NULL);
    err = (zw_error){0};
    zw_status status = text[0] == '/'
                           ? zw_model_read(&sys, ctx, text, &o, &err)
                           : zw_model_parse(&sys, ctx, text, strlen(text), "test", &o, &err);
    return status < 0 ? status : zw_locus_create(&l, sys, &options, &err);
}

static void close_all(void) {
    zw_locus_destroy(l);
    zw_context_destroy(ctx);
    l = NULL;
}

static const zw_track *open_locus(const char *text, const char *over) {
    if (try_open(text, over, false) < 0)
        fail_msg("%s: %s", over, err.text);
    const zw_track *t = zw_locus_track(l);
    assert_int_equal(t->nlost, 0);
    assert_true(t->rough < 1e-10);
    return t;
}

static void expect(const zw_track *t, int i, zw_track_kind kind, double value, double tolerance) {
    assert_true(i < t->nmark);
    assert_int_equal(t->mark[i].kind, kind);
    assert_close(t->mark[i].value, value, tolerance);
}

static void refuse(const char *text, const char *over, zw_status status, const char *word) {
    assert_int_equal(try_open(text, over, false), status);
    assert_null(l);
    if (!strstr(err.text, word) && !strstr(err.hint, word))
        fail_msg("'%s' is not in: %s (%s)", word, err.text, err.hint);
    close_all();
}

/* ---- published ---- */

/* Meijaard et al., 2007: weave and capsize; the coalescence in 40 digits by another way */
static void test_locus__bicycle(void **state) {
    (void)state;
    hold[nhold++] = "yaw";
    const zw_track *t = open_locus(MODEL("bicycle"), "x'=0:10 [m/s]");
    assert_int_equal(t->n, 5);
    assert_int_equal(t->nzero, 1);
    assert_int_equal(t->nmark, 3);
    expect(t, 0, ZW_TRACK_COALESCENCE, 0.68428307889245, 1e-13);
    expect(t, 1, ZW_TRACK_HOPF, 4.29238253634, 1e-11);
    expect(t, 2, ZW_TRACK_ZERO, 6.02426201539, 1e-11);
    int stable = 0;
    for (int i = 0; i < t->nrange; i++)
        if (zw_locus_stability(l, i) == ZW_STABLE) {
            assert_close(t->range[i].from, t->mark[1].value, 0);
            assert_close(t->range[i].to, t->mark[2].value, 0);
            stable++;
        }
    assert_int_equal(stable, 1);
    close_all();
    /* over an expression: whatever the direction */
    t = open_locus(MODEL("bicycle"), "sqrt(x'^2+y'^2)=1:10");
    assert_int_equal(t->nmark, 2);
    expect(t, 0, ZW_TRACK_HOPF, 4.29238253634, 1e-11);
    expect(t, 1, ZW_TRACK_ZERO, 6.02426201539, 1e-11);
    close_all();
    /* the same over a parameter of the start alone, because what is held starts with it */
    hold[nhold++] = "x'";
    hold[nhold++] = "yaw";
    t = open_locus(MODEL("bicycle"), "speed=10:0:51 [m/s]");
    assert_int_equal(t->nmark, 3);
    expect(t, 0, ZW_TRACK_ZERO, 6.02426201539, 1e-11);
    expect(t, 2, ZW_TRACK_COALESCENCE, 0.68428307889245, 1e-12);
    close_all();
}

/* the whole tippedisk, standing inverted and not, with friction that is linear at rest */
static void test_locus__tippedisk(void **state) {
    (void)state;
    set[nset++] = "v_0=1e-9 [nm/s]";
    set[nset++] = "gamma=90deg";
    const zw_track *t = open_locus(MODEL("tippedisk"), "alpha'=1:50");
    assert_int_equal(t->n, 7);
    assert_int_equal(t->nmark, 4);
    expect(t, 1, ZW_TRACK_COALESCENCE, 12.274591393, 1e-10);
    expect(t, 2, ZW_TRACK_HOPF, 26.873619247, 1e-10);
    expect(t, 3, ZW_TRACK_HOPF, 30.104878352, 1e-10);
    close_all();
    set[nset++] = "v_0=1e-9 [nm/s]";
    set[nset++] = "gamma=-90deg";
    t = open_locus(MODEL("tippedisk"), "alpha'=1:40");
    assert_int_equal(t->nmark, 1);
    expect(t, 0, ZW_TRACK_HOPF, 20.489281322, 1e-10);
    close_all();
}

/* its model with three states, as six coordinates with five constraints and as one equation */
static void test_locus__tippedisk_of_three_states(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        set[nset++] = "v_0=1e-9 [nm/s]";
        set[nset++] = "gamma=90deg";
        if (k == 0) {
            variant = "weight";
            with[nwith++] = "cog";
            with[nwith++] = "roll";
            with[nwith++] = "spin";
        }
        const zw_track *t =
            open_locus(k == 0 ? MODEL("tippedisk") : MODEL("tippedisk_reduced"), "Omega=1:50");
        assert_int_equal(t->n, 3);
        assert_int_equal(t->nmark, 2);
        expect(t, 0, ZW_TRACK_COALESCENCE, 12.5134405713, 1e-11);
        expect(t, 1, ZW_TRACK_HOPF, 30.9167616973, 1e-11);
        double least = 0; /* the third one where the pair crosses */
        for (int i = 0; i + 1 < t->nrow; i++)
            if (t->value[i] <= t->mark[1].value && t->mark[1].value < t->value[i + 1])
                for (int j = 0; j < 3; j++) {
                    double s = (t->mark[1].value - t->value[i]) / (t->value[i + 1] - t->value[i]);
                    least = fmin(least, (1 - s) * t->re[3 * i + j] + s * t->re[3 * (i + 1) + j]);
                }
        assert_close(least, -129.039231, 1e-6);
        close_all();
    }
}

/* ---- closed forms ---- */

/* a top that sleeps wakes at n = 2 sqrt(A m g l)/C: two pairs meet on the imaginary axis */
static void test_locus__sleeping_top(void **state) {
    (void)state;
    const zw_track *t =
        open_locus("model top\nrotation B\nbody top : B, inertia(1 [kg], 1 [kg*m^2], 1 [kg*m^2], "
                   "0.5 [kg*m^2]) "
                   "at (0, 0, 1 [m])\ngravity 9.81 [m/s^2] along -z\nstart B.wz = 20 [rad/s]\n",
                   "B.wz=30:5 [rad/s]");
    assert_int_equal(t->nmark, 1);
    expect(t, 0, ZW_TRACK_COALESCENCE, 2 * sqrt(2 * 9.81) / 0.5, 1e-11);
    assert_int_equal(t->mark[0].ntrack, 4);
    assert_int_equal(t->mark[0].growing, 2);
    assert_int_equal(zw_locus_stability(l, 0), ZW_CENTRE);
    assert_int_equal(zw_locus_stability(l, 1), ZW_UNSTABLE);
    close_all();
}

/* Ziegler's rod with a follower force: both frequencies meet at P = (7/2 - sqrt 2) k/l without
 * damping */
static void test_locus__follower_force(void **state) {
    (void)state;
    const zw_track *t = open_locus("model rod\nunits none\nparam P = 1\ncoord a, b\n"
                                   "kinetic 3/2*a'^2 + a'*b' + b'^2/2\n"
                                   "potential a^2/2 + (b - a)^2/2\nforce (a, b) = (P*(a - b), 0)\n",
                                   "P=0:4");
    assert_int_equal(t->nmark, 1);
    expect(t, 0, ZW_TRACK_COALESCENCE, 3.5 - sqrt(2), 1e-11);
    close_all();
}

/* an absorber: the springs of two masses, and a spring that becomes a thrust at zero stiffness */
static void test_locus__absorber(void **state) {
    (void)state;
    const zw_track *t =
        open_locus("model absorber\nunits none\nparam k = 1\ncoord x, y\nparticle A : 2 at (x, 0)\n"
                   "particle B : 1 at (y, 0)\npotential 3/2*x^2 + k/2*(y - x)^2\n",
                   "k=-1:2");
    assert_int_equal(t->nmark, 1); /* 3 k = 0: the determinant of the stiffness */
    expect(t, 0, ZW_TRACK_ZERO, 0, 1e-12);
    for (int i = 0; i < t->nrow; i++) {
        double k = t->value[i], p = (3 + 3 * k) / 4, w = p + sqrt(p * p - 3 * k / 2), most = 0;
        for (int j = 0; j < 4; j++)
            most = fmax(most, t->im[4 * i + j]);
        assert_close(most, sqrt(w), 1e-10);
    }
    close_all();
}

/* a pair of Lorenz's system, and what grows out of it */
static void test_locus__lorenz(void **state) {
    (void)state;
    set[nset++] = "x=8";
    set[nset++] = "y=8";
    set[nset++] = "z=27";
    assert_int_equal(try_open(MODEL("lorenz"), "rho=5:30", true), ZW_OK);
    const zw_track *t = zw_locus_track(l);
    assert_int_equal(t->nmark, 1);
    expect(t, 0, ZW_TRACK_HOPF, 470.0 / 19, 1e-12);
    assert_non_null(zw_locus_criticality(l, 0));
    assert_int_equal(zw_locus_criticality(l, 0)->hopf.type, ZW_HOPF_SUBCRITICAL);
    close_all();
}

/* ---- the way ---- */

/* the motion itself changes: a bead on a hoop that turns, s^2 = -w^2 sin^2 of its angle, up to
 * where it turns back */
static void test_locus__ends_at_a_fold(void **state) {
    (void)state;
    set[nset++] = "phi=1.3";
    const char *hoop = "model hoop\nunits none\nparam w = 2, g = 1\ncoord phi\n"
                       "kinetic phi'^2/2 + w^2*sin(phi)^2/2\npotential -g*cos(phi)\n";
    assert_int_equal(try_open(hoop, "w=3:0.5", false), ZW_OK);
    const zw_steady_way *way = zw_locus_way(l);
    const zw_track *t = zw_locus_track(l);
    assert_int_equal(way->stop[0].end, ZW_FOLLOW_GOES_ON);
    assert_int_equal(way->stop[1].end, ZW_FOLLOW_FOLD);
    assert_close(way->stop[1].value, 1, 1e-9);
    assert_true(t->value[0] == 3);
    for (int i = 0; i < t->nrow; i++) {
        double w = t->value[i];
        assert_close(fabs(t->im[2 * i]), sqrt(w * w - 1 / (w * w)), 1e-8);
    }
    zw_report *r = report_begin("model");
    zw_locus_report(l, r);
    char *text = report_take_text(r);
    assert_non_null(strstr(text, "turns back"));
    free(text);
    close_all();
}

/* parameters that are defined by others follow, and those that are constant stay */
static void test_locus__parameters_follow(void **state) {
    (void)state;
    const zw_track *t =
        open_locus("model spring\nunits none\nparam a = 1, k = 2*a, m = 3\ncoord x\n"
                   "particle P : m at (x, 0)\npotential k/2*x^2\n",
                   "a=1:4:7");
    for (int i = 0; i < t->nrow; i++)
        assert_close(fabs(t->im[2 * i]), sqrt(2 * t->value[i] / 3), 1e-12);
    close_all();
}

/* what is held follows the start that follows the parameter; formulas and units of the range */
static void test_locus__holds_follow(void **state) {
    (void)state;
    const char *bead =
        "model bead\nunits none\nparam a = 1, c = 2\ncoord x, y\nparticle P : 1 at (x, y)\n"
        "potential y^2/2 + x*y^2\nconstraint tie : x' = y*y'\nstart x = 2*a - 1\n";
    hold[nhold++] = "x";
    const zw_track *t = open_locus(bead, "a=1/2+1/2:2*c:9");
    assert_close(t->value[0], 1, 1e-15);
    assert_close(t->value[t->nrow - 1], 4, 1e-15);
    for (int i = 0; i < t->nrow; i++) { /* y'' = -(1 + 2 x) y */
        double most = 0;
        for (int j = 0; j < t->n; j++)
            most = fmax(most, t->im[i * t->n + j]);
        assert_close(most, sqrt(4 * t->value[i] - 1), 1e-10);
    }
    close_all();
    hold[nhold++] = "x=a^2";
    t = open_locus(bead, "a=1:4:9");
    for (int j = 0; j < t->n; j++)
        if (t->im[j] > 0)
            assert_close(t->im[j], sqrt(3), 1e-10);
    close_all();
}

/* a controller with limits: far from the motion it pushes with all it has, and its integral does
 * not matter; near by it does */
static void test_locus__limits_far_away(void **state) {
    (void)state;
    static const char *const over[] = {"k_i=10:200 [V/s]", "g=1:10 [m/s^2]", "R=1:2 [Ohm]"};
    for (int i = 0; i < 3; i++) {
        const zw_track *t = open_locus(MODEL("motor_pendulum"), over[i]);
        assert_int_equal(t->n, 4);
        assert_int_equal(t->nzero, 0);
        close_all();
    }
}

static void test_locus__jumps_are_doubtful(void **state) {
    (void)state;
    assert_int_equal(
        try_open("model two\nunits none\nparam a = 1\ncoord x\nparticle P : 1 at (x, 0)\n"
                 "potential if(a < 2, 1, 3)/2*x^2\ndissipation x'^2/20\n",
                 "a=1:4", false),
        ZW_OK);
    zw_warnings *doubts = zw_warnings_create(NULL);
    zw_locus_warnings(l, doubts);
    assert_int_equal(zw_warnings_count(doubts), 1);
    assert_non_null(strstr(zw_warnings_at(doubts, 0)->text, "near a = "));
    zw_warnings_destroy(doubts);
    close_all();
}

/* ---- refusals ---- */

static void test_locus__refuses(void **state) {
    (void)state;
    refuse(MODEL("bicycle"), "sped=0:10", ZW_E_NAME, "did you mean speed");
    refuse(MODEL("bicycle"), "speed=0:10 [kg]", ZW_E_UNIT, "m/s");
    refuse(MODEL("bicycle"), "speed=0", ZW_E_OPTION, "two values");
    refuse(MODEL("bicycle"), "speed=3:3", ZW_E_OPTION, "the same");
    refuse(MODEL("bicycle"), "speed=0::4", ZW_E_OPTION, "a number");
    refuse(MODEL("bicycle"), "speed=0:fast", ZW_E_NAME, "fast");
    refuse(MODEL("bicycle"), "speed=0:1:2:3", ZW_E_OPTION, "too much");
    refuse(MODEL("bicycle"), "speed=0:1:1.5", ZW_E_OPTION, "whole number");
    refuse(MODEL("bicycle"), "speed", ZW_E_OPTION, "NAME=");
    refuse(MODEL("bicycle"), "m_B=50:100 [kg]", ZW_E_MODEL, "rear'"); /* which speed? */
    refuse("model m\nunits none\nparam a = 1\ncoord x\nparticle P : 1 at (x, 0)\npotential x^2/2\n"
           "start x = a\n",
           "a=0:1", ZW_E_MODEL, "depend on a");
    refuse(MODEL("duffing"), "c=0:1 [N*s/m]", ZW_E_MODEL, "time enters its equations");
}

/* ---- the table ---- */

static void test_locus__table(void **state) {
    (void)state;
    set[nset++] = "gamma=90deg";
    open_locus(MODEL("tippedisk_reduced"), "Omega=600:1800:25 [deg/s]");
    zw_table *table;
    assert_int_equal(zw_locus_table(l, NULL, &table, &err), ZW_OK);
    assert_int_equal(zw_table_columns(table), 7);
    assert_string_equal(zw_table_name(table, 0), "Omega");
    assert_string_equal(zw_table_unit(table, 0), "deg/s");
    assert_string_equal(zw_table_name(table, 1), "re(1)");
    assert_string_equal(zw_table_unit(table, 1), "1/s");
    assert_string_equal(zw_table_name(table, 6), "im(3)");
    assert_string_equal(zw_table_unit(table, 6), "rad/s");
    assert_close(zw_table_at(table, 0, 0), 600, 1e-14);
    assert_close(zw_table_at(table, zw_table_rows(table) - 1, 0), 1800, 1e-14);
    assert_string_equal(zw_table_get_note(table, "kind"), "eigenvalues");
    assert_null(zw_table_get_note(table, "param Omega"));
    assert_non_null(zw_table_get_note(table, "param mu"));
    const char *mark = zw_table_get_note(table, "mark 1");
    double value, re, im;
    int a, b;
    assert_non_null(mark);
    assert_int_equal(sscanf(mark, "hopf %lf %lf %lf %d,%d ;", &value, &re, &im, &a, &b), 5);
    assert_close(value, 30.9167616973 * 180 / M_PI, 1e-11);
    assert_close(im, 7.092791574, 1e-9);
    assert_int_equal(a, 1);
    assert_int_equal(b, 2);
    assert_null(zw_table_get_note(table, "mark 2"));
    zw_table_destroy(table);
    zw_report *r = report_begin("model");
    zw_locus_report(l, r);
    char *json = report_take_json(r);
    assert_non_null(strstr(json, "\"kind\": \"coalescence\""));
    free(json);
    close_all();
}

/* ---- memory, interruption ---- */

static void test_locus__survives_lack_of_memory(void **state) {
    (void)state;
    static const char text[] = "model hoop\nunits none\nparam w = 2, g = 1\ncoord phi\n"
                               "kinetic phi'^2/2 + w^2*sin(phi)^2/2\npotential -g*cos(phi)\n"
                               "start phi = 1.3\n";
    zw_locus_options o = zw_locus_options_default();
    o.over = "w=1.5:2:5";
    bool failed = true;
    for (long n = 1; failed; n += n < 1000 ? 97 : 11) {
        failing_allocator f = failing_allocator_make(n);
        zw_allocator alloc = failing_allocator_of(&f);
        zw_error why = {0};
        zw_table *table = NULL;
        zw_status status = ZW_E_MEMORY;
        l = NULL;
        ctx = zw_context_create(&alloc);
        if (ctx)
            status = zw_model_parse(&sys, ctx, text, strlen(text), "test", NULL, &why);
        if (status >= 0)
            status = zw_locus_create(&l, sys, &o, &why);
        if (status >= 0)
            status = zw_locus_table(l, NULL, &table, &why);
        failed = f.failed;
        if (status != (failed ? ZW_E_MEMORY : ZW_OK))
            fail_msg("request %ld: %s", n, why.text);
        zw_table_destroy(table);
        close_all();
        assert_int_equal(f.blocks, 0);
    }
}

static int asked;
static bool stop_late(void *user, double done) {
    (void)done;
    return ++asked > *(int *)user;
}

/* interrupted at any time: either there is nothing, or what there is is true */
static void test_locus__can_be_interrupted(void **state) {
    (void)state;
    static const char text[] =
        "model spring\nunits none\nparam a = 1\ncoord x\nparticle P : 1 at (x, 0)\n"
        "potential a/2*x^2\ndissipation a*x'^2/20\n";
    int kept = 0, nothing = 0;
    for (int limit = 0; limit < 400; limit += 3) {
        zw_locus_options o = zw_locus_options_default();
        o.over = "a=1:4";
        o.stop = stop_late;
        o.stop_user = &limit;
        asked = 0;
        err = (zw_error){0};
        ctx = zw_context_create(NULL);
        assert_int_equal(zw_model_parse(&sys, ctx, text, strlen(text), "test", NULL, &err), ZW_OK);
        if (zw_locus_create(&l, sys, &o, &err) < 0) {
            nothing++;
        } else {
            const zw_track *t = zw_locus_track(l);
            kept += t->stopped;
            for (int i = 0; i < t->nrow; i++)
                assert_close(t->re[2 * i], -t->value[i] / 20, 1e-12);
            for (int k = 0; k < t->nrange; k++)
                assert_int_equal(zw_locus_stability(l, k), ZW_STABLE);
        }
        close_all();
    }
    assert_true(nothing > 0);
    assert_true(kept > 0);
}

/* both ends have the same equations; on the way they change */
static void test_locus__even_in_the_parameter(void **state) {
    (void)state;
    const zw_track *t = open_locus("model even\nunits none\nparam a = 0.5\ncoord x\n"
                                   "kinetic x'^2/2\npotential x^2/2\nforce (x) = (a^2 - 1/4)*x'\n",
                                   "a=-1:1");
    expect(t, 0, ZW_TRACK_HOPF, -0.5, 1e-12);
    expect(t, 1, ZW_TRACK_HOPF, 0.5, 1e-12);
    close_all();
}

/* a slow eigenvalue beside one that is 1e11 times as fast crosses zero: not followed, and not
 * called a zero at all values */
static void test_locus__refuses_what_is_too_stiff(void **state) {
    (void)state;
    refuse("model stiff\nunits none\nparam e = -0.01\n"
           "state a, b, c : a' = -1e9*(a - b), b' = -b + c, c' = e*c + 1e-6*a\n",
           "e=-0.01:0.01", ZW_E_NUMERIC, "too small to be followed next to the largest");
}

/* what the parameters determine cannot be gone along */
static void test_locus__refuses_what_is_determined(void **state) {
    (void)state;
    refuse("model fold\nunits none\nparam mu = 1\ncoord x\nkinetic x'^2/2\n"
           "force (x) = mu - x^2 - x'/2\nstart x = 1\n",
           "x=-1:1", ZW_E_NUMERIC, "follow one of them");
}

/* what is stable in a range need not be so at single values of it: told */
static void test_locus__single_values_on_the_axis(void **state) {
    (void)state;
    const char *text = "model touch\nunits none\nparam a = 0.5\ncoord x\nkinetic x'^2/2\n"
                       "potential x^2/2\nforce (x) = -a^2*x'\n";
    const char *const over[] = {"a=-1:0.7", "a=-1:1", "a=0:1", "a=-1:0", "a=0.1:1"};
    for (int i = 0; i < 5; i++) {
        const zw_track *t = open_locus(text, over[i]);
        assert_int_equal(t->nmark, 0);
        assert_int_equal(zw_locus_stability(l, 0), ZW_STABLE);
        assert_int_equal(t->ntouch > 0, i < 2);
        assert_int_equal(t->nlimit, i == 2 || i == 3 ? 2 : 0);
        if (i < 2)
            assert_close(t->touch_at, 0, 1e-4);
        zw_warnings *doubts = zw_warnings_create(NULL);
        zw_locus_warnings(l, doubts);
        assert_int_equal(zw_warnings_count(doubts), i < 4);
        zw_warnings_destroy(doubts);
        close_all();
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_locus__bicycle),
        cmocka_unit_test(test_locus__tippedisk),
        cmocka_unit_test(test_locus__tippedisk_of_three_states),
        cmocka_unit_test(test_locus__sleeping_top),
        cmocka_unit_test(test_locus__follower_force),
        cmocka_unit_test(test_locus__absorber),
        cmocka_unit_test(test_locus__lorenz),
        cmocka_unit_test(test_locus__ends_at_a_fold),
        cmocka_unit_test(test_locus__parameters_follow),
        cmocka_unit_test(test_locus__holds_follow),
        cmocka_unit_test(test_locus__limits_far_away),
        cmocka_unit_test(test_locus__jumps_are_doubtful),
        cmocka_unit_test(test_locus__refuses),
        cmocka_unit_test(test_locus__table),
        cmocka_unit_test(test_locus__survives_lack_of_memory),
        cmocka_unit_test(test_locus__can_be_interrupted),
        cmocka_unit_test(test_locus__even_in_the_parameter),
        cmocka_unit_test(test_locus__refuses_what_is_determined),
        cmocka_unit_test(test_locus__refuses_what_is_too_stiff),
        cmocka_unit_test(test_locus__single_values_on_the_axis),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
