import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { SystemCall } from '../../../src/host/confine/system-calls.ts'
import type { Failing } from '../../support/without-calls.ts'
import { BLOCKED, OPEN, TAKES_SOCKETS } from './sentences.ts'
import { type AttemptWorld, openWorld } from './world.ts'

const [EPERM, ENOSYS] = [1, 38]
const VSOCK = 40

/** Calls that containers refuse by Docker's default list, including `pidfd_getfd`. */
const REFUSED: SystemCall[] = [
  ...(['pidfd_getfd', 'unshare', 'setns', 'mount', 'umount2', 'pivot_root', 'open_tree', 'move_mount'] as const),
  ...(['fsopen', 'fsconfig', 'fsmount', 'fspick', 'mount_setattr', 'swapon', 'swapoff', 'reboot', 'acct'] as const),
  ...(['kexec_load', 'kexec_file_load', 'init_module', 'finit_module', 'delete_module'] as const),
  ...(['settimeofday', 'clock_settime', 'sethostname', 'setdomainname', 'quotactl', 'vhangup', 'syslog'] as const),
  ...(['open_by_handle_at', 'add_key', 'request_key', 'keyctl', 'bpf', 'perf_event_open', 'userfaultfd'] as const),
  ...(['fanotify_init', 'io_uring_setup', 'io_uring_enter', 'io_uring_register'] as const),
]
const CONTAINER: Failing[] = [
  ...REFUSED.map((call) => ({ call, errno: EPERM })),
  { call: 'clone3', errno: ENOSYS },
  { call: 'socket', errno: EPERM, when: [{ arg: 0, equals: [VSOCK] }] },
]

describe('in a container with the calls that Docker leaves to programs', () => {
  let world: AttemptWorld
  let outcomes: Map<string, string>
  beforeAll(async () => {
    world = await openWorld()
    outcomes = await world.attempt({ confined: true, failing: CONTAINER })
  }, 120_000)
  afterAll(async () => {
    await world[Symbol.asyncDispose]()
  })

  const having = (result: string, attempts: Readonly<Record<string, string>>) =>
    Object.keys(attempts).filter((name) => outcomes.get(name)?.split(' ')[0] === result)

  test.each(Object.entries(BLOCKED))('a confined program cannot %s', (_, attempts) => {
    const kept = Object.keys(attempts).filter((name) => !TAKES_SOCKETS.has(name))
    expect(having('blocked', attempts).filter((name) => !TAKES_SOCKETS.has(name))).toEqual(kept)
  })

  test('it can listen where gc is looked for, since gc takes no sockets over there: docs/confinement.md lists it', () => {
    expect(outcomes.get('reserved_loopback')).toBe('passed')
  })

  test('a confined program can still do what is its own', () => {
    expect(having('passed', OPEN)).toEqual(Object.keys(OPEN))
  })
})
