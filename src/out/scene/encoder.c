/* SPDX-License-Identifier: MIT */
/* The frames go through a socket, not a pipe: a child that has ended is then an error of the call
 * and not a signal to the whole program. It has its own process group, so that only this program
 * handles Ctrl-C. */
#include "encoder.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "out/files/file.h"

enum { MESSAGES_MAX = 4000, WORDS_MAX = 64 };

/* coders by decreasing quality */
static const char *const coders[][4] = {
    [ZW_FILM_MP4] = {"libx264", "libopenh264", "mpeg4", NULL},
    [ZW_FILM_WEBM] = {"libvpx-vp9", "libvpx", NULL, NULL},
    [ZW_FILM_GIF] = {"gif", NULL, NULL, NULL},
    [ZW_FILM_PALETTE] = {"png", NULL, NULL, NULL},
};

static zw_status no_program(const char *program, zw_error *err) {
    zw_fail(err, ZW_E_MISSING, "a film needs the program %s, which is not here", program);
    zw_error_hint(err, "'tools/setup video' installs it (Debian: apt install ffmpeg); stills "
                       "(--still FILE.png) need no other program");
    return ZW_E_MISSING;
}

/* a nameless file for the messages of a child, -1 if it cannot be created */
static int open_messages(void) {
    FILE *f = tmpfile();
    int fd = f ? fcntl(fileno(f), F_DUPFD_CLOEXEC, 0) : -1;
    if (f)
        fclose(f);
    return fd;
}

static size_t read_messages(int fd, char *out, size_t size) {
    lseek(fd, 0, SEEK_SET);
    size_t used = 0;
    for (ssize_t n; used + 1 < size && (n = read(fd, out + used, size - 1 - used)) > 0;)
        used += (size_t)n;
    out[used] = '\0';
    return used;
}

/* starts the child with these standard files; -1: /dev/null */
static int start_program(pid_t *child, const char *const *words, int in, int out, int fault) {
    posix_spawn_file_actions_t files;
    posix_spawnattr_t how;
    sigset_t none, usual;
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&how);
    sigemptyset(&none);
    sigemptyset(&usual);
    sigaddset(&usual, SIGPIPE);
    posix_spawnattr_setflags(&how, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK |
                                       POSIX_SPAWN_SETSIGDEF);
    posix_spawnattr_setpgroup(&how, 0);
    posix_spawnattr_setsigmask(&how, &none);
    posix_spawnattr_setsigdefault(&how, &usual);
    const int given[3] = {in, out, fault};
    for (int i = 0; i < 3; i++) {
        if (given[i] >= 0)
            posix_spawn_file_actions_adddup2(&files, given[i], i);
        else
            posix_spawn_file_actions_addopen(&files, i, "/dev/null", i ? O_WRONLY : O_RDONLY, 0);
    }
    char *argv[WORDS_MAX];
    int n = 0;
    for (; words[n] && n + 1 < WORDS_MAX; n++)
        argv[n] = (char *)(size_t)words[n]; /* not changed by anyone */
    argv[n] = NULL;
    int code = posix_spawnp(child, argv[0], &files, &how, argv, environ);
    posix_spawnattr_destroy(&how);
    posix_spawn_file_actions_destroy(&files);
    return code;
}

static int wait_for(pid_t child) {
    int status;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* ------------------------------------------------------------------------------------ the coder */

/* true for a word of a list */
static bool has_word(const char *list, const char *word) {
    size_t n = strlen(word);
    for (const char *at = list; (at = strstr(at, word)); at += n)
        if (at > list && at[-1] == ' ' && at[n] == ' ')
            return true;
    return false;
}

zw_status zw_encoder_find(const char *program, zw_film_kind kind, const char **coder,
                          zw_error *err) {
    enum { LIST_MAX = 1 << 17 };
    const char *words[] = {program, "-hide_banner", "-encoders", NULL};
    pid_t child;
    int said = open_messages();
    char *list = malloc(LIST_MAX);
    zw_status status = ZW_OK;
    *coder = NULL;
    if (said < 0 || !list)
        status = zw_out_of_memory(err, "the film");
    else if (start_program(&child, words, -1, said, -1) != 0 || wait_for(child) != 0)
        status = no_program(program, err);
    if (status >= 0) {
        read_messages(said, list, LIST_MAX);
        for (int i = 0; coders[kind][i] && !*coder; i++)
            if (has_word(list, coders[kind][i]))
                *coder = coders[kind][i];
        if (!*coder) {
            status = zw_fail(err, ZW_E_MISSING,
                             "the program %s here cannot write this kind of film", program);
            zw_error_hint(err, "it was built without %s; other kinds are .mp4, .webm, .gif",
                          coders[kind][0]);
        }
    }
    free(list);
    if (said >= 0)
        close(said);
    return status;
}

/* ------------------------------------------------------------------------------------- the film */

typedef struct command {
    int n;
    const char *word[WORDS_MAX];
} command;

static void add_words(command *c, const char *const *words) {
    for (; *words && c->n + 1 < WORDS_MAX; words++)
        c->word[c->n++] = *words;
}

#define ADD_WORDS(c, ...) add_words(c, (const char *const[]){__VA_ARGS__, NULL})

/* quality without visible loss */
static void add_coding(command *c, zw_film_kind kind, const char *coder) {
    static const char colours[] = "scale=out_color_matrix=bt709:out_range=tv,format=yuv420p";
    ADD_WORDS(c, "-vf", colours, "-c:v", coder, "-colorspace", "bt709", "-color_primaries", "bt709",
              "-color_trc", "bt709", "-color_range", "tv");
    if (strcmp(coder, "libx264") == 0)
        ADD_WORDS(c, "-crf", "17", "-preset", "medium");
    else if (kind == ZW_FILM_WEBM)
        ADD_WORDS(c, "-crf", "22", "-b:v", "0", "-deadline", "good", "-cpu-used", "3", "-row-mt",
                  "1");
    else
        ADD_WORDS(c, "-q:v", "3", "-b:v", "8M");
    if (kind == ZW_FILM_MP4)
        ADD_WORDS(c, "-movflags", "+faststart", "-f", "mp4");
    else
        ADD_WORDS(c, "-f", "webm");
}

/* "file:" before a path, so that no part of it is read as a protocol; the caller frees it */
static char *file_word(const char *path) {
    size_t size = strlen(path) + sizeof "file:";
    char *word = malloc(size);
    if (word)
        snprintf(word, size, "file:%s", path);
    return word;
}

static void add_film(command *c, const zw_encoding *how, const char *palette) {
    switch (how->kind) {
    case ZW_FILM_PALETTE:
        ADD_WORDS(c, "-vf", "palettegen=stats_mode=full", "-c:v", "png", "-f", "image2", "-update",
                  "1");
        break;
    case ZW_FILM_GIF:
        ADD_WORDS(c, "-i", palette, "-filter_complex",
                  "[0:v][1:v]paletteuse=dither=none:diff_mode=rectangle", "-loop", "0", "-f",
                  "gif");
        break;
    default:
        add_coding(c, how->kind, how->coder);
    }
}

/* the child that reads frames from the socket `in` */
static int start_film(zw_encoder *e, const zw_encoding *how, const char *palette,
                      const char *target, int in) {
    char size[40], rate[40];
    command c = {0};
    const unsigned one = 1; /* cairo's pixels are integers in the byte order of this machine */
    snprintf(size, sizeof size, "%dx%d", how->width, how->height);
    snprintf(rate, sizeof rate, "%.12g", how->fps);
    ADD_WORDS(&c, how->program, "-hide_banner", "-loglevel", "error", "-nostdin", "-f", "rawvideo",
              "-pix_fmt", *(const unsigned char *)&one ? "bgr0" : "0rgb", "-video_size", size,
              "-framerate", rate, "-i", "pipe:0");
    add_film(&c, how, palette);
    ADD_WORDS(&c, "-an", "-map_metadata", "-1", "-fflags", "+bitexact", "-flags:v", "+bitexact",
              "-y", target);
    return start_program(&e->child, c.word, in, -1, e->said);
}

zw_status zw_encoder_begin(zw_encoder *e, const zw_encoding *how, const char *path, zw_error *err) {
    int pair[2];
    *e = (zw_encoder){
        .program = how->program, .name = how->name, .frames = -1, .said = open_messages()};
    if (e->said < 0 || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) {
        zw_encoder_kill(e);
        return zw_fail(err, ZW_E_FILE, "cannot talk to %s: %s", how->program, strerror(errno));
    }
    char *target = file_word(path), *palette = file_word(how->palette ? how->palette : "");
    int code = target && palette ? start_film(e, how, palette, target, pair[1]) : ENOMEM;
    free(target);
    free(palette);
    close(pair[1]);
    e->frames = pair[0];
    if (code == 0)
        return ZW_OK;
    e->child = 0;
    zw_encoder_kill(e);
    if (code == ENOMEM)
        return zw_out_of_memory(err, "the film");
    return no_program(how->program, err);
}

bool zw_encoder_take(zw_encoder *e, const unsigned char *data, size_t size) {
    while (size > 0) {
        ssize_t n = send(e->frames, data, size, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        data += n;
        size -= (size_t)n;
    }
    return true;
}

static void close_encoder(zw_encoder *e) {
    if (e->frames >= 0)
        close(e->frames);
    if (e->said >= 0)
        close(e->said);
    e->frames = e->said = -1;
    e->child = 0;
}

/* why no more could be written, from its messages in the words of strerror; 0 if for another
 * reason */
static int full_disk(const char *said) {
    static const int codes[] = {ENOSPC, EDQUOT, EFBIG};
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        if (strstr(said, strerror(codes[i])))
            return codes[i];
    return 0;
}

zw_status zw_encoder_end(zw_encoder *e, zw_error *err) {
    char said[MESSAGES_MAX];
    close(e->frames);
    e->frames = -1;
    int code = wait_for(e->child);
    size_t n = read_messages(e->said, said, sizeof said);
    while (n && (said[n - 1] == '\n' || said[n - 1] == '\r'))
        said[--n] = '\0';
    const char *last = strrchr(said, '\n');
    close_encoder(e);
    if (code == 0 && n == 0) /* on a full disk it complains, and ends with 0 */
        return ZW_OK;
    if (full_disk(said))
        return zw_out_fail_write(e->name, full_disk(said), err);
    return zw_fail(err, ZW_E_FILE, "%s did not write the film: %.160s", e->program,
                   !n     ? "it does not say why"
                   : last ? last + 1
                          : said);
}

void zw_encoder_kill(zw_encoder *e) {
    if (e->child > 0) {
        kill(e->child, SIGKILL);
        wait_for(e->child);
    }
    close_encoder(e);
}
