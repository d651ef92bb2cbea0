/* SPDX-License-Identifier: MIT */
/* Fewer rows of a result. With time stepping the forces of contacts are means since the row before;
 * if rows are omitted, those of the remaining rows become means over the time since the last
 * remaining row,
 *
 *     F = sum_j F_j (t_j - t_j-1) / sum_j (t_j - t_j-1),
 *
 * so that impulses are preserved, and no impact is lost with its row. Event-driven runs have the
 * forces at the rows, which are unchanged, and impulses since the row before, which are added
 * up. */
#include <stdio.h>

#include "internal.h"

/* the rows from `first` to `last` as one */
static double mean_of(const zw_table *all, int time, int column, long first, long last) {
    double sum = 0, whole = 0;
    for (long j = first; j <= last && j > 0; j++) {
        double part = zw_table_at(all, j, time) - zw_table_at(all, j - 1, time);
        sum += part == 0 ? 0 : zw_table_at(all, j, column) * part;
        whole += part;
    }
    return whole == 0 ? zw_table_at(all, last, column) : sum / whole;
}

static double sum_of(const zw_table *all, int time, int column, long first, long last) {
    double sum = 0;
    (void)time;
    for (long j = first; j <= last; j++)
        sum += zw_table_at(all, j, column);
    return sum;
}

typedef double (*joining)(const zw_table *all, int time, int column, long first, long last);

static void join_column(zw_table *few, const zw_table *all, int time, const char *name,
                        joining how) {
    int column = zw_table_find(all, name);
    long rows = zw_table_rows(all), first = 0;
    for (long i = 0; i < zw_table_rows(few) && column >= 0; i++) {
        double t = zw_table_at(few, i, time);
        long last = first;
        while (last + 1 < rows && zw_table_at(all, last, time) != t)
            last++;
        zw_table_set(few, i, column, how(all, time, column, first, last));
        first = last + 1 < rows ? last + 1 : last;
    }
}

static void join_contact(zw_table *few, const zw_table *all, int time, const zw_contact *c) {
    char name[256];
    snprintf(name, sizeof name, "status(%s)", c->name);
    if (zw_table_find(all, name) < 0)
        return;
    snprintf(name, sizeof name, "impulse(%s)", c->name);
    bool apart = zw_table_find(all, name) >= 0;
    const char *kind = apart ? "impulse" : "lambda";
    joining how = apart ? sum_of : mean_of;
    snprintf(name, sizeof name, "%s(%s)", kind, c->name);
    join_column(few, all, time, name, how);
    for (int b = 0; b < c->nblock; b++)
        for (int i = 0; i < c->block[b].nrow; i++) {
            snprintf(name, sizeof name, "%s(%s.%s)", kind, c->name, c->block[b].part[i]);
            join_column(few, all, time, name, how);
        }
}

void zw_figure_join_means(zw_table *few, const zw_table *all, const zw_system *s) {
    int time = zw_table_find(all, "t");
    if (time < 0 || zw_table_rows(few) == zw_table_rows(all))
        return;
    for (int i = 0; i < s->ncontact; i++)
        join_contact(few, all, time, &s->contact[i]);
}
