/* SPDX-License-Identifier: MIT */
/* The benchmark bicycle over 1000 speeds: the steady motion followed, linear equations, eigenvalues
 * in tracks, crossings located, once the equations are lowered. Beside it the same motion solved
 * and linearised anew at every speed, and eigenvalues alone, of the two equations that the source
 * prints (Meijaard et al. 2007, section 5), written by hand; these also judge the numbers.
 *     linearise models/bicycle.zw */
#include "bench.h"

#include <math.h>
#include <string.h>

#include "num/linear/lapack.h"
#include "zwang/zwang.h"

enum { SPEEDS = 1000, EACH = 50 };

typedef struct job {
    const char *path;
    zw_context *ctx;
    zw_system *sys;
    zw_equilibria *e;
    zw_parameter_range over;
    zw_track track;
    double hand[SPEEDS][4][2];
    zw_error err;
} job;

static void stop_if(bool failed, const zw_error *err) {
    if (!failed)
        return;
    fprintf(stderr, "linearise: %s\n", err->text);
    exit(1);
}

static void read_model(void *data) {
    job *j = data;
    zw_context_destroy(j->ctx);
    j->ctx = zw_context_create(NULL);
    stop_if(zw_model_read(&j->sys, j->ctx, j->path, NULL, &j->err) < 0, &j->err);
}

static void create(void *data) {
    job *j = data;
    static const char *const hold[] = {"x'", "yaw"};
    zw_equilibria_options o = zw_equilibria_options_default();
    o.nhold = 2;
    o.hold = hold;
    zw_equilibria_destroy(j->e);
    stop_if(zw_equilibria_create(&j->e, j->sys, &o, &j->err) < 0, &j->err);
}

/* what zwang linearise --over does, without cubic terms and words */
static void all_speeds(void *data) {
    job *j = data;
    zw_steady_way way;
    zw_track_motion *motion;
    zw_track_options o = zw_track_options_default();
    stop_if(zw_parameter_range_begin(&way, &j->over, j->e, &j->err) < 0 ||
                zw_track_motion_create(&motion, way.follow, 5, &j->err) < 0,
            &j->err);
    o.n = zw_track_motion_size(motion);
    o.from = j->over.from;
    o.to = j->over.to;
    o.rows = SPEEDS;
    o.matrix = zw_track_motion_matrix;
    o.user = motion;
    o.unit = zw_track_motion_unit(motion);
    zw_track_clear(&j->track);
    stop_if(zw_track_follow(&j->track, NULL, &o, &j->err) < 0, &j->err);
    zw_track_motion_destroy(motion);
    zw_parameter_range_end(&way);
}

/* the steady motion and its linear equations anew at some of the speeds */
static void one_by_one(void *data) {
    job *j = data;
    zw_flow *flow = zw_equilibria_flow(j->e);
    const zw_kernel *k = zw_flow_kernel(flow);
    double x[64], c[64], z[64];
    stop_if(k->nx > 64 || k->nz > 64 || k->nfield > 64, &j->err);
    memcpy(x, zw_equilibria_motion(j->e)->x, sizeof(double) * (size_t)k->nx);
    for (int i = 0; i < EACH; i++) {
        zw_steady at = {.x = x, .c = c, .z = z};
        zw_linearisation a;
        double speed = 1 + 8.0 * i / EACH;
        const zw_hold hold[] = {{false, k->nq, speed}, {false, 3, 0}};
        x[k->nq] = speed;
        stop_if(zw_steady_find(&at, flow, zw_equilibria_symmetries(j->e), zw_equilibria_scale(j->e),
                               2, hold, &j->err) < 0 ||
                    zw_linearise(&a, flow, zw_equilibria_symmetries(j->e), &at, &j->err) < 0,
                &j->err);
        zw_linearisation_clear(&a);
    }
}

/* M q'' + v C_1 q' + (g K_0 + v^2 K_2) q = 0, q = (lean, steer) */
static void by_hand(void *data) {
    job *j = data;
    static const double M[] = {80.81722, 2.31941332208709, 2.31941332208709, 0.29784188199686},
                        C[] = {0, 33.86641391492494, -0.85035641456978, 1.68540397397560},
                        K0[] = {-80.95, -2.59951685249872, -2.59951685249872, -0.80329488458618},
                        K2[] = {0, 76.59734589573222, 0, 2.65431523794604};
    const zw_lapack *lapack = zw_num_lapack();
    double det = M[0] * M[3] - M[1] * M[2],
           inverse[] = {M[3] / det, -M[1] / det, -M[2] / det, M[0] / det}, work[256];
    for (int i = 0; i < SPEEDS; i++) {
        double v = 10.0 * i / (SPEEDS - 1), A[16] = {0}, re[4], im[4], scale[4], norm, rest[8],
               none;
        int n = 4, one = 1, low, high, info, size = 256, places[8];
        for (int r = 0; r < 2; r++) { /* by columns */
            A[4 * (r + 2) + r] = 1;
            for (int s = 0; s < 2; s++)
                for (int l = 0; l < 2; l++) {
                    A[4 * s + r + 2] -=
                        inverse[2 * r + l] * (9.81 * K0[2 * l + s] + v * v * K2[2 * l + s]);
                    A[4 * (s + 2) + r + 2] -= inverse[2 * r + l] * v * C[2 * l + s];
                }
        }
        lapack->dgeevx("B", "N", "N", "N", &n, A, &n, re, im, &none, &one, &none, &one, &low, &high,
                       scale, &norm, rest, rest + 4, work, &size, places, &info, 1, 1, 1, 1);
        for (int k = 0; k < 4; k++) {
            j->hand[i][k][0] = re[k];
            j->hand[i][k][1] = im[k];
        }
    }
}

/* the largest distance of an eigenvalue of ours from the nearest of those by hand, near the speed
 * of a row */
static double difference(const job *j) {
    double worst = 0;
    for (int row = 0, i = 0; row < j->track.nrow; row++) {
        double v = 10.0 * i / (SPEEDS - 1);
        if (fabs(j->track.value[row] - v) > 1e-12)
            continue;
        for (int k = 0; k < 4; k++) {
            double least = INFINITY;
            for (int l = 0; l < 4; l++)
                least = fmin(least, hypot(j->track.re[row * j->track.n + k] - j->hand[i][l][0],
                                          j->track.im[row * j->track.n + k] - j->hand[i][l][1]));
            worst = fmax(worst, least);
        }
        i++;
    }
    return worst;
}

int main(int argc, char **argv) {
    static job j;
    if (argc != 2) {
        fprintf(stderr, "linearise MODEL\n");
        return 1;
    }
    j.path = argv[1];
    bench_times read = bench_repeat(read_model, &j, 0.1), made = bench_repeat(create, &j, 1);
    stop_if(zw_parameter_range_read(&j.over, j.sys, "x'=0:10 [m/s]", &j.err) < 0, &j.err);
    bench_times ours = bench_repeat(all_speeds, &j, 1), anew = bench_repeat(one_by_one, &j, 1),
                hand = bench_repeat(by_hand, &j, 0.5);
    double each = anew.min * SPEEDS / EACH;
    bench_row("linearise", "bicycle", "text read (min)", 1e3 * read.min, "ms", "");
    bench_row("linearise", "bicycle", "derived and lowered (min)", 1e3 * made.min, "ms", "");
    bench_row("linearise", "bicycle 1000 speeds", "time (min)", 1e3 * ours.min, "ms", "<= 50");
    bench_row("linearise", "bicycle 1000 speeds", "time (median)", 1e3 * ours.median, "ms", "");
    bench_row("linearise", "bicycle 1000 speeds", "matrices", j.track.matrices, "1", "");
    bench_row("linearise", "bicycle 1000 speeds", "eigenproblems", j.track.solved, "1", "");
    bench_row("linearise", "one by one", "time (min)", 1e3 * each, "ms", "");
    bench_row("linearise", "one by one", "speed-up of tracks", each / ours.min, "1", ">= 5");
    bench_row("linearise", "eigenvalues by hand", "time (min)", 1e3 * hand.min, "ms", "");
    bench_row("linearise", "eigenvalues by hand", "ratio of times", ours.min / hand.min, "1",
              "<= 10");
    bench_row("linearise", "eigenvalues by hand", "difference", difference(&j), "1/s", "<= 1e-6");
    zw_track_clear(&j.track);
    zw_equilibria_destroy(j.e);
    zw_context_destroy(j.ctx);
    return 0;
}
