/* SPDX-License-Identifier: MIT */
/* Colours for numbers must not have steps where the numbers have none. They are chosen in the space
 * OKLab of B. Ottosson (2020), in which distances are roughly as large as they look: with lightness
 * L, chroma C and hue h,
 *
 *     a = C cos h,  b = C sin h,   l = (L + 0.3963377774 a + 0.2158037573 b)^3 and so on,
 *     linear RGB = M (l, m, s)
 *
 * The scale for numbers increases evenly in L, so that it can be read without colours too, while
 * the hue changes from violet over blue and green to yellow; the chroma is the largest one, up to a
 * bound, that a screen can show. Its parameter is the arc length, so that equal differences of
 * numbers are equal distances. The diverging scale is white at zero and decreases evenly in L to
 * both sides.
 *
 * Classes have the colours of Okabe and Ito, which colour-blind readers can distinguish. */
#include "colours.h"

#include <math.h>
#include <stdbool.h>

enum { SAMPLES = 256, CLASSES = 7 };

#define GAMUT_SLACK 1e-9 /* of a channel: round-off of white; a screen has steps of 1/255 */
#define DARK 0.27
#define LIGHT 0.93
#define HUE_FROM 315.0 /* degrees */
#define HUE_TO 105.0
#define CHROMA 0.12
#define WHITE 0.98

typedef struct lab {
    double L, a, b;
} lab;

static double gamma_of(double linear) {
    return linear <= 0.0031308 ? 12.92 * linear : 1.055 * pow(linear, 1 / 2.4) - 0.055;
}

static zw_out_rgb linear_of(lab c) {
    double l = c.L + 0.3963377774 * c.a + 0.2158037573 * c.b,
           m = c.L - 0.1055613458 * c.a - 0.0638541728 * c.b,
           s = c.L - 0.0894841775 * c.a - 1.2914855480 * c.b;
    l = l * l * l;
    m = m * m * m;
    s = s * s * s;
    return (zw_out_rgb){4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
                        -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
                        -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s};
}

static bool is_shown(zw_out_rgb c) {
    const double most = 1 + GAMUT_SLACK, least = -GAMUT_SLACK;
    return c.r >= least && c.g >= least && c.b >= least && c.r <= most && c.g <= most &&
           c.b <= most;
}

static double clamp(double v) {
    return fmax(0, fmin(v, 1));
}

static zw_out_rgb rgb_of(lab c) {
    zw_out_rgb v = linear_of(c);
    return (zw_out_rgb){gamma_of(clamp(v.r)), gamma_of(clamp(v.g)), gamma_of(clamp(v.b))};
}

static lab lab_of_polar(double L, double chroma, double degrees) {
    double h = degrees * acos(-1) / 180;
    return (lab){L, chroma * cos(h), chroma * sin(h)};
}

/* the colour of this lightness and hue with the largest chroma that a screen can show */
static lab strongest_colour(double L, double hue, double most) {
    double low = 0, high = most;
    if (is_shown(linear_of(lab_of_polar(L, most, hue))))
        return lab_of_polar(L, most, hue);
    for (int i = 0; i < 40; i++) {
        double middle = (low + high) / 2;
        if (is_shown(linear_of(lab_of_polar(L, middle, hue))))
            low = middle;
        else
            high = middle;
    }
    return lab_of_polar(L, low, hue);
}

typedef lab (*colour_path)(double s);

static lab even_path(double s) {
    return strongest_colour(DARK + s * (LIGHT - DARK), HUE_FROM + s * (HUE_TO - HUE_FROM), CHROMA);
}

/* one side of the diverging scale, from white: first colour, then darkness */
static lab lower_path(double s) {
    return strongest_colour(WHITE - 0.10 * s - 0.47 * s * s, 255, 0.19 * s);
}

static lab upper_path(double s) {
    return strongest_colour(WHITE - 0.10 * s - 0.47 * s * s, 36, 0.19 * s);
}

static double colour_distance(lab p, lab q) {
    return sqrt((p.L - q.L) * (p.L - q.L) + (p.a - q.a) * (p.a - q.a) + (p.b - q.b) * (p.b - q.b));
}

/* n colours at equal distances along a path, including its ends; step: 1, or -1 for backwards */
static void sample_path(colour_path w, int n, int step, zw_out_rgb *out) {
    double length[SAMPLES + 1] = {0};
    lab last = w(0);
    for (int i = 1; i <= SAMPLES; i++) {
        lab next = w((double)i / SAMPLES);
        length[i] = length[i - 1] + colour_distance(last, next);
        last = next;
    }
    for (int k = 0, i = 0; k < n; k++) {
        double wanted = length[SAMPLES] * k / (n - 1);
        while (i + 1 < SAMPLES && length[i + 1] < wanted)
            i++;
        double part = (wanted - length[i]) / (length[i + 1] - length[i]);
        out[k * step] = rgb_of(w((i + clamp(part)) / SAMPLES));
    }
}

void zw_out_even(zw_out_rgb out[ZW_OUT_SCALE]) {
    sample_path(even_path, ZW_OUT_SCALE, 1, out);
}

void zw_out_diverging(zw_out_rgb out[ZW_OUT_SCALE]) {
    enum { MIDDLE = ZW_OUT_SCALE / 2 };
    sample_path(lower_path, MIDDLE + 1, -1, out + MIDDLE);
    sample_path(upper_path, MIDDLE + 1, 1, out + MIDDLE);
}

void zw_out_greys(zw_out_rgb out[ZW_OUT_SCALE]) {
    for (int i = 0; i < ZW_OUT_SCALE; i++)
        out[i] = rgb_of((lab){0.92 - 0.62 * i / (ZW_OUT_SCALE - 1), 0, 0});
}

static zw_out_rgb mix_colours(zw_out_rgb a, zw_out_rgb b, double part) {
    return (zw_out_rgb){a.r + part * (b.r - a.r), a.g + part * (b.g - a.g),
                        a.b + part * (b.b - a.b)};
}

zw_out_rgb zw_out_class(int k) {
    static const zw_out_rgb classes[CLASSES] = {
        {0.000, 0.447, 0.698}, {0.902, 0.624, 0.000}, {0.000, 0.620, 0.451}, {0.800, 0.475, 0.655},
        {0.337, 0.706, 0.914}, {0.835, 0.369, 0.000}, {0.941, 0.894, 0.259}};
    if (k < 1)
        return k == 0 ? (zw_out_rgb){0.25, 0.25, 0.25} : (zw_out_rgb){0.96, 0.96, 0.96};
    int round = (k - 1) / CLASSES, steps = (round + 1) / 2;
    const zw_out_rgb white = {1, 1, 1}, black = {0, 0, 0};
    return mix_colours(classes[(k - 1) % CLASSES], round % 2 ? white : black,
                       fmin(0.25 * steps + (round % 2 ? 0.25 : 0), 0.75));
}

zw_out_rgb zw_out_shaded(zw_out_rgb c, double u) {
    const zw_out_rgb white = {1, 1, 1}, black = {0, 0, 0};
    double side = 2 * clamp(u) - 1;
    return side < 0 ? mix_colours(c, white, -0.6 * side) : mix_colours(c, black, 0.65 * side);
}

zw_out_rgb zw_out_pale(zw_out_rgb c) {
    return mix_colours(c, (zw_out_rgb){1, 1, 1}, 0.55);
}

zw_out_rgb zw_out_nothing(void) {
    return (zw_out_rgb){0.72, 0.72, 0.72};
}
