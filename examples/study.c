/* SPDX-License-Identifier: MIT */
/* A study by its name: what `zwang response duffing --over "Omega=0.7:4 [rad/s]"` does.
 *
 *   study MODEL          exit code 0 if the second fold is where it is known to be
 *
 * prints the folds of the response curve from the report and its highest point from the table, and
 * writes the table to response.csv. */
#include <math.h>
#include <stdio.h>

#include <zwang/zwang.h>

/* The special points of curve 0 by their paths in the report, as in the output of --json. Where
 * there is no such path, the value is NULL. */
static double print_folds(const zw_report *report) {
    char path[128];
    const char *kind;
    double value = NAN;
    for (int i = 0;; i++) {
        snprintf(path, sizeof path, "curves.0.special_points.%d.kind", i);
        if (!(kind = zw_report_get_word(report, path)))
            return value;
        snprintf(path, sizeof path, "curves.0.special_points.%d.value", i);
        value = zw_report_get_number(report, path);
        printf("%s: Omega = %.6f rad/s\n", kind, value);
    }
}

/* the row with the largest rms(x) */
static void print_highest(const zw_table *table) {
    int omega = zw_table_find(table, "Omega"), rms = zw_table_find(table, "rms(x)");
    long best = 0;
    for (long i = 1; i < zw_table_rows(table); i++)
        if (zw_table_at(table, i, rms) > zw_table_at(table, best, rms))
            best = i;
    printf("highest of %ld rows: rms(x) = %.4f %s at Omega = %.4f %s\n", zw_table_rows(table),
           zw_table_at(table, best, rms), zw_table_unit(table, rms),
           zw_table_at(table, best, omega), zw_table_unit(table, omega));
}

static zw_status read_results(zw_study *study, double *fold, zw_error *err) {
    zw_table *table;
    *fold = print_folds(zw_study_report(study));
    const zw_warnings *warnings = zw_study_warnings(study);
    printf("%d warnings\n", zw_warnings_count(warnings));
    ZW_TRY(zw_study_table(study, "out", &table, err));
    print_highest(table);
    zw_status status = zw_table_write(table, "response.csv", err);
    zw_table_destroy(table);
    return status;
}

static zw_status follow(const zw_system *system, const zw_model_source *source, double *fold,
                        zw_error *err) {
    zw_study *study;
    ZW_TRY(zw_study_create(&study, "response", system, source, err));
    zw_status status = zw_study_set_range(study, "over", "Omega", 0.7, 4, 0, err); /* SI units */
    if (status >= 0)
        status = zw_study_set(study, "tolerance", "1e-6", err); /* as on the command line */
    if (status >= 0)
        status = zw_study_work(study, err);
    if (status >= 0)
        status = read_results(study, fold, err);
    zw_study_destroy(study);
    return status;
}

int main(int argc, char **argv) {
    zw_error err = {.status = ZW_OK};
    zw_context *ctx = zw_context_create(NULL);
    zw_model_source source;
    zw_system *system;
    double fold = NAN;
    zw_status status = argc == 2 && ctx ? zw_model_load(&source, ctx, argv[1], NULL, &err)
                                        : zw_fail(&err, ZW_E_OPTION, "usage: study MODEL");
    if (status >= 0)
        status = zw_model_parse(&system, ctx, source.text, source.length, source.file, NULL, &err);
    if (status >= 0)
        status = follow(system, &source, &fold, &err);
    if (status < 0) {
        char message[2048];
        zw_error_format(&err, message, sizeof message);
        fputs(message, stderr);
    }
    zw_context_destroy(ctx);
    return status < 0 || !(fabs(fold - 1.8890328) < 1e-6);
}
