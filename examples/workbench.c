/* SPDX-License-Identifier: MIT */
/* What the commands do, from C: check, compare, verify, sweep, run, plot, view.
 *
 *   workbench MODEL UNTIL [NAME]
 *
 * reads a model, says what kind of constraints it has, whether all principles agree on it and
 * whether its claims hold, runs it to the time UNTIL and writes NAME.csv, NAME.svg and NAME.html.
 * Exit code 0 if the principles agree, the claims hold and everything was written. */
#include <stdio.h>
#include <stdlib.h>

#include <zwang/zwang.h>

/* zwang check */
static zw_status check(const zw_system *s, zw_error *err) {
    static const char *const kind[] = {"holonomic", "nonholonomic", "undecided"};
    zw_classification is;
    ZW_TRY(zw_classify(&is, s, NULL, err));
    printf("%s: %s\n", s->name, s->title);
    printf("%d constraints of rank %d, %d degrees of freedom on velocity level\n", is.n, is.rank,
           is.freedom);
    for (int i = 0; i < is.n; i++)
        printf("  %s: %s\n", s->constraint[is.constraint[i].constraint].name,
               kind[is.constraint[i].alone]);
    for (int i = 0; i < is.nconserved; i++)
        printf("  conserved: %s\n", is.conserved[i].name);
    return ZW_OK;
}

/* zwang compare */
static zw_status compare(const zw_model_source *source, zw_error *err) {
    zw_comparison *c;
    ZW_TRY(zw_compare(&c, source, NULL, err));
    const zw_comparison_info *info = zw_comparison_summary(c);
    for (int i = 0; i < info->nrow; i++) {
        const zw_compared *row = zw_comparison_row(c, i);
        if (!row->applies)
            printf("%-16s not applicable\n", row->principle->name);
        else if (i == info->reference)
            printf("%-16s %5ld operations, the reference\n", row->principle->name, row->operations);
        else
            printf("%-16s %5ld operations, differs by %.0e at %d states\n", row->principle->name,
                   row->operations, row->accel.value, info->nrandom);
    }
    zw_status status = zw_comparison_judge(c, err);
    zw_comparison_destroy(c);
    return status;
}

/* zwang verify */
static zw_status verify(const zw_system *s, int *wrong, zw_error *err) {
    zw_trials trials;
    zw_verdict v;
    if (s->nclaim == 0)
        return ZW_OK;
    ZW_TRY(zw_trials_collect(&trials, s, NULL, NULL, err));
    for (int i = 0; i < s->nclaim; i++) {
        ZW_TRY(zw_verify(&v, s, &s->claim[i], &trials, err));
        printf("claim %s %s, residual %.0e\n", v.claim->name, v.holds ? "holds" : "FAILS",
               v.residual);
        *wrong += !v.holds;
    }
    return ZW_OK;
}

/* zwang linearise --symbolic: every steady motion that the model states */
static zw_status formulas(const zw_system *s, zw_error *err) {
    for (int i = 0; i < s->nmotion; i++) {
        zw_symbolic_options options = zw_symbolic_options_default();
        zw_symbolic *linear;
        options.steady = s->motion[i].name;
        ZW_TRY(zw_symbolic_create(&linear, s, &options, err));
        const zw_symbolic_result *r = zw_symbolic_get(linear);
        char *det = r->determinant ? zw_print(s->ctx, r->determinant, ZW_TEXT) : NULL;
        printf("%s: %d linear equations of first order, det(A) = %s\n", r->motion, r->n,
               det ? det : "a long formula");
        zw_string_free(s->ctx, det);
        zw_symbolic_destroy(linear);
    }
    return ZW_OK;
}

/* zwang view: the system is built again from the result, as from a file */
static zw_status view(const zw_table *result, const char *path, zw_error *err) {
    zw_figure_page *page;
    ZW_TRY(zw_figure_page_create(&page, result, 2000, err));
    zw_status status = zw_page_write(zw_figure_page_content(page), path, err);
    zw_figure_page_destroy(page);
    return status;
}

/* zwang plot: the first coordinate over time, and a formula of it */
static zw_status plot(const zw_table *rows, const char *path, zw_error *err) {
    const char *x = zw_table_name(rows, 1);
    char over_time[128], square[128];
    snprintf(over_time, sizeof over_time, "%s:t", x);
    snprintf(square, sizeof square, "(%s^2)/2:t", x);
    zw_figure *f;
    ZW_TRY(zw_figure_create(&f, 2, (const char *const[]){over_time, square}, 1,
                            &(zw_figure_run){.table = rows}, NULL, err));
    zw_status status = zw_plot(zw_figure_picture(f), path, NULL, err);
    zw_figure_destroy(f);
    return status;
}

/* zwang run, plot and view */
static zw_status run(const zw_system *s, const zw_model_source *source, double until,
                     const char *name, zw_error *err) {
    zw_sim_options options = zw_sim_options_default();
    zw_sim *sim;
    char path[256];
    options.until = until;
    ZW_TRY(zw_sim_create(&sim, s, source, &options, err));
    zw_status status = zw_sim_run(sim, err);
    const zw_table *rows = zw_sim_rows(sim);
    printf("%s at t = %g s: %ld rows\n", zw_sim_ending_text(zw_sim_statistics(sim).ending),
           zw_sim_statistics(sim).t, zw_table_rows(rows));
    if (status >= 0) {
        snprintf(path, sizeof path, "%s.csv", name);
        status = zw_table_write(rows, path, err);
    }
    if (status >= 0) {
        snprintf(path, sizeof path, "%s.svg", name);
        status = plot(rows, path, err);
    }
    if (status >= 0 && zw_page_available(NULL, NULL) >= 0) { /* the viewer is an optional part */
        snprintf(path, sizeof path, "%s.html", name);
        status = view(rows, path, err);
    }
    zw_sim_destroy(sim);
    return status;
}

/* zwang sweep: three values of the first parameter about that of the model, the first measure of
 * each */
static zw_status sweep(const zw_system *s, const zw_model_source *source, zw_error *err) {
    double p[256];
    const char *over;
    zw_plan_options plan = zw_plan_options_default();
    zw_survey_options options = zw_survey_options_default();
    zw_survey *survey;
    zw_survey_block block;
    if (s->np == 0 || s->np > 256)
        return ZW_OK;
    ZW_TRY(zw_system_param_values(s, p, err));
    if (p[0] == 0)
        return ZW_OK;
    const zw_range range = {s->param[0].name, 0.99 * p[0], 1.01 * p[0], 3};
    ZW_TRY(zw_range_axis(&over, s, &range, err));
    plan.nover = 1;
    plan.over = &over;
    options.duration = "0.5s";
    ZW_TRY(zw_survey_create(&survey, source, &plan, NULL, &options, err));
    zw_status status = zw_survey_run(survey, 0, zw_survey_motions(survey), &block, err);
    for (long i = 0; status >= 0 && i < block.nrow; i++) {
        const double *row = block.row + i * zw_survey_columns(survey);
        printf("%s = %g: %g\n", s->param[0].name, row[0], row[zw_survey_first_measure(survey)]);
    }
    zw_survey_block_clear(&block);
    zw_survey_destroy(survey);
    return status;
}

static zw_status work(zw_context *ctx, const zw_model_source *source, double until,
                      const char *name, int *wrong, zw_error *err) {
    zw_system *s;
    ZW_TRY(zw_model_parse(&s, ctx, source->text, source->length, source->file, NULL, err));
    ZW_TRY(check(s, err));
    ZW_TRY(compare(source, err));
    ZW_TRY(verify(s, wrong, err));
    ZW_TRY(formulas(s, err));
    ZW_TRY(sweep(s, source, err));
    return run(s, source, until, name ? name : s->name, err);
}

int main(int argc, char **argv) {
    char *end = NULL;
    double until = argc < 3 ? 0 : strtod(argv[2], &end);
    if (argc < 3 || end == argv[2] || *end) {
        fprintf(stderr, "usage: %s MODEL UNTIL [NAME]\n", argv[0]);
        return 1;
    }
    zw_error err = {.status = ZW_OK};
    zw_model_source source;
    zw_context *ctx = zw_context_create(NULL);
    int wrong = 0;
    zw_status status = ctx ? zw_model_load(&source, ctx, argv[1], NULL, &err)
                           : zw_fail(&err, ZW_E_MEMORY, "out of memory");
    if (status >= 0)
        status = work(ctx, &source, until, argv[3], &wrong, &err);
    if (status < 0) {
        char message[2048];
        zw_error_format(&err, message, sizeof message);
        fputs(message, stderr);
    }
    zw_context_destroy(ctx);
    return status < 0 || wrong ? 1 : 0;
}
