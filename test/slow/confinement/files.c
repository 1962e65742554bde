/* Attempts to change and to read files that are not the program's own. */
#include "world.h"
#include <dirent.h>

#ifndef O_TMPFILE
#define O_TMPFILE (020000000 | O_DIRECTORY)
#endif
#define fchmodat2(...) syscall(452, __VA_ARGS__)

static int write_to(const char *path) { return opens(path, O_WRONLY); }
static int create(const char *path) { return opens(path, O_WRONLY | O_CREAT | O_EXCL); }

static int write_absolute(void) { return write_to(outside("out/file")); }
static int write_parent(void) { return write_to("../out/file"); }
static int write_append(void) { return opens(outside("out/file"), O_WRONLY | O_APPEND); }
static int write_create(void) { return create(outside("out/created")); }
static int write_beside(void) { return create("../created"); }
static int write_symlink(void) { NEED(symlink(outside("out/file"), "link")); return write_to("link"); }
static int write_folder_link(void) { NEED(symlink(outside("out"), "folder")); return write_to("folder/file"); }
static int write_cwd(void) { NEED(chdir(outside("out"))); return write_to("file"); }
static int write_hard_link(void) { END(link(outside("out/file"), "hard")); }
static int write_link_out(void) { NEED(own_file("own-1")); END(link("own-1", outside("out/linked"))); }
static int write_rename_out(void) { NEED(own_file("own-2")); END(rename("own-2", outside("out/renamed"))); }
static int write_rename_in(void) { END(rename(outside("out/move-me"), "moved")); }
static int write_rename_over(void) { NEED(own_file("own-3")); END(rename("own-3", outside("out/over-me"))); }
static int write_exchange(void) {
  NEED(own_file("own-4"));
  END(syscall(SYS_renameat2, AT_FDCWD, "own-4", AT_FDCWD, outside("out/exchange-me"), 2));
}
static int write_self_root(void) {
  char path[600];
  snprintf(path, sizeof path, "/proc/self/root%s", outside("out/file"));
  return write_to(path);
}
static int write_sibling_root(void) {
  char path[600];
  snprintf(path, sizeof path, "%s%s", of_sibling("root"), outside("out/file"));
  return write_to(path);
}
static int write_sibling_cwd(void) { return write_to(of_sibling("cwd/out/file")); }
static int write_sibling_descriptor(void) {
  char name[32];
  snprintf(name, sizeof name, "fd/%d", number("DESCRIPTOR"));
  return write_to(of_sibling(name));
}
static int write_reopened(void) {
  int file = open(outside("out/file"), O_PATH);
  NEED(file);
  char path[64];
  snprintf(path, sizeof path, "/proc/self/fd/%d", file);
  return write_to(path);
}
static int write_git_config(void) { return write_to(outside("sibling/.git/config")); }
static int write_git_hook(void) { return create(outside("sibling/.git/hooks/post-commit")); }
static int write_git_ref(void) { return create(outside("sibling/.git/refs/heads/theirs")); }
static int write_git_head(void) { END(unlink(outside("sibling/.git/HEAD"))); }
static int write_git_objects(void) { END(rename(outside("sibling/.git/objects"), outside("sibling/.git/gone"))); }
static int write_dot_file(void) { return opens(outside("home/.bashrc"), O_WRONLY | O_APPEND); }
static int write_ssh_keys(void) { return create(outside("home/.ssh/authorized_keys")); }
static int write_unit(void) { return create(outside("home/.config/systemd/user/own.service")); }
static int write_autostart(void) { return create(outside("home/.config/autostart/own.desktop")); }
static int write_git_settings(void) { return write_to(outside("home/.gitconfig")); }
static int write_tool(void) { return write_to(outside("home/.local/bin/tool")); }
static int write_agent_settings(void) { return create(outside("home/.claude/settings.json")); }
static int write_gc_home(void) { return write_to(outside("gc-home/supervisor.toml")); }
static int write_truncate(void) { END(truncate(outside("out/file"), 0)); }
static int write_open_truncate(void) { return opens(outside("out/file"), O_RDONLY | O_TRUNC); }
static int write_temporary_link(void) {
  int file = open(".", O_TMPFILE | O_RDWR, 0600);
  NEED(file);
  char path[64];
  snprintf(path, sizeof path, "/proc/self/fd/%d", file);
  END(linkat(AT_FDCWD, path, AT_FDCWD, outside("out/temporary"), AT_SYMLINK_FOLLOW));
}
static int write_temporary(void) { return opens(outside("out"), O_TMPFILE | O_RDWR); }
static int write_node(void) { END(mknod(outside("out/node"), S_IFREG | 0600, 0)); }
static int write_device(void) { END(mknod("device", S_IFCHR | 0600, 0x103)); }
static int write_fifo(void) { END(mkfifo(outside("out/fifo"), 0600)); }
static int write_socket(void) {
  struct sockaddr_un address;
  socklen_t length = unix_address(&address, "../out/bound");
  END(bind(socket(AF_UNIX, SOCK_STREAM, 0), (struct sockaddr *)&address, length));
}
static int write_mkdir(void) { END(mkdir(outside("out/made"), 0700)); }
static int write_rmdir(void) { END(rmdir(outside("out/empty"))); }
static int write_unlink(void) { END(unlink(outside("out/remove-me"))); }
static int write_symlink_out(void) { END(symlink("/", outside("out/pointed"))); }
static int write_oom_score(void) {
  int file = open(of_sibling("oom_score_adj"), O_WRONLY);
  NEED(file);
  END(write(file, "1000", 4));
}
static int write_dump_filter(void) { return write_to(of_sibling("coredump_filter")); }
static int write_sibling_name(void) { return write_to(of_sibling("comm")); }

static int mode_path(void) { END(chmod(outside("out/file"), 0666)); }
static int mode_symlink(void) { NEED(symlink(outside("out/file"), "mode-link")); END(chmod("mode-link", 0666)); }
static int mode_parent(void) { END(chmod("../out/file", 0666)); }
static int mode_cwd(void) { NEED(chdir(outside("out"))); END(chmod("file", 0666)); }
static int mode_self_root(void) {
  char path[600];
  snprintf(path, sizeof path, "/proc/self/root%s", outside("out/file"));
  END(chmod(path, 0666));
}
static int mode_folder_descriptor(void) {
  int folder = open(outside("out"), O_PATH);
  NEED(folder);
  END(fchmodat(folder, "file", 0666, 0));
}
static int mode_no_follow(void) { END(fchmodat2(AT_FDCWD, outside("out/file"), 0666, AT_SYMLINK_NOFOLLOW)); }
static int mode_empty_path(void) {
  int file = open(outside("out/file"), O_PATH);
  NEED(file);
  END(fchmodat2(file, "", 0666, AT_EMPTY_PATH));
}
static int mode_descriptor_name(void) {
  int file = open(outside("out/file"), O_PATH);
  NEED(file);
  char path[64];
  snprintf(path, sizeof path, "/proc/self/fd/%d", file);
  END(chmod(path, 0666));
}
static int mode_descriptor(void) {
  int file = open(outside("home/.local/bin/tool"), O_RDONLY);
  NEED(file);
  END(fchmod(file, 0777));
}
static int owner_path(void) { END(chown(outside("out/file"), getuid(), getgid())); }
static int owner_link(void) { END(lchown(outside("out/file"), getuid(), getgid())); }
static int owner_at(void) { END(fchownat(AT_FDCWD, outside("out/file"), getuid(), getgid(), 0)); }
static int owner_descriptor(void) {
  int file = open(outside("home/.local/bin/tool"), O_RDONLY);
  NEED(file);
  END(fchown(file, getuid(), getgid()));
}
static int attribute_set(void) { END(setxattr(outside("out/file"), "user.note", "x", 1, 0)); }
static int attribute_link(void) { END(lsetxattr(outside("out/file"), "user.note", "x", 1, 0)); }
static int attribute_remove(void) { END(removexattr(outside("out/attributed"), "user.kept")); }

static volatile int racing = 1, flips;
static void *flip_link(void *unused) {
  (void)unused;
  for (int n = 0; racing; n++) {
    if (symlink(n % 2 ? outside("out/raced") : "raced-own", "race-next") == 0) rename("race-next", "race-link");
    flips = n;
  }
  return NULL;
}
/* The link points now here and now outside while the mode of what it points to is changed. */
static int mode_race(void) {
  pthread_t thread;
  NEED(own_file("raced-own"));
  NEED(symlink("raced-own", "race-link"));
  if (pthread_create(&thread, NULL, flip_link, NULL)) return EAGAIN;
  for (int n = 0; n < 2000 || flips < 100; n++) chmod("race-link", 0777);
  racing = 0;
  pthread_join(thread, NULL);
  struct stat found;
  NEED(stat(outside("out/raced"), &found));
  return (found.st_mode & 0777) == 0777 ? 0 : EPERM;
}

static int read_key(void) { return reads(outside("home/.ssh/id_ed25519")); }
static int read_token(void) { return reads("../home/.config/gh/hosts.yml"); }
static int read_symlink(void) { NEED(symlink(outside("home/.netrc"), "netrc")); return reads("netrc"); }
static int read_cloud_key(void) { return reads(outside("home/.aws/credentials")); }
static int read_package_token(void) { return reads(outside("home/.npmrc")); }
static int read_gc_home(void) { return reads(outside("gc-home/operator.token")); }
static int read_sibling(void) { return reads(outside("sibling/source")); }
static int read_sibling_git(void) { return reads(outside("sibling/.git/HEAD")); }
static int read_folder(void) { END(opendir(outside("out")) ? 0 : -1); }
static int read_home(void) { END(opendir(outside("home")) ? 0 : -1); }
static int read_temporary(void) { END(opendir(outside("tmp")) ? 0 : -1); }
static int read_cwd(void) { NEED(chdir(outside("out"))); return reads("file"); }
static int read_self_root(void) {
  char path[600];
  snprintf(path, sizeof path, "/proc/self/root%s", outside("out/file"));
  return reads(path);
}
static int read_sibling_root(void) { END(opendir(of_sibling("root/")) ? 0 : -1); }
static int read_sibling_cwd(void) { return reads(of_sibling("cwd/out/file")); }
static int read_reopened(void) {
  int file = open(outside("out/file"), O_PATH);
  NEED(file);
  char path[64];
  snprintf(path, sizeof path, "/proc/self/fd/%d", file);
  return reads(path);
}
static int read_execute(void) {
  char *argv[] = {"program", NULL};
  execv(outside("out/program"), argv);
  return errno;
}
static int read_environment(void) { return reads(of_sibling("environ")); }
static int read_broker_environment(void) { return reads(of_process(number("BROKER"), "environ")); }
static int read_memory_of(int pid, const char *name) {
  int file = open(of_process(pid, name), O_RDONLY);
  NEED(file);
  char byte;
  uintptr_t address = strtoull(getenv("ADDRESS"), NULL, 16);
  END(pread(file, &byte, 1, (off_t)address));
}
static int read_memory(void) { return read_memory_of(sibling(), "mem"); }
static int read_thread_memory(void) {
  char name[64];
  snprintf(name, sizeof name, "task/%d/mem", sibling());
  return read_memory_of(sibling(), name);
}
static int read_broker_memory(void) { return opens(of_process(number("BROKER"), "mem"), O_RDONLY); }
static int write_memory(void) { return opens(of_sibling("mem"), O_RDWR); }
static int read_maps(void) { return reads(of_sibling("maps")); }
static int read_map_details(void) { return reads(of_sibling("smaps")); }
static int read_pages(void) { return opens(of_sibling("pagemap"), O_RDONLY); }
static int read_auxiliary(void) { return reads(of_sibling("auxv")); }
static int read_counters(void) { return reads(of_sibling("io")); }
static int read_link_of(const char *name) {
  char target[512];
  END(readlink(of_sibling(name), target, sizeof target));
}
static int open_descriptor_list(void) {
  DIR *folder = opendir(of_sibling("fd"));
  if (!folder) return errno;
  errno = EACCES;
  return readdir(folder) ? 0 : errno;
}
static int read_descriptor(void) { return read_link_of("fd/0"); }
static int read_working_folder(void) { return read_link_of("cwd"); }
static int read_program_link(void) { return read_link_of("exe"); }
static int read_root_link(void) { return read_link_of("root"); }

static int open_times(void) { END(utimensat(AT_FDCWD, outside("out/file"), NULL, 0)); }
static int open_stat(void) {
  struct stat found;
  END(stat(outside("home/.ssh/id_ed25519"), &found));
}
static int open_watch(void) { END(inotify_add_watch(inotify_init(), outside("out"), IN_ALL_EVENTS)); }
static int open_command_line(void) { return reads(of_sibling("cmdline")); }
static int open_shared_file(void) { return reads(getenv("SHARED_FILE")); }
static int open_shared_file_write(void) { return write_to(getenv("SHARED_FILE")); }
static int open_terminal(void) { return opens(getenv("TERMINAL"), O_RDWR | O_NOCTTY | O_NONBLOCK); }
static int open_own_mode(void) {
  int own = own_file("mode");
  NEED(own);
  NEED(fchmod(own, 0700));
  END(chmod("mode", 0755));
}
static int open_memory_program(void) {
  int source = open("/bin/true", O_RDONLY), program = memfd_create("program", 0);
  NEED(source);
  NEED(program);
  char bytes[65536];
  for (ssize_t length; (length = read(source, bytes, sizeof bytes)) > 0;) NEED(write(program, bytes, length));
  char *argv[] = {"true", NULL}, *env[] = {NULL};
  fexecve(program, argv, env);
  return errno;
}

const struct entry FILES[] = {
#define E(f) {#f, f}
  E(write_absolute), E(write_parent), E(write_append), E(write_create), E(write_beside), E(write_symlink),
  E(write_folder_link), E(write_cwd), E(write_hard_link), E(write_link_out), E(write_rename_out), E(write_rename_in),
  E(write_rename_over), E(write_exchange), E(write_self_root), E(write_sibling_root), E(write_sibling_cwd),
  E(write_sibling_descriptor), E(write_reopened), E(write_git_config), E(write_git_hook), E(write_git_ref),
  E(write_dot_file), E(write_ssh_keys), E(write_unit), E(write_autostart), E(write_git_settings), E(write_tool),
  E(write_agent_settings), E(write_gc_home), E(write_temporary_link), E(write_temporary), E(write_node),
  E(write_device), E(write_fifo), E(write_socket), E(write_mkdir), E(write_rmdir), E(write_unlink),
  E(write_symlink_out), E(write_oom_score), E(write_dump_filter), E(write_sibling_name), E(mode_path),
  E(mode_symlink), E(mode_parent), E(mode_cwd), E(mode_self_root), E(mode_folder_descriptor), E(mode_no_follow),
  E(mode_empty_path), E(mode_descriptor_name), E(mode_descriptor), E(mode_race), E(owner_path), E(owner_link),
  E(owner_at), E(owner_descriptor), E(attribute_set), E(attribute_link), E(attribute_remove),
  E(read_key), E(read_token), E(read_symlink), E(read_cloud_key), E(read_package_token), E(read_gc_home),
  E(read_sibling), E(read_sibling_git), E(read_folder), E(read_home), E(read_temporary), E(read_cwd),
  E(read_self_root), E(read_sibling_root), E(read_sibling_cwd), E(read_reopened), E(read_execute),
  E(read_environment), E(read_broker_environment), E(read_memory), E(read_thread_memory),
  E(read_broker_memory), E(write_memory), E(read_maps), E(read_map_details), E(read_pages),
  E(read_auxiliary), E(read_counters), E(read_descriptor), E(read_working_folder),
  E(read_program_link), E(read_root_link),
  E(open_descriptor_list), E(open_times), E(open_stat), E(open_watch), E(open_command_line), E(open_shared_file), E(open_shared_file_write),
  E(open_terminal), E(open_own_mode), E(open_memory_program),
  /* These take away what others look for. */
  E(write_truncate), E(write_open_truncate), E(write_git_head), E(write_git_objects),
  {NULL, NULL},
};
