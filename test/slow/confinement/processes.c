/* Attempts on other processes of the same user, and to come by more rights. */
#include "world.h"
#include <grp.h>
#include <linux/io_uring.h>
#include <linux/sched.h>

#ifndef CLONE_NEWTIME
#define CLONE_NEWTIME 0x80
#endif
enum { IOPRIO_PROCESS = 1, IOPRIO_GROUP, IOPRIO_USER };

static int ends_of(int pid, long request) {
  if (ptrace(request, pid, 0, 0) < 0) return errno;
  ptrace(PTRACE_DETACH, pid, 0, 0);
  return 0;
}
static int trace_attach(void) { return ends_of(sibling(), PTRACE_ATTACH); }
static int trace_seize(void) { return ends_of(sibling(), PTRACE_SEIZE); }
static int trace_broker(void) { return ends_of(number("BROKER"), PTRACE_SEIZE); }
static int move_memory(long call) {
  char byte = 0;
  struct iovec local = {&byte, 1}, remote = {(void *)strtoull(getenv("ADDRESS"), NULL, 16), 1};
  END(syscall(call, sibling(), &local, 1, &remote, 1, 0));
}
static int memory_read(void) { return move_memory(SYS_process_vm_readv); }
static int memory_write(void) { return move_memory(SYS_process_vm_writev); }
static int pidfd(int pid) { return syscall(SYS_pidfd_open, pid, 0); }
static int descriptor_of(int pid) {
  int process = pidfd(pid);
  NEED(process);
  END(syscall(SYS_pidfd_getfd, process, 0, 0));
}
static int descriptor_sibling(void) { return descriptor_of(sibling()); }
static int descriptor_broker(void) { return descriptor_of(number("BROKER")); }
static int compare_descriptors(void) { END(syscall(SYS_kcmp, sibling(), getpid(), 0, 0, 0)); }
static int robust_list(void) {
  void *head;
  size_t length;
  END(syscall(SYS_get_robust_list, sibling(), &head, &length));
}
static int move_pages_of(void) {
  void *page = (void *)(strtoull(getenv("ADDRESS"), NULL, 16) & ~4095ULL);
  int status;
  END(syscall(SYS_move_pages, sibling(), 1L, &page, NULL, &status, 2));
}

static int signal_kill(void) { END(kill(sibling(), SIGCONT)); }
static int signal_probe(void) { END(kill(sibling(), 0)); }
static int signal_broker(void) { END(kill(number("BROKER"), SIGCONT)); }
static int signal_group(void) { END(kill(-sibling(), SIGCONT)); }
static int signal_thread(void) { END(syscall(SYS_tkill, sibling(), SIGCONT)); }
static int signal_group_thread(void) { END(syscall(SYS_tgkill, sibling(), sibling(), SIGCONT)); }
static int signal_queue(void) {
  END(sigqueue(sibling(), SIGCONT, (union sigval){.sival_int = 1}));
}
static int signal_thread_queue(void) {
  siginfo_t info = {.si_signo = SIGCONT, .si_code = SI_QUEUE, .si_pid = getpid(), .si_uid = getuid()};
  END(syscall(SYS_rt_tgsigqueueinfo, sibling(), sibling(), SIGCONT, &info));
}
static int signal_descriptor(void) {
  int process = pidfd(sibling());
  NEED(process);
  END(syscall(SYS_pidfd_send_signal, process, SIGCONT, NULL, 0));
}
/* The number of the descriptor is that of a process of one's own. */
static int signal_disguised(void) {
  int process = pidfd(sibling()), name = getpid();
  NEED(process);
  struct rlimit limit;
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  NEED(dup2(process, name));
  END(syscall(SYS_pidfd_send_signal, name, SIGCONT, NULL, 0));
}
static int count_of_urgent(void) {
  char line[256];
  int count = 0;
  FILE *file = fopen(of_sibling("status"), "r");
  while (file && fgets(line, sizeof line, file)) {
    unsigned long long pending;
    if (sscanf(line, "ShdPnd: %llx", &pending) == 1) count = (pending >> (SIGURG - 1)) & 1;
  }
  if (file) fclose(file);
  return count;
}
/* The kernel signals the owner of a socket when there is something to read; the sibling blocks this signal. */
static int signal_owner(void) {
  int ends[2];
  NEED(socketpair(AF_UNIX, SOCK_STREAM, 0, ends));
  NEED(fcntl(ends[0], F_SETOWN, sibling()));
  NEED(fcntl(ends[0], F_SETSIG, SIGURG));
  NEED(fcntl(ends[0], F_SETFL, O_ASYNC));
  NEED(write(ends[1], "x", 1));
  return count_of_urgent() ? 0 : EPERM;
}

static int priority_process(void) { END(setpriority(PRIO_PROCESS, sibling(), getpriority(PRIO_PROCESS, sibling()))); }
static int priority_group(void) { END(setpriority(PRIO_PGRP, sibling(), getpriority(PRIO_PROCESS, sibling()))); }
static int priority_user(void) { END(setpriority(PRIO_USER, 0, 19)); }
static int priority_named_user(void) { END(setpriority(PRIO_USER, getuid(), 19)); }
static int disk_priority(void) { END(syscall(SYS_ioprio_set, IOPRIO_PROCESS, sibling(), 2 << 13 | 4)); }
static int disk_priority_user(void) { END(syscall(SYS_ioprio_set, IOPRIO_USER, getuid(), 2 << 13 | 4)); }
static int disk_priority_group(void) { END(syscall(SYS_ioprio_set, IOPRIO_GROUP, sibling(), 2 << 13 | 4)); }
static int limit_process(void) {
  struct rlimit limit;
  NEED(prlimit(getpid(), RLIMIT_CORE, NULL, &limit));
  limit.rlim_cur = 0;
  END(prlimit(sibling(), RLIMIT_CORE, &limit, NULL));
}
static int scheduler_affinity(void) {
  cpu_set_t set;
  NEED(sched_getaffinity(0, sizeof set, &set));
  END(sched_setaffinity(sibling(), sizeof set, &set));
}
static int scheduler_policy(void) {
  struct sched_param parameter = {0};
  END(sched_setscheduler(sibling(), SCHED_BATCH, &parameter));
}
static int scheduler_parameter(void) {
  struct sched_param parameter = {0};
  END(sched_setparam(sibling(), &parameter));
}
static int scheduler_attributes(void) {
  struct { uint32_t size, policy; uint64_t flags; int32_t nice; uint32_t priority; uint64_t times[3]; } attributes = {
    .size = 48, .policy = SCHED_BATCH,
  };
  END(syscall(SYS_sched_setattr, sibling(), &attributes, 0));
}

static int rights_user(void) { END(setuid(0)); }
static int rights_group(void) { END(setgid(0)); }
static int rights_groups(void) {
  gid_t none = 0;
  END(setgroups(1, &none));
}
/* A program with the set-user-ID bit would give rights of its owner. */
static int rights_programs(void) { return prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 ? EPERM : 0; }
static int rights_regain(void) { END(prctl(PR_SET_NO_NEW_PRIVS, 0, 0, 0, 0)); }
static int rights_ambient(void) { END(prctl(47, 2, 21, 0, 0)); }
static int rights_unfilter(void) { END(prctl(PR_SET_SECCOMP, 0, 0, 0, 0)); }

static int mount_folder(void) { END(mount("none", ".", "tmpfs", 0, NULL)); }
static int mount_bind(void) { END(mount("/", ".", NULL, MS_BIND, NULL)); }
static int mount_end(void) { END(umount2("/proc", MNT_DETACH)); }
static int mount_tree(void) { END(syscall(428, AT_FDCWD, "/", 1)); }
static int mount_filesystem(void) { END(syscall(430, "tmpfs", 0)); }
static int mount_move(void) { END(syscall(429, AT_FDCWD, "/", AT_FDCWD, "/mnt", 0)); }
static int mount_attributes(void) {
  uint64_t attributes[4] = {0};
  END(syscall(442, AT_FDCWD, "/", 0, attributes, sizeof attributes));
}
static int mount_pivot(void) { END(syscall(SYS_pivot_root, ".", ".")); }
static int mount_root(void) { END(chroot(".")); }

static int unshared(int flags) { END(unshare(flags)); }
static int space_user(void) { return unshared(CLONE_NEWUSER); }
static int space_mount(void) { return unshared(CLONE_NEWUSER | CLONE_NEWNS); }
static int space_network(void) { return unshared(CLONE_NEWUSER | CLONE_NEWNET); }
static int space_process(void) { return unshared(CLONE_NEWPID); }
static int space_ipc(void) { return unshared(CLONE_NEWIPC); }
static int space_time(void) { return unshared(CLONE_NEWTIME); }
static int space_cgroup(void) { return unshared(0x02000000); }
static int started(long pid) {
  if (pid < 0) return errno;
  if (pid == 0) _exit(0);
  waitpid(pid, NULL, 0);
  return 0;
}
static int space_clone(void) { return started(syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0)); }
static int space_clone3(void) {
  uint64_t arguments[8] = {[0] = CLONE_NEWUSER, [4] = SIGCHLD};
  return started(syscall(435, arguments, sizeof arguments));
}
static int space_join(void) {
  int process = pidfd(sibling());
  NEED(process);
  END(setns(process, CLONE_NEWNS));
}

static int ring(void) {
  struct io_uring_params parameters = {0};
  END(syscall(425, 4, &parameters));
}
static int ring_enter(void) { END(syscall(426, 0, 0, 0, 0, NULL, 0)); }
static int ring_register(void) { END(syscall(427, -1, 16, NULL, 0)); }

static int open_own_process(void) {
  pid_t child = fork();
  if (child == 0) {
    pause();
    _exit(0);
  }
  NEED(setpriority(PRIO_PROCESS, child, 5));
  END(kill(child, SIGKILL));
}

const struct entry PROCESSES[] = {
#define E(f) {#f, f}
  E(trace_attach), E(trace_seize), E(trace_broker), E(memory_read), E(memory_write), E(descriptor_sibling),
  E(descriptor_broker), E(compare_descriptors), E(robust_list), E(move_pages_of), E(signal_kill), E(signal_probe),
  E(signal_broker), E(signal_group), E(signal_thread), E(signal_group_thread), E(signal_queue), E(signal_thread_queue),
  E(open_own_process), E(signal_descriptor), E(signal_disguised), E(signal_owner), E(priority_process), E(priority_group),
  E(disk_priority), E(disk_priority_user), E(disk_priority_group), E(limit_process), E(scheduler_affinity),
  E(scheduler_policy), E(scheduler_parameter), E(scheduler_attributes), E(rights_user), E(rights_group),
  E(rights_groups), E(rights_programs), E(rights_regain), E(rights_ambient), E(rights_unfilter), E(mount_folder),
  E(mount_bind), E(mount_end), E(mount_tree), E(mount_filesystem), E(mount_move), E(mount_attributes), E(mount_pivot),
  E(mount_root), E(space_user), E(space_mount), E(space_network), E(space_process), E(space_ipc), E(space_time),
  E(space_cgroup), E(space_clone), E(space_clone3), E(space_join), E(ring), E(ring_enter), E(ring_register),
  E(priority_user), E(priority_named_user),
  {NULL, NULL},
};
