/* SPDX-License-Identifier: MIT */
/* The bytes as a contact problem, solved by any method. The first one says of which kind:
 *   odd   a pile of boxes (tests/support/pile.h) with laws that the bytes choose: what is called
 *         solved satisfies the
 *         definition of the law
 *   even  matrix and velocities are the bytes, any doubles at all: rejected with words, or any
 *         verdict, and what is
 *         called solved is finite and has the residual that is reported */
#include "fuzz.h"
#include "support/pile.h"

static zw_contact_solver *solver;

static zw_contact_options choose(fuzz_bytes *b) {
    zw_contact_options o = zw_contact_options_default();
    unsigned method = fuzz_byte(b);
    o.method = method < 192 ? ZW_CONTACT_AUTO
               : method & 1 ? ZW_CONTACT_PROX
                            : ZW_CONTACT_GAUSS_SEIDEL;
    o.iterations_max = 500;
    o.examine = method & 2;
    o.paradox = method & 4;
    return o;
}

static void check_pile(fuzz_bytes *b) {
    static const double ratio[] = {1, 1, 1e2, 1e4}, most[] = {0.3, 0.8, 1.2, 2};
    pile p;
    double r[CONTACTS * ROWS] = {0}, u[CONTACTS * ROWS];
    zw_contact_answer answer;
    zw_error err = {0};
    zw_contact_options o = choose(b);
    unsigned has = fuzz_byte(b), more = fuzz_byte(b), seed = 256 * fuzz_byte(b);
    zw_random random = zw_random_stream(seed + fuzz_byte(b), 43);
    kind k = {.contensou = has & 1, .roll = has & 8};
    if (!k.contensou) {
        k.pivot = has & 2;
        k.anisotropic = has & 4;
        k.smooth = has & 16;
        k.linear = has & 32 && !k.smooth;
        k.plain = (has & 192) == 64 && !(has & 63);
        k.planar = (has & 192) == 128 && !(has & 63);
    }
    make_pile(&p, &random, 1 + (int)(more % BOXES), k, most[more / 4 % 4], ratio[more / 16 % 4],
              more & 64);
    if (!fuzz_well(zw_contact_solve(solver, &p.problem, &o, r, &answer, &err), &err))
        abort(); /* all of these are good data */
    if (answer.verdict != ZW_CONTACT_CONVERGED)
        return;
    push_bodies(&p, r, u);
    for (int row = 0; row < count_rows(&p); row++)
        u[row] += p.q[row];
    if (!(law_missed(&p, r, u) <= 1e-5)) /* as test_contact_fuzz asks at this tolerance */
        abort();
}

static double number(fuzz_bytes *b) {
    unsigned kind = fuzz_byte(b);
    double x = ((int)fuzz_byte(b) - 128) / 16.0;
    if (kind < 200)
        return x;
    if (kind < 248)
        return ldexp(x, 16 * ((int)kind - 224)); /* of any size */
    static const double odd[] = {INFINITY, -INFINITY, NAN, 5e-324, -0.0, 1.7e308, -1.7e308, 0};
    return odd[kind - 248];
}

static void check_matrix(fuzz_bytes *b) {
    enum { MOST = 4, SIZE = MOST * ROWS };
    double W[SIZE * SIZE], q[SIZE], r[SIZE] = {0}, residual;
    zw_contact_law law[MOST];
    zw_contact_answer answer;
    zw_error err = {0};
    zw_contact_options o = choose(b);
    zw_contact_problem p = {.ncontact = 1 + (int)fuzz_pick(b, MOST), .law = law, .q = q, .W = W};
    int n = 0;
    for (int i = 0; i < p.ncontact; i++) {
        unsigned has = fuzz_byte(b);
        zw_random random = zw_random_stream(has, 47);
        law[i] = make_law(
            &random, (kind){.contensou = has & 1, .pivot = (has & 3) == 2, .roll = has & 4}, 2);
        if (has > 250) /* what a caller may get wrong */
            law[i].block[0].mu = number(b);
        n += zw_contact_law_rows(&law[i]);
    }
    for (int i = 0; i < n; i++) {
        q[i] = number(b);
        for (int j = 0; j <= i; j++)
            W[i * n + j] = W[j * n + i] = number(b) + (i == j ? 8 : 0);
    }
    if (!fuzz_well(zw_contact_solve(solver, &p, &o, r, &answer, &err), &err) ||
        answer.verdict != ZW_CONTACT_CONVERGED)
        return;
    for (int i = 0; i < n; i++)
        if (!isfinite(r[i]))
            abort();
    if (!fuzz_well(zw_contact_residual(solver, &p, r, NULL, &residual, &err), &err) ||
        !(residual <= 2 * fmax(answer.residual, o.tolerance)))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_bytes b = fuzz_decisions(data, size);
    if (!solver && !(solver = zw_contact_solver_create(NULL)))
        abort();
    if (fuzz_byte(&b) & 1)
        check_pile(&b);
    else
        check_matrix(&b);
    return 0;
}
