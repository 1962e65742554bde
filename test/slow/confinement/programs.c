/* Attempts to reach a person by the programs that they use: agents for keys, the desktop, package managers, gc itself. */
#include "world.h"

static int unix_at(const char *name) {
  struct sockaddr_un address;
  int end = socket(AF_UNIX, SOCK_STREAM, 0);
  NEED(end);
  END(connect(end, (struct sockaddr *)&address, unix_address(&address, outside(name))));
}
static int agent_ssh(void) { return unix_at("run/ssh-agent"); }
static int agent_gpg(void) { return unix_at("home/.gnupg/S.gpg-agent"); }
static int agent_docker(void) { return unix_at("run/docker.sock"); }
static int agent_bus(void) { return unix_at("run/bus"); }
static int agent_systemd(void) { return unix_at("run/systemd/private"); }
static int agent_display(void) { return unix_at("run/X0"); }
static int agent_terminals(void) { return unix_at("run/tmux"); }
static int agent_host(void) { return unix_at("gc-home/host.sock"); }

static int changes(const char *name) { return opens(outside(name), O_WRONLY | O_APPEND); }
static int cache_npm(void) { return changes("home/.npm/_cacache/index"); }
static int cache_pip(void) { return changes("home/.cache/pip/wheel"); }
static int cache_cargo(void) { return changes("home/.cargo/registry/index"); }
static int cache_go(void) { return changes("home/.cache/go-build/entry"); }
static int setting_cargo(void) { return changes("home/.cargo/config.toml"); }
static int setting_pip(void) { return changes("home/.config/pip/pip.conf"); }
static int setting_git(void) { return changes("home/.config/git/config"); }
static int setting_shell(void) { return changes("home/.profile"); }
static int program_gc(void) { END(rename(outside("gc"), outside("gc-moved"))); }
static int program_gc_link(void) { return changes("gc-home/bin/gc"); }
static int program_beside_gc(void) { return opens(outside("gc-home/bin/git"), O_WRONLY | O_CREAT | O_EXCL); }
static int table_cron(void) { return opens("/var/spool/cron/crontabs/gc-attempts", O_WRONLY | O_CREAT); }

/* Whoever listens where gc was is shown the tokens of those who look for it. */
static int socket_at(struct sockaddr *address, socklen_t length) {
  int end = socket(address->sa_family, SOCK_STREAM, 0), on = 1;
  if (end < 0) return -1;
  setsockopt(end, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (address->sa_family == AF_INET6) setsockopt(end, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on);
  return bind(end, address, length) < 0 ? -1 : end;
}
static int listens_at(const char *ip) {
  struct sockaddr_in address = inet(ip, number("PORT_RESERVED"));
  int end = socket_at((struct sockaddr *)&address, sizeof address);
  NEED(end);
  END(listen(end, 16));
}
static int reserved_loopback(void) { return listens_at("127.0.0.1"); }
static int reserved_everywhere(void) { return listens_at("0.0.0.0"); }
static int reserved_ipv6(void) {
  struct sockaddr_in6 address = inet6("::1", number("PORT_RESERVED"));
  int end = socket_at((struct sockaddr *)&address, sizeof address);
  NEED(end);
  END(listen(end, 16));
}
static int reserved_mapped(void) {
  struct sockaddr_in6 address = inet6("::ffff:127.0.0.1", number("PORT_RESERVED"));
  int end = socket(AF_INET6, SOCK_STREAM, 0);
  NEED(end);
  NEED(bind(end, (struct sockaddr *)&address, sizeof address));
  END(listen(end, 16));
}
static int raced_socket;
static volatile int racing;
static void *bind_meanwhile(void *nothing) {
  struct sockaddr_in address = inet("127.0.0.1", number("PORT_RESERVED"));
  while (racing) bind(raced_socket, (struct sockaddr *)&address, sizeof address);
  return nothing;
}
/* Binds it while gc looks at it. */
static int reserved_race(void) {
  for (int n = 0; n < 300; n++) {
    pthread_t thread;
    struct sockaddr_in address = inet("127.0.0.1", number("PORT_RESERVED")), found;
    socklen_t length = sizeof found;
    raced_socket = socket(AF_INET, SOCK_STREAM, 0);
    NEED(raced_socket);
    racing = 1;
    if (pthread_create(&thread, NULL, bind_meanwhile, NULL)) return EAGAIN;
    int listens = listen(raced_socket, 16) == 0;
    racing = 0;
    pthread_join(thread, NULL);
    int bound = getsockname(raced_socket, (struct sockaddr *)&found, &length) == 0 && found.sin_port == address.sin_port;
    if (listens && bound) return 0;
    close(raced_socket);
  }
  return EADDRINUSE;
}

const struct entry PROGRAMS[] = {
#define E(f) {#f, f}
  E(agent_ssh), E(agent_gpg), E(agent_docker), E(agent_bus), E(agent_systemd), E(agent_display), E(agent_terminals),
  E(agent_host), E(cache_npm), E(cache_pip), E(cache_cargo), E(cache_go), E(setting_cargo), E(setting_pip),
  E(setting_git), E(setting_shell), E(program_gc), E(program_gc_link), E(program_beside_gc), E(table_cron),
  E(reserved_loopback), E(reserved_everywhere), E(reserved_ipv6), E(reserved_mapped), E(reserved_race),
  {NULL, NULL},
};
