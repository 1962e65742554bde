/* Attempts by parts of the kernel that reach past files, processes and sockets. */
#include "world.h"
#include <linux/perf_event.h>
#include <mqueue.h>
#include <sys/msg.h>

static int terminal_input(void) {
  int terminal = open(getenv("TERMINAL"), O_RDWR | O_NOCTTY);
  NEED(terminal);
  END(ioctl(terminal, TIOCSTI, "x"));
}
static int terminal_own_input(void) { END(ioctl(0, TIOCSTI, "x")); }
static int terminal_paste(void) { END(ioctl(0, TIOCLINUX, "\x03")); }
static int terminal_hang_up(void) { END(syscall(SYS_vhangup)); }
static int key_read(void) { END(syscall(SYS_keyctl, 0, -3, 0, 0, 0)); }
static int key_add(void) { END(syscall(SYS_add_key, "user", "name", "x", 1L, -3)); }
static int key_request(void) { END(syscall(SYS_request_key, "user", "name", NULL, -3)); }
static int page_faults(void) { END(syscall(SYS_userfaultfd, 1)); }
static int kernel_program(void) {
  uint64_t attributes[16] = {0};
  END(syscall(SYS_bpf, 0, attributes, sizeof attributes));
}
static int performance(void) {
  struct perf_event_attr attributes = {.type = PERF_TYPE_SOFTWARE, .size = sizeof attributes, .exclude_kernel = 1};
  END(syscall(SYS_perf_event_open, &attributes, 0, -1, -1, 0));
}
#ifdef __x86_64__
static int call_of_32_bits(void) {
  long answer = 20; /* getpid */
  __asm__ volatile("int $0x80" : "+a"(answer) : : "memory");
  return answer > 0 ? 0 : -answer;
}
static int call_of_x32(void) { END(syscall(0x40000000 | SYS_getpid)); }
static int port_level(void) { END(syscall(SYS_iopl, 3)); }
#else
static int call_of_32_bits(void) { return ENOSYS; }
static int call_of_x32(void) { return ENOSYS; }
static int port_level(void) { return ENOSYS; }
#endif
static int queue_message(void) {
  END(mq_open(getenv("QUEUE"), O_RDWR));
}
static int queue_remove(void) { END(mq_unlink(getenv("QUEUE_SECOND"))); }
static int queue_system_v(void) { END(msgget(number("KEY"), 0)); }
static int file_events(void) { END(syscall(SYS_fanotify_init, 0x200, 0)); }
static int file_handle(void) {
  struct { struct file_handle handle; char rest[128]; } file = {.handle = {.handle_bytes = 128}};
  int mount;
  NEED(name_to_handle_at(AT_FDCWD, outside("out/file"), &file.handle, &mount, 0));
  END(open_by_handle_at(AT_FDCWD, &file.handle, O_RDONLY));
}
static int module_load(void) { END(syscall(SYS_init_module, "", 0L, "")); }
static int module_file(void) { END(syscall(SYS_finit_module, 0, "", 0)); }
static int kernel_replace(void) { END(syscall(SYS_kexec_load, 0L, 0L, NULL, 0L)); }
static int kernel_log(void) {
  char bytes[16];
  END(syscall(SYS_syslog, 3, bytes, 16));
}
static int kernel_accounting(void) { END(acct(outside("out/file"))); }
static int machine_name(void) { END(sethostname("name", 4)); }
static int device_memory(void) { return opens("/dev/mem", O_RDWR); }
static int device_log(void) { return opens("/dev/kmsg", O_RDWR); }
static int device_fuse(void) { return opens("/dev/fuse", O_RDWR); }
static int device_machine(void) { return opens("/dev/kvm", O_RDWR); }
static int device_tunnel(void) { return opens("/dev/net/tun", O_RDWR); }
static int setting(void) { return opens("/proc/sys/kernel/core_pattern", O_WRONLY); }
static int setting_group(void) { return opens("/sys/fs/cgroup/cgroup.procs", O_WRONLY); }

static int open_shared_memory(void) { END(shmget(number("KEY"), 0, 0)); }

const struct entry KERNEL[] = {
#define E(f) {#f, f}
  E(terminal_input), E(terminal_own_input), E(terminal_paste), E(terminal_hang_up), E(key_read), E(key_add),
  E(key_request), E(page_faults), E(kernel_program), E(performance), E(call_of_32_bits), E(call_of_x32),
  E(port_level), E(queue_message), E(queue_remove), E(queue_system_v), E(file_events), E(file_handle), E(module_load),
  E(module_file), E(kernel_replace), E(kernel_log), E(kernel_accounting), E(machine_name), E(device_memory),
  E(device_log), E(device_fuse), E(device_machine), E(device_tunnel), E(setting), E(setting_group),
  E(open_shared_memory),
  {NULL, NULL},
};
