/* SPDX-License-Identifier: MIT */
/* The fonts of a picture: the one that was chosen, and for each letter that it has not got another
 * one that has. What no font has, and what cannot be set as it is written, is kept to be told. */
#ifndef ZW_OUT_FONTS_H
#define ZW_OUT_FONTS_H

#include <cairo.h>
#include <stdbool.h>
#include <stdint.h>

#include "zwang/status.h"

typedef struct zw_out_fonts zw_out_fonts;

/* A face and what is still to be done to it. */
typedef struct zw_out_face {
    cairo_font_face_t *face;
    bool leans; /* it has no italic letters of its own: lean the upright ones */
} zw_out_face;

/* family NULL: that of the house, or what the system has instead. One that is not installed is
 * refused. */
zw_status zw_out_fonts_create(zw_out_fonts **out, const char *family, zw_error *err);
void zw_out_fonts_destroy(zw_out_fonts *f);
/* Is there such a font? Asked before long work. */
zw_status zw_out_fonts_check(const char *family, zw_error *err);

/* Every family, each once and in order. */
zw_status zw_out_fonts_each(void (*each)(void *user, const char *name), void *user, zw_error *err);

/* The face for a character. If no font has it, *c becomes the sign for that, and it is kept as
 * missing. */
zw_out_face zw_out_fonts_face(zw_out_fonts *f, uint32_t *c, bool italic);
/* Of the characters asked for so far: those that no font has, as "U+65E5 U+672C", "" if none; and
 * whether there was one of a script that is written from right to left or whose letters change with
 * their neighbours. */
const char *zw_out_fonts_missing(const zw_out_fonts *f);
bool zw_out_fonts_misset(const zw_out_fonts *f);

#endif
