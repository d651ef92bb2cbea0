/* SPDX-License-Identifier: MIT */
/* Colours of numbers and of classes. */
#ifndef ZW_OUT_COLOURS_H
#define ZW_OUT_COLOURS_H

typedef struct zw_out_rgb {
    double r, g, b; /* 0 to 1, sRGB */
} zw_out_rgb;

/* Scales, in steps that look even. An odd number, so that there is a middle colour. */
enum { ZW_OUT_SCALE = 511 };
/* From dark violet over green to light yellow. */
void zw_out_even(zw_out_rgb out[ZW_OUT_SCALE]);
/* From blue over white to red. */
void zw_out_diverging(zw_out_rgb out[ZW_OUT_SCALE]);
/* From light grey to dark grey. */
void zw_out_greys(zw_out_rgb out[ZW_OUT_SCALE]);
/* For class k = 1, 2, ...; 0: not decided, negative: diverged. When the colours repeat they are
 * lighter. */
zw_out_rgb zw_out_class(int k);
/* Light for u = 0, unchanged for 1/2, dark for 1. */
zw_out_rgb zw_out_shaded(zw_out_rgb c, double u);
/* Lighter, so that lines drawn over it stand out. */
zw_out_rgb zw_out_pale(zw_out_rgb c);
/* For cells without a value. */
zw_out_rgb zw_out_nothing(void);

#endif
