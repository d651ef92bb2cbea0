/* SPDX-License-Identifier: MIT */
/* Colours of numbers and of classes. */
#ifndef ZW_OUT_COLOURS_H
#define ZW_OUT_COLOURS_H

typedef struct zw_out_rgb {
    double r, g, b; /* 0 to 1, sRGB */
} zw_out_rgb;

/* Scales, in even steps for the eye. An odd number: one colour is in the middle. */
enum { ZW_OUT_SCALE = 511 };
/* From dark violet over green to light yellow. */
void zw_out_even(zw_out_rgb out[ZW_OUT_SCALE]);
/* From blue over white to red. */
void zw_out_diverging(zw_out_rgb out[ZW_OUT_SCALE]);
/* From light grey to dark grey. */
void zw_out_greys(zw_out_rgb out[ZW_OUT_SCALE]);
/* Of class k = 1, 2, ...; 0: not decided, below: gone. Those that come round again are lighter. */
zw_out_rgb zw_out_class(int k);
/* Light where u is 0, itself at 1/2, dark at 1. */
zw_out_rgb zw_out_shaded(zw_out_rgb c, double u);
/* Lighter: what is drawn over it stands out. */
zw_out_rgb zw_out_pale(zw_out_rgb c);
/* What has no value. */
zw_out_rgb zw_out_nothing(void);

#endif
