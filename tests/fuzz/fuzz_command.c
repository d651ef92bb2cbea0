/* SPDX-License-Identifier: MIT */
/* Any words as a command line, one word in a line: in a folder which holds a few models and a
 * result; words that lead out of it are left out. */
#include "fuzz_cli.h"

static const struct {
    const char *name, *text;
} file[] = {
    {"m.zw", "model m \"A pendulum\"\n"
             "param m = 1 [kg], l = 1 [m], g = 9.81 [m/s^2]\n"
             "coord phi [rad]\n"
             "particle P : m at (l*sin(phi), -l*cos(phi))\n"
             "gravity g along -y\n"
             "start phi = 30 [deg]\n"
             "observe h = -l*cos(phi) [cm]\n"
             "event low : phi rising record\n"
             "claim small : phi'' = -g/l*phi\n"
             "variant long\n param l = 2 [m]\nend\n"},
    {"c.zw", "model c \"A skate\"\n"
             "param m = 1 [kg], J = 0.1 [kg*m^2], a = 10 [cm]\n"
             "coord x, y [m], th [rad]\n"
             "kinetic 1/2*m*(x'^2 + y'^2) + 1/2*J*th'^2\n"
             "input F = table (0, 0), (1 [s], 1 [N]), (2 [s], 0)\n"
             "force push (x) = F\n"
             "constraint edge : -sin(th)*x' + cos(th)*y' = a*th'\n"
             "constraint rail off : y = 0\n"
             "start x' = 1 [m/s], th' = 1 [rad/s]\n"
             "event half : every 0.5 [s], switch on rail\n"
             "draw sphere(a) at (x, y, 0)\n"},
    {"r.csv", "t[s],x[m],y[mm]\n0,0,1\n1,2,3\n2,1,-1\n"},
};

static void put_files(void) {
    for (size_t i = 0; i < sizeof file / sizeof *file; i++)
        fuzz_put(file[i].name, file[i].text, strlen(file[i].text));
}

static bool stays_inside(const char *words) {
    return !strchr(words, '/');
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *words = fuzz_text(data, size), *argv[FUZZ_WORDS + 1] = {"zwang"};
    int argc = 1;
    fuzz_enter();
    if (stays_inside(words)) {
        for (char *p = words, *end; argc < FUZZ_WORDS && p; p = end) {
            end = strchr(p, '\n');
            if (end)
                *end++ = '\0';
            argv[argc++] = p;
        }
        put_files();
        fuzz_zwang(argc, argv);
    }
    free(words);
    return 0;
}
