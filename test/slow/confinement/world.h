/* What the attempts find outside: names and numbers that the test or the sibling told in the environment. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/inotify.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

/* An attempt answers 0 when it succeeded, else why it did not. */
typedef int Attempt(void);
struct entry {
  const char *name;
  Attempt *attempt;
};
extern const struct entry FILES[], FLAGS[], PROCESSES[], PROGRAMS[], SOCKETS[], KERNEL[];

/* Ends an attempt with what a call answered. */
#define END(call) return (call) < 0 ? errno : 0
/* Gives an attempt up when a call on the way to it fails. */
#define NEED(call) do { if ((call) < 0) return errno; } while (0)

static inline int number(const char *name) {
  const char *value = getenv(name);
  return value ? atoi(value) : 0;
}
static inline int sibling(void) { return number("SIBLING"); }

/* A path in the world outside, in one of a few buffers that are used in turns. */
static inline char *outside(const char *name) {
  static char paths[8][512];
  static int next;
  char *path = paths[next++ % 8];
  snprintf(path, sizeof paths[0], "%s/%s", getenv("WORLD"), name);
  return path;
}
static inline char *of_process(int pid, const char *name) {
  static char paths[4][512];
  static int next;
  char *path = paths[next++ % 4];
  snprintf(path, sizeof paths[0], "/proc/%d/%s", pid, name);
  return path;
}
static inline char *of_sibling(const char *name) { return of_process(sibling(), name); }

static inline int opens(const char *path, int flags) { END(open(path, flags | O_CLOEXEC, 0600)); }
static inline int reads(const char *path) {
  char byte;
  int file = open(path, O_RDONLY);
  NEED(file);
  END(read(file, &byte, 1));
}
static inline int own_file(const char *name) { return open(name, O_RDWR | O_CREAT, 0600); }

static inline socklen_t unix_address(struct sockaddr_un *address, const char *path) {
  memset(address, 0, sizeof *address);
  address->sun_family = AF_UNIX;
  snprintf(address->sun_path, sizeof address->sun_path, "%s", path);
  return sizeof *address;
}
static inline socklen_t abstract_address(struct sockaddr_un *address, const char *name) {
  unix_address(address, "");
  int length = snprintf(address->sun_path + 1, sizeof address->sun_path - 1, "%s", name);
  return offsetof(struct sockaddr_un, sun_path) + 1 + length;
}
static inline struct sockaddr_in inet(const char *ip, int port) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
  inet_pton(AF_INET, ip, &address.sin_addr);
  return address;
}
static inline struct sockaddr_in6 inet6(const char *ip, int port) {
  struct sockaddr_in6 address = {.sin6_family = AF_INET6, .sin6_port = htons(port)};
  inet_pton(AF_INET6, ip, &address.sin6_addr);
  return address;
}
