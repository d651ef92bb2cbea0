/* SPDX-License-Identifier: MIT */
/* What is wrong with a model with contacts, or with how it is run, is refused or told: by name,
 * with its size. */
#include "support/contact_run.h"

typedef struct mistake {
    contact_run run;
    const char *said;
} mistake;

static void test_contacts__refused(void **state) {
    (void)state;
    static const char missing[] = "model missing\nparam m = 1 [kg]\ncoord x, z [m]\n"
                                  "particle P : m at (x, 0, z)\n"
                                  "contact floor : gap foot.z, slip x', law coulomb(0.3)\n";
    static const char body[] = "model missing\nparam m = 1 [kg], r = 1 [cm]\ncoord x, y, z [m]\n"
                               "body ball : sphere(m, r) at (x, y, z)\n"
                               "contact floor : sphere bal radius r on plane, law coulomb(0.3)\n";
    static const char drag[] = "model drag\nparam m = 1 [kg], mu = 0.3\ncoord x, z [m]\n"
                               "particle P : m at (x, 0, z)\ngravity 9.81 [m/s^2] along -z\n"
                               "contact floor : gap z, slip x', law coulomb(mu)\n"
                               "force f (x) = -0.1*lambda(floor)\n";
    const mistake all[] = {
        {{.model = drag}, "lambda(floor), the force of a contact, which is known after all other"},
        {{.model = "sliding_ball", .set = {"mu=-0.1"}},
         "coefficient of friction is negative: -0.1"},
        {{.model = "zeno_ball", .set = {"e=1.2"}}, "restitution is more than 1: 1.2"},
        {{.model = "sliding_ball", .law = {"floor=coulomb"}},
         "the law coulomb has too few arguments"},
        {{.model = "sliding_ball", .law = {"flor=coulomb(mu)"}}, "there is no contact 'flor'"},
        {{.model = "euler_disc", .law = {"rim=rolling(0.1)"}}, "needs a radius"},
        {{.model = missing}, "there is no name 'foot'"},
        {{.model = body}, "'bal'"},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        contact_run r = all[i].run;
        r.until = 0.1;
        simulation s = contact_try(&r);
        assert_true(s.status < 0);
        assert_true(s.err.line > 0);
        assert_text_has(s.err.text, all[i].said);
        simulation_clear(&s);
    }
}

static void test_contacts__told(void **state) {
    (void)state;
    const mistake all[] = {
        {{.model = "zeno_ball", .set = {"z=0.03 [m]"}, .step = 1e-3},
         "the contact floor overlaps at the start by 0.02 m"},
        {{.model = "box_stack", .set = {"y3=0.249 [m]"}, .step = 1e-3},
         "the contact r3 overlaps at the start by 0.001 m"},
        /* 6 m/s and 5.7 cm: the cue ball is through the rack within a step */
        {{.model = "billiard_break", .step = 2e-2}, "was passed through within one step"},
        {{.model = "zeno_ball", .step = 0.3}, "the bodies of the contact floor overlap"},
        {{.model = "spinning_egg", .step = 1e-3}, "the bodies of the contact table overlap"},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        contact_run r = all[i].run;
        r.until = 1;
        simulation s = contact_do(&r);
        assert_text_has(note_of(zw_sim_rows(s.sim), "doubts"), all[i].said);
        simulation_clear(&s);
    }
}

/* an overlap of the start stays, unless it is asked away */
static void test_contacts__overlap_is_mended_on_request(void **state) {
    (void)state;
    contact_run r = {
        .model = "zeno_ball", .set = {"z=0.03 [m]", "e=0"}, .until = 0.1, .step = 1e-3};
    assert_close(contact_end(&r, "gap(floor)"), -0.02, 1e-12);
    r.corrected = true;
    assert_close(contact_end(&r, "gap(floor)"), 0, 1e-12);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_contacts__refused),
        cmocka_unit_test(test_contacts__told),
        cmocka_unit_test(test_contacts__overlap_is_mended_on_request),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
