/* SPDX-License-Identifier: MIT */
/* Tracking: rotations, coordinates from poses against the formulas of a thesis, synthetic cameras
 * with delays and noise (item 22 of its acceptance list), files that are wrong. */
#include <stdlib.h>
#include <unistd.h>

#include "base/rotation.h"
#include "data/tracking/body_pose.h"
#include "support/failing_allocator.h"
#include "support/test.h"
#include "zwang/zwang.h"

#define PI 3.14159265358979323846
#define DATA ZW_SOURCE_DIR "/models/data/"

static char folder[] = "/tmp/zwang-tracking-XXXXXX";

static const char *path_of(const char *name) {
    static char path[8][200];
    static int k;
    char *p = path[k++ % 8];
    snprintf(p, 200, "%s/%s", folder, name);
    return p;
}

static const char *put(const char *name, const char *text) {
    const char *path = path_of(name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    fclose(f);
    return path;
}

static int begin(void **state) {
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int end(void **state) {
    (void)state;
    char command[300];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

typedef struct model {
    zw_context *ctx;
    zw_system *sys;
} model;

static model model_of(const char *text, int nset, const char *const *set) {
    model m = {.ctx = zw_context_create(NULL)};
    zw_error err = {0};
    zw_model_options o = {.size = sizeof o, .nset = nset, .set = set};
    if (zw_model_parse(&m.sys, m.ctx, text, strlen(text), "test", &o, &err) < 0)
        fail_msg("%s", err.text);
    return m;
}

static model shipped(const char *name, int nset, const char *const *set) {
    model m = {.ctx = zw_context_create(NULL)};
    zw_error err = {0};
    char path[300];
    zw_model_options o = {.size = sizeof o, .nset = nset, .set = set};
    snprintf(path, sizeof path, "%s/models/%s.zw", ZW_SOURCE_DIR, name);
    if (zw_model_read(&m.sys, m.ctx, path, &o, &err) < 0)
        fail_msg("%s", err.text);
    return m;
}

/* ------------------------------------------------------------------------------------ rotations */

/* quaternion, matrix and vector tell the same turn; a turn about z in closed form; products of both
 * sides */
static void test_rotation__forms_agree(void **state) {
    (void)state;
    test_random r = {5};
    for (int k = 0; k < 200; k++) {
        double w[3], A[9], B[9], C[9], e[4], back[3], x[3] = {0.3, -1, 2}, y[3], z[3], size = 0;
        for (int i = 0; i < 3; i++)
            w[i] = test_random_real(&r, -1.8, 1.8);
        zw_rotation_of_vector(w, A);
        zw_rotation_quaternion(A, e);
        for (int i = 0; i < 4; i++)
            size += e[i] * e[i];
        assert_close(size, 1, 1e-14);
        zw_rotation_matrix(e, B);
        zw_rotation_vector(A, back);
        for (int i = 0; i < 9; i++)
            assert_close(A[i], B[i], 1e-13);
        if (w[0] * w[0] + w[1] * w[1] + w[2] * w[2] < 9.8)
            for (int i = 0; i < 3; i++)
                assert_close(back[i], w[i], 1e-10);
        zw_rotation_product_right(A, A, C); /* A A' = 1 */
        for (int i = 0; i < 9; i++)
            assert_close(C[i], i % 4 == 0, 1e-13);
        zw_rotation_turn(A, x, y);
        zw_rotation_turn_back(A, y, z);
        for (int i = 0; i < 3; i++)
            assert_close(z[i], x[i], 1e-13);
        zw_rotation_turn(A, w, y); /* the axis stays */
        for (int i = 0; i < 3; i++)
            assert_close(y[i], w[i], 1e-13);
    }
    const double w[3] = {0, 0, 0.7};
    double A[9];
    zw_rotation_of_vector(w, A);
    const double wanted[9] = {cos(0.7), -sin(0.7), 0, sin(0.7), cos(0.7), 0, 0, 0, 1};
    for (int i = 0; i < 9; i++)
        assert_close(A[i], wanted[i], 1e-15);
}

/* ---------------------------------------------------------------------------------- coordinates */

/* The angles of a pose by Sailer (2023), section 3.4. */
static void angles_of(const double A[9], double angle[3]) {
    const double z[3] = {A[2], A[5], A[8]}, x[3] = {A[0], A[3], A[6]};
    double gx[3] = {-z[1], z[0], 0}, size = hypot(z[0], z[1]), gy[3]; /* e_z cross z */
    gx[0] /= size, gx[1] /= size;
    gy[0] = z[1] * gx[2] - z[2] * gx[1];
    gy[1] = z[2] * gx[0] - z[0] * gx[2];
    gy[2] = z[0] * gx[1] - z[1] * gx[0];
    angle[0] = atan2(gx[1], gx[0]);
    angle[1] = acos(z[2]);
    angle[2] = atan2(x[0] * gy[0] + x[1] * gy[1] + x[2] * gy[2],
                     x[0] * gx[0] + x[1] * gx[1] + x[2] * gx[2]);
}

/* Gauss-Newton on the frame of the model finds the same angles, from far away, and the place. */
static void test_body__angles_are_those_of_the_thesis(void **state) {
    (void)state;
    model m = shipped("tippedisk", 0, NULL);
    zw_arena arena;
    zw_posed *body;
    double p[32], q[6], cov[36], chi2;
    int frame = m.sys->body[0].frame, which;
    const int *unknown;
    zw_arena_init(&arena, NULL);
    assert_int_equal(zw_system_param_values(m.sys, p, NULL), ZW_OK);
    assert_int_equal(zw_posed_create(&body, &arena, m.sys, 1, &frame, p, NULL), ZW_OK);
    assert_int_equal(zw_posed_unknowns(body, &unknown), 6);
    for (int k = 0; k < 6; k++)
        assert_int_equal(zw_posed_is_angle(body, k), k >= 3);
    test_random r = {11};
    for (int k = 0; k < 200; k++) {
        double w[3], angle[3];
        zw_posed_target g = {.r = {0.1, -0.2, 0.05}, .sd_angle = 0.01, .sd_place = 0.001};
        for (int i = 0; i < 3; i++)
            w[i] = test_random_real(&r, -1.8, 1.8);
        zw_rotation_of_vector(w, g.A);
        angles_of(g.A, angle);
        if (fabs(sin(angle[1])) < 0.1)
            continue;
        for (int i = 0; i < 6; i++)
            q[i] = i < 3 ? 0 : angle[i - 3] + test_random_real(&r, -0.5, 0.5);
        assert_int_equal(zw_posed_solve(body, 0, 1, &g, q, cov, &chi2, &which), ZW_POSED_FOUND);
        assert_true(chi2 < 1e-12);
        for (int i = 0; i < 3; i++) {
            assert_close(q[i], g.r[i], 1e-9);
            assert_close(remainder(q[3 + i] - angle[i], 2 * PI), 0, 1e-8);
        }
        /* the sd of z, and of beta, which is a turn about one axis */
        assert_close(sqrt(cov[2 * 6 + 2]), 0.001, 1e-9);
        assert_close(sqrt(cov[4 * 6 + 4]), 0.01, 1e-9);
        /* alpha and gamma: a turn of sd about axes at the angle beta: sd/sin(beta) */
        assert_close(sqrt(cov[3 * 6 + 3]) * fabs(sin(angle[1])), 0.01, 1e-6);
    }
    /* flat: alpha and gamma cannot be told apart */
    zw_posed_target flat = {.A = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .sd_angle = 0.01, .sd_place = 0.001};
    memset(q, 0, sizeof q);
    assert_int_equal(zw_posed_solve(body, 0, 1, &flat, q, cov, &chi2, &which), ZW_POSED_SINGULAR);
    assert_true(which == 3 || which == 5);
    zw_posed_destroy(body);
    zw_arena_clear(&arena);
    zw_context_destroy(m.ctx);
}

/* ---------------------------------------------------------------------------- synthetic cameras */

static const char *const fast[] = {"Omega=50 [rad/s]", "eps=0.001 [m/s]"};
static const double late[6] = {0, 3.3e-3, -4.71e-3, 9.97e-3, -9.05e-3, 1.234e-3};

static zw_synthesis_options synthetic(double until) {
    zw_synthesis_options o = zw_synthesis_options_default();
    o.cameras = DATA "cameras_late.csv";
    o.markers = DATA "tippedisk_markers.csv";
    o.until = until;
    o.seed = 1;
    return o;
}

static zw_synthesis make(const model *m, const zw_synthesis_options *o) {
    zw_synthesis s;
    zw_error err = {0};
    if (zw_synthesise(&s, m->sys, NULL, o, &err) < 0)
        fail_msg("%s", err.text);
    return s;
}

static zw_tracking_options tracking_options(void) {
    zw_tracking_options o = zw_tracking_options_default();
    o.cameras = DATA "cameras.csv";
    o.markers = DATA "tippedisk_markers.csv";
    o.reference = "c1";
    return o;
}

static zw_tracking *track(const model *m, const char *path, const zw_tracking_options *o) {
    zw_tracking *t;
    zw_error err = {0};
    const char *data[1] = {path};
    if (zw_tracking_create(&t, m->sys, 1, data, o, &err) < 0 || zw_tracking_run(t, &err) < 0)
        fail_msg("%s: %s", err.file, err.text);
    return t;
}

static bool is_told(const zw_tracking *t, const char *what) {
    zw_warnings *list = zw_warnings_create(NULL);
    bool found = false;
    zw_tracking_warnings(t, list);
    for (int i = 0; i < zw_warnings_count(list); i++)
        found = found || strstr(zw_warnings_at(list, i)->text, what);
    zw_warnings_destroy(list);
    return found;
}

typedef struct tally {
    double places, one, two, worst;
} tally;

/* errors of a column against the truth in units of the stated deviation */
static tally compare(const zw_table *result, const zw_table *truth, const char *name) {
    char sd[40];
    tally n = {0};
    snprintf(sd, sizeof sd, "sd(%s)", name);
    int a = zw_table_find(result, name), b = zw_table_find(result, sd),
        c = zw_table_find(truth, name);
    assert_true(a > 0 && b > 0 && c > 0);
    for (long i = 0; i < zw_table_rows(result); i++) {
        double t = zw_table_at(result, i, 0), value = zw_table_at(result, i, a);
        long row = lround(t * 500);
        if (isnan(value) || row >= zw_table_rows(truth))
            continue;
        assert_close(zw_table_at(truth, row, 0), t, 1e-9);
        double error = fabs(value - zw_table_at(truth, row, c));
        n.places++;
        n.one += error < zw_table_at(result, i, b);
        n.two += error < 1.96 * zw_table_at(result, i, b);
        n.worst = fmax(n.worst, error);
    }
    n.one /= n.places, n.two /= n.places;
    return n;
}

/* Item 22: V1 at 500 frames in a second, six cameras with delays up to 10 ms: delays to less than 2
 * ms, angles to less than a degree. What comes out is better by far, and as good as it says. */
static void test_tracking__finds_delays_and_angles(void **state) {
    (void)state;
    enum { SEEDS = 4 };
    model m = shipped("tippedisk", 2, fast);
    double square = 0;
    tally angle[3] = {{0}}, rate[3] = {{0}};
    static const char *const name[3] = {"alpha", "beta", "gamma"}, *const rates[3] = {
                                                                       "alpha'", "beta'", "gamma'"};
    for (long seed = 1; seed <= SEEDS; seed++) {
        zw_synthesis_options so = synthetic(1);
        zw_tracking_options o = tracking_options();
        zw_table *result;
        so.seed = seed;
        zw_synthesis s = make(&m, &so);
        zw_tracking *t = track(&m, put("poses.csv", s.poses.data), &o);
        assert_int_equal(zw_tracking_cameras(t), 6);
        for (int c = 0; c < 6; c++) {
            const zw_tracking_camera *e = zw_tracking_camera_at(t, c);
            double error = e->delay - late[c];
            assert_true(e->linked && e->outliers == 0);
            assert_true(fabs(error) < 2e-4); /* a tenth of what is asked for */
            assert_true(c == 0 || e->delay_sd < 6e-5);
            assert_close(e->sd_place, 1e-3, 3e-4);
            assert_close(e->sd_angle, 1e-2, 3e-3);
            square += c ? error * error / (e->delay_sd * e->delay_sd) : 0;
        }
        assert_int_equal(zw_tracking_table(t, NULL, &result, NULL), ZW_OK);
        for (int i = 0; i < 3; i++) {
            tally a = compare(result, s.truth, name[i]), b = compare(result, s.truth, rates[i]);
            assert_true(a.worst < 1 * PI / 180);
            assert_true(a.places > 450);
            angle[i].one += a.one / SEEDS, angle[i].two += a.two / SEEDS;
            rate[i].one += b.one / SEEDS, rate[i].two += b.two / SEEDS;
        }
        zw_table_destroy(result);
        zw_tracking_destroy(t);
        zw_synthesis_clear(&s);
    }
    /* chi^2 of 20: beyond these with a probability of 1e-3 each */
    assert_true(square / (5 * SEEDS) > 0.29 && square / (5 * SEEDS) < 2.27);
    for (int i = 0; i < 3; i++) {
        assert_true(angle[i].one > 0.58 && angle[i].one < 0.80);
        assert_true(angle[i].two > 0.88);
        assert_true(rate[i].one > 0.58 && rate[i].two > 0.88);
    }
    zw_context_destroy(m.ctx);
}

/* Samples have the noise that they state, in each coordinate: the mean of their chi^2 is 1, to 4
 * standard errors. */
static void test_tracking__samples_are_as_stated(void **state) {
    (void)state;
    model m = shipped("tippedisk", 2, fast);
    zw_synthesis_options so = synthetic(1);
    zw_tracking_options o = tracking_options();
    zw_table *samples;
    zw_synthesis s = make(&m, &so);
    zw_tracking *t = track(&m, put("samples.csv", s.poses.data), &o);
    assert_int_equal(zw_tracking_samples(t, NULL, &samples, NULL), ZW_OK);
    long n = zw_table_rows(samples), used = 0;
    assert_int_equal(n, s.seen);
    for (int i = 0; i < 6; i++) {
        double sum = 0, before = -1;
        int c = 1 + 2 * i;
        assert_string_equal(zw_table_name(samples, c), m.sys->coord[i].name);
        used = 0;
        for (long k = 0; k < n; k++) {
            double at = zw_table_at(samples, k, 0), row = floor(at * 500), u = at * 500 - row;
            long r = (long)row;
            assert_true(at > before);
            before = at;
            if (r < 1 || r + 2 >= zw_table_rows(s.truth))
                continue;
            double y[4],
                w[4] = {-u * (u - 1) * (u - 2) / 6, (u + 1) * (u - 1) * (u - 2) / 2,
                        -(u + 1) * u * (u - 2) / 2, (u + 1) * u * (u - 1) / 6},
                truth = 0;
            for (int j = 0; j < 4; j++) {
                y[j] = zw_table_at(s.truth, r - 1 + j, 1 + i);
                truth += w[j] * y[j];
            }
            double z = (zw_table_at(samples, k, c) - truth) / zw_table_at(samples, k, c + 1);
            sum += z * z;
            used++;
        }
        assert_true(used > 1500);
        assert_close(sum / (double)used, 1, 4 * sqrt(2.0 / (double)used));
    }
    zw_table_destroy(samples);
    zw_tracking_destroy(t);
    zw_synthesis_clear(&s);
    zw_context_destroy(m.ctx);
}

/* Poses that are mirrored, and lost ones: the first are found and left out, none of the good ones
 * with them. */
static void test_tracking__leaves_out_flips(void **state) {
    (void)state;
    model m = shipped("tippedisk", 2, fast);
    zw_synthesis_options so = synthetic(0.6);
    zw_tracking_options o = tracking_options();
    so.flips = 0.05;
    so.dropout = 0.1;
    zw_synthesis s = make(&m, &so);
    assert_true(s.flipped > 30 && s.lost > 60);
    zw_tracking *t = track(&m, put("flips.csv", s.poses.data), &o);
    long outliers = 0;
    for (int c = 0; c < 6; c++) {
        const zw_tracking_camera *e = zw_tracking_camera_at(t, c);
        outliers += e->outliers;
        assert_true(fabs(e->delay - late[c]) < 3e-4);
    }
    /* those seen almost from the front are mirrored by less than the noise */
    assert_true(outliers <= s.flipped && (double)outliers > 0.85 * (double)s.flipped);
    zw_tracking_destroy(t);
    o.outlier = 0; /* none is left out, and the noise of angles is not what it was */
    t = track(&m, path_of("flips.csv"), &o);
    assert_int_equal(zw_tracking_camera_at(t, 0)->outliers, 0);
    assert_true(zw_tracking_camera_at(t, 0)->sd_angle > 0.03);
    zw_tracking_destroy(t);
    zw_synthesis_clear(&s);
    zw_context_destroy(m.ctx);
}

/* The same seed, the same file; the truth is the motion of the model. */
static void test_synthesis__is_a_function_of_its_seed(void **state) {
    (void)state;
    model m = shipped("tippedisk", 0, NULL);
    zw_synthesis_options o = synthetic(0.3);
    zw_synthesis a = make(&m, &o), b = make(&m, &o);
    assert_string_equal(a.poses.data, b.poses.data);
    assert_true(a.seen > 100 && a.hidden > 100 && a.lost == 0 && a.flipped == 0);
    zw_synthesis_clear(&b);
    o.seed = 2;
    b = make(&m, &o);
    assert_true(strcmp(a.poses.data, b.poses.data) != 0);
    /* gamma(0.25) of the reference run of the model, RK4 with 1e-5 s: -1.03932 */
    assert_close(zw_table_at(a.truth, 125, zw_table_find(a.truth, "gamma")), -1.03932, 1e-5);
    zw_synthesis_clear(&a);
    zw_synthesis_clear(&b);
    o.markers = NULL;
    zw_error err = {0};
    assert_true(zw_synthesise(&a, m.sys, NULL, &o, &err) < 0 && strstr(err.text, "markers"));
    zw_context_destroy(m.ctx);
}

/* Without noise everything comes back to what interpolation and the step of the integration
 * leave. */
static void test_tracking__is_exact_without_noise(void **state) {
    (void)state;
    model m = shipped("tippedisk", 0, NULL);
    zw_synthesis_options so = synthetic(0.5);
    zw_tracking_options o = tracking_options();
    zw_table *result;
    so.sd_place = so.sd_angle = 1e-8;
    zw_synthesis s = make(&m, &so);
    zw_tracking *t = track(&m, put("exact.csv", s.poses.data), &o);
    for (int c = 0; c < 6; c++)
        assert_true(fabs(zw_tracking_camera_at(t, c)->delay - late[c]) < 1e-7);
    assert_int_equal(zw_tracking_table(t, NULL, &result, NULL), ZW_OK);
    assert_true(compare(result, s.truth, "gamma").worst < 1e-5);
    assert_true(compare(result, s.truth, "x").worst < 1e-6);
    zw_table_destroy(result);
    zw_tracking_destroy(t);
    zw_synthesis_clear(&s);
    zw_context_destroy(m.ctx);
}

/* A camera that never saw what the others saw at the same time has no delay; one that looks at what
 * hardly moves has an uncertain one. Both are told. */
static void test_tracking__tells_what_delays_it_cannot(void **state) {
    (void)state;
    static const char *const still[] = {"Omega=0.02 [rad/s]", "gamma=-90 [deg]"};
    model m = shipped("tippedisk", 2, fast), slow = shipped("tippedisk", 2, still);
    zw_synthesis_options so = synthetic(0.5);
    zw_tracking_options o = tracking_options();
    zw_synthesis s = make(&m, &so);
    /* c4 is shifted by a minute */
    size_t n = s.poses.size;
    char *text = malloc(2 * n), *out = text;
    for (char *line = strtok(s.poses.data, "\n"); line; line = strtok(NULL, "\n"))
        out += sprintf(out, "%s%s\n", strstr(line, ",c4,") ? "6" : "", line);
    zw_tracking *t = track(&m, put("apart.csv", text), &o);
    assert_false(zw_tracking_camera_at(t, 3)->linked);
    assert_true(zw_tracking_camera_at(t, 3)->used == 0 && zw_tracking_camera_at(t, 1)->linked);
    assert_true(is_told(t, "saw nothing together"));
    zw_tracking_destroy(t);
    zw_synthesis_clear(&s);
    free(text);
    s = make(&slow, &so);
    o.reference = NULL;
    t = track(&slow, put("slow.csv", s.poses.data), &o);
    double most = 0;
    for (int c = 0; c < 6; c++)
        most = fmax(most, zw_tracking_camera_at(t, c)->delay_sd);
    assert_true(most > 1e-3);
    assert_true(is_told(t, "too slow"));
    zw_tracking_destroy(t);
    zw_synthesis_clear(&s);
    zw_context_destroy(m.ctx);
    zw_context_destroy(slow.ctx);
}

/* A start on the constraints, near the truth, from which the model runs. */
static void test_tracking__starts_on_the_constraints(void **state) {
    (void)state;
    model m = shipped("tippedisk", 2, fast);
    zw_synthesis_options so = synthetic(0.6);
    zw_tracking_options o = tracking_options();
    zw_synthesis s = make(&m, &so);
    zw_tracking *t = track(&m, put("start.csv", s.poses.data), &o);
    double x[12], sd[12], r = 0.045;
    zw_error err = {0};
    assert_int_equal(zw_tracking_start(t, 0.3013, x, sd, &err), ZW_OK);
    assert_close(x[2], r * sin(x[4]), 1e-14);         /* z = r sin(beta), */
    assert_close(x[8], r * cos(x[4]) * x[10], 1e-13); /* and its rate */
    for (int i = 0; i < 12; i++) {
        int c = 1 + i;
        double truth = 0.35 * zw_table_at(s.truth, 150, c) + 0.65 * zw_table_at(s.truth, 151, c);
        assert_true(sd[i] > 0 && fabs(x[i] - truth) < 5 * sd[i]);
    }
    zw_sim_number start[12];
    for (int i = 0; i < 12; i++)
        start[i] = (zw_sim_number){.index = i, .value = x[i]};
    zw_sim_numbers numbers = {.nstart = 12, .start = start};
    zw_sim_options run = zw_sim_options_default();
    run.until = 0.01;
    run.numbers = &numbers;
    zw_sim *sim;
    assert_int_equal(zw_sim_create(&sim, m.sys, NULL, &run, &err), ZW_OK);
    assert_int_equal(zw_sim_run(sim, &err), ZW_OK);
    zw_sim_destroy(sim);
    assert_true(zw_tracking_start(t, 7, x, sd, &err) < 0 &&
                strstr(err.text, "nothing was measured"));
    zw_tracking_destroy(t);
    zw_synthesis_clear(&s);
    zw_context_destroy(m.ctx);
}

/* The same motion by a model with a free rotation: no singular angles, the angular velocities come
 * out as its velocities. */
static void test_tracking__of_a_free_rotation(void **state) {
    (void)state;
    static const char text[] =
        "model top \"free body\"\ncoord x, y, z [m]\nparam m = 1 [kg], J = 0.01 [kg*m^2]\n"
        "body b : inertia(m, J, J, 2*J) at (x, y, z)\n"
        "start x = 0, y = 0, z = 0.05 [m], x' = 0.1 [m/s], b.wx = 1 [rad/s], b.wy = 0 [rad/s], "
        "b.wz = 20 [rad/s]\n";
    model m = {.ctx = zw_context_create(NULL)};
    zw_error err = {0};
    if (zw_model_parse(&m.sys, m.ctx, text, strlen(text), "top", NULL, &err) < 0)
        fail_msg("%s", err.text);
    const char *markers = put("top_markers.csv", "marker,body,x[mm],y[mm],z[mm],q0,q1,q2,q3\n"
                                                 "up,b,0,0,10,1,0,0,0\ndown,b,0,0,-10,0,1,0,0\n");
    zw_synthesis_options so = synthetic(0.6);
    zw_tracking_options o = tracking_options();
    zw_table *result;
    so.markers = markers;
    zw_synthesis s = make(&m, &so);
    o.markers = markers;
    zw_tracking *t = track(&m, put("top.csv", s.poses.data), &o);
    assert_int_equal(zw_tracking_coordinates(t), 7);
    assert_int_equal(zw_tracking_table(t, NULL, &result, NULL), ZW_OK);
    tally wz = compare(result, s.truth, "b.wz"), wx = compare(result, s.truth, "b.wx");
    assert_true(wz.worst < 1 && wz.two > 0.85);
    assert_true(wx.worst < 1 && wx.two > 0.85);
    assert_true(compare(result, s.truth, "b.p0").worst < 0.01);
    zw_table_destroy(result);
    zw_tracking_destroy(t);
    zw_synthesis_clear(&s);
    zw_context_destroy(m.ctx);
}

/* ---------------------------------------------------------------------------------- other files */

static const char pendulum[] =
    "model pendulum \"plane\"\nparam l = 0.5 [m], m = 1 [kg], g = 9.81 [m/s^2]\ncoord phi [rad]\n"
    "frame P : rotate z phi\nbody bob : P at (0, 0, 0), inertia(m, 0.01 [kg*m^2], 0.01 [kg*m^2], "
    "0.01 [kg*m^2])\n"
    "start phi = 0.1\n";

/* phi = 0.5 sin(3 t) and its rate, of a series at 100 samples in a second. A smoothing spline has
 * no third derivative at its ends, where that of phi is 13.5 rad/s^3, so that the rate is off there
 * by some h^2 13.5/5. */
static void check_sine(zw_tracking *t, double tolerance, double rate_tolerance) {
    zw_table *result;
    assert_int_equal(zw_tracking_table(t, NULL, &result, NULL), ZW_OK);
    assert_true(zw_table_rows(result) > 150);
    int phi = zw_table_find(result, "phi"), rate = zw_table_find(result, "phi'");
    assert_true(phi > 0 && rate > 0);
    assert_string_equal(zw_table_unit(result, phi), "rad");
    assert_string_equal(zw_table_unit(result, rate), "rad/s");
    for (long i = 0; i < zw_table_rows(result); i++) {
        double at = zw_table_at(result, i, 0), value = zw_table_at(result, i, phi);
        if (isnan(value))
            continue;
        assert_close(value, 0.5 * sin(3 * at), tolerance);
        bool edge = i < 8 || i + 8 >= zw_table_rows(result);
        assert_close(zw_table_at(result, i, rate), 1.5 * cos(3 * at),
                     edge ? fmax(rate_tolerance, 1e-4 * 13.5 / 5) : rate_tolerance);
    }
    zw_table_destroy(result);
}

static char *sine_file(const char *head, const char *format, double factor) {
    char *text = malloc(40000), *out = text + sprintf(text, "%s", head);
    for (int i = 0; i <= 200; i++)
        out += sprintf(out, format, i + 1, 0.01 * i, factor * 0.5 * sin(0.03 * i));
    return text;
}

/* Three wrong samples in a sine are left out, and it is what it would be without them; the kinks of
 * a rectified sine stay, and so does noise. */
static void test_tracking__leaves_out_single_wrong_samples(void **state) {
    (void)state;
    model m = model_of(pendulum, 0, NULL);
    zw_tracking_options o = zw_tracking_options_default();
    for (int kind = 0; kind < 3; kind++) {
        test_random r = {11};
        char *csv = malloc(40000), *out = csv + sprintf(csv, "t[s],phi[rad]\n");
        for (int i = 0; i <= 200; i++) {
            double y = 0.5 * sin(0.03 * i);
            bool wrong = kind == 0 && (i == 20 || i == 101 || i == 150);
            y = kind == 1 ? fabs(sin(0.09 * i)) : y + (wrong ? 0.3 - 0.001 * i : 0);
            y += kind == 2 ? 0.01 * test_random_real(&r, -1, 1) : 0;
            out += sprintf(out, "%.10g,%.14g\n", 0.01 * i, y);
        }
        zw_tracking *t = track(&m, put("wrong.csv", csv), &o);
        const zw_tracking_coordinate *c = zw_tracking_coordinate_at(t, 0);
        assert_int_equal(c->outliers, kind == 0 ? 3 : 0);
        assert_int_equal(c->samples, kind == 0 ? 198 : 201);
        assert_int_equal(is_told(t, "is unlike its neighbours and is left out"), kind == 0);
        if (kind == 0)
            check_sine(t, 1e-6, 1e-5);
        zw_tracking_destroy(t);
        free(csv);
    }
    zw_context_destroy(m.ctx);
}

/* A MOT file in degrees, a CSV in mrad under another name, one in rad with a gap. */
static void test_tracking__reads_columns(void **state) {
    (void)state;
    model m = model_of(pendulum, 0, NULL);
    zw_tracking_options o = zw_tracking_options_default();
    const char *column[1] = {"swing=phi"};
    char *mot =
        sine_file("Coordinates\nversion=1\nnRows=201\nnColumns=3\ninDegrees=yes\n\nendheader\n"
                  "time\tphi\tother\n",
                  "", 1);
    char *out = mot + strlen(mot);
    for (int i = 0; i <= 200; i++)
        out += sprintf(out, "%.10g\t%.12g\t%d\n", 0.01 * i, 90 / PI * sin(0.03 * i), i);
    zw_tracking *t = track(&m, put("a.mot", mot), &o);
    check_sine(t, 1e-6, 1e-6);
    assert_true(is_told(t, "other"));
    zw_tracking_destroy(t);
    free(mot);

    char *csv = sine_file("# of a machine\nframe,t[s],swing[mrad]\n", "%d,%.10g,%.14g\n", 1000);
    o.ncolumn = 1;
    o.column = column;
    for (int local = 0; local < 2; local++) {
        o.rates = local ? ZW_RATES_LOCAL : ZW_RATES_SPLINE;
        o.degree = 5;
        t = track(&m, put("a.csv", csv), &o);
        check_sine(t, 1e-6, 1e-6);
        zw_tracking_destroy(t);
    }
    o.rates = ZW_RATES_SPLINE;
    free(csv);

    /* no values between 0.8 and 1.2 s: empty there, unless it is to be filled */
    csv = malloc(40000);
    out = csv + sprintf(csv, "t[ms],phi[rad],sd(phi)[mrad]\n");
    for (int i = 0; i <= 200; i++)
        out += i > 80 && i < 120 ? sprintf(out, "%d,,\n", 10 * i)
                                 : sprintf(out, "%d,%.14g,1\n", 10 * i, 0.5 * sin(0.03 * i));
    const char *gap = put("gap.csv", csv);
    zw_error unused = {0};
    free(csv);
    /* a column that is said and not there is a mistake of its name */
    assert_int_equal(zw_tracking_create(&t, m.sys, 1, &gap, &o, &unused), ZW_E_OPTION);
    assert_string_equal(unused.text, "--column swing=phi: the data have no such column");
    o.ncolumn = 0;
    for (int fill = 0; fill < 2; fill++) {
        zw_table *result;
        o.fill = fill;
        t = track(&m, path_of("gap.csv"), &o);
        check_sine(t, fill ? 0.02 : 2e-3, fill ? 0.2 : 0.05);
        assert_true(is_told(t, "scatter")); /* there is no noise of a mrad */
        assert_int_equal(zw_tracking_table(t, NULL, &result, NULL), ZW_OK);
        assert_true(isnan(zw_table_at(result, 100, 1)) == !fill);
        assert_false(isnan(zw_table_at(result, 60, 1)));
        zw_table_destroy(result);
        zw_tracking_destroy(t);
    }
    zw_context_destroy(m.ctx);
}

/* Two points of a body, in mm, one of them missing at times. */
/* 0.3 sin 3t of an angle that goes round, cut at half a turn; and with noise of 5 mrad, stated
 * right and ten times too small: splines follow that, and it is told. */
static void test_tracking__tells_turns_and_wrong_noise(void **state) {
    (void)state;
    model m = model_of(pendulum, 0, NULL);
    zw_tracking_options o = zw_tracking_options_default();
    char *csv = malloc(60000), *out;
    test_random r = {5};
    for (int kind = 0; kind < 4; kind++) {
        out = csv + sprintf(csv, "t[s],phi[rad],sd(phi)[mrad]\n");
        for (int i = 0; i <= 300; i++) {
            double t = 0.01 * i, noise = 0;
            for (int k = 0; k < 12; k++) /* nearly normal, of variance one */
                noise += test_random_real(&r, -0.5, 0.5);
            double angle = (kind < 2 ? 8 * t : 0) + 0.3 * sin(3 * t) + 0.005 * noise;
            out += sprintf(out, "%.10g,%.14g,%g\n", t, kind == 1 ? remainder(angle, 2 * PI) : angle,
                           kind == 3 ? 0.5 : 5.);
        }
        zw_tracking *t = track(&m, put("turn.csv", csv), &o);
        assert_true(is_told(t, "jumps by a whole turn") == (kind == 1));
        if (kind != 1)
            assert_true(is_told(t, "scatter") == (kind == 3));
        zw_tracking_destroy(t);
    }
    free(csv);
    zw_context_destroy(m.ctx);
}

/* Noise cannot be separated from motion in few samples: a warning below 20. */
static void test_tracking__tells_few_samples(void **state) {
    (void)state;
    model m = model_of(pendulum, 0, NULL);
    zw_tracking_options o = zw_tracking_options_default();
    for (int n = 8; n <= 30; n += 11) {
        char csv[2000], *out = csv + sprintf(csv, "t[s],phi[rad]\n");
        test_random r = {(unsigned long)n};
        for (int i = 0; i < n; i++)
            out += sprintf(out, "%.10g,%.14g\n", 0.05 * i,
                           0.3 * sin(0.15 * i) + test_random_real(&r, -0.01, 0.01));
        zw_tracking *t = track(&m, put("few.csv", csv), &o);
        assert_true(is_told(t, "too few to separate noise from motion") == (n < 20));
        zw_tracking_destroy(t);
    }
    zw_context_destroy(m.ctx);
}

static void test_tracking__reads_places(void **state) {
    (void)state;
    model m = model_of(pendulum, 0, NULL);
    zw_tracking_options o = zw_tracking_options_default();
    o.markers = put("points.csv", "marker,body,x[m],y[m],z[m]\nA,bob,0.5,0,0\nB,bob,0.25,0.1,0\n");
    char *text = malloc(80000),
         *out = text + sprintf(text, "PathFileType\t4\t(X/Y/Z)\ta.trc\n"
                                     "DataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\tOrigDataR"
                                     "ate\tOrigDataStartFrame\tOrigNumFrames\n"
                                     "100\t100\t201\t2\tmm\t100\t1\t201\n"
                                     "Frame#\tTime\tA\t\t\tB\t\t\n\t\tX1\tY1\tZ1\tX2\tY2\tZ2\n\n");
    for (int i = 0; i <= 200; i++) {
        double phi = 0.5 * sin(0.03 * i), c = cos(phi), s = sin(phi);
        out += sprintf(out, "%d\t%.10g\t%.12g\t%.12g\t0\t", i + 1, 0.01 * i, 500 * c, 500 * s);
        out += i % 7 == 3 ? sprintf(out, "\t\t\n")
                          : sprintf(out, "%.12g\t%.12g\t0\n", 250 * c - 100 * s, 250 * s + 100 * c);
    }
    zw_tracking *t = track(&m, put("a.trc", text), &o);
    check_sine(t, 1e-6, 1e-6);
    zw_tracking_destroy(t);
    free(text);
    zw_context_destroy(m.ctx);
}

/* ------------------------------------------------------------------------------------- mistakes */

#define HEAD "t[s],camera,marker,q0,q1,q2,q3,x[m],y[m],z[m]\n"
#define MATRIX "t[s],camera,marker,R11,R12,R13,R21,R22,R23,R31,R32,R33,x[m],y[m],z[m]\n"

static const struct {
    const char *text; /* of the data */
    int line, column; /* 0: no place */
    const char *said, *hint;
} wrong[] = {
    {"", 0, 0, "is empty", NULL},
    {"# only a remark\n", 1, 1, "no header line", NULL},
    {HEAD "0,c1,id0,1,0,0,0,0,0\n", 2, 1, "9 cells, the header names 10", NULL},
    {HEAD "0,c9,id0,1,0,0,0,0,0,0\n", 2, 3, "camera 'c9' is not in", NULL},
    {HEAD "0,c1,id7,1,0,0,0,0,0,0\n", 2, 6, "marker 'id7' is not in", NULL},
    {HEAD "0,c1,id0,1,1,0,0,0,0,0\n", 2, 10, "the length 1.414", NULL},
    {HEAD "0,c1,id0,1,0,,0,0,0,0\n", 2, 10, "1 of the 4 numbers", NULL},
    {HEAD "0,c1,id0,1,0,0,0,0,0,here\n", 2, 22, "'here' in the column z is no number",
     "empty cell"},
    {HEAD "0,c1,id0,1,0,0,0,0,0,inf\n", 2, 22, "not finite", NULL},
    {HEAD ",c1,id0,1,0,0,0,0,0,0\n", 2, 1, "the time is missing", NULL},
    {HEAD "0.1,c1,id0,1,0,0,0,0,0,1\n0.05,c1,id0,1,0,0,0,0,0,1\n", 3, 1, "time goes back", NULL},
    {HEAD "0.1,c1,id0,1,0,0,0,0,0,1\n0.1,c1,id0,1,0,0,0,0,0,1\n", 3, 1, "already", NULL},
    {"t[s],camera,marker,q0,q1,q2,q3,x,y[m],z[m]\n0,c1,id0,1,0,0,0,0,0,1\n", 1, 32,
     "the column x has no unit", "x[m]"},
    {"t[s],camera,marker,q0,q1,q2,q3,x[kg],y[m],z[m]\n0,c1,id0,1,0,0,0,0,0,1\n", 1, 32,
     "is in kg and must be in m", NULL},
    {"t[s],camera,marker,q0,q1,q2,x[m],y[m],z[m]\n0,c1,id0,1,0,0,0,0,1\n", 1, 26,
     "a column q2 but no column q3", NULL},
    {"t[s],camera,marker,x[m],y[m],z[m]\n0,c1,id0,0,0,1\n", 1, 1, "no orientation", "R11"},
    {"camera,marker,x[m]\nc1,id0,0\n", 1, 1, "no column t", NULL},
    {"t[s],t[s],marker\n0,0,id0\n", 1, 6, "t is given twice", NULL},
    {MATRIX "0,c1,id0,1,0,0,0,1,0,0,0,-1,0,0,1\n", 2, 10, "left-handed", "(0, 0, 1)"},
    {MATRIX "0,c1,id0,1,0.1,0,0,1,0,0,0,1,0,0,1\n", 2, 10, "no rotation matrix", NULL},
    {"t[s],omega[rad]\n0,1\n", 1, 1, "no column is called like a coordinate", "--column"},
    {"t[s],beta[mm]\n0,1\n", 1, 6, "is in mm", NULL},
    {"t[s],beta\n0,1\n", 1, 6, "no unit", "beta[rad]"},
    {"t[s],beta[rad]\n0,1\n0,1\n", 3, 1, "is there already", NULL},
    {"t[s],beta[rad],sd(beta)[rad]\n0,1,0\n", 2, 5, "must be positive", NULL},
    {"t[s],beta[rad]\n", 0, 0, "has no rows", NULL},
    {"PathFileType\t4\n", 2, 1, "five lines", NULL},
    {"PathFileType\t4\nDataRate\tUnits\tNumMarkers\n100\tmm\t2\nFrame#"
     "\tTime\tA\n\t\tX1\n\n1\t0\t1\t2\t3\n",
     4, 1, "says 2 markers", NULL},
    {"a\ninDegrees=maybe\nendheader\ntime beta\n0 1\n", 2, 1, "neither yes nor no", NULL},
    {"a\nendheader\n", 3, 1, "no line of names", NULL},
};

static void test_tracking__refuses_with_places(void **state) {
    (void)state;
    model m = shipped("tippedisk", 0, NULL);
    zw_tracking_options o = tracking_options();
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        zw_tracking *t = NULL;
        zw_error err = {0};
        const char *data[1] = {put("wrong.csv", wrong[i].text)};
        if (zw_tracking_create(&t, m.sys, 1, data, &o, &err) >= 0)
            fail_msg("number %d is taken: %s", (int)i, wrong[i].said);
        if (!strstr(err.text, wrong[i].said) || err.line != wrong[i].line ||
            err.column != wrong[i].column || (wrong[i].hint && !strstr(err.hint, wrong[i].hint)))
            fail_msg("number %d, %s, at %d:%d: %s (%s)", (int)i, wrong[i].said, err.line,
                     err.column, err.text, err.hint);
    }
    zw_context_destroy(m.ctx);
}

/* The misprint of the table of markers, and its like. */
static void test_tables__refuse_reflected_frames(void **state) {
    (void)state;
    model m = shipped("tippedisk", 0, NULL);
    static const struct {
        const char *text, *said, *hint;
    } bad[] = {
        {"marker,body,ex,ey,ez\nid0,disk,+y,-y,+z\n", "right-handed", "ey must be -x"},
        {"marker,body,ex,ey,ez\nid0,disk,+x,+y,-z\n", "right-handed", "ez must be +z"},
        {"marker,body,ex,ey,ez\nid0,disk,+x,+y,up\n", "'up' is no axis", NULL},
        {"marker,body\nid0,plate\n", "no body or frame 'plate'", NULL},
        {"marker,body\nid0,disk\nid0,disk\n", "given twice", NULL},
        {"body,x[m],y[m],z[m]\ndisk,0,0,0\n", "a column marker", NULL},
        {"marker,body\n", "no marker", NULL},
    };
    const char *data[1] = {put("pose.csv", HEAD "0,c1,id0,1,0,0,0,0,0,1\n")};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        zw_tracking_options o = tracking_options();
        zw_tracking *t = NULL;
        zw_error err = {0};
        o.markers = put("markers.csv", bad[i].text);
        assert_true(zw_tracking_create(&t, m.sys, 1, data, &o, &err) < 0);
        if (!strstr(err.text, bad[i].said) || (bad[i].hint && !strstr(err.hint, bad[i].hint)))
            fail_msg("%s: %s (%s)", bad[i].text, err.text, err.hint);
    }
    static const struct {
        const char *text, *said;
    } blind[] = {
        {"camera,x[m],y[m],z[m]\nc1,0,0,1\n", "how cameras are turned"},
        {"camera,x[m],y[m],z[m],to_x[m],to_y[m],to_z[m]\nc1,0,0,1,0,0,1\n", "its own place"},
        {"camera,x[m],y[m],z[m],to_x[m],to_y[m],to_z[m]\nc1,0,,1,0,0,0\n", "y is missing"},
        {"camera,x[m],y[m],z[m],to_x[m],to_y[m]\nc1,0,0,1,0,0\n", "no column to_z"},
    };
    for (size_t i = 0; i < sizeof blind / sizeof *blind; i++) {
        zw_tracking_options o = tracking_options();
        zw_tracking *t = NULL;
        zw_error err = {0};
        o.cameras = put("cameras.csv", blind[i].text);
        assert_true(zw_tracking_create(&t, m.sys, 1, data, &o, &err) < 0);
        if (!strstr(err.text, blind[i].said))
            fail_msg("%s: %s", blind[i].text, err.text);
    }
    zw_context_destroy(m.ctx);
}

/* A wrong table of markers: the model cannot be where the markers are said to be, and that is
 * told. */
static void test_tracking__tells_what_the_model_does_not_reach(void **state) {
    (void)state;
    model m = model_of(pendulum, 0, NULL);
    zw_tracking_options o = zw_tracking_options_default();
    zw_tracking *t;
    zw_error err = {0};
    char *text = malloc(40000), *out = text + sprintf(text, HEAD);
    for (int i = 0; i < 100; i++) /* it falls over: a turn about x, which the pendulum has not */
        out += sprintf(out, "%.3g,c1,a,%.12g,%.12g,0,0,0,0,0\n", 0.01 * i, cos(0.01 * i + 0.5),
                       sin(0.01 * i + 0.5));
    const char *data[1] = {put("falls.csv", text)};
    o.body = "bob";
    o.sd_place = 1e-3;
    o.sd_angle = 1e-2;
    assert_int_equal(zw_tracking_create(&t, m.sys, 1, data, &o, &err), ZW_OK);
    assert_int_equal(zw_tracking_run(t, &err), ZW_E_NUMERIC);
    assert_non_null(strstr(err.text, "no coordinates of the model"));
    zw_tracking_destroy(t);
    free(text);
    zw_context_destroy(m.ctx);
}

/* Poses that all stand too much alone to be judged leave no sample, a long step no row: refused,
 * not a result without rows. */
static void test_tracking__without_rows_is_refused(void **state) {
    (void)state;
    static const char seen[] =
        "model m\ncoord x, y, z [m], alpha, beta, gamma [rad]\nframe R : rotate z alpha\n"
        "frame G : R rotate x beta\nframe B : G rotate z gamma\n"
        "body b : B at (x, y, z), inertia(1 [kg], 1 [kg*m^2], 1 [kg*m^2], 2 [kg*m^2])\n"
        "start beta = 1.5, alpha' = 1 [rad/s]\n";
    char data[4000], *out = data + sprintf(data, "t[s],camera,marker,R11,R12,R13,R21,R22,R23,R31,"
                                                 "R32,R33,x[m],y[m],z[m],quality\n");
    for (int i = 0; i < 10; i++)
        out += sprintf(out,
                       "0.%d,c1,a,1,0,0,0,0,-1,0,1,0,0,0,1,0.%d\n"
                       "0.%d,c2,a,1,0,0,0,0,-1,0,1,0,0.1,0,1,1\n",
                       i, i, i);
    zw_tracking_options o = zw_tracking_options_default();
    zw_tracking *t;
    zw_error err = {0};
    model m = model_of(seen, 0, NULL);
    const char *file = put("alone.csv", data);
    o.cameras = put("alone-cameras.csv", "camera,x[m],y[m],z[m],to_x[m],to_y[m],to_z[m]\n"
                                         "c1,1,0,1,0,0,0\nc2,0,1,1,0,0,0\n");
    o.markers = put("alone-markers.csv", "marker,body,ex,ey,ez,x[mm],y[mm],z[mm]\n"
                                         "a,b,+x,+y,+z,0,0,5\nid0,b,+y,-x,+z,0,0,0\n");
    assert_int_equal(zw_tracking_create(&t, m.sys, 1, &file, &o, &err), ZW_OK);
    assert_int_equal(zw_tracking_run(t, &err), ZW_E_NUMERIC);
    assert_non_null(strstr(err.text, "no sample is left"));
    zw_tracking_destroy(t);
    zw_context_destroy(m.ctx);
    m = model_of(pendulum, 0, NULL);
    o = zw_tracking_options_default();
    o.step = 1;
    err = (zw_error){0};
    out = data + sprintf(data, "t[s],phi[rad]\n");
    for (int i = 0; i < 20; i++) /* neither 0 s nor 1 s */
        out += sprintf(out, "%.10g,%.14g\n", 0.3 + 0.01 * i, sin(0.03 * i));
    file = put("short.csv", data);
    assert_int_equal(zw_tracking_create(&t, m.sys, 1, &file, &o, &err), ZW_OK);
    assert_int_equal(zw_tracking_run(t, &err), ZW_E_OPTION);
    assert_non_null(strstr(err.text, "no multiple of 1 s lies between"));
    zw_tracking_destroy(t);
    zw_context_destroy(m.ctx);
}

/* Whichever request for memory fails: said so, and nothing is left behind. */
static void survive(const char *text, const char *data, const zw_tracking_options *o) {
    for (long n = 1;; n += n < 300 ? 1 : 17) {
        failing_allocator f = failing_allocator_make(n);
        zw_allocator alloc = failing_allocator_of(&f);
        zw_context *ctx = zw_context_create(&alloc);
        zw_system *sys = NULL;
        zw_tracking *t = NULL;
        zw_table *table = NULL;
        zw_error err = {0};
        zw_status status =
            ctx ? zw_model_parse(&sys, ctx, text, strlen(text), "m", NULL, &err) : ZW_E_MEMORY;
        if (status >= 0)
            status = zw_tracking_create(&t, sys, 1, &data, o, &err);
        if (status >= 0)
            status = zw_tracking_run(t, &err);
        double x[2], sd[2];
        if (status >= 0)
            status = zw_tracking_start(t, 1, x, sd, &err);
        if (status >= 0)
            status = zw_tracking_table(t, NULL, &table, &err);
        if (f.failed && status != ZW_OK)
            assert_int_equal(status, ZW_E_MEMORY);
        else
            assert_int_equal(status, ZW_OK);
        zw_table_destroy(table);
        zw_tracking_destroy(t);
        zw_context_destroy(ctx);
        assert_int_equal(f.blocks, 0);
        assert_int_equal(f.bytes, 0);
        if (!f.failed)
            break;
    }
}

static void test_tracking__survives_failing_allocations(void **state) {
    (void)state;
    zw_tracking_options o = zw_tracking_options_default();
    char *text = malloc(40000), *out = text + sprintf(text, HEAD);
    for (int i = 0; i < 60; i++)
        for (int c = 0; c < 2; c++) {
            double half = 0.25 * sin(0.1 * i + 0.05 * c) + 1e-3 * sin(77.0 * i + c);
            out += sprintf(out, "%.3g,c%d,a,%.12g,0,0,%.12g,%.5g,0,0\n", 0.03 * i, c, cos(half),
                           sin(half), 1e-3 * sin(55.0 * i + c));
        }
    o.body = "bob";
    survive(pendulum, put("memory.csv", text), &o);
    free(text);
    char *csv = sine_file("frame,t[s],phi[rad]\n", "%d,%.10g,%.14g\n", 1);
    survive(pendulum, put("memory2.csv", csv), &o);
    free(csv);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rotation__forms_agree),
        cmocka_unit_test(test_body__angles_are_those_of_the_thesis),
        cmocka_unit_test(test_tracking__finds_delays_and_angles),
        cmocka_unit_test(test_tracking__samples_are_as_stated),
        cmocka_unit_test(test_tracking__leaves_out_flips),
        cmocka_unit_test(test_synthesis__is_a_function_of_its_seed),
        cmocka_unit_test(test_tracking__is_exact_without_noise),
        cmocka_unit_test(test_tracking__tells_what_delays_it_cannot),
        cmocka_unit_test(test_tracking__starts_on_the_constraints),
        cmocka_unit_test(test_tracking__of_a_free_rotation),
        cmocka_unit_test(test_tracking__leaves_out_single_wrong_samples),
        cmocka_unit_test(test_tracking__reads_columns),
        cmocka_unit_test(test_tracking__tells_turns_and_wrong_noise),
        cmocka_unit_test(test_tracking__tells_few_samples),
        cmocka_unit_test(test_tracking__reads_places),
        cmocka_unit_test(test_tracking__refuses_with_places),
        cmocka_unit_test(test_tables__refuse_reflected_frames),
        cmocka_unit_test(test_tracking__tells_what_the_model_does_not_reach),
        cmocka_unit_test(test_tracking__without_rows_is_refused),
        cmocka_unit_test(test_tracking__survives_failing_allocations),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
