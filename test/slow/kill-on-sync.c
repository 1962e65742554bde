/*
 * Kills the program that preloads it right after a file was synced: KILLING names a file with a number and a part of a
 * path, and the sync of that number of a file with the part in its path is the program's last.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void count(int fd) {
  const char *control = getenv("KILLING");
  int said = control ? open(control, O_RDWR | O_CLOEXEC) : -1;
  if (said < 0) return;
  char text[512];
  ssize_t length = read(said, text, sizeof text - 1);
  text[length > 0 ? length : 0] = 0;
  char *part = strchr(text, ' ');
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t named = readlink(link, path, sizeof path - 1);
  path[named > 0 ? named : 0] = 0;
  if (part && strstr(path, part + 1)) {
    int left = atoi(text) - 1;
    if (left <= 0) {
      // Whoever took the file away first has disarmed it.
      if (unlink(control) == 0) kill(getpid(), SIGKILL);
    }
    length = snprintf(link, sizeof link, "%d", left);
    pwrite(said, link, length, 0);
  }
  close(said);
}

int fdatasync(int fd) {
  static int (*real)(int);
  if (!real) real = dlsym(RTLD_NEXT, "fdatasync");
  int result = real(fd);
  count(fd);
  return result;
}

int fsync(int fd) {
  static int (*real)(int);
  if (!real) real = dlsym(RTLD_NEXT, "fsync");
  int result = real(fd);
  count(fd);
  return result;
}
