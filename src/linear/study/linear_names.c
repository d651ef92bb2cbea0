/* SPDX-License-Identifier: MIT */
/* Names and units of linear equations. Rows of A and B are rates of states; those of the form of
 * second order are forces that belong to coordinates, J over their unit. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/tolerance.h"
#include "linear.h"

/* Rate along a symmetry, in the symmetry's unit: below it a motion is at rest. Equilibria are found
 * with residuals of this size (ZW_ROUNDOFF_SOLVED). */
#define AT_REST 1e-9
/* Part of an entry in an eigenvector, relative to the largest, in typical sizes: it does not
 * move. */
#define PART_ROUNDOFF ZW_ROUNDOFF_SOLVED
#define ENTRY_ROUNDOFF ZW_ROUNDOFF_VALUE /* of a matrix relative to the largest: displayed as 0 */
/* ---------------------------------------------------------------------------------------- units */

bool zw_linear_at_rest(const zw_linear_equations *l) {
    const zw_symmetries *s = &l->e->symmetries;
    for (int i = 0; i < s->n; i++)
        if (fabs(l->e->motion.c[i]) > AT_REST)
            return false;
    for (int i = 0; i < s->nfield; i++)
        if (s->driven[i] != 0)
            return false;
    return true;
}

bool zw_linear_has_units(const zw_linear_equations *l) {
    const zw_system *s = l->e->sys;
    for (int i = 0; i < s->np; i++)
        if (s->param[i].unit[0])
            return true;
    for (int i = 0; i < s->nq; i++)
        if (s->coord[i].unit[0])
            return true;
    return false;
}

static bool unit_of(const char *text, zw_unit *out) {
    *out = (zw_unit){.dim = zw_dim_none(), .factor = 1};
    return !text[0] || zw_unit_parse(out, text, strlen(text), (zw_place){0}, NULL) >= 0;
}

void zw_linear_quotient(const char *above, const char *below, char out[ZW_DIM_TEXT]) {
    zw_unit a, b;
    zw_dim q;
    out[0] = '\0';
    if (strcmp(above, below) == 0)
        return;
    const char *form = !below[0] ? "%s" : strpbrk(below, "*/") ? "%s/(%s)" : "%s/%s";
    bool known = unit_of(above, &a) && unit_of(below, &b), si = a.factor == 1 && b.factor == 1;
    snprintf(out, ZW_DIM_TEXT, form, above[0] ? above : "1", below);
    if (!known || !si || !zw_dim_combine(&q, &a.dim, &b.dim, -1))
        return; /* one is no SI unit, and the numbers belong to it */
    char text[ZW_DIM_TEXT];
    zw_dim_text(&q, text);
    /* m/N rather than s^2/kg, 1/s rather than rad/s/rad */
    if (strlen(text) <= strlen(out) || strpbrk(above, "*/") || strpbrk(below, "*/"))
        snprintf(out, ZW_DIM_TEXT, "%s", text);
}

/* n units divided by another one, in the arena. */
static const char **units_over(zw_linear_equations *l, int n, const char *const *unit,
                               const char *below) {
    const char **out = ZW_NEW(&l->arena, const char *, n + 1);
    bool none = !zw_linear_has_units(l);
    for (int i = 0; out && i < n; i++) {
        char text[ZW_DIM_TEXT] = "";
        if (!none)
            zw_linear_quotient(unit[i], below, text);
        out[i] = zw_arena_string(&l->arena, text);
    }
    return out;
}

/* J divided by each of n units. */
static const char **force_units(zw_linear_equations *l, int n, const char *const *unit) {
    const char **out = ZW_NEW(&l->arena, const char *, n + 1);
    bool none = !zw_linear_has_units(l);
    for (int i = 0; out && i < n; i++) {
        char text[ZW_DIM_TEXT] = "";
        if (!none)
            zw_linear_quotient("J", unit[i], text);
        if (strcmp(text, "J") == 0) /* divided by an angle */
            snprintf(text, sizeof text, "N*m");
        out[i] = zw_arena_string(&l->arena, text);
    }
    return out;
}

/* ------------------------------------------------------------------------------------- matrices */

/* The rate of the fastest eigenvalue, 1/s. */
static double pace_of(const zw_linear_equations *l) {
    double most = 0;
    for (int j = 0; j < l->spectrum.n; j++)
        most = fmax(most, hypot(l->spectrum.re[j], l->spectrum.im[j]));
    return most > 0 ? most : 1;
}

/* Is it a velocity, or a combination of velocities alone? */
static bool is_velocity(const zw_linear_equations *l, int i) {
    const zw_states *s = &l->states;
    int nq = l->e->kernel->nq;
    if (s->kind[i] != ZW_STATE_MIXED)
        return s->kind[i] == ZW_STATE_RATE || s->entry[i] >= nq;
    for (int k = 0; k < nq; k++)
        if (s->E[i * s->nx + k] != 0)
            return false;
    return true;
}

/* The size, in its own unit, of a state of length one in the metric of the masses. Velocities are
 * taken in the time of the fastest motion, since a second says nothing about what is small. */
static double *sizes_of(zw_linear_equations *l) {
    const zw_states *s = &l->states;
    double pace = pace_of(l);
    double *size = ZW_NEW(&l->arena, double, s->n + 1);
    for (int i = 0; size && i < s->n; i++)
        for (int j = 0; j < s->n; j++)
            size[i] = hypot(size[i], s->H[i * s->n + j]);
    for (int i = 0; size && i < s->n; i++)
        size[i] *= is_velocity(l, i) ? pace : 1;
    return size;
}

double zw_linear_clean(const zw_linear_block *b, int i, int j) {
    double value = b->value[i * b->columns + j], most = 0;
    if (!b->row_size && !b->column_size)
        return value;
    for (int k = 0; k < b->rows; k++)
        for (int m = 0; m < b->columns; m++) {
            if ((!b->row_size && k != i) || (!b->column_size && m != j))
                continue;
            double scale = (b->column_size ? b->column_size[m] / b->column_size[j] : 1) /
                           (b->row_size ? b->row_size[k] / b->row_size[i] : 1);
            most = fmax(most, fabs(b->value[k * b->columns + m]) * scale);
        }
    return fabs(value) < ENTRY_ROUNDOFF * most ? 0 : value;
}

/* A, B, C, D */
static int put_state_space(zw_linear_equations *l, zw_linear_block *b) {
    const zw_states *s = &l->states;
    const zw_inout *io = &l->inout;
    int n = s->n, count = 0;
    const char **rate = units_over(l, n, l->state_unit, "s");
    const double *size = sizes_of(l);
    const zw_linear_block all[] = {
        {.key = "A",
         .rows = n,
         .columns = n,
         .value = s->A,
         .row = l->state_name,
         .row_unit = rate,
         .column = l->state_name,
         .column_unit = l->state_unit},
        {.key = "B",
         .rows = n,
         .columns = l->nin,
         .value = io->B,
         .row = l->state_name,
         .row_unit = rate,
         .column = l->in_name,
         .column_unit = l->in_unit},
        {.key = "C",
         .rows = l->nout,
         .columns = n,
         .value = io->C,
         .row = l->out_name,
         .row_unit = l->out_unit,
         .column = l->state_name,
         .column_unit = l->state_unit},
        {.key = "D",
         .rows = l->nout,
         .columns = l->nin,
         .value = io->D,
         .row = l->out_name,
         .row_unit = l->out_unit,
         .column = l->in_name,
         .column_unit = l->in_unit},
    };
    for (int i = 0; i < 4; i++)
        if (i == 0 || (all[i].rows && all[i].columns)) {
            b[count] = all[i];
            b[count++].symbol = all[i].key;
        }
    for (int i = 0; i < count; i++) {
        b[i].row_size = b[i].row == l->state_name ? size : NULL;
        b[i].column_size = b[i].column == l->state_name ? size : NULL;
    }
    return count;
}

/* Names with primes appended. */
static const char **primed_names(zw_linear_equations *l, int n, const char *const *name,
                                 const char *primes) {
    const char **out = ZW_NEW(&l->arena, const char *, n + 1);
    for (int i = 0; out && i < n; i++)
        out[i] = zw_arena_printf(&l->arena, "%s%s", name[i], primes);
    return out;
}

/* M, D, G, K, N */
static int put_second_order(zw_linear_equations *l, zw_linear_block *b) {
    const zw_second_order *o = &l->second;
    static const char *const key[] = {"second_order_M", "second_order_D", "second_order_G",
                                      "second_order_K", "second_order_N"};
    static const char *const symbol[] = {"M", "D", "G", "K", "N"};
    const double *value[] = {o->M, o->D, o->G, o->K, o->N};
    const char **name = ZW_NEW(&l->arena, const char *, o->k + 1),
               **unit = ZW_NEW(&l->arena, const char *, o->k + 1);
    if (o->reason != ZW_SECOND_THERE || !name || !unit)
        return 0;
    for (int i = 0; i < o->k; i++) {
        name[i] = l->state_name[o->s[i]];
        unit[i] = l->state_unit[o->s[i]];
    }
    const char **column[] = {primed_names(l, o->k, name, "''"), primed_names(l, o->k, name, "'"),
                             name};
    const char **force = force_units(l, o->k, unit), **rate = units_over(l, o->k, unit, "s");
    const char **accel = rate ? units_over(l, o->k, rate, "s") : NULL;
    double *size = ZW_NEW(&l->arena, double, o->k + 1),
           *inverse = ZW_NEW(&l->arena, double, o->k + 1);
    for (int i = 0; size && inverse && i < o->k; i++) {
        size[i] = o->M[i * o->k + i] > 0 ? 1 / sqrt(o->M[i * o->k + i]) : 1;
        inverse[i] = 1 / size[i];
    }
    for (int i = 0; i < 5; i++) {
        b[i] = (zw_linear_block){.key = key[i],
                                 .symbol = symbol[i],
                                 .rows = o->k,
                                 .columns = o->k,
                                 .value = value[i],
                                 .row = name,
                                 .row_unit = force,
                                 .column = column[i == 0  ? 0
                                                  : i < 3 ? 1
                                                          : 2],
                                 .column_unit = i == 0  ? accel
                                                : i < 3 ? rate
                                                        : unit};
        b[i].row_size = inverse;
        b[i].column_size = size;
    }
    return 5;
}

/* The covariance, whose units are products: the unit of a column is written as its inverse. */
static int put_covariance(zw_linear_equations *l, zw_linear_block *b) {
    int n = l->states.n;
    const char **below = ZW_NEW(&l->arena, const char *, n + 1);
    if (!l->covariance || !below)
        return 0;
    for (int i = 0; i < n; i++) {
        char unit[ZW_DIM_TEXT] = "";
        zw_linear_quotient("", l->state_unit[i], unit);
        below[i] = zw_arena_string(&l->arena, unit);
    }
    *b = (zw_linear_block){.key = "P",
                           .symbol = "P",
                           .rows = n,
                           .columns = n,
                           .value = l->covariance,
                           .row = l->state_name,
                           .row_unit = l->state_unit,
                           .column = l->state_name,
                           .column_unit = below};
    return 1;
}

int zw_linear_blocks(const zw_linear_equations *l, zw_linear_block block[ZW_LINEAR_BLOCKS]) {
    zw_linear_equations *own = (zw_linear_equations *)l; /* its arena grows */
    int n = put_state_space(own, block);
    n += put_covariance(own, block + n);
    n += put_second_order(own, block + n);
    n += zw_linear_control_blocks(l, block + n);
    return own->arena.failed ? -1 : n;
}

/* --------------------------------------------------------------------------------- eigenvectors */

/* The part of entry i in eigenvector j, in typical sizes. */
static double part_of(const zw_linear_equations *l, int i, int j) {
    const zw_spectrum *s = &l->spectrum;
    return hypot(s->mode_re[i * s->n + j], s->mode_im[i * s->n + j]) / l->e->scale[i];
}

/* Order of preference: coordinates, states of first order, velocities. */
static int rank_of(const zw_linear_equations *l, int entry) {
    return entry >= l->e->eq.nq ? 2 : l->first_order[entry] ? 1 : 0;
}

int zw_linear_mode(const zw_linear_equations *l, int j) {
    int number = 0;
    for (int i = 0; i <= j; i++)
        number += l->spectrum.im[i] >= 0;
    return number;
}

int zw_linear_leader(const zw_linear_equations *l, int j) {
    const zw_states *st = &l->states;
    int best = -1;
    double most = 0, whole = 0;
    for (int i = 0; i < st->nx; i++)
        whole = fmax(whole, part_of(l, i, j));
    for (int rank = 0; rank < 3 && !(most > PART_ROUNDOFF * whole); rank++)
        for (int i = 0; i < st->n; i++)
            if (st->kind[i] == ZW_STATE_ENTRY && rank_of(l, st->entry[i]) == rank &&
                !zw_system_delay_of(l->e->sys, st->entry[i]) &&
                part_of(l, st->entry[i], j) > most) {
                most = part_of(l, st->entry[i], j);
                best = st->entry[i];
            }
    /* no entry is a state, or none moves */
    for (int i = 0; !(most > PART_ROUNDOFF * whole) && i < st->nx; i++)
        if (part_of(l, i, j) == whole)
            return i;
    return best < 0 ? 0 : best;
}
