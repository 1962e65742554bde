/*
 * Preloaded into a process, keeps in the folder $POWERCUT what a power cut would leave of its databases.
 *
 *   NAME            the bytes of NAME (*.db, *.db-wal) that were synced
 *   NAME.pending    what was written or cut since, in order: records of {offset, length, bytes}; length -1 cuts
 *   NAME.unnamed    there while the folder of a new file was not synced, so that its name would be lost
 *
 * A sync moves the pending records into NAME. Nothing is kept in memory, so the process may be killed at any moment.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct record {
  int64_t offset;
  int64_t length;
};

struct file {
  dev_t device;
  ino_t inode;
  char folder[PATH_MAX];
  char kept[PATH_MAX];
  char unnamed[PATH_MAX + 16];
  int synced;
  int pending;
};

static struct file files[32];
static int count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static ssize_t (*real_pwrite)(int, const void *, size_t, off_t);
static int (*real_ftruncate)(int, off_t);
static int (*real_fsync)(int);
static int (*real_fdatasync)(int);

static void die(const char *what) {
  perror(what);
  abort();
}

__attribute__((constructor)) static void find_real(void) {
  real_pwrite = (ssize_t(*)(int, const void *, size_t, off_t))dlsym(RTLD_NEXT, "pwrite64");
  real_ftruncate = (int (*)(int, off_t))dlsym(RTLD_NEXT, "ftruncate64");
  real_fsync = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
  real_fdatasync = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
}

static int ends_with(const char *text, const char *end) {
  size_t length = strlen(text), tail = strlen(end);
  return length > tail && strcmp(text + length - tail, end) == 0;
}

static int path_of(int fd, char *path) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, PATH_MAX - 1);
  if (length < 0) return 0;
  path[length] = 0;
  return 1;
}

/* The database file behind a descriptor; a file first seen without a synced copy has no name on disk yet. */
static struct file *file_of(int fd) {
  struct stat status;
  char path[PATH_MAX];
  if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) return NULL;
  for (int at = 0; at < count; at++) {
    if (files[at].inode == status.st_ino && files[at].device == status.st_dev) return &files[at];
  }
  if (!path_of(fd, path) || !(ends_with(path, ".db") || ends_with(path, ".db-wal"))) return NULL;
  if (count == 32) die("powercut: too many databases");
  struct file *file = &files[count++];
  char *name = strrchr(path, '/');
  file->device = status.st_dev;
  file->inode = status.st_ino;
  snprintf(file->folder, sizeof file->folder, "%.*s", (int)(name - path), path);
  snprintf(file->kept, sizeof file->kept, "%s%s", getenv("POWERCUT"), name);
  snprintf(file->unnamed, sizeof file->unnamed, "%s%s.unnamed", getenv("POWERCUT"), name);
  if (access(file->kept, F_OK) != 0) close(open(file->unnamed, O_CREAT | O_WRONLY, 0600));
  char pending[PATH_MAX + 16];
  snprintf(pending, sizeof pending, "%s.pending", file->kept);
  file->synced = open(file->kept, O_CREAT | O_RDWR | O_CLOEXEC, 0600);
  file->pending = open(pending, O_CREAT | O_RDWR | O_APPEND | O_CLOEXEC, 0600);
  if (file->synced < 0 || file->pending < 0) die("powercut: copy");
  return file;
}

static void note(int fd, int64_t offset, int64_t length, const void *bytes) {
  pthread_mutex_lock(&lock);
  struct file *file = file_of(fd);
  if (file) {
    struct record head = {offset, length};
    if (write(file->pending, &head, sizeof head) != sizeof head) die("powercut: record");
    if (length > 0 && write(file->pending, bytes, length) != length) die("powercut: bytes");
  }
  pthread_mutex_unlock(&lock);
}

static void keep(struct file *file) {
  struct record head;
  off_t at = 0;
  while (pread(file->pending, &head, sizeof head, at) == sizeof head) {
    at += sizeof head;
    if (head.length < 0) {
      if (real_ftruncate(file->synced, head.offset) != 0) die("powercut: cut");
      continue;
    }
    char *bytes = malloc(head.length);
    if (!bytes || pread(file->pending, bytes, head.length, at) != head.length) die("powercut: read");
    if (real_pwrite(file->synced, bytes, head.length, head.offset) != head.length) die("powercut: keep");
    free(bytes);
    at += head.length;
  }
  if (real_ftruncate(file->pending, 0) != 0) die("powercut: pending");
}

static void synced(int fd) {
  struct stat status;
  char path[PATH_MAX];
  pthread_mutex_lock(&lock);
  if (fstat(fd, &status) == 0 && S_ISDIR(status.st_mode) && path_of(fd, path)) {
    for (int at = 0; at < count; at++) {
      if (strcmp(files[at].folder, path) == 0) unlink(files[at].unnamed);
    }
  } else {
    struct file *file = file_of(fd);
    if (file) keep(file);
  }
  pthread_mutex_unlock(&lock);
}

ssize_t pwrite64(int fd, const void *bytes, size_t length, off_t offset) {
  ssize_t written = real_pwrite(fd, bytes, length, offset);
  if (written > 0) note(fd, offset, written, bytes);
  return written;
}

ssize_t pwrite(int fd, const void *bytes, size_t length, off_t offset) {
  return pwrite64(fd, bytes, length, offset);
}

int ftruncate64(int fd, off_t length) {
  int failed = real_ftruncate(fd, length);
  if (!failed) note(fd, length, -1, NULL);
  return failed;
}

int ftruncate(int fd, off_t length) {
  return ftruncate64(fd, length);
}

int fsync(int fd) {
  synced(fd);
  return real_fsync(fd);
}

int fdatasync(int fd) {
  synced(fd);
  return real_fdatasync(fd);
}
