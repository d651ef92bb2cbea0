/* SPDX-License-Identifier: MIT */
/* The modes of contacts in the notes of a result, so that a run can continue from it: for each
 * contact
 *
 *     NAME open|closed|pulled SLIDES REST
 *
 * SLIDES has a letter for each block (s sticks, + and - slides, c carried), REST is the limit of
 * impacts that accumulate. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "internal.h"

static char letter_of(int slide) {
    return slide == ZW_STICKS ? 's' : slide == ZW_CARRIED ? 'c' : slide > 0 ? '+' : '-';
}

static int slide_of(char letter) {
    return letter == 's' ? ZW_STICKS : letter == 'c' ? ZW_CARRIED : letter == '-' ? -1 : ZW_SLIDES;
}

zw_status zw_sim_standing_note(const zw_sim *sim, zw_table *t) {
    const zw_system *s = sim->stage->world->sys;
    const zw_sim_standing *d = &sim->standing;
    zw_text text;
    if (!d->used)
        return ZW_OK;
    zw_text_init(&text, &sim->arena.alloc);
    for (int i = 0, c = 0; i < s->ncontact; i++) {
        const zw_contact_mode *stance = &sim->stage->stance[i];
        if (s->contact[i].off)
            continue;
        zw_text_printf(&text, "%s%s %s ", text.length ? "," : "", s->contact[i].name,
                       !stance->closed     ? "open"
                       : stance->press < 0 ? "pulled"
                                           : "closed");
        for (int b = 0; b < s->contact[i].nblock; b++)
            zw_text_printf(&text, "%c", letter_of(stance->slide[b]));
        zw_text_put(&text, ". ");
        zw_text_number(&text, d->rest_at[c] < INFINITY ? d->rest_at[c] : -1);
        c++;
    }
    zw_status status = text.failed ? ZW_E_MEMORY : zw_table_note(t, "contacts", zw_text_get(&text));
    zw_text_clear(&text);
    char rest[40];
    snprintf(rest, sizeof rest, "%.17g m/s", d->rest);
    return status < 0 ? status : zw_table_note(t, "least slip", rest);
}

/* reads the entry of this contact; false if it belongs to another */
static bool read_stance(const char *item, const zw_contact *c, zw_contact_mode *out,
                        double *rest_at) {
    size_t n = strlen(c->name);
    if (strncmp(item, c->name, n) != 0 || item[n] != ' ')
        return false;
    const char *word = item + n + 1, *slide = strchr(word, ' ');
    if (!slide)
        return false;
    *out = (zw_contact_mode){.closed = word[0] != 'o', .press = word[0] == 'p' ? -1 : 1};
    slide++;
    for (int b = 0; b < ZW_FRICTION_BLOCKS_MAX && *slide && *slide != '.'; b++)
        out->slide[b] = (signed char)slide_of(*slide++);
    double rest = strtod(slide + strcspn(slide, " "), NULL);
    *rest_at = rest > 0 ? rest : INFINITY;
    return true;
}

/* the largest velocities so far */
static void read_reach(zw_sim_standing *d, const zw_system *s, const zw_table *t) {
    for (int i = 0; i < s->nv; i++) {
        int column = zw_table_find(t, s->velocity[i].name);
        for (long row = 0; column >= 0 && row < zw_table_rows(t); row++)
            d->reach[i] = fmax(d->reach[i], fabs(zw_table_at(t, row, column)));
    }
}

zw_status zw_sim_standing_resume(zw_sim *sim, const zw_system *s, const zw_table *result, bool *on,
                                 zw_error *err) {
    zw_sim_standing *d = &sim->standing;
    const char *rest = zw_table_get_note(result, "least slip");
    zw_names items;
    ZW_TRY(zw_names_split(s->ctx, zw_table_get_note(result, "contacts"), ',', 0, &items, err));
    d->known = true;
    d->rest = rest ? strtod(rest, NULL) : 0;
    for (int i = 0, c = 0; i < s->ncontact; i++) {
        bool found = false;
        if (s->contact[i].off)
            continue;
        for (int k = 0; k < items.n && !found; k++)
            found = read_stance(items.item[k], &s->contact[i], &d->next[c], &d->rest_at[c]);
        d->known &= found;
        c++;
    }
    read_reach(d, s, result);
    if (d->known)
        zw_sim_standing_want(sim, s, d->next, on);
    else
        zw_sim_standing_begin(sim, s, on);
    return ZW_OK;
}

/* works continue from their last values */
zw_status zw_sim_standing_resume_works(zw_sim *sim, const zw_table *t, double *sum, zw_error *err) {
    static const char *const kind[] = {"normal", "friction"};
    const zw_system *s = sim->stage->world->sys;
    for (int i = 0, c = 0; i < s->ncontact && sim->standing.used; i++) {
        if (s->contact[i].off)
            continue;
        for (int k = 0; k < 2; k++) {
            char name[200];
            snprintf(name, sizeof name, "work(%.150s.%s)", s->contact[i].name, kind[k]);
            int column = zw_table_find(t, name);
            if (column < 0)
                return zw_fail(err, ZW_E_FILE,
                               "the result has no column %s, which is needed to continue", name);
            double *work = &sim->standing.work[2 * c + k];
            *sum += *work = zw_table_at(t, zw_table_rows(t) - 1, column);
        }
        c++;
    }
    return ZW_OK;
}
