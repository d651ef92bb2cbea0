/* SPDX-License-Identifier: MIT */
/* The bytes choose a model that is valid (tests/support/random_model.h); what must be true of every
 * such model is. */
#include "fuzz.h"
#include "support/random_checks.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    random_model m;
    random_checked c;
    random_model_of_bytes(&m, data, size);
    const char *bad = random_model_check(&c, &m, fuzz_hash(data, size));
    if (bad) {
        fprintf(stderr, "%s\n%s", bad, m.text);
        abort();
    }
    return 0;
}
