/* SPDX-License-Identifier: MIT */
/* Colours by their names, for light and dark paper; viewer/src/theme.js has the same, which a test
 * checks. */
#include <string.h>

#include "scene.h"

typedef struct named {
    const char *name;
    unsigned light, dark;
} named;

static const named colours[] = {
    {"red", 0xb8483e, 0xd9685c},
    {"orange", 0xc97b36, 0xdd9450},
    {"yellow", 0xd1a93c, 0xdcbb5c},
    {"green", 0x5a8a55, 0x7cab74},
    {"teal", 0x3b8686, 0x5aa8a6},
    {"blue", 0x3f6c9b, 0x6f9ccb},
    {"violet", 0x7f5c8f, 0xa584b5},
    {"brown", 0x86664b, 0xa98868},
    {"steel", 0x8a94a0, 0x9aa5b1},
    {"grey", 0xa3a29d, 0x85878a},
    {"black", 0x33363a, 0x54585e},
    {"white", 0xf1efe9, 0xdcdad4},
    /* of contacts: distinguishable by all eyes, and from drawings */
    {"stick", 0x00798c, 0x3fb6c9},
    {"slip", 0xe0610e, 0xff8a3d},
    {"touch", 0x6b4fa0, 0xa58be0},
};

/* for bodies and traces without a colour in the model */
static const char *const of_bodies[] = {"blue", "orange", "green", "violet", "teal", "yellow"};
static const char *const of_traces[] = {"red", "teal", "violet", "orange"};
enum {
    BODIES = sizeof of_bodies / sizeof *of_bodies,
    TRACES = sizeof of_traces / sizeof *of_traces
};

static zw_rgb rgb_from_hex(unsigned hex) {
    return (zw_rgb){(hex >> 16 & 255) / 255.0, (hex >> 8 & 255) / 255.0, (hex & 255) / 255.0};
}

zw_rgb zw_scene_colour(const char *name, bool dark) {
    for (size_t i = 0; i < sizeof colours / sizeof *colours; i++)
        if (strcmp(colours[i].name, name) == 0)
            return rgb_from_hex(dark ? colours[i].dark : colours[i].light);
    return rgb_from_hex(dark ? 0x9aa5b1 : 0x8a94a0);
}

zw_scene_theme zw_scene_theme_of(bool dark) {
    if (dark)
        return (zw_scene_theme){rgb_from_hex(0x1d2023), rgb_from_hex(0xe5e2db),
                                rgb_from_hex(0x989da3), rgb_from_hex(0x82868b)};
    return (zw_scene_theme){rgb_from_hex(0xffffff), rgb_from_hex(0x23272c), rgb_from_hex(0x6d7379),
                            rgb_from_hex(0x8d8a83)};
}

/* a shape that surrounds others has no colour of its own */
static bool is_room(const zw_view_item *item) {
    return zw_scene_is(item, "bowl") || zw_scene_is(item, "shell") || zw_scene_is(item, "plane");
}

static bool is_body(const zw_view_item *item) {
    return !zw_scene_is(item, "trace") && !zw_scene_is_span(item->shape) && !is_room(item) &&
           !item->colour[0];
}

/* an earlier drawing of the same body, also without a colour */
static int same_body(const zw_view *v, int i) {
    for (int k = 0; k < i; k++)
        if (v->item[i].name[0] && is_body(&v->item[k]) &&
            strcmp(v->item[i].name, v->item[k].name) == 0)
            return k;
    return -1;
}

const char *zw_view_colour(const zw_view *v, int i) {
    const zw_view_item *item = &v->item[i];
    int before = 0;
    if (item->colour[0])
        return item->colour;
    if (zw_scene_is(item, "trace")) {
        for (int k = 0; k < i; k++)
            before += zw_scene_is(&v->item[k], "trace") && !v->item[k].colour[0];
        return of_traces[before % TRACES];
    }
    if (zw_scene_is_span(item->shape))
        return zw_scene_is(item, "arrow") ? "red" : "steel";
    if (is_room(item))
        return "grey";
    int first = same_body(v, i);
    if (first >= 0)
        return zw_view_colour(v, first);
    for (int k = 0; k < i; k++)
        before += is_body(&v->item[k]) && same_body(v, k) < 0;
    return of_bodies[before % BODIES];
}
