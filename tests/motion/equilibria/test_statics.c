/* SPDX-License-Identifier: MIT */
/* Rest with friction against closed forms; what gives way; what is rejected; report and table. */
#include "support/failing_allocator.h"
#include "support/report.h"
#include "support/test.h"
#include "zwang/zwang.h"

#define DEG (M_PI / 180)

static zw_context *ctx;
static zw_system *sys;
static zw_statics *s;
static zw_error err;

static int setup(void **state) {
    (void)state;
    ctx = zw_context_create(NULL);
    err = (zw_error){0};
    s = NULL;
    return 0;
}

static int teardown(void **state) {
    (void)state;
    zw_statics_destroy(s);
    zw_context_destroy(ctx);
    return 0;
}

static zw_status try_with(const char *text, const char *over, int nset, const char *const *set) {
    zw_model_options options = {0};
    options.nset = nset;
    options.set = set;
    zw_statics_destroy(s);
    s = NULL;
    err = (zw_error){0};
    if (zw_model_parse(&sys, ctx, text, strlen(text), "test.zw", &options, &err) < 0)
        fail_msg("%s", err.text);
    zw_status status = zw_statics_create(&s, sys, over, &err);
    return status < 0 ? status : zw_statics_run(s, NULL, NULL, &err);
}

static zw_report *report_statics(void) {
    zw_report *r = report_begin(sys->name);
    zw_statics_report(s, r);
    return r;
}

static void go(const char *text, const char *over, const char *set) {
    if (try_with(text, over, set != NULL, &set) < 0)
        fail_msg("%s", err.text);
}

static const zw_rest_end *end(int interval, bool high) {
    const zw_rest_interval *i = zw_statics_interval(s, interval);
    assert_non_null(i);
    return high ? &i->high : &i->low;
}

/* one point of contact: forces are determined */
#define BLOCK                                                                                      \
    "model block\nparam m = 2 [kg], mu = 0.3, slope = 10 [deg], g = 9.81 [m/s^2]\n"                \
    "coord x, z [m]\nparticle P : m at (x, 0, z)\n"                                                \
    "gravity g along (sin(slope), 0, -cos(slope))\n"                                               \
    "contact floor : gap z, slip x', law coulomb(mu)\n"

/* what an event is still to switch on carries nothing */
static void test_statics__idle_contact_holds_nothing(void **state) {
    (void)state;
    zw_status status =
        try_with("model block\ncoord z [m]\nparticle P : 2 [kg] at (0, 0, z)\ngravity 9.81 [m/s^2] "
                 "along -z\n"
                 "contact floor off : gap z\nevent put : t - 1 [s] rising, switch on floor\n",
                 NULL, 0, NULL);
    assert_int_equal(status, ZW_E_MODEL);
    assert_string_equal(err.text, "no contact is closed at the start");
}

static void test_statics__block_to_the_last_digit(void **state) {
    (void)state;
    go(BLOCK, "slope=-60:60deg", NULL);
    const zw_rest *r = zw_statics_rest(s);
    assert_true(r->rests);
    assert_int_equal(r->hyperstatic, 0);
    assert_close(r->factor, tan(10 * DEG) / 0.3, 1e-14);
    assert_close(r->force[0], 2 * 9.81 * cos(10 * DEG), 1e-14);
    assert_close(r->force[1], -2 * 9.81 * sin(10 * DEG), 1e-14);
    assert_int_equal(zw_statics_intervals(s), 1);
    assert_close(end(0, true)->value, atan(0.3), 2e-16);
    assert_close(end(0, false)->value, -atan(0.3), 2e-16);
    assert_string_equal(end(0, true)->why, "contact floor begins to slip");
    assert_true(end(0, true)->error == 0);
}

static void test_statics__too_steep(void **state) {
    (void)state;
    go(BLOCK, NULL, "slope=20deg");
    assert_false(zw_statics_rest(s)->rests);
    assert_close(zw_statics_rest(s)->factor, tan(20 * DEG) / 0.3, 1e-14);
    char *text = report_take_text(report_statics());
    assert_non_null(strstr(text, "does not rest at the start: contact floor begins to slip"));
    free(text);
    go(BLOCK, "slope=20:60deg", "slope=20deg");
    assert_int_equal(zw_statics_intervals(s), 0);
    go(BLOCK, "slope=100:170deg", "slope=100deg");
    assert_true(isinf(zw_statics_rest(s)->factor));
    assert_int_equal(zw_statics_rest(s)->yields[0], ZW_YIELD_LIFTS);
}

/* between two rows, with a hill of its own: |slope - 0.501| small */
static void test_statics__narrow_intervals_are_found(void **state) {
    (void)state;
    go(BLOCK "force wind (x) = -m*g*sin(slope + (0.50123 - slope)*1000)\n", "slope=0.5:0.503:3",
       NULL);
    assert_int_equal(zw_statics_intervals(s), 1);
    assert_true(end(0, false)->value > 0.5 && end(0, true)->value < 0.503);
}

#define SPRING                                                                                     \
    "model spring\nparam m = 2 [kg], k = 300 [N/m], mu = 0.4, g = 9.81 [m/s^2], x_0 = 5 [cm]\n"    \
    "coord x, z [m]\nparticle P : m at (x, 0, z)\ngravity g along -z\n"                            \
    "potential 1/2*k*(x - x_0)^2\ncontact table : gap z, slip x', law coulomb(mu)\n"

static void test_statics__positions(void **state) {
    (void)state;
    go(SPRING, "x=-0.5:0.5", NULL);
    assert_int_equal(zw_statics_intervals(s), 1);
    assert_close(end(0, false)->value, 0.05 - 0.4 * 2 * 9.81 / 300, 1e-15);
    assert_close(end(0, true)->value, 0.05 + 0.4 * 2 * 9.81 / 300, 1e-15);
}

#define LADDER                                                                                     \
    "model ladder\nparam m = 10 [kg], l = 4 [m], mu_1 = 0.4, mu_2 = 0.3, g = 9.81 [m/s^2]\n"       \
    "coord x, y [m], th [rad]\nframe F : rotate z th\nbody ladder : F at (x, y, 0), rod(m, l)\n"   \
    "gravity g along -y\npoint foot : ladder.origin - l/2*F.x\n"                                   \
    "point head : ladder.origin + l/2*F.x\n"                                                       \
    "let v_foot = ladder.velocity(foot), v_head = ladder.velocity(head)\n"                         \
    "contact floor : gap foot.y, slip (v_foot.x), law coulomb(mu_1)\n"                             \
    "contact wall : gap l - head.x, slip (v_head.y), law coulomb(mu_2)\n"                          \
    "start th = 70 [deg], x = l - l/2*cos(70 [deg]), y = l/2*sin(70 [deg])\n"

/* the other coordinates follow both contacts */
static void test_statics__ladder(void **state) {
    (void)state;
    go(LADDER, "th=20:89deg", NULL);
    assert_int_equal(zw_statics_rest(s)->hyperstatic, 1);
    assert_int_equal(zw_statics_intervals(s), 1);
    assert_close(end(0, false)->value, atan((1 - 0.4 * 0.3) / (2 * 0.4)), 1e-12);
    assert_string_equal(end(0, false)->why, "contacts floor and wall begin to slip");
    assert_true(end(0, true)->limit);
    go(LADDER, "th=20:89deg", "mu_2=0"); /* determined */
    assert_int_equal(zw_statics_rest(s)->hyperstatic, 0);
    assert_close(end(0, false)->value, atan(1 / (2 * 0.4)), 1e-14);
    assert_string_equal(end(0, false)->why, "contact floor begins to slip");
    assert_close(zw_statics_rest(s)->factor, 1 / (2 * 0.4 * tan(70 * DEG)), 1e-13);
}

#define TABLE                                                                                      \
    "model table\nparam m = 20 [kg], a = 1 [m], b = 0.6 [m], h = 0.5 [m], mu = 0.5\n"              \
    "param slope = 5 [deg], g = 9.81 [m/s^2]\ncoord x, y, z [m]\nrotation F\n"                     \
    "body top : F at (x, y, z), box(m, a, b, h)\ngravity g along (0, sin(slope), -cos(slope))\n"   \
    "point p1 : top.origin + F(a/2, b/2, -h)\npoint p2 : top.origin + F(-a/2, b/2, -h)\n"          \
    "point p3 : top.origin + F(-a/2, -b/2, -h)\npoint p4 : top.origin + F(a/2, -b/2, -h)\n"        \
    "let v1 = top.velocity(p1), v2 = top.velocity(p2)\n"                                           \
    "let v3 = top.velocity(p3), v4 = top.velocity(p4)\n"                                           \
    "contact leg_1 : gap p1.z, slip (v1.x, v1.y), law coulomb(mu)\n"                               \
    "contact leg_2 : gap p2.z, slip (v2.x, v2.y), law coulomb(mu)\n"                               \
    "contact leg_3 : gap p3.z, slip (v3.x, v3.y), law coulomb(mu)\n"                               \
    "contact leg_4 : gap p4.z, slip (v4.x, v4.y), law coulomb(mu)\nstart z = h\n"

/* slips at atan(mu), or tips at atan(b/(2 h)) */
static void test_statics__table_on_four_legs(void **state) {
    (void)state;
    go(TABLE, "slope=-60:60deg", NULL);
    const zw_rest *r = zw_statics_rest(s);
    double N = 0, F = 0;
    assert_int_equal(r->hyperstatic, 6);
    assert_close(r->factor, tan(5 * DEG) / 0.5, 1e-9);
    for (int i = 0; i < 4; i++) {
        const double *f = r->force + (size_t)(i * ZW_CONTACT_ROWS_MAX);
        assert_true(hypot(f[1], f[2]) <= 0.5 * f[0]);
        N += f[0];
        F += f[2];
    }
    assert_close(N, 20 * 9.81 * cos(5 * DEG), 1e-12);
    assert_close(F, -20 * 9.81 * sin(5 * DEG), 1e-12);
    assert_close(end(0, false)->value, -atan(0.5), 1e-9);
    assert_close(end(0, true)->value, atan(0.5), 1e-9);
    assert_string_equal(end(0, true)->why, "contacts leg_1, leg_2, leg_3 and leg_4 begin to slip");
    go(TABLE, "slope=-60:60deg", "mu=0.8");
    assert_close(end(0, false)->value, -atan(0.6), 1e-9);
    assert_close(end(0, true)->value, atan(0.6), 1e-9);
    assert_string_equal(end(0, true)->why,
                        "it tips over contacts leg_1 and leg_2: contacts leg_3 and leg_4 lift");
    /* forces that are free next to ones that are determined to all digits */
    const char *const rough[] = {"mu=2.5", "mu=3", "mu=6", "mu=10"};
    for (int i = 0; i < 4; i++) {
        go(TABLE, "slope=-80:80deg", rough[i]);
        assert_close(end(0, false)->value, -atan(0.6), 1e-12);
        assert_close(end(0, true)->value, atan(0.6), 1e-12);
    }
}

#define COLLAR                                                                                     \
    "model collar\nparam m = 3 [kg], a = 0.2 [m], b = 0.3 [m], mu = 0.4, g = 9.81 [m/s^2]\n"       \
    "coord x, y [m], th [rad]\nframe F : rotate z th\n"                                            \
    "body collar : F at (x, y, 0), box(m, a, a, a)\npoint load : collar.origin + F(b, 0, 0)\n"     \
    "force weight at load on collar = (0, -m*g, 0)\n"                                              \
    "point top : collar.origin + F(0, a/2, 0)\npoint low : collar.origin + F(0, -a/2, 0)\n"        \
    "let v_top = collar.velocity(top), v_low = collar.velocity(low)\n"                             \
    "contact upper : gap top.x, slip (v_top.y), law coulomb(mu), bilateral\n"                      \
    "contact lower : gap low.x, slip (v_low.y), law coulomb(mu), bilateral\n"

/* locks by itself for mu >= a/(2 b), whatever the load */
static void test_statics__collar_locks(void **state) {
    (void)state;
    go(COLLAR, "mu=0.01:1", NULL);
    assert_int_equal(zw_statics_intervals(s), 1);
    assert_close(end(0, false)->value, 0.2 / (2 * 0.3), 1e-12);
    assert_close(zw_statics_rest(s)->factor, 0.2 / (2 * 0.3 * 0.4), 1e-9);
    assert_close(fabs(zw_statics_rest(s)->force[0]), 3 * 9.81 * 0.3 / 0.2, 1e-9);
    go(COLLAR, "b=0:1", NULL);
    assert_close(end(0, false)->value, 0.2 / (2 * 0.4), 1e-12);
    go(COLLAR, "m=0.1:1000", NULL);
    assert_true(end(0, false)->limit && end(0, true)->limit);
}

/* drawn along a groove: friction across it squeezes the body, so that more than mu m g/cos(alpha)
 * is held */
static void test_statics__groove(void **state) {
    (void)state;
    double c = cos(30 * DEG), n = sin(30 * DEG), mu = 0.3, W = 9.81 / 2;
    double d = c * c - mu * mu * n * n, N = W * c / d, T = mu * mu * n * W / d;
    go("model groove\nparam m = 1 [kg], mu = 0.3, alpha = 30 [deg], F = 1 [N], g = 9.81 [m/s^2]\n"
       "coord x, y, z [m]\nparticle P : m at (x, y, z)\ngravity g along -z\nforce pull (x) = F\n"
       "contact left : gap y*sin(alpha) + z*cos(alpha), "
       "slip (x', y'*cos(alpha) - z'*sin(alpha)), law coulomb(mu)\n"
       "contact right : gap -y*sin(alpha) + z*cos(alpha), "
       "slip (x', y'*cos(alpha) + z'*sin(alpha)), law coulomb(mu)\n",
       "F=0:20", NULL);
    assert_close(end(0, true)->value, 2 * sqrt(mu * mu * N * N - T * T), 1e-12);
}

/* between walls any force may be set up: the least friction holds it */
static void test_statics__jammed(void **state) {
    (void)state;
    const char *text = "model jam\nparam m = 1 [kg], mu = 0.3, g = 9.81 [m/s^2]\ncoord x, z [m]\n"
                       "particle P : m at (x, 0, z)\ngravity g along -z\n"
                       "contact left : gap x, slip z', law coulomb(mu)\n"
                       "contact right : gap -x, slip z', law coulomb(mu)\n";
    go(text, "mu=0.01:1", NULL);
    assert_true(zw_statics_rest(s)->rests);
    assert_true(zw_statics_rest(s)->factor < 1e-4);
    assert_true(end(0, false)->limit && end(0, true)->limit);
    go(text, NULL, "mu=0");
    assert_false(zw_statics_rest(s)->rests);
    assert_int_equal(zw_statics_rest(s)->unbalanced, 1);
}

#define PUCK                                                                                       \
    "model puck\nparam m = 1 [kg], R = 40 [mm], mu = 0.3, M = 0 [N*m], g = 9.81 [m/s^2]\n"         \
    "coord x, y, z [m], phi [rad]\nframe F : rotate z phi\n"                                       \
    "body puck : F at (x, y, z), cylinder(m/(pi*R^2*10 [mm]), R, 10 [mm])\n"                       \
    "gravity g along -z\nforce turn (phi) = M\n"

/* the largest torque of a uniform pressure is 2/3 mu N R */
static void test_statics__torques(void **state) {
    (void)state;
    go(PUCK "contact ice : gap z, slip (x', y'), spin phi', law contensou(mu, R, uniform)\n",
       "M=0:0.2", NULL);
    assert_close(end(0, true)->value, 2.0 / 3 * 0.3 * 9.81 * 0.04, 1e-12);
    go(PUCK "contact ice : gap z, slip (x', y'), spin phi', law coulomb(mu) + pivoting(mu, R)\n",
       "M=0:0.2", NULL);
    assert_close(end(0, true)->value, 0.3 * 9.81 * 0.04, 1e-15);
    assert_string_equal(end(0, true)->why, "contact ice begins to pivot");
}

/* two blocks on slopes, tied by a rod: the joint carries what one of them lacks */
static void test_statics__with_joints(void **state) {
    (void)state;
    go("model pair\nparam m = 1 [kg], mu = 0.2, nu = 0.5, slope = 5 [deg], g = 9.81 [m/s^2]\n"
       "coord x, y, z, w [m]\nparticle P : m at (x, 0, z)\nparticle Q : m at (y, 0, w)\n"
       "gravity g along (sin(slope), 0, -cos(slope))\nconstraint rod : y - x = 1 [m]\n"
       "contact front : gap z, slip x', law coulomb(mu)\n"
       "contact back : gap w, slip y', law coulomb(nu)\nstart x = 0\n",
       "slope=0:60deg", NULL);
    assert_close(end(0, true)->value, atan((0.2 + 0.5) / 2), 1e-12);
    assert_string_equal(end(0, true)->why, "contacts front and back begin to slip");
}

/* what the model gives opens a contact on the way */
static void test_statics__contacts_open(void **state) {
    (void)state;
    go("model lifted\nparam m = 1 [kg], mu = 0.3, k = 100 [N/m], z_0 = 0 [m], g = 9.81 [m/s^2]\n"
       "coord x, z [m]\nparticle P : m at (x, 0, z)\ngravity g along -z\n"
       "contact floor : gap z, slip x', law coulomb(mu)\nstart z = max(0*z_0, z_0)\n",
       "z_0=-0.1:0.1 [m]", NULL);
    assert_int_equal(zw_statics_intervals(s), 1);
    assert_true(fabs(end(0, true)->value) < 1e-8);
    assert_non_null(strstr(end(0, true)->why, "nothing balances the forces on"));
}

static void test_statics__json(void **state) {
    (void)state;
    go(BLOCK, "slope=0:60deg", NULL);
    char *text = report_take_json(report_statics());
    assert_non_null(strstr(text, "\"rests\": true"));
    assert_non_null(strstr(text, "\"high_gives_way\": \"contact floor begins to slip\""));
    free(text);
}

static void test_statics__report(void **state) {
    (void)state;
    go(BLOCK, "slope=-60:10deg", NULL);
    zw_report *r = report_statics();
    assert_close(zw_report_get_number(r, "start.contacts.0.friction.0.force"),
                 -2 * 9.81 * sin(10 * DEG), 1e-14);
    assert_close(zw_report_get_number(r, "intervals.0.low"), -atan(0.3), 2e-16);
    assert_true(zw_report_get_number(r, "intervals.0.high_is_end_of_range") == 1);
    char *text = report_take_text(r);
    assert_non_null(strstr(text, "block: rests at the start\n  floor            19.32"));
    assert_non_null(strstr(text, "rests for slope above -16.6992442339936 deg: contact floor "
                                 "begins to slip\n"));
    free(text);
}

/* the reserve of a block: mu N - |m g sin(slope)| or N */
static void test_statics__table(void **state) {
    (void)state;
    zw_table *t;
    go(BLOCK, "slope=0:60:61 [deg]", NULL);
    assert_int_equal(zw_statics_table(s, NULL, &t, &err), ZW_OK);
    int slope = zw_table_find(t, "slope"), reserve = zw_table_find(t, "reserve"),
        rests = zw_table_find(t, "rests"), N = zw_table_find(t, "lambda(floor)");
    assert_int_equal(zw_table_rows(t), 61);
    for (int i = 0; i < 61; i++) {
        double a = zw_table_at(t, i, slope), load = 2 * 9.81 * cos(a);
        bool holds = tan(a) <= 0.3;
        assert_close(a, i * DEG, 1e-15);
        assert_true(zw_table_at(t, i, rests) == holds);
        assert_close(zw_table_at(t, i, reserve), fmin(load, 0.3 * load - 2 * 9.81 * sin(a)), 1e-12);
        assert_true(holds ? fabs(zw_table_at(t, i, N) - load) < 1e-12
                          : isnan(zw_table_at(t, i, N)));
    }
    zw_table_destroy(t);
    go(BLOCK, NULL, NULL);
    assert_int_equal(zw_statics_table(s, NULL, &t, &err), ZW_OK);
    assert_int_equal(zw_table_rows(t), 1);
    assert_close(zw_table_at(t, 0, 0), tan(10 * DEG) / 0.3, 1e-14);
    zw_table_destroy(t);
}

static bool stop_late(void *user, double done) {
    (void)user;
    return done > 0.5;
}

static void test_statics__stops(void **state) {
    (void)state;
    go(BLOCK, NULL, NULL);
    zw_statics_destroy(s);
    assert_int_equal(zw_statics_create(&s, sys, "slope=0:60:61 [deg]", &err), ZW_OK);
    assert_int_equal(zw_statics_run(s, stop_late, NULL, &err), ZW_STOPPED);
    assert_int_equal(zw_statics_intervals(s), 0);
    char *text = report_take_text(report_statics());
    assert_non_null(strstr(text, "stopped after 31 values of slope"));
    free(text);
}

static void refuse(const char *text, const char *over, const char *set, const char *what) {
    assert_true(try_with(text, over, set != NULL, &set) < 0);
    if (!strstr(err.text, what))
        fail_msg("'%s' instead of '%s'", err.text, what);
}

static void test_statics__refusals(void **state) {
    (void)state;
    refuse("model free\ncoord x [m]\nkinetic 1 [kg]*x'^2\n", NULL, NULL, "has no contact");
    refuse(BLOCK "start x' = 1 [m/s]\n", NULL, NULL, "the start moves: x' = 1 m/s");
    refuse(BLOCK "start z = -1 [cm]\n", NULL, NULL, "the contact floor overlaps at the start");
    refuse(BLOCK "start z = 1 [cm]\n", NULL, NULL, "no contact is closed at the start");
    refuse(BLOCK "contact lift : gap z + 1 [m] - 1 [m/s]*t\n", NULL, NULL,
           "the contact lift moves by itself");
    refuse(BLOCK "contact belt : gap z, slip x' - 1 [m/s], law coulomb(mu)\n", NULL, NULL,
           "the support of the contact belt moves by itself");
    refuse(BLOCK, "x'=0:1", NULL, "over a parameter or a coordinate");
    refuse(BLOCK, "slop=0:1", NULL, "there is no parameter of this name");
}

static void test_statics__survives_failing_memory(void **state) {
    (void)state;
    for (long n = 1;; n += 1 + n / 8) {
        failing_allocator f = failing_allocator_make(n);
        zw_allocator alloc = failing_allocator_of(&f);
        zw_context *own = zw_context_create(&alloc);
        zw_system *model;
        zw_statics *made = NULL;
        zw_error trouble = {0};
        if (own &&
            zw_model_parse(&model, own, BLOCK, strlen(BLOCK), "test.zw", NULL, &trouble) >= 0) {
            zw_statics_create(&made, model, "slope=0:60:5 [deg]", &trouble);
            zw_report *r = zw_report_create(&alloc);
            zw_table *t = NULL;
            zw_bytes bytes = {0};
            if (made && r && zw_statics_run(made, NULL, NULL, &trouble) >= 0) {
                zw_report_word(r, "model", model->name);
                zw_statics_report(made, r);
                zw_report_text(r, &bytes, &trouble);
                zw_statics_table(made, NULL, &t, &trouble);
            }
            zw_bytes_clear(&bytes);
            zw_table_destroy(t);
            zw_report_destroy(r);
            zw_statics_destroy(made);
        }
        if (own)
            zw_context_destroy(own);
        assert_int_equal(f.blocks, 0);
        if (!f.failed)
            break;
    }
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(test_statics__##name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(block_to_the_last_digit),
        TEST(idle_contact_holds_nothing),
        TEST(too_steep),
        TEST(narrow_intervals_are_found),
        TEST(positions),
        TEST(ladder),
        TEST(table_on_four_legs),
        TEST(collar_locks),
        TEST(groove),
        TEST(jammed),
        TEST(torques),
        TEST(with_joints),
        TEST(contacts_open),
        TEST(json),
        TEST(report),
        TEST(table),
        TEST(stops),
        TEST(refusals),
        TEST(survives_failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
