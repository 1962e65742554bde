/*
 * A disk that fails when a test says so: preloaded into a program, syncing a file fails with EIO while the file FAILING
 * names holds a part of that file's path.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int fails(int fd) {
  const char *control = getenv("FAILING");
  int said = control ? open(control, O_RDONLY | O_CLOEXEC) : -1;
  if (said < 0) return 0;
  char part[512];
  ssize_t length = read(said, part, sizeof part - 1);
  close(said);
  if (length <= 0) return 0;
  part[length] = 0;
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t named = readlink(link, path, sizeof path - 1);
  if (named < 0) return 0;
  path[named] = 0;
  return strstr(path, part) != NULL;
}

int fdatasync(int fd) {
  static int (*real)(int);
  if (!real) real = dlsym(RTLD_NEXT, "fdatasync");
  if (!fails(fd)) return real(fd);
  errno = EIO;
  return -1;
}

int fsync(int fd) {
  static int (*real)(int);
  if (!real) real = dlsym(RTLD_NEXT, "fsync");
  if (!fails(fd)) return real(fd);
  errno = EIO;
  return -1;
}
