/* Attempts on files that it may read: what the kernel lets their owner do with a descriptor that cannot write. */
#include "world.h"
#include <linux/fs.h>
#include <sys/file.h>
#include <sys/sem.h>

/* From the headers of file systems, which a machine may lack. */
#define SET_VERSION _IOW('v', 2, long)
#define ENABLE_VERITY 0x40806685UL
#define SET_ENCRYPTION_POLICY 0x800c6613UL
#define ADD_ENCRYPTION_KEY 0xc0506617UL
#define MAKE_SUBVOLUME 0x5000940eUL
#define MAKE_SNAPSHOT 0x50009401UL
#define MAKE_SUBVOLUME_2 0x50009418UL
#define MAKE_SNAPSHOT_2 0x50009417UL
#define REMOVE_SUBVOLUME 0x5000940fUL
#define SET_SUBVOLUME_FLAGS 0x4008941aUL
enum { SET_FILE_ATTRIBUTES = 469, PROCESS_MADVISE = 440, PROCESS_MRELEASE = 448, PIDFD_OPEN = 434 };

static int readable(void) { return open(outside("home/.gitconfig"), O_RDONLY); }
static int readable_folder(void) { return open(outside("home/.local/bin"), O_RDONLY | O_DIRECTORY); }
static int flags_set(void) {
  int file = readable(), flags;
  NEED(file);
  NEED(ioctl(file, FS_IOC_GETFLAGS, &flags));
  flags |= FS_NODUMP_FL;
  END(ioctl(file, FS_IOC_SETFLAGS, &flags));
}
static int flags_extended(void) {
  struct fsxattr attributes;
  int file = readable();
  NEED(file);
  NEED(ioctl(file, FS_IOC_FSGETXATTR, &attributes));
  attributes.fsx_xflags |= FS_XFLAG_NODUMP;
  END(ioctl(file, FS_IOC_FSSETXATTR, &attributes));
}
static int flags_call(void) {
  uint64_t attributes[3] = {FS_XFLAG_NODUMP, 0, 0};
  END(syscall(SET_FILE_ATTRIBUTES, AT_FDCWD, outside("out/file"), attributes, sizeof attributes, 0));
}
static int flags_version(void) {
  int file = readable();
  int version = 7;
  NEED(file);
  END(ioctl(file, SET_VERSION, &version));
}
static int flags_of(int file, unsigned long request) {
  char argument[4096] = {1, 0, 0, 0, 1};
  NEED(file);
  END(ioctl(file, request, argument));
}
static int flags_verity(void) { return flags_of(readable(), ENABLE_VERITY); }
static int flags_encryption(void) { return flags_of(readable_folder(), SET_ENCRYPTION_POLICY); }
static int flags_key(void) { return flags_of(readable_folder(), ADD_ENCRYPTION_KEY); }
static int volume_make(void) { return flags_of(readable_folder(), MAKE_SUBVOLUME); }
static int volume_make_2(void) { return flags_of(readable_folder(), MAKE_SUBVOLUME_2); }
static int volume_copy(void) { return flags_of(readable_folder(), MAKE_SNAPSHOT); }
static int volume_copy_2(void) { return flags_of(readable_folder(), MAKE_SNAPSHOT_2); }
static int volume_remove(void) { return flags_of(readable_folder(), REMOVE_SUBVOLUME); }
static int volume_flags(void) { return flags_of(readable_folder(), SET_SUBVOLUME_FLAGS); }
static int lease(int kind) {
  int file = readable();
  NEED(file);
  END(fcntl(file, F_SETLEASE, kind));
}
static int lease_read(void) { return lease(F_RDLCK); }
static int lease_write(void) { return lease(F_WRLCK); }

static int semaphore_open(void) { END(semget(number("KEY"), 1, 0)); }
static int semaphore_remove(void) { END(semctl(number("SEMAPHORES"), 0, IPC_RMID)); }
static int semaphore_change(void) {
  struct sembuf up = {0, 1, IPC_NOWAIT};
  END(semop(number("SEMAPHORES"), &up, 1));
}
static int sibling_descriptor(void) { return syscall(PIDFD_OPEN, sibling(), 0); }
static int memory_advise(void) {
  int process = sibling_descriptor();
  uintptr_t address = strtoull(getenv("ADDRESS"), NULL, 16) & ~4095UL;
  struct iovec range = {(void *)address, 4096};
  NEED(process);
  END(syscall(PROCESS_MADVISE, process, &range, 1L, 20 /* MADV_COLD */, 0));
}
static int memory_migrate(void) {
  unsigned long from = 1, to = 1;
  END(syscall(SYS_migrate_pages, sibling(), 8L, &from, &to));
}

static int open_lock(void) {
  int file = readable();
  NEED(file);
  END(flock(file, LOCK_EX | LOCK_NB));
}

const struct entry FLAGS[] = {
#define E(f) {#f, f}
  E(flags_set), E(flags_extended), E(flags_call), E(flags_version), E(flags_verity), E(flags_encryption), E(flags_key),
  E(volume_make), E(volume_make_2), E(volume_copy), E(volume_copy_2), E(volume_remove), E(volume_flags),
  E(lease_read), E(lease_write), E(semaphore_open), E(semaphore_change), E(memory_advise), E(memory_migrate),
  E(open_lock),
  /* This takes away what others look for. */
  E(semaphore_remove),
  {NULL, NULL},
};
