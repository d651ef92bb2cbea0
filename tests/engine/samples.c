/* SPDX-License-Identifier: MIT */
/* Random expressions over all functions of the language, and what the library makes of them, one
 * JSON object in a line, for tests/engine/judge, which reckons with 50 digits and knows nothing of
 * the library:
 *
 *   tree     the expression as it was drawn, in prefix form: ["sin", ["+", "x0", [1, 3]]]
 *   text     as the library writes it when it has built it; forms: expanded, shortened,
 *            trigonometry combined
 *   d, dd    its derivatives by x0, x1, x2, and that by x0 and then x1, written
 *   points   three numbers each, with the values that evaluation gives there
 *   box      middle and half width of each variable, and the bounds of interval arithmetic over it
 *
 *   samples SEED COUNT */
#include <stdlib.h>

#include "jit/interp.h"
#include "jit/interval.h"
#include "jit/program.h"
#include "support/test.h"
#include "zwang/expr.h"

enum { SYMBOLS = 3, POINTS = 6, TEXT_MAX = 1 << 14, LONGEST = 4000 };

typedef struct drawing {
    test_random random;
    zw_context *ctx;
    zw_expr x[SYMBOLS];
    char tree[TEXT_MAX];
    size_t n;
} drawing;

static void put(drawing *d, const char *text) {
    d->n += (size_t)snprintf(d->tree + d->n, sizeof d->tree - d->n, "%s", text);
    if (d->n >= sizeof d->tree)
        abort();
}

static zw_expr draw(drawing *d, int depth);

static zw_expr draw_number(drawing *d) {
    int p = test_random_int(&d->random, 11) - 5, q = 1 + test_random_int(&d->random, 4);
    char text[40];
    snprintf(text, sizeof text, "[%d, %d]", p, q);
    put(d, text);
    return zw_rational(d->ctx, p, q);
}

static zw_expr draw_leaf(drawing *d) {
    static const char *const name[] = {"\"x0\"", "\"x1\"", "\"x2\""};
    int i = test_random_int(&d->random, SYMBOLS + 1);
    if (i == SYMBOLS)
        return draw_number(d);
    put(d, name[i]);
    return d->x[i];
}

/* to whole, half and third powers, also 0 */
static zw_expr draw_power(drawing *d, int depth) {
    static const int p[] = {2, 3, -1, -2, 1, -1, 3, 1, 0, 5, 2},
                     q[] = {1, 1, 1, 1, 2, 2, 2, 3, 1, 1, 3};
    int k = test_random_int(&d->random, 12);
    put(d, "[\"^\", ");
    zw_expr base = draw(d, depth - 1), exponent;
    put(d, ", ");
    if (k == 11) {
        exponent = draw(d, depth - 2);
    } else {
        char text[40];
        snprintf(text, sizeof text, "[%d, %d]", p[k], q[k]);
        put(d, text);
        exponent = zw_rational(d->ctx, p[k], q[k]);
    }
    put(d, "]");
    return zw_pow(d->ctx, base, exponent);
}

static zw_expr draw_binary(drawing *d, int depth, const char *sign,
                           zw_expr (*build)(zw_context *, zw_expr, zw_expr)) {
    put(d, "[\"");
    put(d, sign);
    put(d, "\", ");
    zw_expr a = draw(d, depth - 1);
    put(d, ", ");
    zw_expr b = draw(d, depth - 1);
    put(d, "]");
    return build(d->ctx, a, b);
}

static const struct {
    zw_op op;
    const char *name;
    int arity;
} functions[] = {
#define ZW_OP_ROW(op, text, arity, tex, c, about) {ZW_OP_##op, text, arity},
#include "zwang/ops.def"
#undef ZW_OP_ROW
};

static zw_expr draw_function(drawing *d, int depth) {
    int i = ZW_OP_SIN + test_random_int(&d->random, ZW_OP_TABLE - ZW_OP_SIN);
    zw_expr a[3] = {0};
    put(d, "[\"");
    put(d, functions[i].name);
    put(d, "\"");
    for (int k = 0; k < functions[i].arity; k++) {
        put(d, ", ");
        a[k] = draw(d, depth - 1);
    }
    put(d, "]");
    return zw_apply(d->ctx, functions[i].op, functions[i].arity, a);
}

static zw_expr draw(drawing *d, int depth) {
    if (depth <= 0)
        return draw_leaf(d);
    switch (test_random_int(&d->random, 11)) {
    case 0:
        return draw_leaf(d);
    case 1:
    case 2:
        return draw_binary(d, depth, "+", zw_add);
    case 3:
        return draw_binary(d, depth, "-", zw_sub);
    case 4:
    case 5:
        return draw_binary(d, depth, "*", zw_mul);
    case 6:
        return draw_binary(d, depth, "/", zw_div);
    case 7:
        return draw_power(d, depth);
    default:
        return draw_function(d, depth);
    }
}

static void print_expr(const drawing *d, const char *key, zw_expr e) {
    char *text = e ? zw_print_within(d->ctx, e, ZW_TEXT, LONGEST) : NULL;
    printf("%s", key);
    if (text)
        printf("\"%s\"", text);
    else
        printf("null");
    zw_string_free(d->ctx, text);
}

/* places of all kinds: general ones, small ones, and those where functions begin, end or switch */
static double draw_place(drawing *d) {
    static const double special[] = {0,  1,       -1,       0.5,      -0.5,       2,
                                     -2, 0x1p-30, -0x1p-30, 0x1p-200, 1 + 0x1p-40};
    if (test_random_int(&d->random, 3) == 0)
        return special[test_random_int(&d->random, 11)];
    return test_random_real(&d->random, -1.5, 1.5);
}

static void print_points(drawing *d, zw_expr e) {
    printf(", \"points\": [");
    for (int k = 0; k < POINTS; k++) {
        double x[SYMBOLS];
        for (int i = 0; i < SYMBOLS; i++)
            x[i] = k < 2 ? test_random_real(&d->random, -1.5, 1.5) : draw_place(d);
        printf("%s[\"%a\", \"%a\", \"%a\", \"%a\"]", k ? ", " : "", x[0], x[1], x[2],
               zw_eval(d->ctx, e, SYMBOLS, d->x, x));
    }
    printf("]");
}

static void print_bound(drawing *d, zw_expr e) {
    zw_program p;
    zw_error err = {0};
    zw_bound_func f;
    zw_func prepare;
    zw_bound x[SYMBOLS], out;
    double cache[256], scratch[1024];
    if (zw_program_init(&p, d->ctx, &err) < 0 ||
        zw_program_input(&p, ZW_SPACE_X, SYMBOLS, d->x, &err) < 0 ||
        zw_program_function(&p, "f", 1, &e, &err) < 0 || zw_program_finish(&p, &err) < 0 ||
        zw_interval_func(&f, &p.code[0], &p.arena) < 0 ||
        zw_interp_func(&prepare, &p.prepare, 1, NULL, &p.arena) < 0 || prepare.nout > 256 ||
        prepare.nwork > 1024)
        abort();
    zw_bound *work = malloc(sizeof *work * (size_t)(f.nwork + 1));
    if (!work)
        abort();
    zw_call(&prepare, &(zw_args){.p = NULL}, cache, scratch);
    printf(", \"box\": [");
    for (int i = 0; i < SYMBOLS; i++) { /* few bits, so that the ends are exact */
        static const double width[] = {0, 0x1p-20, 0x1p-6, 0.25, 1};
        double m = round(draw_place(d) * 0x1p20) * 0x1p-20,
               r = width[test_random_int(&d->random, 5)];
        x[i] = (zw_bound){{m - r, m + r}, {r, r}};
        printf("%s[\"%a\", \"%a\"]", i ? ", " : "", m, r);
    }
    f.call(&f, &(zw_bound_args){.x = x, .c = cache}, NULL, &out, work);
    printf("], \"bound\": [\"%a\", \"%a\"]", out.value.low, out.value.high);
    free(work);
    zw_program_clear(&p);
}

static void print_sample(drawing *d, zw_expr e) {
    zw_expr shorter = e, combined = e, dx[SYMBOLS];
    printf("{\"tree\": %s", d->tree);
    print_expr(d, ", \"text\": ", e);
    zw_shorten(d->ctx, 1, &shorter);
    zw_trig_combine(d->ctx, 1, &combined);
    print_expr(d, ", \"forms\": [", zw_expand(d->ctx, e));
    print_expr(d, ", ", shorter);
    print_expr(d, ", ", combined);
    for (int i = 0; i < SYMBOLS; i++) {
        dx[i] = zw_diff(d->ctx, e, d->x[i]);
        print_expr(d, i ? ", " : "], \"d\": [", dx[i]);
    }
    print_expr(d, "], \"dd\": ", zw_diff(d->ctx, dx[0], d->x[1]));
    zw_context_reset_status(d->ctx);
    print_points(d, e);
    print_bound(d, e);
    printf("}\n");
}

int main(int argc, char **argv) {
    static const char *const name[] = {"x0", "x1", "x2"};
    if (argc != 3)
        return 1;
    uint64_t seed = strtoull(argv[1], NULL, 10);
    long count = strtol(argv[2], NULL, 10);
    for (long k = 0; k < count;) {
        static drawing d;
        d = (drawing){.random = {seed++}, .ctx = zw_context_create(NULL)};
        if (!d.ctx)
            return 1;
        for (int i = 0; i < SYMBOLS; i++)
            d.x[i] = zw_symbol(d.ctx, name[i]);
        zw_expr e = draw(&d, 2 + test_random_int(&d.random, 3));
        if (e &&
            zw_context_status(d.ctx, NULL) >= 0) { /* 1/0 and the like are refused when built */
            print_sample(&d, e);
            k++;
        }
        zw_context_destroy(d.ctx);
    }
    return 0;
}
