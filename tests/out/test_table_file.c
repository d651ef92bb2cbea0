/* SPDX-License-Identifier: MIT */
/* Result files of every kind: what is written is what is read, what is damaged is refused, what
 * cannot be written leaves the old file and is kept elsewhere. */
#include "support/test.h"

#include <dlfcn.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>

#include "out/files/formats.h"
#include "support/files.h"
#include "zwang/table.h"

static const char *const endings[] = {"csv", "json", "h5", "hdf5", "JSON"};

enum { ENDINGS = sizeof endings / sizeof *endings };

static bool is_there(const char *ending) {
    return ending[0] != 'h' || zw_out_hdf5_available(NULL) == ZW_OK;
}

static uint64_t bits(double v) {
    uint64_t b;
    memcpy(&b, &v, sizeof b);
    return b;
}

/* any double: all bit patterns, subnormal ones, zeros and infinities, round ones */
static double any_double(test_random *r) {
    static const double special[] = {0.0, -0.0, INFINITY, -INFINITY, 0.1, 1e22, 5e-324, -1};
    uint64_t b = test_random_bits(r);
    double v;
    switch (test_random_int(r, 4)) {
    case 0:
        return special[test_random_int(r, sizeof special / sizeof *special)];
    case 1:
        b &= 0x800fffffffffffffu;
        break;
    default:
        break;
    }
    memcpy(&v, &b, sizeof v);
    return v;
}

static zw_table *any_table(uint64_t seed, int columns, int rows) {
    static const char *const words[] = {"θ'",  "f(a,b)", "a \"quoted\"", "line\nbreak", "x/y",
                                        "[1]", "#no",    " blank",       "ω_z",         "a:b",
                                        "💡",   ".",      "..",           "\t"};
    test_random r = {seed};
    zw_table *t = zw_table_create(NULL);
    char name[96], value[160];
    for (int j = 0; j < columns; j++) {
        snprintf(name, sizeof name, "%s%d%s", words[test_random_int(&r, 14)], j,
                 j % 2 ? words[test_random_int(&r, 14)] : "");
        assert_int_equal(zw_table_column(t, name, j % 3 ? "kg·m^2/\"s\", ]" : ""), ZW_OK);
    }
    double row[16];
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < columns; j++)
            row[j] = any_double(&r);
        assert_int_equal(zw_table_row(t, row), ZW_OK);
    }
    for (int i = 0; i < 8; i++) {
        snprintf(name, sizeof name, "%s %d", i ? "param θ, \"a/b\": " : "text", i);
        snprintf(value, sizeof value, "%s\n\n%s\"\\ # \n%s ", words[test_random_int(&r, 14)],
                 words[test_random_int(&r, 14)], words[test_random_int(&r, 14)]);
        assert_int_equal(zw_table_note(t, name, i == 3 ? "" : value), ZW_OK);
    }
    return t;
}

static bool is_same(const zw_table *a, const zw_table *b) {
    if (zw_table_columns(a) != zw_table_columns(b) || zw_table_rows(a) != zw_table_rows(b) ||
        zw_table_notes(a) != zw_table_notes(b))
        return false;
    for (int j = 0; j < zw_table_columns(a); j++)
        if (strcmp(zw_table_name(a, j), zw_table_name(b, j)) != 0 ||
            strcmp(zw_table_unit(a, j), zw_table_unit(b, j)) != 0)
            return false;
    for (int i = 0; i < zw_table_notes(a); i++)
        if (strcmp(zw_table_note_key(a, i), zw_table_note_key(b, i)) != 0 ||
            strcmp(zw_table_note_value(a, i), zw_table_note_value(b, i)) != 0)
            return false;
    for (long i = 0; i < zw_table_rows(a); i++)
        for (int j = 0; j < zw_table_columns(a); j++) {
            double x = zw_table_at(a, i, j), y = zw_table_at(b, i, j);
            if (bits(x) != bits(y) && !(isnan(x) && isnan(y)))
                return false;
        }
    return true;
}

static const char *in_folder_as(const char *name, const char *ending) {
    char full[128];
    snprintf(full, sizeof full, "%s.%s", name, ending);
    return in_folder(full);
}

static void test_file__same_bits_come_back(void **state) {
    (void)state;
    static const int rows[] = {0, 1, 7, 300, 40000};
    for (int k = 0; k < ENDINGS; k++)
        for (size_t i = 0; i < sizeof rows / sizeof *rows && is_there(endings[k]); i++) {
            zw_table *t = any_table(100 + i, rows[i] > 1000 ? 2 : 1 + (int)i * 4, rows[i]);
            zw_table *back = NULL;
            const char *path = in_folder_as("any", endings[k]);
            zw_error err = {0};
            if (zw_table_write(t, path, &err) != ZW_OK || zw_table_read(&back, path, &err) != ZW_OK)
                fail_msg("%s: %s", endings[k], err.text);
            if (!is_same(t, back))
                fail_msg("%s, %d rows: not the same", endings[k], rows[i]);
            zw_table_destroy(t);
            zw_table_destroy(back);
        }
}

/* ---- checksums ---- */

/* A result: a table with the note of its maker. */
static zw_table *any_result(uint64_t seed, int columns, int rows) {
    zw_table *t = any_table(seed, columns, rows);
    zw_table_note(t, "zwang", "0.1.0");
    return t;
}

/* any names, numbers and notes, bytes that are no text and line ends of Windows among them */
static void test_checksum__fits_what_was_written(void **state) {
    (void)state;
    static const char *const kinds[] = {"csv", "json", "h5"};
    for (int k = 0; k < 3; k++)
        for (uint64_t seed = 0; seed < 40 && is_there(kinds[k]); seed++) {
            zw_table *t = any_result(seed, 1 + (int)seed % 7, (int)seed % 5), *back = NULL;
            const char *path = in_folder_as("sum", kinds[k]);
            zw_error err = {0};
            zw_table_note(t, "odd", seed % 2 ? "a\r\nb\r" : k == 2 ? "c" : "\xff\xc0z");
            if (zw_table_write(t, path, &err) != ZW_OK || zw_table_read(&back, path, &err) != ZW_OK)
                fail_msg("%s %d: %s", kinds[k], (int)seed, err.text);
            assert_true(zw_table_is_checked(back));
            assert_null(zw_table_get_note(back, "checksum"));
            zw_table_destroy(back);
            zw_table_destroy(t);
        }
}

/* Whatever bit of a file is changed: nothing that it says changes, or it is rejected, or the
 * checksum itself is gone, which readers see. */
static void test_checksum__notices_every_bit(void **state) {
    (void)state;
    static const char *const kinds[] = {"csv", "json"};
    for (int k = 0; k < 2; k++) {
        zw_table *t = any_result(5, 3, 4), *back;
        zw_bytes file;
        size_t taken = 0;
        zw_status (*put)(const zw_table *, zw_bytes *, zw_error *) =
            k ? zw_table_json_bytes : zw_table_csv_bytes;
        assert_int_equal(put(t, &file, NULL), ZW_OK);
        for (size_t i = 0; i < file.size; i++)
            for (int bit = 0; bit < 8; bit++) {
                file.data[i] = (char)(file.data[i] ^ 1 << bit);
                if (zw_table_read_bytes(&back, file.data, file.size, kinds[k], NULL) >= 0) {
                    if (zw_table_is_checked(back) && !is_same(t, back))
                        fail_msg("%s: bit %d of byte %zu is not noticed", kinds[k], bit, i);
                    taken++;
                    zw_table_destroy(back);
                }
                file.data[i] = (char)(file.data[i] ^ 1 << bit);
            }
        assert_true(taken < file.size); /* spaces and the key of the note itself */
        zw_bytes_clear(&file);
        zw_table_destroy(t);
    }
}

static void test_checksum__notices_rows_that_were_moved(void **state) {
    (void)state;
    zw_table *t = zw_table_create(NULL), *back;
    zw_error err = {0};
    zw_table_column(t, "t", "s");
    zw_table_note(t, "zwang", "0.1.0");
    for (int i = 0; i < 5; i++)
        zw_table_row(t, (double[]){i});
    zw_bytes file;
    assert_int_equal(zw_table_csv_bytes(t, &file, NULL), ZW_OK);
    char *rows = strstr(file.data, "0\n1\n2\n3\n4\n");
    assert_non_null(rows);
    memcpy(rows, "0\n2\n1", 5);
    assert_int_equal(zw_table_read_bytes(&back, file.data, file.size, "moved.csv", &err),
                     ZW_E_FILE);
    assert_non_null(strstr(err.text, "moved.csv"));
    assert_non_null(strstr(err.text, "checksum"));
    memcpy(rows, "0\n1\n2", 5);
    /* cut at the end of a line */
    assert_int_equal(zw_table_read_bytes(&back, file.data, file.size - 2, "cut", NULL), ZW_E_FILE);
    /* edited on purpose, and it says so */
    char *note = strstr(file.data, "# checksum");
    note[2] = '#';
    rows[2] = '7';
    assert_int_equal(zw_table_read_bytes(&back, file.data, file.size, "own.csv", &err), ZW_OK);
    assert_close(zw_table_at(back, 1, 0), 7, 0);
    zw_table_destroy(back);
    zw_bytes_clear(&file);
    zw_table_destroy(t);
}

static void test_file__long_note_comes_back(void **state) {
    (void)state;
    enum { LONG = 300000 };
    char *text = malloc(LONG + 1);
    for (int i = 0; i < LONG; i++)
        text[i] = (char)(i % 80 == 79 ? '\n' : 'a' + i % 26);
    text[LONG] = '\0';
    zw_table *t = any_table(1, 2, 3), *back;
    zw_table_note(t, "text", text);
    for (int k = 0; k < ENDINGS; k++) {
        if (!is_there(endings[k]))
            continue;
        assert_int_equal(zw_table_write(t, in_folder_as("long", endings[k]), NULL), ZW_OK);
        assert_int_equal(zw_table_read(&back, in_folder_as("long", endings[k]), NULL), ZW_OK);
        assert_true(is_same(t, back));
        zw_table_destroy(back);
    }
    zw_table_destroy(t);
    free(text);
}

/* the content counts, not the name */
static void test_file__kind_is_seen_from_the_content(void **state) {
    (void)state;
    zw_table *t = any_table(2, 3, 5), *back;
    for (int k = 0; k < ENDINGS; k++) {
        if (!is_there(endings[k]))
            continue;
        assert_int_equal(zw_table_write(t, in_folder_as("kind", endings[k]), NULL), ZW_OK);
        const char *from = in_folder_as("kind", endings[k]);
        assert_int_equal(rename(from, in_folder("nameless")), 0);
        assert_int_equal(zw_table_read(&back, in_folder("nameless"), NULL), ZW_OK);
        assert_true(is_same(t, back));
        zw_table_destroy(back);
    }
    /* marks that some editors put in front */
    write_file(in_folder("bom"),
               "\xef\xbb\xbf"
               "a,b\n1,2\n",
               11);
    assert_int_equal(zw_table_read(&back, in_folder("bom"), NULL), ZW_OK);
    assert_string_equal(zw_table_name(back, 0), "a");
    zw_table_destroy(back);
    zw_table_destroy(t);
}

static void test_file__unknown_ending_lists_the_known(void **state) {
    (void)state;
    static const char *const names[] = {"a.txt", "a", "a.csv.gz", "csv"};
    zw_table *t = any_table(3, 1, 1);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        zw_error err = {0}, before = {0};
        assert_int_equal(zw_table_can_write(in_folder(names[i]), &before), ZW_E_OPTION);
        assert_int_equal(zw_table_write(t, in_folder(names[i]), &err), ZW_E_OPTION);
        assert_non_null(strstr(err.hint, ".csv, .json, .h5 or .hdf5"));
        assert_int_not_equal(access(in_folder(names[i]), F_OK), 0);
    }
    zw_table_destroy(t);
}

/* without HDF5: that it is missing and what to do; with it: nothing */
static void test_file__missing_library_is_told(void **state) {
    (void)state;
    zw_table *t = any_table(3, 1, 1), *back;
    zw_error err = {0};
    zw_status expected = is_there("h5") ? ZW_OK : ZW_E_MISSING;
    assert_int_equal(zw_table_can_write(in_folder("a.h5"), NULL), expected);
    assert_int_equal(zw_table_write(t, in_folder("a.h5"), &err), expected);
    assert_true(is_there("h5") || strstr(err.hint, "libhdf5"));
    if (!is_there("h5")) {
        write_file(in_folder("b.h5"), "\x89HDF\r\n\x1a\n", 8);
        assert_int_equal(zw_table_read(&back, in_folder("b.h5"), NULL), expected);
    }
    zw_table_destroy(t);
}

static void test_file__bad_places_are_told(void **state) {
    (void)state;
    zw_table *t = any_table(4, 2, 2), *back;
    for (int k = 0; k < ENDINGS; k++) {
        char path[64];
        zw_error err = {0};
        if (!is_there(endings[k]))
            continue;
        snprintf(path, sizeof path, "/no/such/folder/a.%s", endings[k]);
        assert_int_equal(zw_table_write(t, path, &err), ZW_E_FILE);
        assert_non_null(strstr(err.text, path));
        assert_non_null(strstr(err.hint, "folder"));
        assert_int_equal(zw_table_can_write(path, NULL), ZW_E_FILE);
        /* a folder of that name */
        const char *folder = in_folder_as("folder", endings[k]);
        assert_int_equal(mkdir(folder, 0700), 0);
        err = (zw_error){0};
        assert_int_equal(zw_table_can_write(folder, NULL), ZW_E_FILE);
        assert_int_equal(zw_table_write(t, folder, &err), ZW_E_FILE);
        assert_non_null(strstr(err.hint, "this is a folder"));
        err = (zw_error){0};
        assert_int_equal(zw_table_read(&back, folder, &err), ZW_E_FILE);
        assert_null(back);
        assert_int_equal(rmdir(folder), 0);
        /* a folder that may not be written; root may */
        assert_int_equal(mkdir(in_folder("locked"), 0500), 0);
        snprintf(path, sizeof path, "locked/a.%s", endings[k]);
        if (geteuid() != 0) {
            assert_int_equal(zw_table_can_write(in_folder(path), NULL), ZW_E_FILE);
            assert_int_equal(zw_table_write(t, in_folder(path), NULL), ZW_E_FILE);
        }
        assert_int_equal(rmdir(in_folder("locked")), 0);
    }
    assert_int_equal(zw_table_can_write(in_folder("fine.csv"), NULL), ZW_OK);
    assert_int_equal(zw_table_can_write("-", NULL), ZW_OK);
    assert_int_equal(zw_table_can_write("/dev/null", NULL), ZW_OK);
    zw_table_destroy(t);
}

/* a disk that ends within the file: the limit on file sizes acts like one */
static void test_file__full_disk_leaves_the_old_file(void **state) {
    (void)state;
    struct rlimit before, small;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    zw_table *t = any_table(5, 8, 20000);
    for (int k = 0; k < ENDINGS; k++) {
        const char *path = in_folder_as("old", endings[k]);
        if (!is_there(endings[k]))
            continue;
        write_file(path, "old", 3);
        int files = count_files();
        void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
        small = before;
        small.rlim_cur = 100000;
        setrlimit(RLIMIT_FSIZE, &small);
        zw_error err = {0};
        zw_status status = zw_table_write(t, path, &err);
        setrlimit(RLIMIT_FSIZE, &before);
        signal(SIGXFSZ, handler);
        assert_int_equal(status, ZW_E_FILE);
        assert_non_null(strstr(err.text, "File too large"));
        assert_non_null(strstr(err.hint, "ulimit"));
        char *text = read_whole(path, NULL);
        assert_string_equal(text, "old");
        free(text);
        assert_int_equal(count_files(), files);
    }
    zw_table_destroy(t);
}

static void test_file__failed_write_is_rescued(void **state) {
    (void)state;
    setenv("TMPDIR", test_folder, 1);
    zw_table *t = any_table(6, 3, 9), *back;
    static const struct {
        const char *path, *kept;
    } cases[] = {{"/no/such/folder/run.csv", "run-rescued.csv"},
                 {"/no/such/folder/run.csv", "run-rescued-1.csv"},
                 {"/no/such/folder/run.h5", "run-rescued.h5"},
                 {"/no/such/folder/run", "run-rescued.json"},
                 {"/dev/full", "result-rescued.csv"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        zw_error err = {0};
        if (strstr(cases[i].path, ".h5") && !is_there("h5"))
            continue;
        assert_true(zw_table_write_rescue(t, cases[i].path, &err) < 0);
        assert_non_null(strstr(err.text, cases[i].kept));
        assert_int_equal(zw_table_read(&back, in_folder(cases[i].kept), NULL), ZW_OK);
        assert_true(is_same(t, back));
        zw_table_destroy(back);
    }
    /* CSV cannot say a line end in a key: the rescue can; a second fault adds where its file is */
    zw_error err = {0};
    zw_table_note(t, "two\nlines", "");
    assert_int_equal(zw_table_write_rescue(t, in_folder("strange.csv"), &err), ZW_E_NAME);
    assert_int_equal(zw_table_write_rescue(t, "/no/such/folder/second.json", &err), ZW_E_FILE);
    assert_int_equal(err.status, ZW_E_NAME);
    assert_non_null(strstr(err.text, "strange-rescued.json"));
    assert_non_null(strstr(err.text, "second-rescued.json"));
    assert_int_equal(zw_table_read(&back, in_folder("strange-rescued.json"), NULL), ZW_OK);
    assert_true(is_same(t, back));
    zw_table_destroy(back);
    /* nothing to rescue: nothing is left */
    err = (zw_error){0};
    int files = count_files();
    assert_int_equal(zw_table_write_rescue(t, in_folder("well.json"), &err), ZW_OK);
    assert_int_equal(err.status, ZW_OK);
    assert_int_equal(count_files(), files + 1);
    zw_table_destroy(t);
    unsetenv("TMPDIR");
}

/* Files cut short at every place: refused with a word. CSV ends with every line; but for those of
 * other programs, that is told too. */
static void test_file__cut_short_is_told(void **state) {
    (void)state;
    zw_table *t = any_table(7, 3, 6);
    zw_table_note(t, "zwang", "0");
    for (int k = 0; k < 3; k++) {
        if (!is_there(endings[k]))
            continue;
        size_t length;
        assert_int_equal(zw_table_write(t, in_folder_as("cut", endings[k]), NULL), ZW_OK);
        char *text = read_whole(in_folder_as("cut", endings[k]), &length);
        for (size_t n = 0; n < length; n += k == 2 ? 61 : 1) {
            zw_table *back;
            zw_error err = {0};
            write_file(in_folder("cut"), text, n);
            zw_status status = zw_table_read(&back, in_folder("cut"), &err);
            bool is_whole = (endings[k][0] == 'c' && n > 0 && text[n - 1] == '\n') ||
                            text[n] == '\n'; /* the last line end of JSON is no loss */
            if (status == ZW_OK) {
                assert_true(is_whole);
                assert_true(zw_table_rows(back) <= 6);
            } else {
                assert_null(back);
                assert_true(err.text[0] && err.status == status);
                assert_true(err.hint[0] || err.line > 0);
            }
            zw_table_destroy(back);
        }
        free(text);
    }
    zw_table_destroy(t);
}

/* the same table is the same file, bit for bit, also a second later */
static void test_file__knows_no_clock(void **state) {
    (void)state;
    zw_table *t = any_table(10, 3, 2000);
    size_t length[2];
    time_t before;
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        if (!is_there(endings[i]))
            continue;
        char name[2][32], *image[2];
        for (int k = 0; k < 2; k++) {
            snprintf(name[k], sizeof name[k], "clock%d.%s", k, endings[i]);
            assert_int_equal(zw_table_write(t, in_folder(name[k]), NULL), ZW_OK);
            for (before = time(NULL); strcmp(endings[i], "h5") == 0 && time(NULL) == before;)
                usleep(10 * 1000);
            image[k] = read_whole(in_folder(name[k]), &length[k]);
        }
        assert_int_equal(length[0], length[1]);
        assert_memory_equal(image[0], image[1], length[0]);
        free(image[0]);
        free(image[1]);
    }
    zw_table_destroy(t);
}

/* One bit of an HDF5 file turned: refused, or of no consequence, or seen as nan. */
static void turn_bits(int rows, int trials) {
    enum { COLUMNS = 3 };
    zw_table *t = any_table(8, COLUMNS, rows), *back;
    for (long i = 0; i < rows; i++)
        for (int j = 0; j < COLUMNS; j++)
            zw_table_set(t, i, j, sin((double)(COLUMNS * i + j)));
    size_t length;
    assert_int_equal(zw_table_write(t, in_folder("whole.h5"), NULL), ZW_OK);
    char *image = read_whole(in_folder("whole.h5"), &length);
    test_random r = {9};
    int refused = 0;
    for (int trial = 0; trial < trials; trial++) {
        size_t at = 8 + (size_t)test_random_int(&r, (int)length - 8);
        char turned = (char)(1 << test_random_int(&r, 8));
        image[at] ^= turned;
        write_file(in_folder("damaged.h5"), image, length);
        image[at] ^= turned;
        zw_error err = {0};
        if (zw_table_read(&back, in_folder("damaged.h5"), &err) < 0) {
            refused++;
            assert_null(back);
            assert_non_null(strstr(err.text, "damaged.h5"));
            assert_true(err.hint[0]);
            continue;
        }
        assert_int_equal(zw_table_rows(back), rows);
        for (long i = 0; i < rows * COLUMNS; i++)
            if (isnan(zw_table_data(back)[i]))
                zw_table_set(back, i / COLUMNS, (int)(i % COLUMNS), zw_table_data(t)[i]);
        if (!is_same(t, back))
            fail_msg("byte %zu, bit %d: not noticed", at, turned);
        zw_table_destroy(back);
    }
    assert_true(refused > trials / 4);
    free(image);
    zw_table_destroy(t);
}

static void test_file__damaged_hdf5_is_told(void **state) {
    (void)state;
    if (!is_there("h5"))
        skip();
    turn_bits(200, 300);  /* columns in their headers */
    turn_bits(20000, 60); /* in chunks, deflated */
}

/* ---- files that point to other files ---- */

/* a function of the libhdf5 that this process has loaded, whatever its version */
static void *hdf5_function(const char *name) {
    static void *library;
    char line[1000];
    FILE *maps = library ? NULL : fopen("/proc/self/maps", "r");
    while (maps && !library && fgets(line, sizeof line, maps)) {
        char *path = strchr(line, '/');
        if (!path || !strstr(path, "libhdf5"))
            continue;
        path[strcspn(path, "\n")] = 0;
        library = dlopen(path, RTLD_NOW);
    }
    if (maps)
        fclose(maps);
    assert_non_null(library);
    return dlsym(library, name);
}

#define HDF5(type, name, ...)                                                                      \
    type (*name)(__VA_ARGS__);                                                                     \
    *(void **)&name = hdf5_function(#name)

typedef enum hostile { EXTERNAL_STORAGE, EXTERNAL_LINK, EXTERNAL_GROUP, VIRTUAL, HOSTILE } hostile;

/* a result whose column `a` has its numbers, bytes, in the file `secret` */
static void write_hostile(const char *path, const char *secret, hostile how) {
    HDF5(int64_t, H5Fcreate, const char *, unsigned, int64_t, int64_t);
    HDF5(int64_t, H5Gcreate2, int64_t, const char *, int64_t, int64_t, int64_t);
    HDF5(int64_t, H5Screate_simple, int, const uint64_t *, const uint64_t *);
    HDF5(int64_t, H5Pcreate, int64_t);
    HDF5(int, H5Pset_external, int64_t, const char *, off_t, uint64_t);
    HDF5(int, H5Pset_virtual, int64_t, int64_t, const char *, const char *, int64_t);
    HDF5(int, H5Lcreate_external, const char *, const char *, int64_t, const char *, int64_t,
         int64_t);
    HDF5(int64_t, H5Dcreate2, int64_t, const char *, int64_t, int64_t, int64_t, int64_t, int64_t);
    HDF5(int, H5Fclose, int64_t);
    HDF5(int, H5Gclose, int64_t);
    HDF5(int, H5Dclose, int64_t);
    int64_t byte = *(int64_t *)hdf5_function("H5T_STD_I8LE_g"),
            creation = *(int64_t *)hdf5_function("H5P_CLS_DATASET_CREATE_ID_g");
    const uint64_t size = 16;
    int64_t file = H5Fcreate(path, 2, 0, 0), columns = -1, space = H5Screate_simple(1, &size, NULL),
            list = H5Pcreate(creation), set = -1;
    if (how == EXTERNAL_GROUP)
        assert_true(H5Lcreate_external(secret, "/columns", file, "columns", 0, 0) >= 0);
    else
        columns = H5Gcreate2(file, "columns", 0, 0, 0);
    if (how == EXTERNAL_LINK)
        assert_true(H5Lcreate_external(secret, "/columns/a", columns, "a", 0, 0) >= 0);
    if (how == EXTERNAL_STORAGE)
        assert_true(H5Pset_external(list, secret, 0, size) >= 0);
    if (how == VIRTUAL)
        assert_true(H5Pset_virtual(list, space, secret, "/columns/a", space) >= 0);
    if (how == EXTERNAL_STORAGE || how == VIRTUAL) {
        set = H5Dcreate2(columns, "a", byte, space, 0, list, 0);
        assert_true(set >= 0);
        H5Dclose(set);
    }
    if (columns >= 0)
        H5Gclose(columns);
    H5Fclose(file);
}

/* numbers that stand in other files are read from none of them: not from texts, not from results,
 * not from a pipe */
static void test_file__hdf5_stays_in_its_file(void **state) {
    (void)state;
    if (!is_there("h5"))
        skip();
    char path[300], text[300], result[300], pipe[300];
    snprintf(path, sizeof path, "%s", in_folder("hostile.h5"));
    snprintf(text, sizeof text, "%s", in_folder("secret.txt"));
    snprintf(result, sizeof result, "%s", in_folder("secret.h5"));
    snprintf(pipe, sizeof pipe, "%s", in_folder("pipe"));
    FILE *secret = fopen(text, "w");
    fputs("sixteen secret bytes", secret);
    fclose(secret);
    zw_table *t = any_table(3, 1, 16), *back;
    assert_int_equal(zw_table_write(t, result, NULL), ZW_OK);
    assert_int_equal(mkfifo(pipe, 0600), 0);
    for (int how = 0; how < HOSTILE; how++)
        for (int which = 0; which < 2; which++) {
            zw_error err = {0};
            const char *target = how == EXTERNAL_STORAGE ? text : which ? pipe : result;
            write_hostile(path, target, (hostile)how);
            if (zw_table_read(&back, path, &err) >= 0)
                fail_msg("way %d: read", how);
            assert_non_null(strstr(err.text, how == EXTERNAL_STORAGE || how == VIRTUAL
                                                 ? "stored in another file"
                                                 : "cannot read"));
        }
    unlink(pipe);
    zw_table_destroy(t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_file__same_bits_come_back),
        cmocka_unit_test(test_checksum__fits_what_was_written),
        cmocka_unit_test(test_checksum__notices_every_bit),
        cmocka_unit_test(test_checksum__notices_rows_that_were_moved),
        cmocka_unit_test(test_file__long_note_comes_back),
        cmocka_unit_test(test_file__kind_is_seen_from_the_content),
        cmocka_unit_test(test_file__unknown_ending_lists_the_known),
        cmocka_unit_test(test_file__missing_library_is_told),
        cmocka_unit_test(test_file__bad_places_are_told),
        cmocka_unit_test(test_file__full_disk_leaves_the_old_file),
        cmocka_unit_test(test_file__failed_write_is_rescued),
        cmocka_unit_test(test_file__cut_short_is_told),
        cmocka_unit_test(test_file__damaged_hdf5_is_told),
        cmocka_unit_test(test_file__hdf5_stays_in_its_file),
        cmocka_unit_test(test_file__knows_no_clock),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
