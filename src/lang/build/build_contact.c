/* SPDX-License-Identifier: MIT */
/* The statement `contact`, and contacts whose gap and velocities are given in the text.
 *
 * A slip of three components is a velocity v in space. The two rows of friction are tangential:
 * with unit vectors t1, t2 and the normal n, a right-handed frame in this order, they are v . t1
 * and v . t2. A row that is zero for any state, like that across the plane of a plane motion, is
 * left out. */
#include "build_contact.h"

#include <stdio.h>
#include <string.h>

#include "lang/vector.h"
#include "mech/system/build.h"

/* ------------------------------------------------------------------------------- velocities */

static zw_status check_speed(zw_model *m, const zw_syntax *node, const char *what,
                             const zw_dim *d) {
    zw_dim speed = zw_model_dim(m, 0, 1, -1);
    char fmt[80];
    if (zw_model_fits(m, d, &speed))
        return ZW_OK;
    snprintf(fmt, sizeof fmt, "%s is %%s and must be %%s", what);
    return zw_model_unit_mismatch(m, node->place, fmt, d, &speed);
}

static zw_status read_normal(zw_model *m, const zw_syntax *node, zw_expr n[3]) {
    zw_context *ctx = m->ctx;
    static const zw_expr up[3] = {ZW_ZERO, ZW_ZERO, ZW_ONE};
    memcpy(n, up, sizeof up);
    if (!node)
        return ZW_OK;
    ZW_TRY(zw_model_vector(m, node, "the normal", NULL, n, NULL));
    zw_expr square = zw_vector_dot(ctx, n, n);
    if (square == ZW_ZERO)
        return zw_fail_at(m->err, ZW_E_MODEL, node->place,
                          "the normal has no direction: it is zero");
    for (int i = 0; i < 3 && square != ZW_ONE; i++)
        n[i] = zw_div(ctx, n[i], zw_sqrt(ctx, square));
    return zw_model_check_expressions(m, node->place);
}

/* the tangential rows of a velocity in space */
static zw_status across_normal(zw_model *m, const zw_contact_text *spec, const zw_quantity *v,
                               zw_contact_kinematics *c) {
    zw_contact *k = &c->contact;
    zw_quantity all = zw_quantity_in_space(v, 3);
    ZW_TRY(read_normal(m, spec->normal, k->normal));
    zw_vector_across(m->ctx, k->normal, k->tangent);
    for (int i = 0; i < 2; i++) {
        zw_expr row = zw_vector_dot(m->ctx, all.e, k->tangent[i]);
        if (zw_mech_is_zero(m->sys, row))
            continue;
        memmove(k->tangent[c->nslip], k->tangent[i], sizeof k->tangent[i]);
        c->slip[c->nslip++] = row;
    }
    return zw_contact_check(m, k, all.e, spec->slip->place);
}

static zw_status read_slip(zw_model *m, const zw_contact_text *spec, zw_contact_kinematics *c) {
    zw_quantity v;
    if (!spec->slip)
        return ZW_OK;
    ZW_TRY(zw_model_eval(m, spec->slip, &v));
    for (int i = 0; i < v.n; i++)
        ZW_TRY(check_speed(m, spec->slip, "the slip", &v.d[i]));
    if (v.n > 3)
        return zw_fail_at(m->err, ZW_E_SYNTAX, spec->slip->place,
                          "a slip has one, two or three components, not %d", v.n);
    if (v.n == 3 || spec->normal)
        return across_normal(m, spec, &v, c);
    c->nslip = v.n;
    memcpy(c->slip, v.e, sizeof *c->slip * (size_t)v.n);
    return ZW_OK;
}

static zw_status read_spin(zw_model *m, const zw_contact_text *spec, zw_contact_kinematics *c) {
    zw_dim rate = zw_model_dim(m, 0, 0, -1);
    if (!spec->spin)
        return ZW_OK;
    return zw_model_scalar(m, spec->spin, "the spin", &rate, &c->spin);
}

static zw_status read_roll(zw_model *m, const zw_contact_text *spec, zw_contact_kinematics *c) {
    zw_quantity v;
    zw_dim rate = zw_model_dim(m, 0, 0, -1);
    if (!spec->roll)
        return ZW_OK;
    ZW_TRY(zw_model_eval(m, spec->roll, &v));
    if (v.n > ZW_SLIPS_MAX)
        return zw_fail_at(m->err, ZW_E_SYNTAX, spec->roll->place,
                          "a roll has one or two components, not %d", v.n);
    c->roll_is_speed = m->check && !zw_model_fits(m, &v.d[0], &rate);
    for (int i = 0; i < v.n; i++)
        if (c->roll_is_speed || !zw_model_fits(m, &v.d[i], &rate))
            ZW_TRY(check_speed(m, spec->roll, "the roll", &v.d[i]));
    c->nroll = v.n;
    memcpy(c->roll, v.e, sizeof *c->roll * (size_t)v.n);
    return ZW_OK;
}

/* ------------------------------------------------------------------------------- statement */

static zw_status read_place(zw_model *m, const zw_contact_text *spec, zw_contact_kinematics *c) {
    zw_dim length = zw_model_dim(m, 0, 1, 0);
    if (!spec->at)
        return ZW_OK;
    ZW_TRY(zw_model_vector(m, spec->at, "the point of contact", &length, c->contact.point, NULL));
    bool directed = spec->slip && c->contact.normal[0];
    if (!directed)
        ZW_TRY(read_normal(m, spec->normal, c->contact.normal));
    if (!directed)
        zw_vector_across(m->ctx, c->contact.normal, c->contact.tangent);
    c->contact.placed = true;
    ZW_TRY(zw_model_check_expressions(m, spec->at->place));
    return directed ? ZW_OK : zw_contact_check_place(m, c, spec->at->place);
}

static zw_status read_kinematics(zw_model *m, const zw_stmt *s, zw_contact_kinematics *c) {
    const zw_contact_text *spec = s->touching;
    zw_dim length = zw_model_dim(m, 0, 1, 0), none = zw_dim_none();
    zw_quantity gap;
    if (!spec->gap) {
        zw_fail_at(m->err, ZW_E_MODEL, s->name_place, "the contact '%s' has no gap", s->name);
        zw_error_hint(m->err, "contact %s : gap z - r, slip (x', y'), law coulomb(mu)", s->name);
        return ZW_E_MODEL;
    }
    ZW_TRY(zw_model_eval(m, spec->gap, &gap));
    c->contact.angular = m->check && gap.n == 1 && zw_model_fits(m, &gap.d[0], &none);
    if (c->contact.angular && (spec->slip || spec->spin || spec->roll)) {
        zw_fail_at(m->err, ZW_E_UNIT, spec->gap->place, "the gap of '%s' is an angle", s->name);
        zw_error_hint(m->err, "a contact with friction has a gap in m; an angle is a bound that "
                              "pushes only");
        return ZW_E_UNIT;
    }
    ZW_TRY(zw_model_scalar(m, spec->gap, "the gap", c->contact.angular ? &none : &length,
                           &c->contact.gap));
    ZW_TRY(read_slip(m, spec, c));
    ZW_TRY(read_spin(m, spec, c));
    ZW_TRY(read_roll(m, spec, c));
    return read_place(m, spec, c);
}

/* parts that follow from the geometry must not be given again */
static zw_status check_parts(zw_model *m, const zw_contact_text *spec) {
    const zw_syntax *const parts[] = {spec->gap,  spec->slip,   spec->spin,
                                      spec->roll, spec->normal, spec->at};
    static const char *const names[] = {"gap", "slip", "spin", "roll", "normal", "point"};
    for (int i = 0; i < 6; i++)
        if (parts[i]) {
            zw_fail_at(m->err, ZW_E_MODEL, parts[i]->place,
                       "the %s of this contact follows from its geometry", names[i]);
            zw_error_hint(m->err, "omit it, or write gap and slip instead of the geometry");
            return ZW_E_MODEL;
        }
    return ZW_OK;
}

zw_status zw_build_contact_value(zw_model *m, zw_entry *e) {
    const zw_stmt *s = e->stmt;
    const zw_contact_text *spec = s->touching;
    zw_contact_kinematics *c = e->kinematics =
        ZW_NEW(m->arena, zw_contact_kinematics, ZW_CONTACTS_MAX);
    if (!c)
        return zw_model_memory(m);
    c->contact = (zw_contact){.name = s->name,
                              .place = s->name_place,
                              .restitution = ZW_ZERO,
                              .bilateral = spec->sides == 2,
                              .off = !zw_constraint_on(m, s, s->name)};
    e->nkinematics = 1;
    if (spec->geometry) {
        ZW_TRY(check_parts(m, spec));
        ZW_TRY(zw_contact_geometry(m, s, &e->nkinematics, c));
    } else {
        ZW_TRY(read_kinematics(m, s, c));
    }
    for (int i = 0; i < e->nkinematics; i++)
        ZW_TRY(zw_contact_laws(m, spec, &c[i]));
    return ZW_OK;
}

/* The smooth friction of a bilateral contact is linear in its force in the equations. That is
 * correct while it pushes; a run without a scheme for contacts reports where it does not. */
static bool is_linear_in_force(const zw_contact *c) {
    bool smooth = false;
    for (int k = 0; k < c->nblock; k++) {
        if (zw_rubbing_is_set_valued(&c->block[k]))
            return false; /* not without a scheme */
        smooth |= c->block[k].kind != ZW_FRICTION_LINEAR;
    }
    return c->bilateral && !c->off && smooth;
}

/* the run ends, or warns, where the contact is no longer valid */
static zw_status add_validity(zw_model *m, const zw_stmt *s, const zw_contact_kinematics *c) {
    zw_contact_validity f = {.name = c->contact.name,
                             .valid = c->watch,
                             .beyond = c->contact.beyond,
                             .stop = s->touching->stop,
                             .place = c->contact.place};
    if (is_linear_in_force(&c->contact))
        f.press = zw_system_lambda(m->sys, c->contact.name);
    if (c->watch || (f.press && !f.stop))
        return zw_system_footing(m->sys, &f, m->err);
    if (!f.stop)
        return ZW_OK;
    zw_fail_at(m->err, ZW_E_MODEL, f.place,
               "the contact '%s' has a meaning everywhere: nothing to stop at", f.name);
    zw_error_hint(m->err,
                  "a run ends where it closes by an event: event %s_closes : gap(%s) falling, stop",
                  f.name, f.name);
    return ZW_E_MODEL;
}

zw_status zw_build_contact(zw_model *m, zw_stmt *s) {
    zw_entry *e;
    ZW_TRY(zw_model_resolve(m, s->name, s->name_place, &e));
    for (int i = 0; i < e->nkinematics; i++) {
        ZW_TRY(zw_system_contact(m->sys, &e->kinematics[i].contact, m->err));
        ZW_TRY(add_validity(m, s, &e->kinematics[i]));
    }
    return ZW_OK;
}

/* ------------------------------------------------------------------------------- multipliers */

/* The friction on the velocity `part`: a multiplier if it can stick, a force if it is smooth, zero
 * if no law applies to it, so that observables are valid for any law; ZW_NULL if there is no such
 * velocity. */
static zw_expr friction_on(zw_model *m, const zw_contact_kinematics *kinematics, const char *full,
                           const char *part) {
    const zw_contact *c = &kinematics->contact;
    zw_expr force[ZW_FRICTION_ROWS_MAX];
    for (int k = 0; k < c->nblock; k++)
        for (int i = 0; i < c->block[k].nrow; i++) {
            if (strcmp(c->block[k].part[i], part) != 0)
                continue;
            if (zw_rubbing_is_set_valued(&c->block[k]))
                return zw_system_lambda(m->sys, full);
            zw_expr N = zw_system_lambda(m->sys, c->name);
            if (c->bilateral)
                N = zw_apply(m->ctx, ZW_OP_ABS, 1, &N);
            zw_mech_friction(m->ctx, &c->block[k], N, force);
            return force[i];
        }
    bool velocity = (strcmp(part, "1") == 0 && kinematics->nslip > 0) ||
                    (strcmp(part, "2") == 0 && kinematics->nslip > 1) ||
                    (strcmp(part, "spin") == 0 && kinematics->spin);
    return velocity ? ZW_ZERO : ZW_NULL;
}

zw_status zw_contact_lambda(zw_model *m, const zw_syntax *node, const zw_entry *e,
                            zw_quantity *out) {
    zw_dim force = zw_model_dim(m, 1, e->kinematics->contact.angular ? 2 : 1, -2);
    for (int i = 0; i < e->nkinematics; i++) {
        const zw_contact *c = &e->kinematics[i].contact;
        size_t n = strlen(c->name);
        if (!zw_mech_is_part(node->name, c->name))
            continue;
        zw_expr lambda = node->name[n] == '.'
                             ? friction_on(m, &e->kinematics[i], node->name, node->name + n + 1)
                             : zw_system_lambda(m->sys, node->name);
        if (!lambda)
            continue;
        *out = zw_quantity_scalar(lambda, force);
        return zw_mech_is_multiplier(m->ctx, lambda) ? zw_note_impulse(m, node->name, lambda)
                                                     : ZW_OK;
    }
    zw_fail_at(m->err, ZW_E_NAME, node->place, "there is no multiplier '%s'", node->name);
    zw_error_hint(m->err,
                  "the contact force is lambda(%s), friction along its first slip lambda(%s.1)",
                  e->kinematics->contact.name, e->kinematics->contact.name);
    return ZW_E_NAME;
}

/* ------------------------------------------------------------------------------- functions */

bool zw_is_contact_function(const char *name) {
    return strcmp(name, "gap") == 0 || strcmp(name, "slip") == 0 || strcmp(name, "spin") == 0;
}

/* NAME, NAME.a, NAME.1 as written; false for anything else */
static bool write_name(const zw_syntax *node, char *out, size_t size) {
    if (node->kind == ZW_ND_NAME)
        return snprintf(out, size, "%s", node->name) < (int)size;
    if (node->kind != ZW_ND_MEMBER || !write_name(node->arg[0], out, size))
        return false;
    size_t n = strlen(out);
    return snprintf(out + n, size - n, ".%s", node->name) < (int)(size - n);
}

/* the contact whose name is the beginning of `name`, and the rest: "" or "1" */
static const zw_contact_kinematics *find_kinematics(const zw_entry *e, const char *name,
                                                    const char **part) {
    for (int i = 0; e->kind == ZW_ST_CONTACT && i < e->nkinematics; i++) {
        size_t n = strlen(e->kinematics[i].contact.name);
        if (!zw_mech_is_part(name, e->kinematics[i].contact.name))
            continue;
        *part = name + n + (name[n] == '.');
        return &e->kinematics[i];
    }
    return NULL;
}

/* the velocity of a row in the unit of result columns: slip(floor.spin) is a speed */
static zw_expr rate_of(const zw_contact_kinematics *c, const char *part) {
    for (int k = 0; k < c->contact.nblock; k++)
        for (int i = 0; i < c->contact.block[k].nrow; i++)
            if (strcmp(c->contact.block[k].part[i], part) == 0)
                return c->contact.block[k].rate[i];
    int number = part[0] && !part[1] ? part[0] - '0' : 0;
    return number >= 1 && number <= c->nslip ? c->slip[number - 1] : ZW_NULL;
}

static bool eval_rate(zw_model *m, const zw_contact_kinematics *c, const char *function,
                      const char *part, zw_quantity *out) {
    zw_dim speed = zw_model_dim(m, 0, 1, -1), turn = zw_model_dim(m, 0, 0, -1);
    if (strcmp(function, "gap") == 0 && !*part) {
        *out = zw_quantity_scalar(c->contact.gap, zw_model_dim(m, 0, !c->contact.angular, 0));
        return true;
    }
    if (strcmp(function, "spin") == 0 && !*part && c->spin) {
        *out = zw_quantity_scalar(c->spin, turn);
        return true;
    }
    if (strcmp(function, "slip") != 0 || (!*part && c->nslip == 0))
        return false;
    *out = zw_quantity_scalar(*part ? rate_of(c, part) : c->slip[0], speed);
    if (!*part && c->nslip == 2) {
        out->n = 2;
        out->e[1] = c->slip[1];
        out->d[1] = speed;
    }
    return out->e[0] != ZW_NULL;
}

zw_status zw_eval_contact(zw_model *m, const zw_syntax *node, zw_quantity *out) {
    char name[200];
    const char *part;
    zw_entry *e;
    const zw_syntax *of = node->arg[0], *base = of;
    const zw_contact_kinematics *c = NULL;
    while (base->kind == ZW_ND_MEMBER)
        base = base->arg[0];
    if (node->n == 1 && write_name(of, name, sizeof name)) {
        ZW_TRY(zw_model_resolve(m, base->name, base->place, &e));
        c = find_kinematics(e, name, &part);
    }
    if (!c) {
        zw_fail_at(m->err, ZW_E_NAME, of->place, "%s is a function of a contact", node->name);
        zw_error_hint(m->err, "%s(floor), where contact floor : ...; of three points %s(floor.a)",
                      node->name, node->name);
        return ZW_E_NAME;
    }
    if (eval_rate(m, c, node->name, part, out))
        return ZW_OK;
    zw_fail_at(m->err, ZW_E_NAME, of->place, "the contact '%s' has no such %s", c->contact.name,
               node->name);
    zw_error_hint(m->err, "gap(%s), slip(%s) with one or two components, slip(%s.1), spin(%s)",
                  c->contact.name, c->contact.name, c->contact.name, c->contact.name);
    return ZW_E_NAME;
}

void zw_contact_resolve(zw_model *m, zw_entry *e, zw_expr (*settled)(const zw_system *, zw_expr)) {
    for (int i = 0; i < e->nkinematics; i++) {
        zw_contact_kinematics *c = &e->kinematics[i];
        c->contact.gap = settled(m->sys, c->contact.gap);
        c->spin = c->spin ? settled(m->sys, c->spin) : ZW_NULL;
        for (int k = 0; k < c->nslip; k++)
            c->slip[k] = settled(m->sys, c->slip[k]);
        for (int b = 0; b < c->contact.nblock; b++)
            for (int k = 0; k < c->contact.block[b].nrow; k++)
                c->contact.block[b].rate[k] = settled(m->sys, c->contact.block[b].rate[k]);
    }
}
