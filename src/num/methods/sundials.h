/* SPDX-License-Identifier: MIT */
/* SUNDIALS 6 and 7 under the names of 7.1, so that the steppers are written once:
 *
 *   6     its context is created from a pointer to a communicator, each integrator has its own
 *         error handler, ARKODE's functions are called ERKStep...
 *   7.0   a communicator by value; error handlers are a stack in the context
 *   7.1   ARKODE's functions are called ARKode..., the former names are deprecated */
#ifndef ZW_NUM_METHODS_SUNDIALS_H
#define ZW_NUM_METHODS_SUNDIALS_H

#include <stdbool.h>
#include <sundials/sundials_config.h>
#include <sundials/sundials_context.h>
#include <sundials/sundials_types.h>

#include "zwang/run.h"

#if SUNDIALS_VERSION_MAJOR < 6
#error "Zwang needs SUNDIALS 6 or 7"
#endif

/* A context in which nothing is printed: the library never prints, and return flags have the
 * information. Call ZW_SUNDIALS_SILENT(CVode, memory) for every integrator created in it, too. */
#if SUNDIALS_VERSION_MAJOR >= 7

static inline bool zw_sundials_context(SUNContext *context) {
    return SUNContext_Create(SUN_COMM_NULL, context) == 0 &&
           SUNContext_ClearErrHandlers(*context) == 0;
}

#define ZW_SUNDIALS_SILENT(integrator, memory) ((memory) != NULL)

#else

static inline void zw_sundials_ignore_error(int code, const char *module, const char *function,
                                            char *message, void *user) {
    (void)code, (void)module, (void)function, (void)message, (void)user;
}

static inline bool zw_sundials_context(SUNContext *context) {
    return SUNContext_Create(NULL, context) == 0;
}

#define ZW_SUNDIALS_SILENT(integrator, memory)                                                     \
    ((memory) != NULL && integrator##SetErrHandlerFn((memory), zw_sundials_ignore_error, NULL) == 0)

#endif

#if SUNDIALS_VERSION_MAJOR == 6 || (SUNDIALS_VERSION_MAJOR == 7 && SUNDIALS_VERSION_MINOR < 1)
#define ARKodeEvolve ERKStepEvolve
#define ARKodeFree ERKStepFree
#define ARKodeGetCurrentStep ERKStepGetCurrentStep
#define ARKodeGetDky ERKStepGetDky
#define ARKodeGetNumErrTestFails ERKStepGetNumErrTestFails
#define ARKodeReset ERKStepReset
#define ARKodeSStolerances ERKStepSStolerances
#define ARKodeSetErrHandlerFn ERKStepSetErrHandlerFn
#define ARKodeSetFixedStep ERKStepSetFixedStep
#define ARKodeSetInitStep ERKStepSetInitStep
#define ARKodeSetInterpolantDegree ERKStepSetInterpolantDegree
#define ARKodeSetMaxHnilWarns ERKStepSetMaxHnilWarns
#define ARKodeSetMaxStep ERKStepSetMaxStep
#define ARKodeSetMinStep ERKStepSetMinStep
#define ARKodeSetPostprocessStepFn ERKStepSetPostprocessStepFn
#define ARKodeSetStopTime ERKStepSetStopTime
#define ARKodeSetUserData ERKStepSetUserData
#endif

/* Before a step: the time at which it must end, if there is one (zw_method_stop). An integrator
 * forgets it when it is reached; a stop that is withdrawn before is moved to ZW_STOP_NEVER. */
#define ZW_STOP_NEVER 1e300 /* [s]; SUNDIALS requires a finite time */
static inline void zw_sundials_stop(const zw_run *run, int (*set)(void *memory, sunrealtype t),
                                    void *memory, bool *stops) {
    double stop = zw_method_stop(run);
    if (isfinite(stop))
        set(memory, stop);
    else if (*stops)
        set(memory, zw_method_direction(run) * ZW_STOP_NEVER);
    *stops = isfinite(stop);
}

#endif
