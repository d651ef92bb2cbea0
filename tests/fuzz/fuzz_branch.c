/* SPDX-License-Identifier: MIT */
/* Any bytes as a branch of orbits: read or rejected with words, and what was read has finite states
 * everywhere and every label leads to an orbit. */
#include <math.h>

#include "fuzz.h"

static void look_at(const zw_orbits_file *f) {
    double *state = fuzz_room(f->nx), value;
    for (int i = 0; i < f->n; i++) {
        int number;
        zw_orbits_file_state(f, i, 0.5, state);
        if (f->events && (f->orbit[i].signature >= f->nsignature || f->orbit[i].nunknown < 1))
            abort();
        for (int k = 0; k < f->orbit[i].nunknown; k++)
            if (!isfinite(f->orbit[i].unknown[k]))
                abort();
        if (f->orbit[i].label[0] &&
            (zw_orbits_file_pick(f, f->orbit[i].label, &number, &value, NULL) < 0 || number > i))
            abort();
    }
    free(state);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    zw_table *t;
    zw_error err = {0};
    if (zw_table_read_bytes(&t, (const char *)data, size, "fuzz.csv", &err) < 0)
        return 0;
    zw_orbits_file f;
    if (fuzz_well(zw_orbits_file_read(&f, t, &err), &err)) {
        look_at(&f);
        zw_orbits_file_clear(&f);
    }
    zw_table_destroy(t);
    return 0;
}
