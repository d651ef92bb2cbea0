/* SPDX-License-Identifier: MIT */
/* What the sources of the study of noise share; zwang/survey.h defines the study. */
#ifndef ZW_MANY_NOISE_NOISE_H
#define ZW_MANY_NOISE_NOISE_H

#include <pthread.h>
#include <stdio.h>

#include "zwang/simulate.h"
#include "zwang/survey.h"

enum { ZW_NOISE_POWERS = 4 };

typedef struct zw_noise_slot {
    bool done, measured, ended, failed;
    int event; /* that ended the path */
    double t;  /* time of its end [s] */
} zw_noise_slot;

struct zw_noise {
    zw_noise_options o;
    zw_run_options run;
    const zw_model_source *source; /* owned by the caller */
    zw_context *ctx;
    zw_system *sys;
    int nof, samples;
    const char **name, **unit; /* nof */
    double step, error;        /* step of the noise [s]; error of the step */
    bool commute;              /* zw_sim_noises_commute */
    bool stopped;              /* while the step was chosen */
    uint64_t measured;
    /* By the number of the path. */
    zw_noise_slot *slot;
    /* nof x 2 halves x powers: time means of powers of the deviation from the origin */
    double *sums;
    double *origin;   /* nof: first sample of each path */
    double *spectrum; /* nof x frequencies */
    pthread_mutex_t lock;
    uint64_t first_failed;
    char why[240];
};

/* Fourier sum of N values, N a power of two, in place: sum over j of x_j exp(-2 pi i j k/N). */
void zw_noise_transform(int N, double *re, double *im);

#endif
