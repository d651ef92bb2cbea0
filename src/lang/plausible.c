/* SPDX-License-Identifier: MIT */
/* Statements that are likely mistakes. Some pass every check of units, since angles are plain
 * numbers and Hz is 1/s:
 *
 *   - degrees without their unit: a plain number is read as radians. Suspected for a number beyond
 *     a whole turn with at most one decimal (30, 22.5) where an angle is expected: nobody gives
 *     radians like that.
 *   - revolutions per second without 2 pi: harmonic(a, 50 [Hz]) has the angular frequency 50 rad/s.
 *     Suspected where an angular rate, or a phase that contains t, is computed from Hz, without pi
 *     or an angular unit.
 *   - degrees converted twice: observe a = phi*180/pi [deg] divides by the unit a value that is in
 *     degrees already.
 *
 * Names are followed to the parameters and lets that they stand for. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"

static const double TURN = 6.283185307179586;
enum { NAME_DEPTH_MAX = 20 };

/* the expression of a parameter or let with this name; the node itself if it is anything else */
static const zw_syntax *resolve_name(const zw_model *m, const zw_syntax *node) {
    for (int i = 0; i < NAME_DEPTH_MAX && node->kind == ZW_ND_NAME; i++) {
        const zw_entry *e = zw_model_find(m, node->name);
        if (!e || !e->stmt || !e->stmt->value || (e->kind != ZW_ST_PARAM && e->kind != ZW_ST_LET))
            return node;
        node = e->stmt->value;
    }
    return node;
}

static bool is_angle(const zw_model *m, const zw_syntax *node) {
    const zw_entry *e = node->kind == ZW_ND_NAME ? zw_model_find(m, node->name) : NULL;
    return e && e->kind == ZW_ST_COORD && e->value.n == 1 && e->value.d[0].angle != 0;
}

/* phi', or the component wz of an angular velocity */
static bool is_angular_rate(const zw_model *m, const zw_syntax *node) {
    if (node->kind == ZW_ND_PRIME)
        return node->count == 1 && is_angle(m, node->arg[0]);
    return node->kind == ZW_ND_MEMBER &&
           (strcmp(node->name, "w") == 0 || strcmp(node->name, "wx") == 0 ||
            strcmp(node->name, "wy") == 0 || strcmp(node->name, "wz") == 0);
}

/* ------------------------------------------------------------------------------------- degrees */

/* Distance of ten times a number from an integer, relative: far above eps, with which decimals are
 * read, and below the next decimal of any angle in degrees. */
#define DECIMAL_ROUNDOFF 1e-9

static bool looks_like_degrees(const zw_model *m, const zw_syntax *node, double *value) {
    node = resolve_name(m, node);
    bool negative = node->kind == ZW_ND_NEG;
    if (negative)
        node = resolve_name(m, node->arg[0]);
    if (node->kind != ZW_ND_NUMBER || node->has_unit)
        return false;
    double v = strtod(node->name, NULL), tenths = 10 * v;
    *value = negative ? -v : v;
    return v > TURN && fabs(tenths - round(tenths)) < DECIMAL_ROUNDOFF * tenths;
}

static zw_status warn_degrees(zw_model *m, const char *what, zw_place place, double value) {
    char key[96];
    snprintf(key, sizeof key, "degrees %.60s:%d:%d", place.file, place.line, place.column);
    zw_warning d = zw_warning_of(key, NAN, "%s %g, a plain number: %g rad, or %.3g turns", what,
                                 value, value, value / TURN);
    zw_warning_place(&d, place);
    zw_warning_hint(&d, "%g [deg] if degrees are meant, %g [rad] if not", value, value);
    return zw_system_warning(m->sys, &d, m->err);
}

/* ------------------------------------------------------------------------------------- hertz */

typedef struct mentions {
    bool hertz; /* a unit built from Hz */
    bool turn;  /* pi, a number close to 2 pi, an angular unit */
    bool time;  /* t */
} mentions;

/* Distance of numbers such as 6.28 from 2 pi: pi with two decimals is not farther from it. */
#define ROUNDED_TURN 0.01

static bool is_near(double a, double b) {
    return fabs(a - b) < ROUNDED_TURN;
}

static void collect_mentions(const zw_model *m, const zw_syntax *node, int depth, mentions *seen) {
    if (depth > NAME_DEPTH_MAX)
        return;
    if (node->kind == ZW_ND_NUMBER) {
        const char *unit = node->has_unit ? node->unit_text : "";
        seen->hertz = seen->hertz || strstr(unit, "Hz");
        seen->turn = seen->turn || strstr(unit, "rad") || strstr(unit, "rev") ||
                     strstr(unit, "rpm") || strstr(unit, "deg") ||
                     is_near(strtod(node->name, NULL), TURN / 2) ||
                     is_near(strtod(node->name, NULL), TURN);
    } else if (node->kind == ZW_ND_NAME) {
        const zw_syntax *meant = resolve_name(m, node);
        seen->turn = seen->turn || strcmp(node->name, "pi") == 0;
        seen->time = seen->time || strcmp(node->name, "t") == 0;
        if (meant != node)
            collect_mentions(m, meant, depth + 1, seen);
    }
    for (int i = 0; i < node->n; i++)
        collect_mentions(m, node->arg[i], depth + 1, seen);
}

/* an angular rate; or, if it is a phase, a function that grows with time */
static zw_status check_rate(zw_model *m, const zw_syntax *node, bool phase) {
    mentions seen = {0};
    collect_mentions(m, node, 0, &seen);
    if (!seen.hertz || seen.turn || (phase && !seen.time))
        return ZW_OK;
    char key[96];
    snprintf(key, sizeof key, "hertz %.60s:%d:%d", node->place.file, node->place.line,
             node->place.column);
    zw_warning d =
        zw_warning_of(key, NAN, "this %s is made of Hz, which is 1/s: 1 [Hz] is 1 rad/s here",
                      phase ? "phase" : "angular rate");
    zw_warning_place(&d, node->place);
    zw_warning_hint(&d, "turns per second are 2*pi*f, or a number with the unit [rev/s]; "
                        "otherwise write [rad/s]");
    return zw_system_warning(m->sys, &d, m->err);
}

/* ----------------------------------------------------------------------------------- conversion */

static bool holds_number(const zw_syntax *node, double number) {
    if (node->kind == ZW_ND_NUMBER && !node->has_unit && strtod(node->name, NULL) == number)
        return true;
    for (int i = 0; i < node->n; i++)
        if (holds_number(node->arg[i], number))
            return true;
    return false;
}

/* observe a = phi*180/pi [deg]: the unit converts a value that has been converted already */
static zw_status check_observable(zw_model *m, const zw_stmt *s) {
    mentions seen = {0};
    if (!s->has_unit || !strstr(s->unit_text, "deg") || !holds_number(s->value, 180))
        return ZW_OK;
    collect_mentions(m, s->value, 0, &seen);
    if (!seen.turn)
        return ZW_OK;
    char key[96];
    snprintf(key, sizeof key, "conversion of %.60s", s->name);
    zw_warning d =
        zw_warning_of(key, NAN, "%s is made degrees by 180/pi and once more by its unit", s->name);
    zw_warning_place(&d, s->name_place);
    zw_warning_hint(&d, "observe %s = ... [%s] without the factor, or the factor without the unit",
                    s->name, s->unit_text);
    return zw_system_warning(m->sys, &d, m->err);
}

/* ----------------------------------------------------------------------------------- statements */

/* sin, cos and tan of a number of degrees, or of a phase in Hz, anywhere in an expression */
static zw_status check_functions(zw_model *m, const zw_syntax *node) {
    double value;
    if (!node)
        return ZW_OK;
    for (int i = 0; i < node->n; i++)
        ZW_TRY(check_functions(m, node->arg[i]));
    if (node->kind != ZW_ND_CALL || node->n != 1 ||
        (strcmp(node->name, "sin") != 0 && strcmp(node->name, "cos") != 0 &&
         strcmp(node->name, "tan") != 0))
        return ZW_OK;
    if (looks_like_degrees(m, node->arg[0], &value)) {
        char what[40];
        snprintf(what, sizeof what, "the %s of", node->name);
        ZW_TRY(warn_degrees(m, what, node->arg[0]->place, value));
    }
    return check_rate(m, node->arg[0], true);
}

/* the values with which a motion starts or continues after an event; `verb` is for the message */
static zw_status check_start(zw_model *m, const char *verb, const zw_syntax *what,
                             const zw_syntax *value) {
    double number;
    if (what->kind == ZW_ND_TUPLE && value->kind == ZW_ND_TUPLE && what->n == value->n) {
        for (int i = 0; i < what->n; i++)
            ZW_TRY(check_start(m, verb, what->arg[i], value->arg[i]));
        return ZW_OK;
    }
    if (is_angle(m, what) && looks_like_degrees(m, value, &number)) {
        char text[120];
        snprintf(text, sizeof text, "the angle %.80s %s", what->name, verb);
        return warn_degrees(m, text, value->place, number);
    }
    return is_angular_rate(m, what) ? check_rate(m, value, false) : ZW_OK;
}

static zw_status check_frame(zw_model *m, const zw_stmt *s) {
    double value;
    for (const zw_move *move = s->moves; move; move = move->next) {
        if (!move->axis)
            continue;
        if (looks_like_degrees(m, move->value, &value))
            ZW_TRY(warn_degrees(m, "a frame is turned by", move->value->place, value));
        ZW_TRY(check_rate(m, move->value, true));
    }
    return ZW_OK;
}

static zw_status check_input(zw_model *m, const zw_syntax *call) {
    if (!call || call->kind != ZW_ND_CALL)
        return ZW_OK;
    int rates = strcmp(call->name, "harmonic") == 0 ? 1 : strcmp(call->name, "sweep") == 0 ? 2 : 0;
    rates += strcmp(call->name, "noise") == 0 && call->n == 3;
    for (int i = 1; i <= rates && i < call->n; i++)
        ZW_TRY(check_rate(m, call->arg[i], false));
    return ZW_OK;
}

static zw_status check_statement(zw_model *m, const zw_stmt *s) {
    const zw_syntax *const alone[] = {s->value, s->what, s->at, s->to};
    for (int i = 0; i < 4; i++)
        ZW_TRY(check_functions(m, alone[i]));
    for (int i = 0; i < s->n; i++)
        ZW_TRY(check_functions(m, s->list[i]));
    for (const zw_action_text *action = s->actions; action; action = action->next) {
        ZW_TRY(check_functions(m, action->value));
        if (action->kind == ZW_ACTION_SET)
            ZW_TRY(check_start(m, "is set to", action->what, action->value));
    }
    if (s->kind == ZW_ST_START)
        return check_start(m, "starts at", s->what, s->value);
    if (s->kind == ZW_ST_INPUT)
        return check_input(m, s->value);
    if (s->kind == ZW_ST_OBSERVE)
        return check_observable(m, s);
    return s->kind == ZW_ST_FRAME ? check_frame(m, s) : ZW_OK;
}

zw_status zw_model_plausible(zw_model *m) {
    for (const zw_stmt *s = m->tree.first; s && m->check; s = s->next)
        ZW_TRY(check_statement(m, s));
    return ZW_OK;
}
