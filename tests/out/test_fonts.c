/* SPDX-License-Identifier: MIT */
/* A font for every letter: the chosen one, another one that has it, or a sign and a word about it.
 * Which fonts are there is asked of fontconfig. */
#include "out/plots/fonts.h"

#include "support/test.h"

#include <fontconfig/fontconfig.h>
#include <string.h>

/* has any font that can be printed this letter? */
static bool is_anywhere(uint32_t c) {
    FcCharSet *letters = FcCharSetCreate();
    FcCharSetAddChar(letters, c);
    FcPattern *p = FcPatternBuild(NULL, FC_SCALABLE, FcTypeBool, FcTrue, FC_COLOR, FcTypeBool,
                                  FcFalse, FC_CHARSET, FcTypeCharSet, letters, NULL);
    FcObjectSet *what = FcObjectSetBuild(FC_FAMILY, NULL);
    FcFontSet *all = FcFontList(NULL, p, what);
    bool found = all->nfont > 0;
    FcFontSetDestroy(all);
    FcObjectSetDestroy(what);
    FcPatternDestroy(p);
    FcCharSetDestroy(letters);
    return found;
}

static void test_fonts__each_letter_has_a_font_or_is_told(void **state) {
    (void)state;
    static const uint32_t letter[] = {'x', 0x3b8, 0x65e5, 0x672c, 0xac00, 0x10ffff};
    zw_out_fonts *f;
    assert_int_equal(zw_out_fonts_create(&f, NULL, NULL), ZW_OK);
    uint32_t latin = 'x';
    cairo_font_face_t *house = zw_out_fonts_face(f, &latin, false).face;
    for (size_t i = 0; i < sizeof letter / sizeof *letter; i++) {
        uint32_t c = letter[i];
        char code[16];
        snprintf(code, sizeof code, "U+%04X", (unsigned)c);
        cairo_font_face_t *face = zw_out_fonts_face(f, &c, false).face;
        assert_non_null(face);
        if (is_anywhere(letter[i])) {
            assert_int_equal(c, letter[i]);
            assert_null(strstr(zw_out_fonts_missing(f), code));
        } else {
            assert_int_not_equal(c, letter[i]);
            assert_non_null(strstr(zw_out_fonts_missing(f), code));
        }
    }
    /* there is no such character, and no font has it */
    assert_non_null(strstr(zw_out_fonts_missing(f), "U+10FFFF"));
    assert_ptr_equal(zw_out_fonts_face(f, &latin, false).face, house);
    assert_false(zw_out_fonts_misset(f));
    uint32_t alef = 0x5d0;
    zw_out_fonts_face(f, &alef, false);
    assert_true(zw_out_fonts_misset(f));
    zw_out_fonts_destroy(f);
}

/* what is missing is a list of bounded length, however many they are */
static void test_fonts__a_thousand_missing_letters(void **state) {
    (void)state;
    zw_out_fonts *f;
    assert_int_equal(zw_out_fonts_create(&f, NULL, NULL), ZW_OK);
    for (uint32_t k = 0; k < 1000; k++) {
        uint32_t c = 0xe0080 + k; /* no characters */
        zw_out_fonts_face(f, &c, k % 2);
    }
    const char *told = zw_out_fonts_missing(f);
    assert_true(strlen(told) < 136);
    assert_string_equal(told + strlen(told) - 3, "...");
    zw_out_fonts_destroy(f);
}

static void test_fonts__names(void **state) {
    (void)state;
    zw_error err = {0};
    assert_int_equal(zw_out_fonts_check("DejaVu Sans", &err), ZW_OK);
    assert_int_equal(zw_out_fonts_check("dejavu sans", &err), ZW_OK);
    assert_int_equal(zw_out_fonts_check("serif", &err), ZW_OK);
    assert_int_equal(zw_out_fonts_check("DejaVu Sanz", &err), ZW_E_OPTION);
    assert_string_equal(err.text, "the font 'DejaVu Sanz' is not installed");
    assert_non_null(strstr(err.hint, "DejaVu Sans"));
    err = (zw_error){0};
    assert_int_equal(zw_out_fonts_check("", &err), ZW_E_OPTION);
    zw_out_fonts *f;
    assert_int_equal(zw_out_fonts_create(&f, "No Such Font At All", NULL), ZW_E_OPTION);
    assert_null(f);
}

typedef struct seen {
    char last[256];
    int n;
    bool house;
} seen;

static void see(void *user, const char *name) {
    seen *s = user;
    assert_true(strcmp(s->last, name) < 0); /* each once, in order */
    snprintf(s->last, sizeof s->last, "%s", name);
    s->n++;
    s->house = s->house || strcmp(name, "DejaVu Sans") == 0;
    assert_int_equal(zw_out_fonts_check(name, NULL), ZW_OK);
}

static void test_fonts__are_listed(void **state) {
    (void)state;
    seen s = {0};
    assert_int_equal(zw_out_fonts_each(see, &s, NULL), ZW_OK);
    assert_true(s.n > 0 && s.house);
}

/* letters of a font without italics of its own lean */
static void test_fonts__italics(void **state) {
    (void)state;
    zw_out_fonts *f;
    assert_int_equal(zw_out_fonts_create(&f, NULL, NULL), ZW_OK);
    uint32_t c = 'x';
    assert_false(zw_out_fonts_face(f, &c, false).leans);
    cairo_font_face_t *upright = zw_out_fonts_face(f, &c, false).face;
    zw_out_face italic = zw_out_fonts_face(f, &c, true);
    assert_true(italic.leans || italic.face != upright);
    zw_out_fonts_destroy(f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fonts__each_letter_has_a_font_or_is_told),
        cmocka_unit_test(test_fonts__a_thousand_missing_letters),
        cmocka_unit_test(test_fonts__names),
        cmocka_unit_test(test_fonts__are_listed),
        cmocka_unit_test(test_fonts__italics),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    cairo_debug_reset_static_data();
    FcFini();
    return failed;
}
