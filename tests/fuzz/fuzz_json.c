/* SPDX-License-Identifier: MIT */
/* jansson is the judge: what we take for JSON, it takes for JSON too (numbers beyond all doubles
 * aside, which we pass over in members that are nobody's business). */
#include <jansson.h>

#include "fuzz.h"
#include "out/files/formats.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *text = fuzz_text(data, size);
    zw_table *t;
    zw_error err = {0};
    zw_status status = zw_out_json_parse(&t, text, size, "fuzz.json", &err);
    if (status >= 0) {
        json_error_t why;
        json_t *j = json_loadb(text, size, JSON_DECODE_INT_AS_REAL, &why);
        if (!j && json_error_code(&why) != json_error_numeric_overflow)
            abort();
        json_decref(j);
    }
    fuzz_check(status, t, &err, ".json");
    free(text);
    return 0;
}
