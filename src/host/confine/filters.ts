import { assemble, type Condition, type Rule, Verdict } from './bpf.ts'
import type { Policy } from './policy.ts'
import { type Architecture, findCall, type SystemCall } from './system-calls.ts'

const AUDIT_ARCHITECTURE: Record<Architecture, number> = { x64: 0xc000_003e, arm64: 0xc000_00b7 }
/** Calls of the x32 kind have this bit. */
const X32 = 0x4000_0000

const EPERM = 1
const EACCES = 13
const ENOSYS = 38
const EOPNOTSUPP = 95
const EAFNOSUPPORT = 97

/** `CLONE_NEW*` of every kind but time, whose bit means something else to `clone`. */
const NEW_NAMESPACES = 0x7e02_0000
const NEW_TIME_NAMESPACE = 0x80
const [PRIO_PROCESS, IOPRIO_PROCESS] = [0, 1]
/** From this version on Landlock keeps signals within. */
const SIGNALS_SINCE = 6
const TIOCSTI = 0x5412
const TIOCLINUX = 0x541c
const [FIOSETOWN, SIOCSPGRP] = [0x8901, 0x8902]
const [F_SETOWN, F_SETOWN_EX] = [8, 15]
const F_SETLEASE = 1024
const MSG_FASTOPEN = 0x2000_0000
const SOCKET_TYPE = 0xf
const [STREAM, DATAGRAM, SEQUENCED] = [1, 2, 5]
const [UNIX, INET, INET6, NETLINK] = [1, 2, 10, 16]
const [ANY_PROTOCOL, TCP, UDP] = [0, 6, 17]

const ADMINISTRATION: SystemCall[] = [
  ...(['mount', 'umount2', 'pivot_root', 'chroot', 'setns', 'open_tree', 'open_tree_attr', 'move_mount'] as const),
  ...(['fsopen', 'fsconfig', 'fsmount', 'fspick', 'mount_setattr', 'swapon', 'swapoff', 'reboot', 'acct'] as const),
  ...(['kexec_load', 'kexec_file_load', 'init_module', 'finit_module', 'delete_module', 'iopl', 'ioperm'] as const),
  ...(['settimeofday', 'clock_settime', 'sethostname', 'setdomainname', 'quotactl', 'vhangup', 'syslog'] as const),
  ...(['open_by_handle_at', 'add_key', 'request_key', 'keyctl', 'bpf', 'perf_event_open', 'userfaultfd'] as const),
  'fanotify_init',
]
/** Names that all programs of a user share and that no file rule covers. */
const NAMED: SystemCall[] = [
  ...(['mq_open', 'mq_unlink', 'msgget', 'msgsnd', 'msgrcv', 'msgctl'] as const),
  ...(['semget', 'semop', 'semtimedop', 'semctl'] as const),
]
/** Programs do without these when they do not exist. */
const ABSENT: SystemCall[] = ['io_uring_setup', 'io_uring_enter', 'io_uring_register', 'clone3']
/** Landlock does not cover them. */
const ATTRIBUTES: SystemCall[] = [
  ...(['setxattr', 'lsetxattr', 'fsetxattr', 'setxattrat'] as const),
  ...(['removexattr', 'lremovexattr', 'fremovexattr', 'removexattrat'] as const),
  'file_setattr',
]
/**
 * The same by a descriptor that can only read: the flags and the version of a file, sealing it, encryption, and what makes,
 * copies, marks and removes a subvolume of btrfs.
 */
const ATTRIBUTE_REQUESTS = [
  ...[0x4008_6602, 0x4004_6602, 0x401c_5820, 0x4008_7602, 0x4004_7602, 0x4080_6685],
  ...[0x800c_6613, 0xc050_6617, 0xc040_6618, 0xc040_6619],
  ...[0x5000_9401, 0x5000_940e, 0x5000_940f, 0x5000_9417, 0x5000_9418, 0x5000_943f, 0x4008_941a, 0xc0c8_9425],
]

interface Kernel {
  /** The version of Landlock. */
  landlock: number
  arch: Architecture
  /** True if the host of another session answers, which lets everything in that one reach its sockets. */
  isInherited?: boolean
}

/** Calls that a sandbox always refuses: the first version of Landlock decides `truncate`. */
export function refusals(policy: Policy, { landlock, arch, isInherited = false }: Kernel): Uint8Array {
  const rules = new RuleList(arch)
  rules.fail(EPERM, ADMINISTRATION)
  rules.fail(EACCES, NAMED)
  rules.fail(ENOSYS, ABSENT)
  rules.fail(EOPNOTSUPP, ATTRIBUTES)
  rules.fail(EOPNOTSUPP, ['ioctl'], [{ arg: 1, equals: ATTRIBUTE_REQUESTS }])
  // It keeps others waiting for three quarters of a minute who open a file that the program may only read.
  rules.fail(EACCES, ['fcntl'], [{ arg: 1, equals: [F_SETLEASE] }])
  if (landlock < 3) rules.fail(EACCES, ['truncate'])
  // A descriptor does not tell the session host whom it stands for.
  if (landlock < SIGNALS_SINCE) {
    rules.fail(ENOSYS, ['pidfd_send_signal'])
    // What these point to could change after the session host looked at it.
    rules.fail(EPERM, ['fcntl'], [{ arg: 1, equals: [F_SETOWN_EX] }])
    rules.fail(EPERM, ['ioctl'], [{ arg: 1, equals: [FIOSETOWN, SIOCSPGRP] }])
  }
  // The whole group or user would be meant, programs outside among them.
  rules.fail(EPERM, ['setpriority'], [{ arg: 0, not: [PRIO_PROCESS] }])
  rules.fail(EPERM, ['ioprio_set'], [{ arg: 0, not: [IOPRIO_PROCESS] }])
  rules.fail(EPERM, ['clone'], [{ arg: 0, anyOf: NEW_NAMESPACES }])
  rules.fail(EPERM, ['unshare'], [{ arg: 0, anyOf: NEW_NAMESPACES | NEW_TIME_NAMESPACE }])
  rules.fail(EPERM, ['ioctl'], [{ arg: 1, equals: [TIOCSTI, TIOCLINUX] }])
  rules.fail(EOPNOTSUPP, ['sendmsg'], [{ arg: 2, anyOf: MSG_FASTOPEN }])
  rules.fail(EOPNOTSUPP, ['sendto', 'sendmmsg'], [{ arg: 3, anyOf: MSG_FASTOPEN }])
  rules.fail(EACCES, ['socketpair'], [{ arg: 1, mask: SOCKET_TYPE, not: [STREAM, SEQUENCED] }])
  if (policy.network === 'none') refuseWithoutBroker(rules, landlock)
  else refuseSockets(rules, policy)
  if (isInherited) rules.fail(EACCES, ['socket'], [{ arg: 0, equals: [UNIX] }])
  return rules.assemble()
}

/** Without a broker: refuses every call that reaches other programs or changes files past Landlock. */
function refuseWithoutBroker(rules: RuleList, landlock: number): void {
  rules.fail(EACCES, ['socket', 'connect', 'listen'])
  rules.fail(EPERM, MODES)
  addPriorities(rules, Verdict.fail(EPERM))
  if (landlock < SIGNALS_SINCE) addSignals(rules, Verdict.fail(EPERM))
}

function refuseSockets(rules: RuleList, { network }: Policy): void {
  const families = [{ arg: 0, equals: [INET, INET6] }]
  const [types, protocols] = network === 'open' ? [[STREAM, DATAGRAM], [UDP]] : [[STREAM], []]
  rules.fail(EAFNOSUPPORT, ['socket'], [{ arg: 0, not: [UNIX, INET, INET6, NETLINK] }])
  rules.fail(EACCES, ['socket'], [...families, { arg: 1, mask: SOCKET_TYPE, not: types }])
  rules.fail(EACCES, ['socket'], [...families, { arg: 2, not: [ANY_PROTOCOL, TCP, ...protocols] }])
  rules.fail(
    EACCES,
    ['socket'],
    [
      { arg: 0, equals: [UNIX] },
      { arg: 1, mask: SOCKET_TYPE, not: [STREAM] },
    ],
  )
  // Of netlink only what lists the addresses and routes of this machine, protocol 0.
  rules.fail(
    EACCES,
    ['socket'],
    [
      { arg: 0, equals: [NETLINK] },
      { arg: 2, not: [ANY_PROTOCOL] },
    ],
  )
}

/** Changes to files that Landlock does not cover. */
const MODES: SystemCall[] = ['chmod', 'fchmod', 'fchmodat', 'fchmodat2', 'chown', 'fchown', 'lchown', 'fchownat']
const SIGNALS: SystemCall[] = ['kill', 'tkill', 'tgkill', 'rt_sigqueueinfo', 'rt_tgsigqueueinfo']
const PRIORITIES: SystemCall[] = [
  ...(['prlimit64', 'setpriority', 'ioprio_set', 'sched_setaffinity'] as const),
  ...(['sched_setscheduler', 'sched_setparam', 'sched_setattr'] as const),
]

/** The calls that the session host is asked about, since a filter cannot see what their arguments point to. */
export function brokeredCalls(landlock: number, arch: Architecture): Uint8Array {
  const rules = new RuleList(arch)
  rules.add(Verdict.notify, ['connect', 'listen', ...MODES])
  addPriorities(rules, Verdict.notify)
  if (landlock < SIGNALS_SINCE) addSignals(rules, Verdict.notify)
  return rules.assemble()
}

/** Signals by calls, and those that the kernel sends to the owner of a file when there is something to read. */
function addSignals(rules: RuleList, verdict: number): void {
  rules.add(verdict, SIGNALS)
  rules.add(verdict, ['fcntl'], [{ arg: 1, equals: [F_SETOWN] }])
}

/** Allows a program to change its own priority. */
function addPriorities(rules: RuleList, verdict: number): void {
  const others = [{ arg: 0, not: [0] }]
  rules.add(verdict, ['prlimit64', 'sched_setaffinity', 'sched_setscheduler'], others)
  rules.add(verdict, ['sched_setparam', 'sched_setattr'], others)
  rules.add(verdict, ['setpriority', 'ioprio_set'], [{ arg: 1, not: [0] }])
}

export const isPriorityCall = (name: string): boolean => PRIORITIES.some((each) => each === name)
export const isSignalCall = (name: string): boolean => name === 'fcntl' || SIGNALS.some((each) => each === name)

/** Rules by the names of calls; those that an architecture lacks need none. */
class RuleList {
  readonly #rules: Rule[] = []

  constructor(private readonly arch: Architecture) {}

  fail(errno: number, calls: readonly SystemCall[], when?: readonly Condition[]): void {
    this.add(Verdict.fail(errno), calls, when)
  }

  add(verdict: number, calls: readonly SystemCall[], when?: readonly Condition[]): void {
    for (const name of calls) {
      const call = findCall(name, this.arch)
      if (call !== undefined) this.#rules.push({ call, verdict, ...(when && { when }) })
    }
  }

  assemble(): Uint8Array {
    return assemble(AUDIT_ARCHITECTURE[this.arch], this.arch === 'x64' ? X32 : undefined, this.#rules)
  }
}
