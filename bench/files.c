/* SPDX-License-Identifier: MIT */
/* Result files: 200 000 rows of ten columns of a motion, written to and read from a folder
 * (argument 1, default /tmp) in each kind; MB/s count the numbers, 8 bytes each. The peer writes
 * the same rows with fprintf("%.17g"). */
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench.h"
#include "zwang/table.h"

enum { ROWS = 200000, COLUMNS = 10 };

typedef struct job {
    zw_table *table;
    char path[256];
} job;

static void check(zw_status status, const zw_error *err) {
    if (status < 0) {
        fprintf(stderr, "%s\n", err->text);
        exit(1);
    }
}

static zw_table *motion(void) {
    zw_table *t = zw_table_create(NULL);
    char name[8];
    double row[COLUMNS];
    for (int j = 0; j < COLUMNS; j++) {
        snprintf(name, sizeof name, "x%d", j);
        zw_table_column(t, name, "m");
    }
    for (long i = 0; i < ROWS; i++) {
        row[0] = 1e-3 * (double)i;
        for (int j = 1; j < COLUMNS; j++)
            row[j] = j * sin(row[0] * (1 + 0.37 * j)) * exp(-1e-3 * row[0]);
        if (zw_table_row(t, row) < 0)
            exit(1);
    }
    return t;
}

static void write_table(void *data) {
    job *j = data;
    zw_error err = {0};
    check(zw_table_write(j->table, j->path, &err), &err);
}

static void read_table(void *data) {
    job *j = data;
    zw_error err = {0};
    zw_table *t;
    check(zw_table_read(&t, j->path, &err), &err);
    if (memcmp(zw_table_data(t), zw_table_data(j->table), sizeof(double) * ROWS * COLUMNS) != 0)
        exit(1);
    zw_table_destroy(t);
}

static void write_by_fprintf(void *data) {
    job *j = data;
    FILE *f = fopen(j->path, "w");
    if (!f)
        exit(1);
    for (long i = 0; i < ROWS; i++)
        for (int k = 0; k < COLUMNS; k++)
            fprintf(f, "%.17g%c", zw_table_at(j->table, i, k), k + 1 < COLUMNS ? ',' : '\n');
    fclose(f);
}

static double size_of(const job *j) {
    struct stat st = {0};
    stat(j->path, &st);
    return 1e-6 * (double)st.st_size;
}

int main(int argc, char **argv) {
    static const char *const kinds[] = {"csv", "json", "h5"};
    const double megabytes = 1e-6 * sizeof(double) * (double)ROWS * (double)COLUMNS;
    job j = {.table = motion()};
    for (int k = 0; k < 3; k++) {
        snprintf(j.path, sizeof j.path, "%s/bench-%d.%s", argc > 1 ? argv[1] : "/tmp",
                 (int)getpid(), kinds[k]);
        if (zw_table_can_write(j.path, NULL) < 0)
            continue;
        bench_row("files", kinds[k], "write", megabytes / bench_repeat(write_table, &j, 2).min,
                  "MB/s", "");
        bench_row("files", kinds[k], "read", megabytes / bench_repeat(read_table, &j, 2).min,
                  "MB/s", "");
        bench_row("files", kinds[k], "size per number", size_of(&j) / megabytes * sizeof(double),
                  "bytes", "");
        unlink(j.path);
    }
    bench_row("files", "fprintf", "write", megabytes / bench_repeat(write_by_fprintf, &j, 2).min,
              "MB/s", "");
    bench_row("files", "fprintf", "size per number", size_of(&j) / megabytes * sizeof(double),
              "bytes", "");
    unlink(j.path);
    zw_table_destroy(j.table);
    return 0;
}
