/* SPDX-License-Identifier: MIT */
#define FUSE(a, b, c) ((a) * (b) + (c))
#define CODE zw_frames_plain
#include "frames_code.h"
