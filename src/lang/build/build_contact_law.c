/* SPDX-License-Identifier: MIT */
/* The laws of a contact. A sum of laws has at most one law for each of: the impact (newton), the
 * slip (coulomb, smooth, linear, contensou, none), the spin (pivoting, contensou), the roll
 * (rolling, contour).
 *
 *     signorini            0 <= gap, 0 <= N, N gap = 0: always; the only law if no other is given
 *     newton(e, e_T)       gap'+ = -e gap'- when a contact closes; the slips likewise with e_T
 *     coulomb(mu)          |F| <= mu N, the set of friction forces is a disc; coulomb(mu1, mu2): an
 *                          ellipse along the two slips
 *     smooth(mu, eps)      F = -mu N v/(|v| + eps)
 *     linear(d)            F = -d v, independent of N
 *     contensou(mu, R, p)  slip and spin together, pressure p over a patch of radius R; with mu_tau
 *                          the spin row has that coefficient instead of mu: dissipative, but no
 *                          longer a gradient
 *     pivoting(mu, R)      |M| <= mu R N about the normal;    rolling(mu, R) the same for the roll
 *     contour(mu)          |F| <= mu N against the motion of the point of contact over the body
 *
 * A spin or roll in rad/s enters its block times the radius, so that all rows are speeds. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/option.h"
#include "build_contact.h"

/* The law being read, and the quantities that earlier laws apply to. */
typedef struct reading {
    zw_model *m;
    zw_contact_kinematics *c;
    const zw_syntax *law;
    const zw_syntax *impact, *slip, *spin, *roll; /* the law that applies to it; NULL: none */
    zw_expr tangential;                           /* e_T */
} reading;

/* ------------------------------------------------------------------------------- numbers */

/* the value of an expression of parameters, as given by the text and --set; NaN if it moves or has
 * none */
static zw_status value_now(zw_model *m, zw_expr e, double *out) {
    const zw_system *s = m->sys;
    *out = NAN;
    if (zw_model_variable(m, e))
        return ZW_OK;
    double *p = ZW_NEW(m->arena, double, s->np + 1);
    zw_expr *sym = ZW_NEW(m->arena, zw_expr, s->np + 1);
    if (!p || !sym)
        return zw_model_memory(m);
    for (int i = 0; i < s->np; i++)
        sym[i] = s->param[i].sym;
    if (zw_system_param_values(s, p, NULL) >= 0)
        *out = zw_eval(m->ctx, e, s->np, sym, p);
    return ZW_OK;
}

zw_status zw_contact_in_range(zw_model *m, const zw_syntax *node, const char *what,
                              zw_number_range range, zw_expr e) {
    double value;
    ZW_TRY(value_now(m, e, &value));
    const char *wrong = value < 0                            ? "negative"
                        : range == ZW_POSITIVE && value == 0 ? "zero"
                        : range == ZW_PART && value > 1      ? "more than 1"
                                                             : NULL;
    if (!wrong)
        return ZW_OK;
    if (value == 0)
        zw_fail_at(m->err, ZW_E_MODEL, node->place, "%s is zero", what);
    else
        zw_fail_at(m->err, ZW_E_MODEL, node->place, "%s is %s: %g", what, wrong, value);
    zw_error_hint(m->err, range == ZW_PART       ? "it lies between 0 and 1"
                          : range == ZW_POSITIVE ? "it must be positive"
                                                 : "it must be positive, or 0");
    return ZW_E_MODEL;
}

zw_status zw_contact_number(zw_model *m, const zw_syntax *node, const char *what, zw_dim dim,
                            zw_number_range range, zw_expr *out) {
    ZW_TRY(zw_model_scalar(m, node, what, &dim, out));
    return zw_contact_in_range(m, node, what, range, *out);
}

/* argument i of the law */
static zw_status read_number(reading *r, int i, const char *what, zw_dim dim, zw_number_range range,
                             zw_expr *out) {
    return zw_contact_number(r->m, r->law->arg[i], what, dim, range, out);
}

static zw_status read_coefficient(reading *r, int i, zw_expr *out) {
    return read_number(r, i, "the coefficient of friction", zw_dim_none(), ZW_NOT_NEGATIVE, out);
}

static zw_status read_radius(reading *r, int i, zw_expr *out) {
    return read_number(r, i, "the radius", zw_model_dim(r->m, 0, 1, 0), ZW_POSITIVE, out);
}

/* ------------------------------------------------------------------------------- velocities */

/* the law applies to these velocities: they must exist, and no earlier law may apply to them */
static zw_status claim_velocities(reading *r, const char *what, bool there, const zw_syntax **by) {
    if (!there && r->c->fixed && strcmp(what, "contour") == 0) {
        zw_fail_at(r->m->err, ZW_E_MODEL, r->law->place,
                   "a corner does not move over its body: '%s' has no contour friction",
                   r->c->contact.name);
        zw_error_hint(r->m->err, "rolling(mu, R) and pivoting(mu, R) resist the turning of a body");
        return ZW_E_MODEL;
    }
    if (!there && strcmp(what, "contour") == 0) {
        zw_fail_at(r->m->err, ZW_E_MODEL, r->law->place,
                   "contour needs a body of a known shape, which '%s' has not", r->c->contact.name);
        zw_error_hint(r->m->err,
                      "contact %s : disk BODY radius r on plane, law contour(mu); or "
                      "roll ... in m/s and law rolling(mu)",
                      r->c->contact.name);
        return ZW_E_MODEL;
    }
    if (!there) {
        zw_fail_at(r->m->err, ZW_E_MODEL, r->law->place,
                   "the law %s needs a %s, but the contact '%s' has none", r->law->name, what,
                   r->c->contact.name);
        zw_error_hint(r->m->err, "contact %s : gap ..., %s ..., law %s(...)", r->c->contact.name,
                      what, r->law->name);
        return ZW_E_MODEL;
    }
    if (*by) {
        zw_fail_at(r->m->err, ZW_E_MODEL, r->law->place, "%s and %s are both laws for the same %s",
                   (*by)->name, r->law->name, what);
        zw_error_hint(r->m->err, "remove one of them");
        return ZW_E_MODEL;
    }
    *by = r->law;
    return ZW_OK;
}

static zw_rubbing *add_block(reading *r, zw_friction_kind kind, int nrow) {
    zw_contact *c = &r->c->contact;
    zw_rubbing *b = &c->block[c->nblock++];
    *b = zw_rubbing_block(kind, nrow);
    return b;
}

static zw_rubbing *add_slip_block(reading *r, zw_friction_kind kind) {
    static const char *const parts[] = {"1", "2"};
    zw_rubbing *b = add_block(r, kind, r->c->nslip);
    for (int i = 0; i < b->nrow; i++) {
        b->rate[i] = r->c->slip[i];
        b->part[i] = parts[i];
    }
    return b;
}

/* an angular rate times its radius, as row i */
static void turn_row(reading *r, zw_rubbing *b, int i, const char *part, zw_expr rate,
                     zw_expr arm) {
    b->rate[i] = zw_mul(r->m->ctx, arm, rate);
    b->arm[i] = arm;
    b->part[i] = part;
}

/* ------------------------------------------------------------------------------- the laws */

static zw_status read_signorini(reading *r) {
    (void)r;
    return ZW_OK;
}

static zw_status read_newton(reading *r) {
    ZW_TRY(claim_velocities(r, "gap", true, &r->impact));
    ZW_TRY(
        read_number(r, 0, "the restitution", zw_dim_none(), ZW_PART, &r->c->contact.restitution));
    if (r->law->n > 1 && r->c->nslip == 0)
        return zw_fail_at(r->m->err, ZW_E_MODEL, r->law->arg[1]->place,
                          "a tangential restitution without a slip");
    return r->law->n > 1 ? read_number(r, 1, "the tangential restitution", zw_dim_none(), ZW_PART,
                                       &r->tangential)
                         : ZW_OK;
}

static zw_status read_none(reading *r) {
    return claim_velocities(r, "slip", true, &r->slip);
}

static zw_status read_coulomb(reading *r) {
    ZW_TRY(claim_velocities(r, "slip", r->c->nslip > 0, &r->slip));
    if (r->law->n == 2 && r->c->nslip != 2)
        return zw_fail_at(r->m->err, ZW_E_MODEL, r->law->arg[1]->place,
                          "two coefficients of friction for one slip");
    zw_rubbing *b = add_slip_block(r, ZW_FRICTION_ELLIPSOID);
    if (r->law->n == 1)
        return read_coefficient(r, 0, &b->mu);
    b->mu = ZW_ONE; /* the axes of the ellipse are the coefficients */
    for (int i = 0; i < 2; i++)
        ZW_TRY(read_number(r, i, "the coefficient of friction", zw_dim_none(), ZW_POSITIVE,
                           &b->axis[i]));
    return ZW_OK;
}

static zw_status read_smooth(reading *r) {
    ZW_TRY(claim_velocities(r, "slip", r->c->nslip > 0, &r->slip));
    zw_rubbing *b = add_slip_block(r, ZW_FRICTION_ELLIPSOID);
    ZW_TRY(read_coefficient(r, 0, &b->mu));
    return read_number(r, 1, "the smoothing velocity", zw_model_dim(r->m, 0, 1, -1), ZW_POSITIVE,
                       &b->smooth);
}

static zw_status read_linear(reading *r) {
    ZW_TRY(claim_velocities(r, "slip", r->c->nslip > 0, &r->slip));
    zw_rubbing *b = add_slip_block(r, ZW_FRICTION_LINEAR);
    return read_number(r, 0, "the damping", zw_model_dim(r->m, 1, 0, -1), ZW_NOT_NEGATIVE,
                       &b->damping);
}

static zw_status read_pivoting(reading *r) {
    zw_expr arm;
    ZW_TRY(claim_velocities(r, "spin", r->c->spin != ZW_NULL, &r->spin));
    zw_rubbing *b = add_block(r, ZW_FRICTION_ELLIPSOID, 1);
    ZW_TRY(read_coefficient(r, 0, &b->mu));
    ZW_TRY(read_radius(r, 1, &arm));
    turn_row(r, b, 0, "spin", r->c->spin, arm);
    return ZW_OK;
}

/* the rows of one or two velocities times their radius */
static void add_rows(reading *r, zw_rubbing *b, const char *const part[3], const zw_expr *rate,
                     zw_expr arm) {
    for (int i = 0; i < b->nrow; i++)
        turn_row(r, b, i, part[b->nrow == 1 ? 0 : i + 1], rate[i], arm);
}

static zw_status read_rolling(reading *r) {
    static const char *const parts[] = {"roll", "roll1", "roll2"};
    zw_expr arm = ZW_ONE;
    ZW_TRY(claim_velocities(r, "roll", r->c->nroll > 0, &r->roll));
    zw_rubbing *b = add_block(r, ZW_FRICTION_ELLIPSOID, r->c->nroll);
    ZW_TRY(read_coefficient(r, 0, &b->mu));
    bool radius_said = r->law->n > 1;
    if (r->m->check && radius_said == r->c->roll_is_speed) {
        zw_fail_at(r->m->err, ZW_E_MODEL, r->law->place,
                   radius_said ? "the roll of '%s' is a speed: rolling takes no radius"
                               : "the roll of '%s' is a rate of an angle: rolling needs a radius",
                   r->c->contact.name);
        zw_error_hint(r->m->err, radius_said ? "rolling(mu)" : "rolling(mu, radius)");
        return ZW_E_MODEL;
    }
    if (radius_said)
        ZW_TRY(read_radius(r, 1, &arm));
    add_rows(r, b, parts, r->c->roll, arm);
    return ZW_OK;
}

static zw_status read_contour(reading *r) {
    static const char *const parts[] = {"contour", "contour1", "contour2"};
    zw_expr mu;
    ZW_TRY(claim_velocities(r, "contour", r->c->ncontour > 0 || r->c->aside, &r->roll));
    ZW_TRY(read_coefficient(r, 0, &mu));
    if (r->c->aside)
        return ZW_OK;
    zw_rubbing *b = add_block(r, ZW_FRICTION_ELLIPSOID, r->c->ncontour);
    b->mu = mu;
    add_rows(r, b, parts, r->c->contour, ZW_ONE);
    return ZW_OK;
}

/* -------------------------------------------------------------------- Coulomb and Contensou */

typedef struct pressure {
    const char *name;
    double nu;
} pressure;

static const pressure pressures[] = {
    {"hertz", 0.5}, {"uniform", 0}, {"parabolic", 1}, {"ring", -1}, {"printed", ZW_NU_PRINTED}};

static zw_status unknown_pressure(reading *r, const zw_syntax *node) {
    zw_fail_at(r->m->err, ZW_E_NAME, node->place, "this is no pressure");
    zw_error_hint(r->m->err,
                  "hertz, uniform, parabolic, ring or printed, as in contensou(mu, R, uniform)");
    return ZW_E_NAME;
}

/* true if the argument is one of the words */
static zw_status read_pressure(reading *r, const zw_syntax *node, bool *found, double *nu) {
    *found = false;
    if (node->kind != ZW_ND_NAME)
        return ZW_OK;
    for (size_t i = 0; i < sizeof pressures / sizeof *pressures; i++)
        if (strcmp(pressures[i].name, node->name) == 0) {
            *found = true;
            *nu = pressures[i].nu;
            return ZW_OK;
        }
    return zw_model_find(r->m, node->name) ? ZW_OK : unknown_pressure(r, node);
}

/* With mu_tau the force on the spin row is not the gradient of the dissipation, which a note
 * reports. */
static zw_status read_spin_coefficient(reading *r, int i, zw_rubbing *b) {
    zw_expr mu_tau;
    char sentence[300];
    ZW_TRY(
        read_number(r, i, "the coefficient of pivoting", zw_dim_none(), ZW_NOT_NEGATIVE, &mu_tau));
    if (b->mu == ZW_ZERO)
        return zw_fail_at(r->m->err, ZW_E_MODEL, r->law->arg[0]->place,
                          "the pivoting coefficient is not 0, but the friction coefficient is 0");
    b->pull[2] = zw_div(r->m->ctx, mu_tau, b->mu);
    snprintf(sentence, sizeof sentence,
             "contensou in '%.60s' (line %d) has a coefficient of its own for pivoting: such a law "
             "dissipates, but it has no potential",
             r->c->contact.name, r->law->place.line);
    return zw_model_note(r->m, sentence);
}

static zw_status read_contensou(reading *r) {
    zw_expr arm;
    bool word = false;
    ZW_TRY(claim_velocities(r, "slip", r->c->nslip > 0, &r->slip));
    ZW_TRY(claim_velocities(r, "spin", r->c->spin != ZW_NULL, &r->spin));
    if (r->c->nslip != 2)
        return zw_fail_at(r->m->err, ZW_E_MODEL, r->law->place,
                          "contensou needs two slips and a spin, '%s' has one slip",
                          r->c->contact.name);
    zw_rubbing *b = add_slip_block(r, ZW_FRICTION_CONTENSOU);
    b->nrow = 3;
    ZW_TRY(read_coefficient(r, 0, &b->mu));
    ZW_TRY(read_radius(r, 1, &arm));
    turn_row(r, b, 2, "spin", r->c->spin, arm);
    if (r->law->n > 2)
        ZW_TRY(read_pressure(r, r->law->arg[2], &word, &b->nu));
    if (r->law->n == 4 && !word)
        return unknown_pressure(r, r->law->arg[2]);
    int last = r->law->n - 1;
    return last > 1 + word ? read_spin_coefficient(r, last, b) : ZW_OK;
}

/* ------------------------------------------------------------------------------- the table */

typedef struct law_row {
    const char *name;
    int least, most; /* number of arguments */
    const char *usage;
    zw_status (*read)(reading *r);
} law_row;

static const law_row laws[] = {
    {"signorini", 0, 0, "signorini", read_signorini},
    {"newton", 1, 2, "newton(e) or newton(e, e_T)", read_newton},
    {"coulomb", 1, 2, "coulomb(mu) or coulomb(mu1, mu2)", read_coulomb},
    {"smooth", 2, 2, "smooth(mu, eps) with a velocity eps", read_smooth},
    {"linear", 1, 1, "linear(d) with a damping constant d", read_linear},
    {"contensou", 2, 4, "contensou(mu, radius), contensou(mu, radius, uniform, mu_tau)",
     read_contensou},
    {"pivoting", 2, 2, "pivoting(mu, radius)", read_pivoting},
    {"rolling", 1, 2, "rolling(mu, radius), or rolling(mu) of a speed", read_rolling},
    {"contour", 1, 1, "contour(mu)", read_contour},
    {"none", 0, 0, "none", read_none},
};
enum { LAWS = sizeof laws / sizeof *laws };

static zw_status unknown_law(zw_model *m, const zw_syntax *law) {
    const char *names[LAWS];
    for (int i = 0; i < LAWS; i++)
        names[i] = laws[i].name;
    zw_fail_at(m->err, ZW_E_NAME, law->place, "there is no law '%s'", law->name);
    const char *near = zw_nearest(law->name, LAWS, names);
    if (near)
        zw_error_hint(m->err, "did you mean %s?", near);
    else
        zw_error_hint(m->err, "the laws are signorini, newton, coulomb, smooth, linear, contensou, "
                              "pivoting, rolling, contour, none");
    return ZW_E_NAME;
}

static zw_status read_law(reading *r) {
    for (int i = 0; i < LAWS; i++) {
        const law_row *row = &laws[i];
        if (strcmp(row->name, r->law->name) != 0)
            continue;
        if (r->law->n >= row->least && r->law->n <= row->most)
            return row->read(r);
        zw_fail_at(r->m->err, ZW_E_SYNTAX, r->law->place,
                   r->law->n < row->least ? "the law %s has too few arguments"
                                          : "the law %s has too many arguments",
                   row->name);
        zw_error_hint(r->m->err, "write %s", row->usage);
        return ZW_E_SYNTAX;
    }
    return unknown_law(r->m, r->law);
}

/* notes a velocity that is given but resisted by no law */
static zw_status note_free(const reading *r, const char *what, const zw_syntax *said,
                           const zw_syntax *law) {
    char sentence[200];
    if (!said || law)
        return ZW_OK;
    snprintf(sentence, sizeof sentence, "no law of the contact '%.80s' (line %d) resists its %s",
             r->c->contact.name, said->place.line, what);
    return zw_model_note(r->m, sentence);
}

static zw_status note_all_free(const reading *r, const zw_contact_text *spec) {
    ZW_TRY(note_free(r, "slip", spec->slip, r->slip));
    ZW_TRY(note_free(r, "spin", spec->spin, r->spin));
    return note_free(r, "roll", spec->roll, r->roll);
}

zw_status zw_contact_laws(zw_model *m, const zw_contact_text *spec,
                          zw_contact_kinematics *kinematics) {
    reading r = {.m = m, .c = kinematics, .tangential = ZW_ZERO};
    zw_contact *c = &kinematics->contact;
    for (int i = 0; i < spec->nlaw; i++) {
        r.law = spec->law[i];
        ZW_TRY(read_law(&r));
    }
    ZW_TRY(note_all_free(&r, spec));
    for (int i = 0; i < c->nblock; i++)
        c->block[i].restitution = r.tangential;
    return zw_model_check_expressions(m, c->place);
}
