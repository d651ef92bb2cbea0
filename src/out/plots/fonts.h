/* SPDX-License-Identifier: MIT */
/* The fonts of a picture: the chosen one, and for each letter that it lacks another one that has
 * it. Letters that no font has, and scripts that cannot be set, are recorded for a report. */
#ifndef ZW_OUT_FONTS_H
#define ZW_OUT_FONTS_H

#include <cairo.h>
#include <stdbool.h>
#include <stdint.h>

#include "zwang/status.h"

typedef struct zw_out_fonts zw_out_fonts;

/* A face, and what is still to be done with it. */
typedef struct zw_out_face {
    cairo_font_face_t *face;
    bool leans; /* it has no italic letters: slant the upright ones */
} zw_out_face;

/* family NULL: the default font, or what the system has instead. A family that is not installed is
 * an error. */
zw_status zw_out_fonts_create(zw_out_fonts **out, const char *family, zw_error *err);
void zw_out_fonts_destroy(zw_out_fonts *f);
/* Checks that there is such a font, before long work. */
zw_status zw_out_fonts_check(const char *family, zw_error *err);

/* Every family, each once and in order. */
zw_status zw_out_fonts_each(void (*each)(void *user, const char *name), void *user, zw_error *err);

/* The face for a character. If no font has it, *c becomes the replacement character, and it is
 * recorded as missing. */
zw_out_face zw_out_fonts_face(zw_out_fonts *f, uint32_t *c, bool italic);
/* For the characters requested so far: those that no font has, as "U+65E5 U+672C", "" if none; and
 * whether there was one of a script that is written from right to left or whose letters depend on
 * their neighbours. */
const char *zw_out_fonts_missing(const zw_out_fonts *f);
bool zw_out_fonts_misset(const zw_out_fonts *f);

#endif
