/*
 * A wall clock that tests can set: preloaded into a program, it moves what the program reads as the time of day by the
 * milliseconds in the file CLOCK names, eight bytes, looked at each time. Monotonic clocks are left alone, as they are
 * when somebody sets a clock or a machine wakes up.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const volatile int64_t *moved;

__attribute__((constructor)) static void open_clock(void) {
  const char *path = getenv("CLOCK");
  int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  if (fd < 0) return;
  void *found = mmap(NULL, sizeof *moved, PROT_READ, MAP_SHARED, fd, 0);
  if (found != MAP_FAILED) moved = found;
  close(fd);
}

static int64_t shift(void) { return moved ? *moved : 0; }

int clock_gettime(clockid_t clock, struct timespec *now) {
  static int (*real)(clockid_t, struct timespec *);
  if (!real) real = dlsym(RTLD_NEXT, "clock_gettime");
  int failed = real(clock, now);
  if (failed || (clock != CLOCK_REALTIME && clock != CLOCK_REALTIME_COARSE)) return failed;
  int64_t nanoseconds = now->tv_nsec + (shift() % 1000) * 1000000;
  now->tv_sec += shift() / 1000 + nanoseconds / 1000000000;
  now->tv_nsec = nanoseconds % 1000000000;
  if (now->tv_nsec < 0) {
    now->tv_nsec += 1000000000;
    now->tv_sec--;
  }
  return 0;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
  (void)zone;
  struct timespec exact;
  if (clock_gettime(CLOCK_REALTIME, &exact)) return -1;
  now->tv_sec = exact.tv_sec;
  now->tv_usec = exact.tv_nsec / 1000;
  return 0;
}

time_t time(time_t *into) {
  struct timespec exact;
  clock_gettime(CLOCK_REALTIME, &exact);
  if (into) *into = exact.tv_sec;
  return exact.tv_sec;
}

/* A wait until a moment of the day is one until that moment of the true day. */
int pthread_cond_timedwait(pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex,
                           const struct timespec *restrict until) {
  static int (*real)(pthread_cond_t *, pthread_mutex_t *, const struct timespec *);
  if (!real) real = dlsym(RTLD_NEXT, "pthread_cond_timedwait");
  struct timespec truly = *until;
  truly.tv_sec -= shift() / 1000;
  return real(condition, mutex, &truly);
}
