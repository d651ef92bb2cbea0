/* SPDX-License-Identifier: MIT */
/* A journal that is complete, and the bytes as what happens to its files: each damage is a file, a
 * kind of change, a place and a byte. The sweep that resumes it rejects it with words, or its
 * result has the bytes of the undamaged one. */
#include <dirent.h>
#include <sys/stat.h>

#include "fuzz.h"

enum { FILES = 8, DAMAGES = 6, NAME = 40, ROOM = 1 << 16 };

static const char model[] = "model swing \"of a mass\"\nparam m = 1 [kg], k = 4 [N/m]\n"
                            "coord x [m]\nparticle mass : m at (x, 0)\npotential 1/2*k*x^2\n"
                            "start x = 1 [m], x' = 0\n";

typedef struct kept_file {
    char name[NAME];
    char *data;
    size_t size;
} kept_file;

static kept_file good[FILES], result; /* of the undamaged journal, in the order of their names */
static int ngood;
static char folder[64], out[64];

static void in_folder(char path[128], const char *name) {
    snprintf(path, 128, "%s/%s", folder, name);
}

static kept_file get_file(const char *path, const char *name) {
    kept_file f = {.data = NULL};
    snprintf(f.name, sizeof f.name, "%s", name);
    FILE *in = fopen(path, "rb");
    if (!in || fseek(in, 0, SEEK_END) != 0)
        abort();
    f.size = (size_t)ftell(in);
    if (f.size > ROOM)
        abort();
    f.data = malloc(f.size + 1);
    rewind(in);
    if (!f.data || fread(f.data, 1, f.size, in) != f.size)
        abort();
    fclose(in);
    return f;
}

static void remove_folder(void) {
    char path[128];
    DIR *d = opendir(folder);
    for (struct dirent *e; d && (e = readdir(d));) {
        in_folder(path, e->d_name);
        unlink(path);
    }
    if (d)
        closedir(d);
    rmdir(folder);
}

/* three chunks of two motions; joined if `to` says where */
static zw_status resume(const char *to, zw_error *err) {
    const zw_model_source source = {.text = model, .length = strlen(model), .file = "model"};
    static const char *over = "k=1,2,3,4,5,6";
    zw_plan_options plan = zw_plan_options_default();
    zw_ensemble_options ensemble = zw_ensemble_options_default();
    zw_survey_options o = zw_survey_options_default();
    zw_survey_files f = zw_survey_files_default();
    zw_survey_report report;
    zw_survey *s;
    plan.nover = 1, plan.over = &over;
    ensemble.threads = 1;
    ensemble.jit = ZW_JIT_NEVER;
    o.measure = "max(x)", o.duration = "1";
    f.journal = folder, f.out = to, f.resume = true, f.chunk = 2, f.lease = 0.05;
    if (zw_survey_create(&s, &source, &plan, &ensemble, &o, err) < 0)
        abort();
    zw_status status = zw_survey_write(s, &f, &report, err);
    zw_survey_destroy(s);
    return status;
}

static int by_name(const void *a, const void *b) {
    return strcmp(((const kept_file *)a)->name, ((const kept_file *)b)->name);
}

static void begin(void) {
    char path[128];
    zw_error err = {0};
    snprintf(folder, sizeof folder, "%s", fuzz_path("-journal"));
    snprintf(out, sizeof out, "%s", fuzz_path("-joined.csv"));
    if (resume(NULL, &err) < 0)
        abort();
    DIR *d = opendir(folder);
    for (struct dirent *e; d && (e = readdir(d)) && ngood < FILES;)
        if (e->d_name[0] != '.') {
            in_folder(path, e->d_name);
            good[ngood++] = get_file(path, e->d_name);
        }
    closedir(d);
    qsort(good, (size_t)ngood, sizeof *good, by_name);
    if (resume(out, &err) < 0)
        abort();
    result = get_file(out, "");
    remove_folder();
}

/* the bytes of another file of the journal, a name of the journal's own, or the file without one */
static void rename_file(kept_file *f, fuzz_bytes *b) {
    static const char *const own[] = {
        "",           "plan",       "joined",      "claim-0.0",
        "claim-1.0",  "claim-1.1",  "claim-END.0", "chunk-00000003.csv",
        "worker-1-a", "chunk-1.csv"};
    unsigned which = fuzz_pick(b, sizeof own / sizeof *own + (unsigned)ngood);
    const char *name = which < (unsigned)ngood ? good[which].name : own[which - (unsigned)ngood];
    memmove(f->name, name, strlen(name) + 1);
}

static void put_damaged(fuzz_bytes *b) {
    static char data[FILES][ROOM];
    char path[128];
    kept_file file[FILES];
    mkdir(folder, 0777);
    for (int i = 0; i < ngood; i++) {
        file[i] = good[i];
        file[i].data = memcpy(data[i], good[i].data, good[i].size);
    }
    for (unsigned n = fuzz_pick(b, DAMAGES + 1); n > 0; n--) {
        unsigned i = fuzz_pick(b, (unsigned)ngood);
        if (fuzz_byte(b) % 4 == 3)
            rename_file(&file[i], b);
        else
            fuzz_damage(file[i].data, &file[i].size, ROOM, b);
    }
    for (int i = 0; i < ngood; i++) {
        in_folder(path, file[i].name);
        if (file[i].name[0])
            fuzz_put(path, file[i].data, file[i].size);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_bytes b = fuzz_decisions(data, size);
    zw_error err = {0};
    if (!ngood)
        begin();
    unlink(out);
    put_damaged(&b);
    if (fuzz_well(resume(out, &err), &err)) {
        kept_file now = get_file(out, "");
        if (now.size != result.size || memcmp(now.data, result.data, now.size) != 0)
            abort(); /* damage that was taken for a result */
        free(now.data);
    }
    remove_folder();
    unlink(out);
    return 0;
}
