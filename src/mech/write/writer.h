/* SPDX-License-Identifier: MIT */
/* Equations on their way to a paper: write.c writes them, write_head.c what stands above them. */
#ifndef ZW_MECH_WRITER_H
#define ZW_MECH_WRITER_H

#include "paper.h"

typedef struct zw_writer {
    const zw_equations *eq;
    const zw_system *sys;
    zw_context *ctx;
    zw_paper paper;
    int nzero; /* what the constraints make zero, and as many zeros */
    zw_expr *zero, *zeros;
} zw_writer;

static inline bool has_momenta(const zw_equations *eq) {
    return eq->system_v != NULL;
}

/* the multipliers are among the states */
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
