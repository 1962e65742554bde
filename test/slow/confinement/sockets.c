/* Attempts to reach programs outside by sockets. */
#include "world.h"

#ifndef MSG_FASTOPEN
#define MSG_FASTOPEN 0x20000000
#endif
enum { TCP_FASTOPEN_CONNECT_OPTION = 30, MPTCP = 262, VSOCK = 40 };

static int unix_to(const char *path, int type) {
  struct sockaddr_un address;
  int end = socket(AF_UNIX, type, 0);
  NEED(end);
  END(connect(end, (struct sockaddr *)&address, unix_address(&address, path)));
}
static int unix_absolute(void) { return unix_to(outside("s"), SOCK_STREAM); }
static int unix_parent(void) { return unix_to("../s", SOCK_STREAM); }
static int unix_symlink(void) { NEED(symlink(outside("s"), "socket")); return unix_to("socket", SOCK_STREAM); }
static int unix_folder_link(void) { NEED(symlink(outside(""), "sockets")); return unix_to("sockets/s", SOCK_STREAM); }
static int unix_descriptor(void) {
  int folder = open(outside(""), O_PATH);
  NEED(folder);
  char path[64];
  snprintf(path, sizeof path, "/proc/self/fd/%d/s", folder);
  return unix_to(path, SOCK_STREAM);
}
static int unix_descriptor_itself(void) {
  int file = open(outside("s"), O_PATH);
  NEED(file);
  char path[64];
  snprintf(path, sizeof path, "/proc/self/fd/%d", file);
  return unix_to(path, SOCK_STREAM);
}
static int unix_cwd(void) { NEED(chdir(outside(""))); return unix_to("s", SOCK_STREAM); }
static int unix_self_root(void) { NEED(chdir(outside(""))); return unix_to("/proc/self/cwd/s", SOCK_STREAM); }
static int unix_sibling_cwd(void) { return unix_to(of_sibling("cwd/s"), SOCK_STREAM); }
static int unix_hard_link(void) { NEED(link(outside("s"), "linked")); return unix_to("linked", SOCK_STREAM); }
static int unix_datagram(void) { return unix_to(outside("d"), SOCK_DGRAM); }
static int unix_send(int end, int abstract) {
  struct sockaddr_un address;
  NEED(end);
  socklen_t length =
    abstract ? abstract_address(&address, getenv("ABSTRACT_DATAGRAM")) : unix_address(&address, outside("d"));
  END(sendto(end, "x", 1, MSG_DONTWAIT, (struct sockaddr *)&address, length));
}
static int unix_datagram_send(void) { return unix_send(socket(AF_UNIX, SOCK_DGRAM, 0), 0); }
static int unix_raw_send(void) { return unix_send(socket(AF_UNIX, SOCK_RAW, 0), 0); }
static int unix_pair_send(void) {
  int ends[2];
  NEED(socketpair(AF_UNIX, SOCK_DGRAM, 0, ends));
  return unix_send(ends[0], 0);
}
static int unix_sequenced(void) { return unix_to(outside("q"), SOCK_SEQPACKET); }
static int abstract_stream(void) {
  struct sockaddr_un address;
  int end = socket(AF_UNIX, SOCK_STREAM, 0);
  NEED(end);
  END(connect(end, (struct sockaddr *)&address, abstract_address(&address, getenv("ABSTRACT"))));
}
static int abstract_datagram(void) { return unix_send(socket(AF_UNIX, SOCK_DGRAM, 0), 1); }

static int tcp(int protocol, struct sockaddr *address, socklen_t length, int flags) {
  int end = socket(address->sa_family, SOCK_STREAM | flags, protocol);
  NEED(end);
  if (connect(end, address, length) == 0 || errno == EINPROGRESS) return 0;
  return errno;
}
static int tcp4(const char *ip, int port, int flags) {
  struct sockaddr_in address = inet(ip, port);
  return tcp(0, (struct sockaddr *)&address, sizeof address, flags);
}
static int tcp6(const char *ip, int port, int flags) {
  struct sockaddr_in6 address = inet6(ip, port);
  return tcp(0, (struct sockaddr *)&address, sizeof address, flags);
}
static int tcp_port(void) { return tcp4("127.0.0.1", number("PORT"), 0); }
static int tcp_other_loopback(void) { return tcp4("127.0.0.2", number("PORT"), 0); }
static int tcp_wildcard(void) { return tcp4("0.0.0.0", number("PORT"), 0); }
static int tcp_nonblocking(void) {
  struct sockaddr_in address = inet("127.0.0.1", number("PORT"));
  return tcp(0, (struct sockaddr *)&address, sizeof address, SOCK_NONBLOCK);
}
static int tcp_ipv6(void) { return tcp6("::1", number("PORT"), 0); }
static int tcp_ipv6_wildcard(void) { return tcp6("::", number("PORT"), 0); }
static int tcp_mapped(void) { return tcp6("::ffff:127.0.0.1", number("PORT"), 0); }
static int tcp_metadata(void) { return tcp4("169.254.169.254", 80, SOCK_NONBLOCK); }
static int tcp_mapped_metadata(void) { return tcp6("::ffff:169.254.169.254", 80, SOCK_NONBLOCK); }
static int tcp_internet(void) { return tcp4("192.0.2.1", 443, SOCK_NONBLOCK); }
static int tcp_private(void) { return tcp4("10.0.0.1", 22, SOCK_NONBLOCK); }
static int tcp_multipath(void) {
  struct sockaddr_in address = inet("127.0.0.1", number("PORT"));
  return tcp(MPTCP, (struct sockaddr *)&address, sizeof address, 0);
}
static int tcp_after_reset(void) {
  struct sockaddr_in address = inet("127.0.0.1", number("PORT"));
  struct sockaddr nothing = {.sa_family = AF_UNSPEC};
  int end = socket(AF_INET, SOCK_STREAM, 0);
  NEED(end);
  connect(end, &nothing, sizeof nothing);
  END(connect(end, (struct sockaddr *)&address, sizeof address));
}
static int fast_send(void) {
  struct sockaddr_in address = inet("127.0.0.1", number("PORT"));
  END(sendto(socket(AF_INET, SOCK_STREAM, 0), "x", 1, MSG_FASTOPEN, (struct sockaddr *)&address, sizeof address));
}
static struct msghdr fast_header(struct sockaddr_in *address, struct iovec *part) {
  *address = inet("127.0.0.1", number("PORT"));
  *part = (struct iovec){"x", 1};
  return (struct msghdr){.msg_name = address, .msg_namelen = sizeof *address, .msg_iov = part, .msg_iovlen = 1};
}
static int fast_message(void) {
  struct sockaddr_in address;
  struct iovec part;
  struct msghdr message = fast_header(&address, &part);
  END(sendmsg(socket(AF_INET, SOCK_STREAM, 0), &message, MSG_FASTOPEN));
}
static int fast_messages(void) {
  struct sockaddr_in address;
  struct iovec part;
  struct mmsghdr message = {.msg_hdr = fast_header(&address, &part)};
  END(sendmmsg(socket(AF_INET, SOCK_STREAM, 0), &message, 1, MSG_FASTOPEN));
}
static int fast_connect(void) {
  struct sockaddr_in address = inet("127.0.0.1", number("PORT"));
  int on = 1, end = socket(AF_INET, SOCK_STREAM, 0);
  NEED(setsockopt(end, IPPROTO_TCP, TCP_FASTOPEN_CONNECT_OPTION, &on, sizeof on));
  NEED(connect(end, (struct sockaddr *)&address, sizeof address));
  END(send(end, "x", 1, MSG_NOSIGNAL));
}

/* A socket of one's own that listens on a port. */
static int listens(const struct sockaddr *address, socklen_t length, int only6) {
  int on = 1, end = socket(address->sa_family, SOCK_STREAM, 0);
  setsockopt(end, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (only6) setsockopt(end, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on);
  if (bind(end, address, length) < 0 || listen(end, 64) < 0) return -1;
  return end;
}
/* The sibling listens on 127.0.0.2 of this port only. */
static int same_port_other_address(void) {
  struct sockaddr_in own = inet("127.0.0.1", number("PORT_SECOND"));
  NEED(listens((struct sockaddr *)&own, sizeof own, 0));
  return tcp4("127.0.0.2", number("PORT_SECOND"), 0);
}
static int same_port_other_version(void) {
  struct sockaddr_in6 own = inet6("::", number("PORT_SECOND"));
  NEED(listens((struct sockaddr *)&own, sizeof own, 1));
  return tcp4("127.0.0.2", number("PORT_SECOND"), 0);
}
/* The sibling listens on ::1 of this port only. */
static int same_port_ipv6(void) {
  struct sockaddr_in own = inet("0.0.0.0", number("PORT_SIXTH"));
  NEED(listens((struct sockaddr *)&own, sizeof own, 0));
  return tcp6("::1", number("PORT_SIXTH"), 0);
}
static int same_port_unheard(void) {
  struct sockaddr_in own = inet("127.0.0.1", number("PORT_SECOND"));
  int end = socket(AF_INET, SOCK_STREAM, 0);
  NEED(bind(end, (struct sockaddr *)&own, sizeof own));
  return tcp4("127.0.0.2", number("PORT_SECOND"), 0);
}
/* The kernel connects to what the socket is bound to when the address stands for all. */
static int same_port_bound(void) {
  struct sockaddr_in own = inet("127.0.0.1", number("PORT_SECOND")), bound = inet("127.0.0.2", 0),
                     any = inet("0.0.0.0", number("PORT_SECOND"));
  NEED(listens((struct sockaddr *)&own, sizeof own, 0));
  int end = socket(AF_INET, SOCK_STREAM, 0);
  NEED(bind(end, (struct sockaddr *)&bound, sizeof bound));
  NEED(connect(end, (struct sockaddr *)&any, sizeof any));
  socklen_t length = sizeof any;
  NEED(getpeername(end, (struct sockaddr *)&any, &length));
  return any.sin_addr.s_addr == bound.sin_addr.s_addr ? 0 : EACCES;
}
static int same_port_bound_mapped(void) {
  struct sockaddr_in own = inet("127.0.0.1", number("PORT_SECOND"));
  struct sockaddr_in6 bound = inet6("::ffff:127.0.0.2", 0), any = inet6("::ffff:0.0.0.0", number("PORT_SECOND"));
  NEED(listens((struct sockaddr *)&own, sizeof own, 0));
  int end = socket(AF_INET6, SOCK_STREAM, 0);
  NEED(bind(end, (struct sockaddr *)&bound, sizeof bound));
  NEED(connect(end, (struct sockaddr *)&any, sizeof any));
  socklen_t length = sizeof any;
  NEED(getpeername(end, (struct sockaddr *)&any, &length));
  return memcmp(&any.sin6_addr, &bound.sin6_addr, sizeof any.sin6_addr) == 0 ? 0 : EACCES;
}

static int udp_to(int family, int protocol, const struct sockaddr *address, socklen_t length) {
  int end = socket(family, SOCK_DGRAM, protocol);
  NEED(end);
  END(sendto(end, "x", 1, MSG_DONTWAIT, address, length));
}
static int udp_send(void) {
  struct sockaddr_in address = inet("127.0.0.1", number("PORT"));
  return udp_to(AF_INET, 0, (struct sockaddr *)&address, sizeof address);
}
static int udp_send6(void) {
  struct sockaddr_in6 address = inet6("::1", number("PORT"));
  return udp_to(AF_INET6, 0, (struct sockaddr *)&address, sizeof address);
}
static int udp_light(void) {
  struct sockaddr_in address = inet("127.0.0.1", number("PORT"));
  return udp_to(AF_INET, IPPROTO_UDPLITE, (struct sockaddr *)&address, sizeof address);
}

#define SOCKET(name, family, type, protocol) \
  static int name(void) { END(socket(family, type, protocol)); }
SOCKET(socket_ping, AF_INET, SOCK_DGRAM, IPPROTO_ICMP)
SOCKET(socket_raw, AF_INET, SOCK_RAW, IPPROTO_TCP)
SOCKET(socket_raw6, AF_INET6, SOCK_RAW, IPPROTO_TCP)
SOCKET(socket_sctp, AF_INET, SOCK_STREAM, IPPROTO_SCTP)
SOCKET(socket_packet, AF_PACKET, SOCK_DGRAM, 0)
SOCKET(socket_vsock, VSOCK, SOCK_STREAM, 0)
SOCKET(socket_crypto, 38, SOCK_SEQPACKET, 0)
SOCKET(socket_keys, AF_KEY, SOCK_RAW, 2)
SOCKET(socket_bluetooth, 31, SOCK_RAW, 1)
SOCKET(socket_can, 29, SOCK_RAW, 1)
SOCKET(socket_cluster, 30, SOCK_STREAM, 0)
SOCKET(socket_direct, 43, SOCK_STREAM, 0)
SOCKET(socket_express, 44, SOCK_RAW, 0)
SOCKET(netlink_generic, AF_NETLINK, SOCK_RAW, NETLINK_GENERIC)
SOCKET(netlink_devices, AF_NETLINK, SOCK_RAW, NETLINK_KOBJECT_UEVENT)
SOCKET(netlink_audit, AF_NETLINK, SOCK_RAW, NETLINK_AUDIT)
SOCKET(netlink_sockets, AF_NETLINK, SOCK_RAW, NETLINK_SOCK_DIAG)
SOCKET(netlink_firewall, AF_NETLINK, SOCK_RAW, NETLINK_NETFILTER)
SOCKET(netlink_processes, AF_NETLINK, SOCK_RAW, NETLINK_CONNECTOR)
SOCKET(netlink_tunnels, AF_NETLINK, SOCK_RAW, NETLINK_XFRM)
SOCKET(netlink_crypto, AF_NETLINK, SOCK_RAW, NETLINK_CRYPTO)
static int netlink_program(void) {
  struct sockaddr_nl address = {.nl_family = AF_NETLINK, .nl_pid = sibling()};
  END(connect(socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE), (struct sockaddr *)&address, sizeof address));
}
static int netlink_change(void) {
  struct { struct nlmsghdr header; char rest[16]; } message = {
    .header = {.nlmsg_len = sizeof message, .nlmsg_type = 16, .nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK},
  };
  struct { struct nlmsghdr header; struct nlmsgerr error; } answer;
  int end = socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE);
  NEED(end);
  NEED(send(end, &message, sizeof message, 0));
  NEED(recv(end, &answer, sizeof answer, 0));
  return -answer.error.error;
}

/* An address that another thread changes while it is connected to. */
static union { struct sockaddr any; struct sockaddr_in tcp; struct sockaddr_un local; } address, own, theirs;
static volatile int racing = 1, flips;
static void *flip_address(void *size) {
  for (; racing; flips++) {
    memcpy(&address, &own, *(socklen_t *)size);
    memcpy(&address, &theirs, *(socklen_t *)size);
  }
  return NULL;
}
/* A listener of its own, if it has one, is emptied meanwhile. */
static int race(int family, socklen_t size, int listener) {
  pthread_t thread;
  struct linger at_once = {1, 0};
  int hits = 0;
  if (pthread_create(&thread, NULL, flip_address, &size)) return EAGAIN;
  for (int n = 0; n < 2000 || flips < 1000; n++) {
    struct sockaddr_storage peer;
    socklen_t length = sizeof peer;
    int end = socket(family, SOCK_STREAM, 0);
    setsockopt(end, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    if (connect(end, &address.any, size) == 0 && getpeername(end, (struct sockaddr *)&peer, &length) == 0) {
      hits += family == AF_INET ? ((struct sockaddr_in *)&peer)->sin_port == theirs.tcp.sin_port
                                : ((struct sockaddr_un *)&peer)->sun_path[0] != own.local.sun_path[0];
    }
    close(end);
    for (int accepted; (accepted = accept4(listener, NULL, NULL, SOCK_NONBLOCK)) >= 0;) close(accepted);
  }
  racing = 0;
  pthread_join(thread, NULL);
  return hits > 0 ? 0 : ECONNREFUSED;
}
/* It may connect to one of these ports. */
static int race_tcp(void) {
  own.tcp = inet("127.0.0.1", number("PORT_ALLOWED"));
  theirs.tcp = inet("127.0.0.1", number("PORT"));
  return race(AF_INET, sizeof own.tcp, -1);
}
static int race_unix(void) {
  socklen_t size = unix_address(&own.local, "own");
  int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
  NEED(bind(listener, &own.any, size));
  NEED(listen(listener, 64));
  unix_address(&theirs.local, "../s");
  return race(AF_UNIX, size, listener);
}

/* That the races are about something: what is allowed is reached. */
static int open_allowed_port(void) { return tcp4("127.0.0.1", number("PORT_ALLOWED"), 0); }
static int open_bind(void) {
  struct sockaddr_in any = inet("0.0.0.0", 0);
  END(listens((struct sockaddr *)&any, sizeof any, 0));
}

/* Sends a byte to what accepts at an end, from a socket that connects without waiting or not. */
static int sends(int end, struct sockaddr *address, socklen_t length, int flags) {
  char byte = 0;
  int from = socket(address->sa_family, SOCK_STREAM | flags, 0);
  NEED(end);
  NEED(from);
  if (connect(from, address, length) < 0 && errno != EINPROGRESS) return errno;
  struct pollfd ready = {from, POLLOUT, 0};
  if (poll(&ready, 1, 10000) != 1) return ETIMEDOUT;
  NEED(send(from, "x", 1, MSG_NOSIGNAL));
  NEED(recv(accept(end, NULL, NULL), &byte, 1, 0));
  return byte == 'x' ? 0 : EIO;
}
static int sends_to_itself(const char *ip, int flags) {
  struct sockaddr_in own = inet(ip, 0);
  socklen_t length = sizeof own;
  int end = listens((struct sockaddr *)&own, sizeof own, 0);
  NEED(getsockname(end, (struct sockaddr *)&own, &length));
  own.sin_addr = inet("127.0.0.1", 0).sin_addr;
  return sends(end, (struct sockaddr *)&own, sizeof own, flags);
}
static int open_own_port(void) { return sends_to_itself("127.0.0.1", 0); }
static int open_own_port_nonblocking(void) { return sends_to_itself("0.0.0.0", SOCK_NONBLOCK); }
static int open_own_socket(void) {
  struct sockaddr_un address;
  socklen_t length = unix_address(&address, "own-socket");
  return sends(listens((struct sockaddr *)&address, length, 0), (struct sockaddr *)&address, length, 0);
}

const struct entry SOCKETS[] = {
#define E(f) {#f, f}
  E(unix_absolute), E(unix_parent), E(unix_symlink), E(unix_folder_link), E(unix_descriptor), E(unix_descriptor_itself),
  E(unix_cwd), E(unix_self_root), E(unix_sibling_cwd), E(unix_hard_link), E(unix_datagram), E(unix_datagram_send),
  E(unix_raw_send), E(unix_pair_send), E(unix_sequenced), E(abstract_stream), E(abstract_datagram), E(tcp_port),
  E(tcp_other_loopback), E(tcp_wildcard), E(tcp_nonblocking), E(tcp_ipv6), E(tcp_ipv6_wildcard), E(tcp_mapped),
  E(tcp_metadata), E(tcp_mapped_metadata), E(tcp_internet), E(tcp_private), E(tcp_multipath), E(tcp_after_reset),
  E(fast_send), E(fast_message), E(fast_messages), E(fast_connect), E(same_port_other_address),
  E(same_port_other_version), E(same_port_ipv6), E(same_port_unheard), E(same_port_bound),
  E(same_port_bound_mapped), E(udp_send), E(udp_send6), E(udp_light),
  E(socket_ping), E(socket_raw), E(socket_raw6), E(socket_sctp), E(socket_packet), E(socket_vsock), E(socket_crypto),
  E(socket_keys), E(socket_bluetooth), E(socket_can), E(socket_cluster), E(socket_direct), E(socket_express),
  E(netlink_generic), E(netlink_devices), E(netlink_audit), E(netlink_sockets), E(netlink_firewall),
  E(netlink_processes), E(netlink_tunnels), E(netlink_crypto), E(netlink_program), E(netlink_change), E(race_tcp),
  E(race_unix), E(open_allowed_port), E(open_bind),
  E(open_own_port), E(open_own_port_nonblocking), E(open_own_socket),
  {NULL, NULL},
};
