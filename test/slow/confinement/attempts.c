/*
 * `attempts` makes each attempt in a process of its own and prints what came of it: `NAME passed`, `NAME blocked WHY`, or
 * `NAME stuck`. `attempts sibling` is the program outside that they are aimed at.
 */
#include "world.h"
#include <mqueue.h>
#include <sys/msg.h>
#include <sys/sem.h>

static int be_sibling(void);

static void report(const char *name, int status) {
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM) printf("%s stuck\n", name);
  else if (WIFSIGNALED(status)) printf("%s blocked by signal %d\n", name, WTERMSIG(status));
  else if (WEXITSTATUS(status) == 0) printf("%s passed\n", name);
  else printf("%s blocked %s\n", name, strerror(WEXITSTATUS(status)));
  fflush(stdout);
}

static void run(const struct entry *entries) {
  for (; entries->name; entries++) {
    pid_t child = fork();
    if (child == 0) {
      alarm(60);
      _exit(entries->attempt());
    }
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    report(entries->name, status);
  }
}

int main(int argc, char **argv) {
  if (argc > 1 && strcmp(argv[1], "sibling") == 0) return be_sibling();
  char broker[16];
  snprintf(broker, sizeof broker, "%d", getppid());
  setenv("BROKER", getenv("UNCONFINED") ? getenv("SIBLING") : broker, 1);
  run(FLAGS);
  run(PROGRAMS);
  run(FILES);
  run(SOCKETS);
  run(KERNEL);
  run(PROCESSES);
  return 0;
}

static int listening(struct sockaddr *address, socklen_t length) {
  int end = socket(address->sa_family, SOCK_STREAM, 0);
  if (bind(end, address, length) < 0 || listen(end, 4096) < 0) exit(1);
  if (getsockname(end, address, &length) < 0) exit(1);
  return end;
}
static int listening4(const char *ip, int port) {
  struct sockaddr_in address = inet(ip, port);
  listening((struct sockaddr *)&address, sizeof address);
  return ntohs(address.sin_port);
}
static int listening6(const char *ip, int port) {
  struct sockaddr_in6 address = inet6(ip, port);
  listening((struct sockaddr *)&address, sizeof address);
  return ntohs(address.sin6_port);
}
static void listening_path(const char *path, int type) {
  struct sockaddr_un address;
  int end = socket(AF_UNIX, type, 0);
  if (bind(end, (struct sockaddr *)&address, unix_address(&address, path)) < 0) exit(1);
  if (type != SOCK_DGRAM && listen(end, 4096) < 0) exit(1);
}
static void listening_abstract(const char *name, int type) {
  struct sockaddr_un address;
  int end = socket(AF_UNIX, type, 0);
  if (bind(end, (struct sockaddr *)&address, abstract_address(&address, name)) < 0) exit(1);
  if (type != SOCK_DGRAM && listen(end, 16) < 0) exit(1);
}
static void queue(char path[64], const char *variable) {
  snprintf(path, 64, "/%s-%d", variable, getpid());
  printf("%s=%s\n", variable, path);
  mq_close(mq_open(path, O_RDWR | O_CREAT, 0600, NULL));
}

/* Sockets of programs that a person has running. */
static void listening_programs(void) {
  static const char *const names[] = {"run/ssh-agent", "home/.gnupg/S.gpg-agent", "run/docker.sock", "run/bus",
                                      "run/systemd/private", "run/X0", "run/tmux", "gc-home/host.sock"};
  for (size_t n = 0; n < sizeof names / sizeof names[0]; n++) listening_path(names[n], SOCK_STREAM);
}
/* A port that nobody has now. */
static int free_port(void) {
  struct sockaddr_in address = inet("127.0.0.1", 0);
  socklen_t length = sizeof address;
  int end = socket(AF_INET, SOCK_STREAM, 0);
  if (bind(end, (struct sockaddr *)&address, length) < 0) exit(1);
  if (getsockname(end, (struct sockaddr *)&address, &length) < 0) exit(1);
  close(end);
  return ntohs(address.sin_port);
}

static char secret[] = "secret";

/* Opens all that it is to keep to itself, tells where that is, and waits until its input ends. */
static int be_sibling(void) {
  sigset_t urgent;
  sigemptyset(&urgent);
  sigaddset(&urgent, SIGURG);
  sigprocmask(SIG_BLOCK, &urgent, NULL);
  setsid();
  if (chdir(getenv("WORLD")) < 0) return 1;
  int port = listening4("127.0.0.1", 0);
  listening4("127.0.0.2", port);
  listening6("::1", port);
  listening_path("s", SOCK_STREAM);
  listening_path("d", SOCK_DGRAM);
  listening_path("q", SOCK_SEQPACKET);
  listening_programs();
  char name[64];
  snprintf(name, sizeof name, "gc-attempts-%d", getpid());
  listening_abstract(name, SOCK_STREAM);
  printf("ABSTRACT=%s\nABSTRACT_DATAGRAM=%s-d\n", name, name);
  strcat(name, "-d");
  listening_abstract(name, SOCK_DGRAM);
  struct sockaddr_in udp = inet("127.0.0.1", port);
  if (bind(socket(AF_INET, SOCK_DGRAM, 0), (struct sockaddr *)&udp, sizeof udp) < 0) return 1;
  int terminal = posix_openpt(O_RDWR | O_NOCTTY);
  if (terminal < 0 || grantpt(terminal) < 0 || unlockpt(terminal) < 0) return 1;
  printf("TERMINAL=%s\n", ptsname(terminal));
  struct sockaddr_in address = inet("127.0.0.1", 0);
  int allowed = listening((struct sockaddr *)&address, sizeof address);
  printf("PORT_ALLOWED=%d\n", ntohs(address.sin_port));
  char queues[2][64];
  queue(queues[0], "QUEUE");
  queue(queues[1], "QUEUE_SECOND");
  int memory = shmget(getpid(), 4096, IPC_CREAT | 0600), messages = msgget(getpid(), IPC_CREAT | 0600);
  int semaphores = semget(getpid(), 1, IPC_CREAT | 0600);
  snprintf(name, sizeof name, "/dev/shm/gc-attempts-%d", getpid());
  int shared = open(name, O_RDWR | O_CREAT, 0600);
  if (write(shared, "secret", 6) < 0) return 1;
  printf("SEMAPHORES=%d\nPORT_RESERVED=%d\n", semaphores, free_port());
  printf("SIBLING=%d\nPORT=%d\nPORT_SECOND=%d\nPORT_SIXTH=%d\nKEY=%d\nADDRESS=%lx\nSHARED_FILE=%s\nDESCRIPTOR=%d\n\n",
         getpid(), port, listening4("127.0.0.2", 0), listening6("::1", 0), getpid(), (long)(uintptr_t)secret, name,
         open("out/file", O_RDWR));
  fflush(stdout);
  struct pollfd waiting[] = {{0, POLLIN, 0}, {allowed, POLLIN, 0}};
  while (poll(waiting, 2, -1) > 0 && !waiting[0].revents) close(accept(allowed, NULL, NULL));
  shmctl(memory, IPC_RMID, NULL);
  msgctl(messages, IPC_RMID, NULL);
  semctl(semaphores, 0, IPC_RMID);
  mq_unlink(queues[0]);
  mq_unlink(queues[1]);
  unlink(name);
  return 0;
}
