/* SPDX-License-Identifier: MIT */
/* ffmpeg as a child process: frames go in, a film comes out. No shell is involved, and no file name
 * is interpreted. */
#ifndef ZW_OUT_ENCODER_H
#define ZW_OUT_ENCODER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "zwang/status.h"

typedef enum zw_film_kind {
    ZW_FILM_MP4,
    ZW_FILM_WEBM,
    ZW_FILM_GIF,
    ZW_FILM_PALETTE /* the 256 colours of a GIF, as a picture */
} zw_film_kind;

typedef struct zw_encoder {
    const char *program;
    const char *name; /* of the film, for messages */
    pid_t child;
    int frames; /* the socket for frames */
    int said;   /* a file with its messages */
} zw_encoder;

/* The name of the coder for this format that the program has; ZW_E_MISSING if it has none, or if
 * there is no program. */
zw_status zw_encoder_find(const char *program, zw_film_kind kind, const char **coder,
                          zw_error *err);
typedef struct zw_encoding {
    const char *program;
    const char *name; /* of the film, for messages */
    zw_film_kind kind;
    const char *coder;
    int width, height;
    double fps;
    const char *palette; /* the file with the colours of a GIF */
} zw_encoding;
zw_status zw_encoder_begin(zw_encoder *e, const zw_encoding *how, const char *path, zw_error *err);
/* Sends one frame; false if it accepts no more: zw_encoder_end reports why. */
bool zw_encoder_take(zw_encoder *e, const unsigned char *data, size_t size);
/* Waits until it is done. */
zw_status zw_encoder_end(zw_encoder *e, zw_error *err);
void zw_encoder_kill(zw_encoder *e);

#endif
