/* SPDX-License-Identifier: MIT */
/* Any bytes as what tracking reads. The first one says as what:
 *   D  data: poses, places or columns; rejected with words, or tracked: then the table has as many
 *      rows as it says, and what it says is finite
 *   C  a table of cameras, M  a table of markers: with some poses that fit */
#include "fuzz.h"

static const char model[] =
    "model m \"seen\"\ncoord x, y, z [m], alpha, beta, gamma [rad]\nframe R : rotate z alpha\n"
    "frame G : R rotate x beta\nframe B : G rotate z gamma\n"
    "body b : B at (x, y, z), inertia(1 [kg], 1 [kg*m^2], 1 [kg*m^2], 2 [kg*m^2])\n"
    "start beta = 1.5, alpha' = 1 [rad/s]\n";
static const char cameras[] =
    "camera,x[m],y[m],z[m],to_x[m],to_y[m],to_z[m]\nc1,1,0,1,0,0,0\nc2,0,1,1,0,0,0\n";
static const char markers[] =
    "marker,body,ex,ey,ez,x[mm],y[mm],z[mm]\na,b,+x,+y,+z,0,0,5\nid0,b,+y,-x,+z,0,0,0\n";
static const char poses[] =
    "t[s],camera,marker,q0,q1,q2,q3,x[m],y[m],z[m]\n0,c1,a,1,0,0,0,0,0,1\n0.1,c1,a,1,0,0,0,0,0,1\n"
    "0.2,c1,a,1,0,0,0,0,0,1\n0.3,c1,a,0.8,0.6,0,0,0,0,1\n0.4,c1,a,1,0,0,0,0,0,1\n0.5,c1,a,1,0,0,0,"
    "0,0,1\n"
    "0.6,c1,a,1,0,0,0,0,0,1\n0.7,c1,a,1,0,0,0,0,0,1.1\n0.8,c1,a,1,0,0,0,0,0,1\n";

static void look(const zw_tracking *t) {
    zw_table *table;
    if (zw_tracking_table(t, NULL, &table, NULL) < 0)
        abort();
    for (long i = 0; i < zw_table_rows(table); i++)
        if (!isfinite(zw_table_at(table, i, 0)))
            abort();
    zw_table_destroy(table);
    zw_report *r = zw_report_create(NULL);
    if (!r)
        abort();
    zw_tracking_report(t, r);
    fuzz_report(r);
    double x[12], sd[12];
    zw_error err = {0};
    fuzz_well(zw_tracking_start(t, 0.3, x, sd, &err), &err);
}

static void track(const char *data, const zw_tracking_options *o) {
    zw_context *ctx = fuzz_context();
    zw_system *sys = fuzz_model(ctx, model);
    zw_tracking *t = NULL;
    zw_error err = {0};
    if (fuzz_well(zw_tracking_create(&t, sys, 1, &data, o, &err), &err) &&
        fuzz_well(zw_tracking_run(t, &err), &err))
        look(t);
    zw_tracking_destroy(t);
    fuzz_close(ctx);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char path[3][80];
    zw_tracking_options o = zw_tracking_options_default();
    if (size < 2 || size > 20000 || !strchr("DCM", data[0]))
        return 0;
    snprintf(path[0], sizeof path[0], "%s", fuzz_path("-poses.csv"));
    snprintf(path[1], sizeof path[1], "%s", fuzz_path("-cameras.csv"));
    snprintf(path[2], sizeof path[2], "%s", fuzz_path("-markers.csv"));
    fuzz_put(path[0], poses, strlen(poses));
    fuzz_put(path[1], cameras, strlen(cameras));
    fuzz_put(path[2], markers, strlen(markers));
    fuzz_put(path[data[0] == 'D' ? 0 : data[0] == 'C' ? 1 : 2], (const char *)data + 1, size - 1);
    o.cameras = path[1];
    o.markers = path[2];
    track(path[0], &o);
    for (int i = 0; i < 3; i++)
        unlink(path[i]);
    return 0;
}
