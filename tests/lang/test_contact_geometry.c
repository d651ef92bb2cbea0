/* SPDX-License-Identifier: MIT */
/* The geometry of contacts against differences of positions: q is moved a little along its rates,
 * and material points of body and support, taken along by their frames, are looked at before and
 * after. Nothing here knows a velocity. */
#include "support/test.h"

#include <math.h>

#include "zwang/model.h"

#define MU "law coulomb(0.3) + pivoting(0.2, 3 [mm]) + "

typedef struct scene {
    zw_context *ctx;
    zw_system *s;
    int n;
    zw_expr sym[64];
    double value[64];
    double rate[32]; /* of q */
    test_random random;
} scene;

static double eval(const scene *at, zw_expr e) {
    return zw_eval(at->ctx, e, at->n, at->sym, at->value);
}

static void eval_vector(const scene *at, const zw_expr e[3], double out[3]) {
    for (int i = 0; i < 3; i++)
        out[i] = eval(at, e[i]);
}

static double dot(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static scene load(const char *text) {
    scene at = {zw_context_create(NULL), NULL, .n = 0};
    zw_error err = {0};
    if (zw_model_parse(&at.s, at.ctx, text, strlen(text), "test.zw", NULL, &err) < 0) {
        char message[2048];
        zw_error_format(&err, message, sizeof message);
        zw_context_destroy(at.ctx);
        fail_msg("%s", message);
    }
    const zw_system *s = at.s;
    assert_true(s->np + s->nq + s->nv + 1 <= 64 && s->nq <= 32);
    assert_int_equal(zw_system_param_values(s, at.value, NULL), ZW_OK);
    for (int i = 0; i < s->np; i++)
        at.sym[at.n++] = s->param[i].sym;
    for (int i = 0; i < s->nq; i++)
        at.sym[at.n++] = s->coord[i].sym;
    for (int i = 0; i < s->nv; i++)
        at.sym[at.n++] = s->velocity[i].sym;
    at.sym[at.n++] = s->t;
    at.random.state = 12;
    return at;
}

/* another state, its quaternions of length 1 */
static void scatter(scene *at) {
    const zw_system *s = at->s;
    double *q = at->value + s->np;
    for (int i = s->np; i < at->n; i++)
        at->value[i] = test_random_real(&at->random, -1, 1);
    for (int f = 0; f < s->nframe; f++)
        if (s->frame[f].quaternion >= 0) {
            double *p = q + s->frame[f].quaternion;
            double size = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3]);
            for (int i = 0; i < 4; i++)
                p[i] /= size;
        }
    for (int i = 0; i < s->nq; i++)
        at->rate[i] = eval(at, s->coord[i].rate);
}

static scene moved(const scene *at, double dt) {
    scene later = *at;
    for (int i = 0; i < at->s->nq; i++)
        later.value[at->s->np + i] += dt * at->rate[i];
    later.value[at->n - 1] += dt;
    return later;
}

/* ----------------------------------------------------------------------------- points of bodies */

static int frame_of(const scene *at, const char *body) {
    for (int i = 0; i < at->s->nbody; i++)
        if (strcmp(at->s->body[i].name, body) == 0)
            return at->s->body[i].frame;
    return 0;
}

/* place and rotation of a frame */
typedef struct pose {
    double o[3], A[9];
} pose;

static pose pose_of(const scene *at, int frame) {
    pose p;
    eval_vector(at, at->s->frame[frame].o, p.o);
    for (int i = 0; i < 9; i++)
        p.A[i] = eval(at, at->s->frame[frame].A[i]);
    return p;
}

static void into(const pose *p, const double x[3], double out[3]) {
    for (int i = 0; i < 3; i++)
        out[i] = p->A[i] * (x[0] - p->o[0]) + p->A[3 + i] * (x[1] - p->o[1]) +
                 p->A[6 + i] * (x[2] - p->o[2]);
}

static void out_of(const pose *p, const double own[3], double out[3]) {
    for (int i = 0; i < 3; i++)
        out[i] = p->o[i] + dot(p->A + 3 * i, own);
}

static const double dt = 1e-6;

/* velocity of the point of a frame that is at x now */
static void material(const scene *at, int frame, const double x[3], double out[3]) {
    double own[3], a[3], b[3];
    scene before = moved(at, -dt), after = moved(at, dt);
    pose now = pose_of(at, frame), was = pose_of(&before, frame), is = pose_of(&after, frame);
    into(&now, x, own);
    out_of(&was, own, a);
    out_of(&is, own, b);
    for (int i = 0; i < 3; i++)
        out[i] = (b[i] - a[i]) / (2 * dt);
}

/* angular velocity: of n = e_k the frame's turning takes x_j of a point at distance 1 */
static void turning(const scene *at, int frame, double w[3]) {
    double o[3], x[3], vo[3], v[3][3];
    eval_vector(at, at->s->frame[frame].o, o);
    material(at, frame, o, vo);
    for (int k = 0; k < 3; k++) {
        memcpy(x, o, sizeof x);
        x[k] += 1;
        material(at, frame, x, v[k]);
        for (int i = 0; i < 3; i++)
            v[k][i] -= vo[i];
    }
    w[0] = v[1][2];
    w[1] = v[2][0];
    w[2] = v[0][1];
}

/* how the point of contact moves over the body, inertial components now */
static void over_body(const scene *at, const zw_contact *c, int frame, double out[3]) {
    double x[3], a[3], b[3], shifted[3];
    scene before = moved(at, -dt), after = moved(at, dt);
    pose now = pose_of(at, frame), was = pose_of(&before, frame), is = pose_of(&after, frame);
    eval_vector(&before, c->point, x);
    into(&was, x, a);
    eval_vector(&after, c->point, x);
    into(&is, x, b);
    for (int i = 0; i < 3; i++)
        shifted[i] = (b[i] - a[i]) / (2 * dt);
    for (int i = 0; i < 3; i++)
        out[i] = dot(now.A + 3 * i, shifted);
}

/* ------------------------------------------------------------------------------- what must hold */

static void near(double a, double b, const char *what) {
    if (!(fabs(a - b) < 1e-7 * (1 + fabs(a) + fabs(b)))) /* differences of 1e-6: about 1e-9 */
        fail_msg("%s: %.12g and %.12g", what, a, b);
}

static const zw_rubbing *block_of(const zw_contact *c, const char *part) {
    for (int i = 0; i < c->nblock; i++)
        if (strcmp(c->block[i].part[0], part) == 0)
            return &c->block[i];
    return NULL;
}

static void check_directions(const scene *at, const zw_contact *c, double n[3], double t[2][3]) {
    eval_vector(at, c->normal, n);
    for (int k = 0; k < 2; k++)
        eval_vector(at, c->tangent[k], t[k]);
    near(dot(n, n), 1, "n . n");
    near(dot(n, t[0]), 0, "n . t1");
    near(dot(n, t[1]), 0, "n . t2");
    near(dot(t[0], t[0]), 1, "t1 . t1");
    near(dot(t[0], t[1]), 0, "t1 . t2");
    near(dot(t[1], t[1]), 1, "t2 . t2");
}

static double gap_rate(const scene *at, const zw_contact *c) {
    scene before = moved(at, -dt), after = moved(at, dt);
    return (eval(&after, c->gap) - eval(&before, c->gap)) / (2 * dt);
}

static void check_turning(const scene *at, const zw_contact *c, const double n[3], double t[2][3],
                          int frame, int support) {
    double w[3], ws[3], by[3];
    turning(at, frame, w);
    turning(at, support, ws);
    for (int i = 0; i < 3; i++)
        by[i] = w[i] - ws[i];
    const zw_rubbing *spin = block_of(c, "spin"), *roll = block_of(c, "roll1");
    near(eval(at, spin->rate[0]), 3e-3 * dot(n, by), "spin");
    for (int k = 0; roll && k < 2; k++)
        near(eval(at, roll->rate[k]), 2e-3 * dot(t[k], by), "roll");
}

/* of three points the direction is not one of the slips, and blurred by 1e-6/(inclination) */
static void check_blurred_contour(const scene *at, const zw_contact *c, int frame) {
    const zw_rubbing *b = block_of(c, "contour");
    double over[3];
    over_body(at, c, frame, over);
    double all = 0;
    for (int i = 0; b && i < b->nrow; i++)
        all = hypot(all, eval(at, b->rate[i]));
    if (b)
        assert_true(fabs(sqrt(dot(over, over)) - all) < 1e-4);
}

static void check_contour(const scene *at, const zw_contact *c, double t[2][3], int frame) {
    const zw_rubbing *b =
        block_of(c, "contour1") ? block_of(c, "contour1") : block_of(c, "contour");
    double over[3];
    over_body(at, c, frame, over);
    for (int k = 0; b && k < b->nrow; k++)
        near(eval(at, b->rate[k]), dot(t[k], over), "contour");
    if (b && b->nrow == 1) /* there is no more of it */
        near(dot(over, over), pow(eval(at, b->rate[0]), 2), "all of the contour");
}

/* material: the rate of the gap is that of the material points, whatever the gap does */
static void check_contact(const scene *at, const zw_contact *c, int frame, int support,
                          bool by_material) {
    double n[3], t[2][3], x[3], v[3], vs[3], u[3];
    check_directions(at, c, n, t);
    eval_vector(at, c->point, x);
    material(at, frame, x, v);
    material(at, support, x, vs);
    for (int i = 0; i < 3; i++)
        u[i] = v[i] - vs[i];
    near(eval(at, c->rate), by_material ? dot(n, u) : gap_rate(at, c), "rate of the gap");
    for (int k = 0; k < 2; k++)
        near(eval(at, c->block[0].rate[k]), dot(u, t[k]), "slip");
    check_turning(at, c, n, t, frame, support);
    if (by_material)
        check_blurred_contour(at, c, frame);
    else
        check_contour(at, c, t, frame);
}

/* move the centre of b, coordinates x, y, z, along the normal until it touches */
static void close_gap(scene *at) {
    const zw_contact *c = at->s->contact;
    double n[3], gap = 1;
    for (int k = 0; k < 50 && fabs(gap) > 1e-14; k++) {
        gap = eval(at, c->gap);
        eval_vector(at, c->normal, n);
        for (int i = 0; i < 3; i++)
            at->value[at->s->np + i] -= gap * n[i];
    }
    assert_true(fabs(gap) < 1e-12);
}

/* each of two laws for the roll */
static void check_with(const char *before, const char *statement, bool closed,
                       void (*more)(const scene *at)) {
    static const char *const rolls[] = {"rolling(0.1, 2 [mm])", "contour(0.1)"};
    for (int k = 0; k < 2; k++) {
        char text[2000];
        snprintf(text, sizeof text, "model m\n%s\n%s, " MU "%s\n", before, statement, rolls[k]);
        scene at = load(text);
        int frame = frame_of(&at, "b"), support = frame_of(&at, "s");
        for (int i = 0; i < 20; i++) {
            scatter(&at);
            if (closed)
                close_gap(&at);
            for (int j = 0; j < at.s->ncontact; j++)
                check_contact(&at, &at.s->contact[j], frame, support, at.s->ncontact > 1);
            if (more)
                more(&at);
        }
        zw_context_destroy(at.ctx);
    }
}

static void check_text(const char *before, const char *statement, void (*more)(const scene *at)) {
    check_with(before, statement, false, more);
}

#define FREE                                                                                       \
    "coord x, y, z [m]\nrotation f\n"                                                              \
    "body b : f at (x, y, z), inertia(2 [kg], 1 [kg*m^2], 2 [kg*m^2], 2.5 [kg*m^2])"
#define TABLE                                                                                      \
    "\ncoord a, d [rad], h [m]\nframe g : rotate z a rotate x d at (h, 0.3*h, t*0.2 [m/s])\n"      \
    "body s : g, inertia(1 [kg], 1 [kg*m^2], 1 [kg*m^2], 1 [kg*m^2])"

/* -------------------------------------------------------------------------- the smallest height */

/* no point of the body is lower over the plane z = 0 than the gap says, and one is */
static void lowest_of_ellipsoid(const scene *at) {
    double least = INFINITY;
    pose p = pose_of(at, frame_of(at, "b"));
    for (int i = 0; i <= 400; i++)
        for (int j = 0; j < 400; j++) {
            double theta = i * acos(-1) / 400, phi = j * acos(-1) / 200, x[3];
            double own[3] = {0.3 * sin(theta) * cos(phi), 0.2 * sin(theta) * sin(phi),
                             0.1 * cos(theta)};
            out_of(&p, own, x);
            least = fmin(least, x[2]);
        }
    assert_true(fabs(least - eval(at, at->s->contact->gap)) < 1e-4);
}

static void lowest_of_disc(const scene *at) {
    double least = INFINITY;
    pose p = pose_of(at, frame_of(at, "b"));
    for (int j = 0; j < 20000; j++) {
        double phi = j * acos(-1) / 10000, x[3];
        double own[3] = {0.4 * cos(phi), 0.4 * sin(phi), 0};
        out_of(&p, own, x);
        least = fmin(least, x[2]);
    }
    assert_true(fabs(least - eval(at, at->s->contact->gap)) < 1e-7);
}

/* the least height of balls of radius `round` along a circle of radius `edge`, of which the body is
 * made */
static void lowest_of_tube(const scene *at, double edge, double round) {
    double least = INFINITY;
    pose p = pose_of(at, frame_of(at, "b"));
    for (int j = 0; j < 2000; j++)
        for (int k = 0; k < 400; k++) {
            double phi = j * acos(-1) / 1000, psi = k * acos(-1) / 200, x[3];
            double out = edge + round * cos(psi);
            double own[3] = {out * cos(phi), out * sin(phi), round * sin(psi)};
            out_of(&p, own, x);
            least = fmin(least, x[2]);
        }
    assert_true(fabs(least - eval(at, at->s->contact->gap)) < 2e-5);
}

static void lowest_of_torus(const scene *at) {
    lowest_of_tube(at, 0.4, 0.1);
}

static void lowest_of_fillet(const scene *at) {
    lowest_of_tube(at, 0.3, 0.1);
}

/* ------------------------------------------------------------------------------- geometries */

static void test_sphere__on_planes(void **state) {
    (void)state;
    check_text(FREE, "contact c : sphere b radius 0.2 [m] on plane", NULL);
    check_text(
        FREE,
        "contact c : sphere b radius 0.2 [m] on plane (1, 2, 2) height 0.1 [m]*sin(t*1 [1/s])",
        NULL);
    check_text(FREE TABLE, "contact c : sphere b radius 0.2 [m] on plane y height 0.1 [m] of s",
               NULL);
}

static void test_disk__on_planes(void **state) {
    (void)state;
    check_text(FREE, "contact c : disk b radius 0.4 [m] on plane", lowest_of_disc);
    check_text(FREE TABLE, "contact c : disk b radius 0.4 [m] on plane (1, 0, 1) of s", NULL);
    check_text("coord x, y, z [m], al, be, ga [rad]\n"
               "frame R : rotate z al\nframe G : R rotate x (1 + be/4)\nframe B : G rotate z ga\n"
               "body b : B at (x, y, z), inertia(2 [kg], 1 [kg*m^2], 1 [kg*m^2], 2 [kg*m^2])",
               "contact c : disk b radius 0.4 [m] on plane", lowest_of_disc);
}

static void test_torus_and_fillet__on_planes(void **state) {
    (void)state;
    check_text(FREE, "contact c : torus b radius 0.4 [m] wire 0.1 [m] on plane", lowest_of_torus);
    check_text(FREE, "contact c : disk b radius 0.4 [m] fillet 0.1 [m] on plane", lowest_of_fillet);
    check_text(FREE TABLE,
               "contact c : torus b radius 0.4 [m] wire 0.1 [m] on plane (1, 0, 1) of s", NULL);
    check_text(FREE, "contact c : torus b radius 0.4 [m] wire 0.1 [m] on plane, three points",
               lowest_of_torus);
    check_text(FREE TABLE,
               "contact c : disk b radius 0.4 [m] fillet 0.1 [m] on plane y height 0.1 [m] of s, "
               "three points",
               NULL);
}

/* a fillet as large as a radius would be a ball: nearly so, it touches and moves as one */
static void test_fillet__nearly_a_ball(void **state) {
    (void)state;
    scene ball = load("model m\n" FREE "\ncontact c : sphere b radius 0.4 [m] on plane, " MU
                      "contour(0.1)\n");
    scene disc = load("model m\n" FREE "\ncontact c : disk b radius 0.4 [m] fillet 0.3999999999996 "
                      "[m] on plane, " MU "contour(0.1)\n");
    for (int i = 0; i < 20; i++) {
        double x[3], X[3];
        scatter(&ball);
        scatter(&disc);
        near(eval(&disc, disc.s->contact->gap), eval(&ball, ball.s->contact->gap), "gap");
        near(eval(&disc, disc.s->contact->rate), eval(&ball, ball.s->contact->rate), "rate");
        eval_vector(&disc, disc.s->contact->point, x);
        eval_vector(&ball, ball.s->contact->point, X);
        for (int k = 0; k < 3; k++)
            near(x[k], X[k], "point");
        for (int b = 0; b < 3; b++) {
            double sum[2] = {0, 0};
            const zw_rubbing *of[2] = {&disc.s->contact->block[b], &ball.s->contact->block[b]};
            scene *at[2] = {&disc, &ball};
            for (int k = 0; k < 2; k++)
                for (int j = 0; j < of[k]->nrow; j++)
                    sum[k] = hypot(sum[k], eval(at[k], of[k]->rate[j]));
            near(sum[0], sum[1], "size of a velocity");
        }
    }
    zw_context_destroy(ball.ctx);
    zw_context_destroy(disc.ctx);
}

static void test_disk__by_three_points(void **state) {
    (void)state;
    check_text(FREE, "contact c : disk b radius 0.4 [m] on plane, three points", lowest_of_disc);
    check_text(FREE TABLE,
               "contact c : disk b radius 0.4 [m] on plane (1, 0, 1) of s, three points", NULL);
}

/* a flat disc rests on three points of its edge, 120 degrees apart, and nothing is infinite */
static void check_flat(const char *shape, double radius, double round) {
    char text[1000];
    snprintf(text, sizeof text,
             "model m\n" FREE "\ncontact c : %s on plane, three points, "
             "law coulomb(0.3) + contour(0.1)\n",
             shape);
    scene at = load(text);
    const zw_system *s = at.s;
    double x[3][3], n[3], t[2][3], w[3];
    scatter(&at);
    memcpy(at.value + s->np + 3, (double[]){cos(0.3), 0, 0, sin(0.3)}, 4 * sizeof(double));
    for (int i = 0; i < s->nq; i++)
        at.rate[i] = eval(&at, s->coord[i].rate);
    for (int i = 0; i < 3; i++) {
        const zw_contact *c = &s->contact[i];
        check_directions(&at, c, n, t);
        near(eval(&at, c->gap), at.value[s->np + 2] - round, "gap");
        eval_vector(&at, c->point, x[i]);
        double v[3];
        material(&at, s->body[0].frame, x[i], v);
        near(eval(&at, c->rate), v[2], "rate");
        for (int k = 0; k < 2; k++)
            near(eval(&at, c->block[0].rate[k]), v[k], "slip");
    }
    for (int i = 0; i < 3; i++) {
        double d[3], arm[3];
        for (int k = 0; k < 3; k++) {
            d[k] = x[i][k] - x[(i + 1) % 3][k];
            arm[k] = x[i][k] - at.value[s->np + k];
        }
        near(sqrt(dot(d, d)), radius * sqrt(3), "distance of two points");
        near(sqrt(dot(arm, arm)), hypot(radius, round), "radius");
    }
    /* over the edge of a thin disc nothing moves; over wire it rocks */
    double all = 0;
    const zw_rubbing *b = round > 0 ? &s->contact->block[1] : block_of(s->contact, "contour");
    for (int k = 0; k < b->nrow; k++)
        all = hypot(all, eval(&at, b->rate[k]));
    turning(&at, s->body[0].frame, w);
    near(all, round * hypot(w[0], w[1]), "contour");
    assert_int_equal(s->contact[1].nblock, 1);
    zw_context_destroy(at.ctx);
}

static void test_three_points__of_what_lies_flat(void **state) {
    (void)state;
    check_flat("disk b radius 0.4 [m]", 0.4, 0);
    check_flat("disk b radius 0.4 [m] fillet 0.1 [m]", 0.3, 0.1);
    check_flat("torus b radius 0.4 [m] wire 0.1 [m]", 0.4, 0.1);
}

/* Every corner as check_contact wants it, at its place in the body: edges along x, y, z, - before
 * +, x first; its gap is its height over the plane z = 0, if that is what it touches. */
static void check_corners(const char *before, const char *statement, const double edge[3],
                          bool flat) {
    char text[2000];
    snprintf(text, sizeof text, "model m\n%s\n%s, " MU "rolling(0.1, 2 [mm])\n", before, statement);
    scene at = load(text);
    int frame = frame_of(&at, "b"), support = frame_of(&at, "s"), expected = 1;
    for (int i = 0; i < 3; i++)
        expected *= edge[i] > 0 ? 2 : 1;
    assert_int_equal(at.s->ncontact, expected);
    for (int round = 0; round < 20; round++) {
        scatter(&at);
        pose p = pose_of(&at, frame);
        for (int k = 0; k < expected; k++) {
            const zw_contact *c = &at.s->contact[k];
            double own[3], corner[3], x[3];
            char name[16];
            for (int i = 0, rest = k; i < 3; i++) {
                own[i] = (rest % 2 ? 0.5 : -0.5) * edge[i];
                rest /= edge[i] > 0 ? 2 : 1;
            }
            out_of(&p, own, corner);
            eval_vector(&at, c->point, x);
            for (int i = 0; i < 3; i++)
                near(x[i], corner[i], "corner");
            if (flat)
                near(eval(&at, c->gap), corner[2], "height");
            check_contact(&at, c, frame, support, false);
            snprintf(name, sizeof name, "c.%d", k + 1);
            assert_string_equal(c->name, name);
        }
    }
    zw_context_destroy(at.ctx);
}

static void test_corners__on_planes(void **state) {
    (void)state;
    check_corners(FREE, "contact c : box b (0.3 [m], 0.2 [m], 0.1 [m]) on plane",
                  (double[]){0.3, 0.2, 0.1}, true);
    check_corners(FREE TABLE,
                  "contact c : box b (0.3 [m], 0.2 [m], 0.1 [m]) on plane (1, 0, 1) of s",
                  (double[]){0.3, 0.2, 0.1}, false);
    check_corners(FREE,
                  "contact c : box b (0.3 [m], 0.2 [m]) on plane height 0.1 [m]*sin(t*1 [1/s])",
                  (double[]){0.3, 0.2, 0}, false);
    check_corners(FREE TABLE, "contact c : rod b length 0.4 [m] on plane y height 0.1 [m] of s",
                  (double[]){0.4, 0, 0}, false);
}

/* the gap is the distance from the sphere */
static void test_corners__on_spheres(void **state) {
    (void)state;
    check_corners(FREE TABLE,
                  "contact c : box b (0.3 [m], 0.2 [m], 0.1 [m]) on sphere s radius 0.5 [m]",
                  (double[]){0.3, 0.2, 0.1}, false);
    check_corners(FREE TABLE, "contact c : rod b length 0.4 [m] inside sphere of s radius 2 [m]",
                  (double[]){0.4, 0, 0}, false);
    scene at =
        load("model m\n" FREE
             "\ncontact c : point (x, y, z) on sphere centre (0, 0, 0.1 [m]) radius 0.9 [m]\n");
    scatter(&at);
    memcpy(at.value + at.s->np, (double[]){0, 0.3, 0.5}, 3 * sizeof(double));
    near(eval(&at, at.s->contact->gap), -0.4, "gap");
    zw_context_destroy(at.ctx);
}

/* of a plane motion, corners that move alike are one: of a box 4, of a rod across the plane of the
 * motion 1, and of one along it 2 */
static void test_corners__of_plane_motions(void **state) {
    (void)state;
    static const struct {
        const char *contact;
        int n;
    } known[] = {{"box b (0.3 [m], 0.2 [m], 0.1 [m]) on plane", 4},
                 {"rod b length 0.4 [m] on plane", 2},
                 {"box b (0.3 [m], 0.2 [m]) on plane", 2},
                 {"point b.origin of b on plane", 1}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        char text[500];
        snprintf(text, sizeof text,
                 "model m\ncoord x, z [m], th [rad]\nframe f : rotate y th\n"
                 "body b : f at (x, 0, z), inertia(2 [kg], 1 [kg*m^2], 2 [kg*m^2], 2.5 [kg*m^2])\n"
                 "contact c : %s, law coulomb(0.3)\n",
                 known[i].contact);
        scene at = load(text);
        assert_int_equal(at.s->ncontact, known[i].n);
        assert_int_equal(at.s->contact->block[0].nrow, 1);
        zw_context_destroy(at.ctx);
    }
}

static void test_ellipsoid__on_planes(void **state) {
    (void)state;
    check_text(FREE, "contact c : ellipsoid b (0.3 [m], 0.2 [m], 0.1 [m]) on plane",
               lowest_of_ellipsoid);
    check_text(FREE TABLE, "contact c : ellipsoid b (0.3 [m], 0.2 [m], 0.1 [m]) on plane x of s",
               NULL);
}

static void test_sphere__on_spheres(void **state) {
    (void)state;
    check_with(FREE TABLE, "contact c : sphere b radius 0.2 [m] on sphere s radius 0.5 [m]", true,
               NULL);
    check_with(FREE TABLE, "contact c : sphere b radius 0.2 [m] inside sphere of s radius 0.9 [m]",
               true, NULL);
    check_with(
        FREE, "contact c : sphere b radius 0.2 [m] on sphere centre (0, 0, 0.1 [m]) radius 0.9 [m]",
        true, NULL);
}

/* the gap is the distance, in the middle of a cavity too */
static void test_sphere__in_the_middle_of_its_cavity(void **state) {
    (void)state;
    scene at = load("model m\n" FREE "\ncontact c : sphere b radius 0.2 [m] inside sphere centre "
                    "(0, 0, 0) radius 0.9 [m], law coulomb(0.3)\n");
    scatter(&at);
    for (int i = 0; i < 3; i++)
        at.value[at.s->np + i] = 0;
    near(eval(&at, at.s->contact->gap), 0.7, "gap");
    assert_true(isfinite(eval(&at, at.s->contact->rate)));
    assert_true(isfinite(eval(&at, at.s->contact->block[0].rate[1])));
    at.value[at.s->np + 1] = -0.4;
    near(eval(&at, at.s->contact->gap), 0.3, "gap");
    zw_context_destroy(at.ctx);
}

/* surfaces of which one moves and turns */
static void test_point__on_surfaces(void **state) {
    (void)state;
    const char *const surfaces[] = {"z - 0.2 [m] + x^2/(1 [m]) - y*x/(1 [m])",
                                    "x^2 + y^2 + 2*z^2 - 0.5 [m^2]",
                                    "sin(x/(1 [m])) + y/(1 [m]) + z^2/(2 [m^2])"};
    for (int k = 0; k < 6; k++) {
        char text[2000];
        snprintf(text, sizeof text,
                 "model m\n" FREE TABLE "\npoint P : b.origin + b(0.1 [m], 0, 0.05 [m])\n"
                 "contact c : point P of b on surface %s%s, law coulomb(0.3) + "
                 "pivoting(0.2, 3 [mm])\n",
                 surfaces[k / 2], k % 2 ? " of s" : "");
        scene at = load(text);
        for (int i = 0; i < 20; i++) {
            scatter(&at);
            close_gap(&at);
            check_contact(&at, at.s->contact, frame_of(&at, "b"), k % 2 ? frame_of(&at, "s") : 0,
                          false);
        }
        zw_context_destroy(at.ctx);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sphere__on_planes),
        cmocka_unit_test(test_disk__on_planes),
        cmocka_unit_test(test_disk__by_three_points),
        cmocka_unit_test(test_torus_and_fillet__on_planes),
        cmocka_unit_test(test_fillet__nearly_a_ball),
        cmocka_unit_test(test_three_points__of_what_lies_flat),
        cmocka_unit_test(test_corners__on_planes),
        cmocka_unit_test(test_corners__on_spheres),
        cmocka_unit_test(test_corners__of_plane_motions),
        cmocka_unit_test(test_ellipsoid__on_planes),
        cmocka_unit_test(test_sphere__on_spheres),
        cmocka_unit_test(test_sphere__in_the_middle_of_its_cavity),
        cmocka_unit_test(test_point__on_surfaces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
