/* SPDX-License-Identifier: MIT */
/* Fonts by fontconfig. A letter is set in the chosen font if that has it; otherwise in one of the
 * fonts used for other letters of the picture, so that a title has as few fonts as possible;
 * otherwise in the first font in the order of fontconfig that has it, where a font of a related
 * family (Latin Modern Math for Latin Modern Roman) comes first. Fonts of coloured images are
 * skipped: they do not print.
 *
 * Letters are set one after the other from left to right. That is right for alphabets such as
 * Latin, Greek and Cyrillic and for Chinese, Japanese and Korean, but not for Arabic or Hebrew, nor
 * for the scripts of India, which need a layout engine. These are reported. */
#include "fonts.h"

#include <cairo-ft.h>
#include <fontconfig/fontconfig.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/option.h"

#define DEFAULT_FONT "DejaVu Sans"
#define NO_GLYPH 0xfffd /* the replacement character */
enum { FACES = 24, MISSING_MAX = 12, FAMILIES = 1024, NAMED_MAX = 4, KIN_LENGTH = 6 };

typedef struct entry {
    FcPattern *pattern;
    cairo_font_face_t *face;
    const FcCharSet *letters; /* owned by the pattern */
    bool italic;              /* used for italic letters */
    bool leans;
} entry;

struct zw_out_fonts {
    zw_allocator alloc;
    char family[128];
    int n;
    entry item[FACES];   /* 0 and 1: upright and italic of the chosen font */
    FcCharSet *anywhere; /* letters of all fonts together; NULL until needed */
    int nmissing;
    uint32_t missing[MISSING_MAX];
    char missing_text[MISSING_MAX * 10 + 8];
    bool misset;
};

/* ---- names ---- */

static bool is_generic(const char *family) {
    static const char *const name[] = {"serif", "sans-serif", "sans", "monospace"};
    for (size_t i = 0; i < sizeof name / sizeof *name; i++)
        if (FcStrCmpIgnoreCase((const FcChar8 *)family, (const FcChar8 *)name[i]) == 0)
            return true;
    return false;
}

/* every scalable font; NULL if out of memory */
static FcFontSet *list_fonts(void) {
    FcPattern *any = FcPatternBuild(NULL, FC_SCALABLE, FcTypeBool, FcTrue, NULL);
    FcObjectSet *what = FcObjectSetBuild(FC_FAMILY, NULL);
    FcFontSet *all = any && what ? FcFontList(NULL, any, what) : NULL;
    if (what)
        FcObjectSetDestroy(what);
    if (any)
        FcPatternDestroy(any);
    return all;
}

/* the names of the fonts, with equal families next to each other; returns their number */
static int names_of(const FcFontSet *all, const char *name[FAMILIES]) {
    int n = 0;
    for (int i = 0; all && i < all->nfont; i++) {
        FcChar8 *family;
        for (int k = 0; n < FAMILIES &&
                        FcPatternGetString(all->fonts[i], FC_FAMILY, k, &family) == FcResultMatch;
             k++)
            name[n++] = (const char *)family;
    }
    return n;
}

static void add_similar(char *hint, size_t size, int *n, const char *name) {
    size_t used = strlen(hint);
    if (*n == NAMED_MAX || strstr(hint, name))
        return;
    snprintf(hint + used, size - used, "%s%.60s", *n ? ", " : "", name);
    ++*n;
}

static zw_status not_installed(const char *family, int n, const char *const *name, zw_error *err) {
    char hint[300] = "";
    int found = 0;
    const char *near = zw_nearest(family, n, name);
    if (near)
        add_similar(hint, sizeof hint, &found, near);
    for (int i = 0; i < n; i++)
        if (family[0] && FcStrStrIgnoreCase((const FcChar8 *)name[i], (const FcChar8 *)family))
            add_similar(hint, sizeof hint, &found, name[i]);
    zw_fail(err, ZW_E_OPTION, "the font '%.100s' is not installed", family);
    if (found)
        zw_error_hint(err, "did you mean %s?", hint);
    else
        zw_error_hint(err, "fc-list : family lists what is there");
    return ZW_E_OPTION;
}

zw_status zw_out_fonts_check(const char *family, zw_error *err) {
    const char *name[FAMILIES];
    if (is_generic(family))
        return ZW_OK;
    FcFontSet *all = list_fonts();
    if (!all)
        return zw_out_of_memory(err, "the fonts");
    int n = names_of(all, name);
    bool found = false;
    for (int i = 0; i < n && !found; i++)
        found = FcStrCmpIgnoreCase((const FcChar8 *)name[i], (const FcChar8 *)family) == 0;
    zw_status status = found ? ZW_OK : not_installed(family, n, name, err);
    FcFontSetDestroy(all);
    return status;
}

static int compare_names(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

zw_status zw_out_fonts_each(void (*each)(void *user, const char *name), void *user, zw_error *err) {
    const char *name[FAMILIES];
    FcFontSet *all = list_fonts();
    if (!all)
        return zw_out_of_memory(err, "the fonts");
    int n = names_of(all, name);
    qsort(name, (size_t)n, sizeof *name, compare_names);
    for (int i = 0; i < n; i++)
        if (i == 0 || strcmp(name[i - 1], name[i]) != 0)
            each(user, name[i]);
    FcFontSetDestroy(all);
    return ZW_OK;
}

/* ---- faces ---- */

/* the query for fontconfig; c 0: any letters */
static FcPattern *request_pattern(const zw_out_fonts *f, uint32_t c, bool italic) {
    FcPattern *p = FcPatternBuild(NULL, FC_FAMILY, FcTypeString, f->family, FC_SLANT, FcTypeInteger,
                                  italic ? FC_SLANT_ITALIC : FC_SLANT_ROMAN, FC_SCALABLE,
                                  FcTypeBool, FcTrue, NULL);
    FcCharSet *letters = p && c ? FcCharSetCreate() : NULL;
    if (letters) {
        FcCharSetAddChar(letters, c);
        FcPatternAddCharSet(p, FC_CHARSET, letters);
        FcCharSetDestroy(letters);
    }
    if (p) {
        FcConfigSubstitute(NULL, p, FcMatchPattern);
        FcDefaultSubstitute(p);
    }
    return p;
}

/* takes ownership of the pattern; false if it cannot be used */
static bool add_face(zw_out_fonts *f, FcPattern *resolved, bool italic) {
    FcCharSet *letters;
    int slant = FC_SLANT_ROMAN;
    if (!resolved)
        return false;
    if (f->n == FACES || FcPatternGetCharSet(resolved, FC_CHARSET, 0, &letters) != FcResultMatch) {
        FcPatternDestroy(resolved);
        return false;
    }
    FcPatternGetInteger(resolved, FC_SLANT, 0, &slant);
    FcPatternDel(resolved, FC_MATRIX); /* fontconfig's slant would be added to ours */
    f->item[f->n++] = (entry){.pattern = resolved,
                              .face = cairo_ft_font_face_create_for_pattern(resolved),
                              .letters = letters,
                              .italic = italic,
                              .leans = italic && slant == FC_SLANT_ROMAN};
    return true;
}

static bool add_chosen(zw_out_fonts *f, bool italic) {
    FcResult result;
    FcPattern *p = request_pattern(f, 0, italic);
    FcPattern *found = p ? FcFontMatch(NULL, p, &result) : NULL;
    if (p)
        FcPatternDestroy(p);
    return add_face(f, found, italic);
}

static bool is_usable(FcPattern *font, uint32_t c) {
    FcCharSet *letters;
    FcBool coloured = FcFalse, scalable = FcTrue;
    FcPatternGetBool(font, FC_COLOR, 0, &coloured);
    FcPatternGetBool(font, FC_SCALABLE, 0, &scalable);
    return !coloured && scalable &&
           FcPatternGetCharSet(font, FC_CHARSET, 0, &letters) == FcResultMatch &&
           FcCharSetHasChar(letters, c);
}

/* length of the common prefix of the family names */
static int family_kinship(const zw_out_fonts *f, FcPattern *font) {
    FcChar8 *family;
    int n = 0;
    if (FcPatternGetString(font, FC_FAMILY, 0, &family) != FcResultMatch)
        return 0;
    while (f->family[n] && f->family[n] == (char)family[n])
        n++;
    return n >= KIN_LENGTH ? n : 0;
}

/* True if any font has this letter. The search below takes long, and a text may be full of letters
 * that no font has. */
static bool is_anywhere(zw_out_fonts *f, uint32_t c) {
    if (f->anywhere)
        return FcCharSetHasChar(f->anywhere, c);
    f->anywhere = FcCharSetCreate();
    FcPattern *any = FcPatternBuild(NULL, FC_SCALABLE, FcTypeBool, FcTrue, NULL);
    FcObjectSet *what = FcObjectSetBuild(FC_CHARSET, FC_COLOR, NULL);
    FcFontSet *all = any && what && f->anywhere ? FcFontList(NULL, any, what) : NULL;
    for (int i = 0; all && i < all->nfont; i++) {
        FcCharSet *letters;
        FcBool coloured = FcFalse;
        FcPatternGetBool(all->fonts[i], FC_COLOR, 0, &coloured);
        if (!coloured &&
            FcPatternGetCharSet(all->fonts[i], FC_CHARSET, 0, &letters) == FcResultMatch)
            FcCharSetMerge(f->anywhere, letters, NULL);
    }
    if (all)
        FcFontSetDestroy(all);
    if (what)
        FcObjectSetDestroy(what);
    if (any)
        FcPatternDestroy(any);
    return f->anywhere && FcCharSetHasChar(f->anywhere, c);
}

static bool add_for(zw_out_fonts *f, uint32_t c, bool italic) {
    FcResult result;
    FcPattern *p = request_pattern(f, c, italic), *best = NULL;
    FcFontSet *sorted = p ? FcFontSort(NULL, p, FcFalse, NULL, &result) : NULL;
    int closest = -1;
    for (int i = 0; sorted && i < sorted->nfont; i++) {
        int near = is_usable(sorted->fonts[i], c) ? family_kinship(f, sorted->fonts[i]) : -1;
        if (near > closest) {
            closest = near;
            best = sorted->fonts[i];
        }
    }
    bool added = best && add_face(f, FcFontRenderPrepare(NULL, p, best), italic);
    if (sorted)
        FcFontSetSortDestroy(sorted);
    if (p)
        FcPatternDestroy(p);
    return added;
}

static const entry *find_face(const zw_out_fonts *f, uint32_t c, bool italic) {
    for (int i = 0; i < f->n; i++)
        if (f->item[i].italic == italic && FcCharSetHasChar(f->item[i].letters, c))
            return &f->item[i];
    return NULL;
}

/* ---- letters that cannot be shown ---- */

static bool is_recorded(const zw_out_fonts *f, uint32_t c) {
    for (int i = 0; i < f->nmissing && i < MISSING_MAX; i++)
        if (f->missing[i] == c)
            return true;
    return false;
}

static void record_missing(zw_out_fonts *f, uint32_t c) {
    if (is_recorded(f, c))
        return;
    size_t used = strlen(f->missing_text);
    if (f->nmissing == MISSING_MAX && used + 4 < sizeof f->missing_text &&
        !strstr(f->missing_text, "..."))
        snprintf(f->missing_text + used, sizeof f->missing_text - used, " ...");
    if (f->nmissing == MISSING_MAX)
        return;
    f->missing[f->nmissing++] = c;
    snprintf(f->missing_text + used, sizeof f->missing_text - used, "%sU+%04X", used ? " " : "",
             (unsigned)c);
}

/* scripts from right to left, or with letters that depend on their neighbours */
static bool needs_layout(uint32_t c) {
    static const struct {
        uint32_t from, to;
    } block[] = {{0x0590, 0x08ff}, /* Hebrew, Arabic, Syriac, ... */
                 {0x0900, 0x0dff}, /* Devanagari to Sinhala */
                 {0x0f00, 0x109f}, /* Tibetan, Myanmar */
                 {0x1780, 0x17ff}, /* Khmer */
                 {0x1800, 0x18af}, /* Mongolian */
                 {0xfb1d, 0xfdff}, {0xfe70, 0xfeff}, {0x10800, 0x10fff}, {0x1e800, 0x1efff}};
    for (size_t i = 0; i < sizeof block / sizeof *block; i++)
        if (c >= block[i].from && c <= block[i].to)
            return true;
    return false;
}

zw_out_face zw_out_fonts_face(zw_out_fonts *f, uint32_t *c, bool italic) {
    const entry *e = find_face(f, *c, italic);
    f->misset = f->misset || needs_layout(*c);
    if (!e && is_anywhere(f, *c) && add_for(f, *c, italic))
        e = &f->item[f->n - 1];
    if (!e) {
        record_missing(f, *c);
        *c = NO_GLYPH;
        e = find_face(f, *c, italic);
    }
    if (!e) {
        *c = '?';
        e = &f->item[italic];
    }
    return (zw_out_face){e->face, e->leans};
}

const char *zw_out_fonts_missing(const zw_out_fonts *f) {
    return f->missing_text;
}

bool zw_out_fonts_misset(const zw_out_fonts *f) {
    return f->misset;
}

/* ---- lifecycle ---- */

zw_status zw_out_fonts_create(zw_out_fonts **out, const char *family, zw_error *err) {
    *out = NULL;
    if (family)
        ZW_TRY(zw_out_fonts_check(family, err));
    zw_allocator alloc = zw_allocator_default();
    zw_out_fonts *f = zw_allocate(&alloc, sizeof *f);
    if (!f)
        return zw_out_of_memory(err, "the fonts");
    f->alloc = alloc;
    snprintf(f->family, sizeof f->family, "%s", family ? family : DEFAULT_FONT);
    if (!add_chosen(f, false) || !add_chosen(f, true)) {
        zw_out_fonts_destroy(f);
        zw_fail(err, ZW_E_FILE, "there is no font to write with");
        zw_error_hint(err, "install one: fonts-dejavu-core");
        return ZW_E_FILE;
    }
    /* the family name of fontconfig: related families are found by name */
    FcChar8 *name;
    if (FcPatternGetString(f->item[0].pattern, FC_FAMILY, 0, &name) == FcResultMatch)
        snprintf(f->family, sizeof f->family, "%s", (const char *)name);
    *out = f;
    return ZW_OK;
}

void zw_out_fonts_destroy(zw_out_fonts *f) {
    if (!f)
        return;
    for (int i = 0; i < f->n; i++) {
        cairo_font_face_destroy(f->item[i].face);
        FcPatternDestroy(f->item[i].pattern);
    }
    if (f->anywhere)
        FcCharSetDestroy(f->anywhere);
    zw_allocator alloc = f->alloc;
    zw_release(&alloc, f, sizeof *f);
}
