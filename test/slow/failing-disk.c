/*
 * A disk that fails when a test says so, preloaded into a program. The file FAILING names holds a part of a path, and
 * syncing a file with that in its path fails with EIO; after "<errno> ", writing to such a file fails with that instead.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

/* The error of a sync (or a write) of a file; 0 for none. */
static int error_of(int fd, int writes) {
  const char *control = getenv("FAILING");
  int said = control ? open(control, O_RDONLY | O_CLOEXEC) : -1;
  if (said < 0) return 0;
  char text[512];
  ssize_t length = read(said, text, sizeof text - 1);
  close(said);
  if (length <= 0) return 0;
  text[length] = 0;
  char *part = text;
  int given = (int)strtol(text, &part, 10);
  if ((given != 0) != writes) return 0;
  if (given != 0) part++;
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t named = readlink(link, path, sizeof path - 1);
  if (named < 0) return 0;
  path[named] = 0;
  if (strstr(path, part) == NULL) return 0;
  return writes ? given : EIO;
}

#define FAILS(fd, writes)              \
  int error = error_of(fd, writes);    \
  if (error) {                         \
    errno = error;                     \
    return -1;                         \
  }

int fdatasync(int fd) {
  static int (*real)(int);
  if (!real) real = dlsym(RTLD_NEXT, "fdatasync");
  FAILS(fd, 0)
  return real(fd);
}

int fsync(int fd) {
  static int (*real)(int);
  if (!real) real = dlsym(RTLD_NEXT, "fsync");
  FAILS(fd, 0)
  return real(fd);
}

ssize_t write(int fd, const void *bytes, size_t length) {
  static ssize_t (*real)(int, const void *, size_t);
  if (!real) real = dlsym(RTLD_NEXT, "write");
  FAILS(fd, 1)
  return real(fd, bytes, length);
}

ssize_t pwrite(int fd, const void *bytes, size_t length, off_t at) {
  static ssize_t (*real)(int, const void *, size_t, off_t);
  if (!real) real = dlsym(RTLD_NEXT, "pwrite");
  FAILS(fd, 1)
  return real(fd, bytes, length, at);
}

ssize_t pwrite64(int fd, const void *bytes, size_t length, off64_t at) {
  static ssize_t (*real)(int, const void *, size_t, off64_t);
  if (!real) real = dlsym(RTLD_NEXT, "pwrite64");
  FAILS(fd, 1)
  return real(fd, bytes, length, at);
}
