import { describe, expect, test } from 'bun:test'
import { brokeredCalls, refusals } from '../../../src/host/confine/filters.ts'
import type { Policy } from '../../../src/host/confine/policy.ts'
import { type Architecture, findCall, type SystemCall } from '../../../src/host/confine/system-calls.ts'
import { evaluate } from './filter.ts'

const AUDIT = { x64: 0xc000_003e, arm64: 0xc000_00b7 }
const I386 = 0x4000_0003
const ALLOW = 0x7fff_0000
const KILL = 0x8000_0000
const NOTIFY = 0x7fc0_0000
const [EPERM, EACCES, ENOSYS, EOPNOTSUPP, EAFNOSUPPORT] = [1, 13, 38, 95, 97]
const [UNIX, INET, INET6, NETLINK, VSOCK] = [1, 2, 10, 16, 40]
const [STREAM, DATAGRAM, SEQUENCED] = [1, 2, 5]
const CLOEXEC = 0o2000000
const MPTCP = 262

const policy = (network: Policy['network'] = 'session'): Policy => ({
  read: [],
  write: [],
  network,
  ports: [],
  yields: [],
})

describe.each(['x64', 'arm64'] as const)('the filter of calls on %s', (arch: Architecture) => {
  const number = (name: SystemCall) => findCall(name, arch) ?? -1
  const verdict = (
    name: SystemCall,
    args?: number[],
    { network = 'session' as Policy['network'], landlock = 7 } = {},
  ) =>
    evaluate(refusals(policy(network), { landlock, arch }), {
      architecture: AUDIT[arch],
      number: number(name),
      ...(args && { args }),
    })
  const errno = (code: number) => 0x0005_0000 | code

  test('lets the usual calls through', () => {
    expect(verdict('execve')).toBe(ALLOW)
    expect(verdict('ptrace')).toBe(ALLOW)
    expect(verdict('close')).toBe(ALLOW)
  })

  test('kills a program that calls the kernel as another architecture', () => {
    const filter = refusals(policy(), { landlock: 7, arch })
    expect(evaluate(filter, { architecture: I386, number: number('execve') })).toBe(KILL)
  })

  test('refuses namespaces, also within clone and unshare, and lets plain processes be made', () => {
    expect(verdict('clone', [0x1000_0000 | 17])).toBe(errno(EPERM))
    expect(verdict('clone', [17])).toBe(ALLOW)
    expect(verdict('unshare', [0x80])).toBe(errno(EPERM))
    expect(verdict('unshare', [0x400])).toBe(ALLOW)
    expect(verdict('clone3')).toBe(errno(ENOSYS))
    expect(verdict('setns')).toBe(errno(EPERM))
  })

  test.each([
    'mount',
    'bpf',
    'keyctl',
    'userfaultfd',
    'perf_event_open',
    'open_by_handle_at',
    'kexec_load',
    'init_module',
    'fanotify_init',
  ] as const)('refuses %s', (name) => {
    expect(verdict(name)).toBe(errno(EPERM))
  })

  test.each(['mq_open', 'mq_unlink', 'msgget', 'msgrcv', 'semget', 'semop', 'semctl'] as const)(
    'refuses the queues and semaphores of other programs, %s',
    (name) => {
      expect(verdict(name)).toBe(errno(EACCES))
    },
  )

  test('refuses priorities of a group or a user, and lets those of a process through', () => {
    expect(verdict('setpriority', [0])).toBe(ALLOW)
    expect(verdict('setpriority', [1])).toBe(errno(EPERM))
    expect(verdict('setpriority', [2])).toBe(errno(EPERM))
    expect(verdict('ioprio_set', [1])).toBe(ALLOW)
    expect(verdict('ioprio_set', [3])).toBe(errno(EPERM))
  })

  test('says that signals by descriptor do not exist where Landlock does not keep signals within', () => {
    expect(verdict('pidfd_send_signal', [3], { landlock: 5 })).toBe(errno(ENOSYS))
    expect(verdict('pidfd_send_signal', [3], { landlock: 6 })).toBe(ALLOW)
  })

  test('says that io_uring does not exist', () => {
    expect(verdict('io_uring_setup')).toBe(errno(ENOSYS))
  })

  test('refuses to type into a terminal, and lets its size be asked', () => {
    expect(verdict('ioctl', [0, 0x5412])).toBe(errno(EPERM))
    expect(verdict('ioctl', [0, 0x541c])).toBe(errno(EPERM))
    expect(verdict('ioctl', [0, 0x5413])).toBe(ALLOW)
  })

  test('allows TCP and streams between programs, and no other socket', () => {
    expect(verdict('socket', [INET, STREAM | CLOEXEC, 0])).toBe(ALLOW)
    expect(verdict('socket', [INET6, STREAM, 6])).toBe(ALLOW)
    expect(verdict('socket', [UNIX, STREAM, 0])).toBe(ALLOW)
    expect(verdict('socket', [NETLINK, 3, 0])).toBe(ALLOW)
    expect(verdict('socket', [INET, DATAGRAM, 0])).toBe(errno(EACCES))
    expect(verdict('socket', [INET, STREAM, MPTCP])).toBe(errno(EACCES))
    expect(verdict('socket', [UNIX, DATAGRAM, 0])).toBe(errno(EACCES))
    expect(verdict('socket', [NETLINK, 3, 9])).toBe(errno(EACCES))
    expect(verdict('socket', [VSOCK, STREAM, 0])).toBe(errno(EAFNOSUPPORT))
    expect(verdict('socketpair', [UNIX, DATAGRAM])).toBe(errno(EACCES))
    expect(verdict('socketpair', [UNIX, SEQUENCED])).toBe(ALLOW)
  })

  test('allows UDP where the network is open', () => {
    expect(verdict('socket', [INET, DATAGRAM, 17], { network: 'open' })).toBe(ALLOW)
    expect(verdict('socket', [INET, 3, 1], { network: 'open' })).toBe(errno(EACCES))
  })

  test('refuses to connect while it sends, past what connect is asked about', () => {
    expect(verdict('sendto', [3, 0, 0, 0x2000_0000])).toBe(errno(EOPNOTSUPP))
    expect(verdict('sendmsg', [3, 0, 0x2000_0000])).toBe(errno(EOPNOTSUPP))
    expect(verdict('sendto', [3, 0, 0, 0x4000])).toBe(ALLOW)
  })

  test('refuses what the owner of a file can do to it by a descriptor that only reads', () => {
    const [GETFLAGS, SETFLAGS, SNAPSHOT, CLONE] = [0x8008_6601, 0x4008_6602, 0x5000_9401, 0x4004_9409]
    expect(verdict('ioctl', [3, SETFLAGS])).toBe(errno(EOPNOTSUPP))
    expect(verdict('ioctl', [3, SNAPSHOT])).toBe(errno(EOPNOTSUPP))
    expect(verdict('ioctl', [3, GETFLAGS])).toBe(ALLOW)
    expect(verdict('ioctl', [3, CLONE])).toBe(ALLOW)
    expect(verdict('file_setattr')).toBe(errno(EOPNOTSUPP))
    expect(verdict('fcntl', [3, 1024])).toBe(errno(EACCES))
    expect(verdict('fcntl', [3, 1025])).toBe(ALLOW)
  })

  test('refuses truncate only where Landlock does not cover it', () => {
    expect(verdict('fsetxattr')).toBe(errno(EOPNOTSUPP))
    if (number('truncate') < 0) return
    expect(verdict('truncate', [], { landlock: 2 })).toBe(errno(EACCES))
    expect(verdict('truncate', [], { landlock: 3 })).toBe(ALLOW)
  })

  test('asks the host about connections, modes and other processes', () => {
    const asked = (name: SystemCall, args: number[] = [], landlock = 7) =>
      evaluate(brokeredCalls(landlock, arch), { architecture: AUDIT[arch], number: number(name), args })
    expect(asked('connect')).toBe(NOTIFY)
    expect(asked('listen')).toBe(NOTIFY)
    expect(asked('fchmodat')).toBe(NOTIFY)
    expect(asked('prlimit64', [0])).toBe(ALLOW)
    expect(asked('prlimit64', [77])).toBe(NOTIFY)
    expect(asked('kill', [77])).toBe(ALLOW)
    expect(asked('kill', [77], 5)).toBe(NOTIFY)
    expect(asked('fcntl', [3, 8, 77])).toBe(ALLOW)
    expect(asked('fcntl', [3, 8, 77], 5)).toBe(NOTIFY)
    expect(asked('fcntl', [3, 4, 0], 5)).toBe(ALLOW)
    expect(verdict('fcntl', [3, 15], { landlock: 5 })).toBe(errno(EPERM))
    expect(verdict('ioctl', [3, 0x8901], { landlock: 5 })).toBe(errno(EPERM))
    expect(asked('execve')).toBe(ALLOW)
  })
})

test('numbers of the x32 kind do not exist', () => {
  const filter = refusals(policy(), { landlock: 7, arch: 'x64' })
  expect(evaluate(filter, { architecture: AUDIT.x64, number: 0x4000_0000 | 59 })).toBe(0x0005_0000 | ENOSYS)
})
