/* SPDX-License-Identifier: MIT */
/* The state of writing equations to a paper: write.c writes them, write_head.c their heading. */
#ifndef ZW_MECH_WRITER_H
#define ZW_MECH_WRITER_H

#include "paper.h"

typedef struct zw_writer {
    const zw_equations *eq;
    const zw_system *sys;
    zw_context *ctx;
    zw_paper paper;
    int nzero; /* number of quantities that the constraints make zero */
    zw_expr *zero, *zeros;
} zw_writer;

static inline bool has_momenta(const zw_equations *eq) {
    return eq->system_v != NULL;
}

/* true if the multipliers are states */
static inline bool has_states_of_multipliers(const zw_equations *eq) {
    return eq->nv > eq->sys->nv;
}

static inline bool is_constraint_row(const zw_equations *eq, int k) {
    return eq->row_constraint && eq->row_constraint[k] >= 0;
}

/* write_contact.c: gaps, velocities and laws of the contacts. */
void zw_contacts_report(zw_writer *w);
/* Title, principle, sizes and notes. */
void zw_write_head(zw_writer *w);

#endif
