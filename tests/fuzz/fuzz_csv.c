/* SPDX-License-Identifier: MIT */
#include "fuzz.h"
#include "out/files/formats.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *text = fuzz_text(data, size);
    zw_table *t;
    zw_error err = {0};
    zw_status status = zw_out_csv_parse(&t, text, size, "fuzz.csv", &err);
    fuzz_check(status, t, &err, ".csv");
    free(text);
    return 0;
}
