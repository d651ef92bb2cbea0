/* SPDX-License-Identifier: MIT */
/* Results for pictures and pages. The JSON output of zwang equilibria and zwang linearise is not a
 * table, and results that are not motions cannot be shown in space: both are errors with advice.
 * Tables and texts into files. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "cli.h"
#include "out/files/file.h"

/* true for a report of equilibria; a pipe cannot be read twice */
static bool is_answer(const char *path) {
    char text[8192];
    struct stat kind;
    FILE *f = stat(path, &kind) == 0 && S_ISREG(kind.st_mode) ? fopen(path, "rb") : NULL;
    if (!f)
        return false;
    size_t n = fread(text, 1, sizeof text - 1, f);
    fclose(f);
    text[n] = '\0';
    return text[0] == '{' && (strstr(text, "\"study\": \"equilibria\"") ||
                              (strstr(text, "\"model\"") && strstr(text, "\"eigenvalues")));
}

zw_status cli_read_result(const cli_options *o, zw_table **out, const char *path, zw_error *err) {
    zw_status status = zw_table_read(out, path, err);
    if (status >= 0) {
        zw_warnings_of_file(o->files, *out, path);
        cli_report_warnings(o, o->files, false);
    }
    if (status >= 0 || strcmp(path, "-") == 0 || !is_answer(path))
        return status;
    *err = (zw_error){0};
    zw_fail(err, ZW_E_FILE, "%s is a report of an equilibrium and its eigenvalues, not a table",
            path);
    zw_error_hint(err, "zwang view MODEL --mode 1 shows a mode of it; zwang linearise MODEL --over "
                       "NAME=A:B --out FILE.csv writes what zwang plot draws");
    return ZW_E_FILE;
}

zw_status cli_reject_kind(const char *path, const zw_table *t, zw_error *err) {
    const char *kind = zw_table_get_note(t, "kind");
    if (!kind || zw_figure_is_motion(t))
        return ZW_OK;
    char printed[80];
    snprintf(printed, sizeof printed, "%.60s", kind);
    zw_text_tame(printed);
    zw_fail(err, ZW_E_FILE, "%s is no motion but of the kind '%s'", path, printed);
    if (strcmp(kind, "response") == 0 && zw_table_find(t, "period") >= 0)
        zw_error_hint(err, "nothing moves in it: zwang view FILE --out PAGE.html opens it; zwang "
                           "orbit --out FILE.csv makes one orbit a result that moves");
    else if (strcmp(kind, "response") == 0 || strcmp(kind, "backbone") == 0)
        zw_error_hint(err, "nothing moves in it: zwang view FILE --out PAGE.html opens it; with "
                           "--coefficients its motions can be seen");
    else
        zw_error_hint(err, "nothing moves in it: zwang view FILE --out PAGE.html opens it, zwang "
                           "plot draws it");
    return ZW_E_FILE;
}

zw_status cli_write_table(zw_table *t, const char *path, zw_error *err) {
    int by = cli_interrupted();
    const char *why = by == CLI_BUDGET ? "the time limit was reached: the result is incomplete"
                                       : "interrupted: the result is incomplete";
    if (by && !zw_table_get_note(t, "stopped"))
        ZW_TRY(zw_table_note(t, "stopped", why));
    cli_note_written();
    return zw_table_write_rescue(t, path, err);
}

zw_status cli_write_text(const char *path, const char *text, zw_error *err) {
    if (!text)
        return zw_out_of_memory(err, NULL);
    zw_out_file f;
    ZW_TRY(zw_out_begin(&f, path ? path : "-", NULL, err));
    fputs(text, f.stream);
    cli_note_written();
    return zw_out_commit(&f, err);
}
