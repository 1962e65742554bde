import { syscall } from '../../../core/libc.ts'
import { callNumber } from '../system-calls.ts'
import type { ConfinedSession } from './confined-session.ts'
import type { Answer, Notification } from './notification.ts'
import { close, openDescriptor, openFor, pathOf, readText } from './process-access.ts'

const [EPERM, EFAULT, EINVAL, EOPNOTSUPP] = [1, 14, 22, 95]
const AT_FDCWD = -100
const AT_SYMLINK_NOFOLLOW = 0x100
const AT_EMPTY_PATH = 0x1000
/** Path by which C libraries name a descriptor where the kernel has no call for it. */
const OWN_DESCRIPTOR = /^\/proc\/self\/fd\/(\d+)$/
const NOBODY = 0xffff_ffff

/** Target of a change: the file of a descriptor, or the file at a path. */
type Target = { descriptor: number } | { folder: number; pointer: bigint; follow: boolean; empty: boolean }
type Change = { mode: number } | { owner: number; group: number }

/** Changes the mode or the owner of a file for a confined program, where it may change the file. */
export function changeMode(session: ConfinedSession, call: Notification, name: string): Answer {
  const request = parse(name, call.args)
  if (!request) return { errno: EINVAL }
  const found = find(call, request.target)
  if ('errno' in found) return found
  try {
    const path = pathOf(found.descriptor)
    if (path === undefined || !session.mayChange(path)) {
      session.deny(name, path ?? 'a file without a path')
      return { errno: EPERM }
    }
    return apply(found.descriptor, request.change)
  } finally {
    close(found.descriptor)
  }
}

function parse(name: string, args: readonly bigint[]): { target: Target; change: Change } | undefined {
  const [a, b, c, d, e] = args.map((value) => Number(BigInt.asIntN(32, value)))
  const [first = 0n, second = 0n] = args
  const at = (folder = 0, pointer = 0n, flags = 0): Target => ({
    ...{ folder, pointer, follow: (flags & AT_SYMLINK_NOFOLLOW) === 0, empty: (flags & AT_EMPTY_PATH) !== 0 },
  })
  const owners = (owner = 0, group = 0): Change => ({ owner, group })
  const mode = (bits = 0): Change => ({ mode: bits })
  if (name === 'chmod') return { target: at(AT_FDCWD, first), change: mode(b) }
  if (name === 'fchmod') return { target: { descriptor: a ?? -1 }, change: mode(b) }
  if (name === 'fchmodat') return { target: at(a, second), change: mode(c) }
  if (name === 'fchmodat2') return { target: at(a, second, d), change: mode(c) }
  if (name === 'chown') return { target: at(AT_FDCWD, first), change: owners(b, c) }
  if (name === 'lchown') return { target: at(AT_FDCWD, first, AT_SYMLINK_NOFOLLOW), change: owners(b, c) }
  if (name === 'fchown') return { target: { descriptor: a ?? -1 }, change: owners(b, c) }
  if (name === 'fchownat') return { target: at(a, second, e), change: owners(c, d) }
  return undefined
}

function find({ thread }: Notification, target: Target): { descriptor: number } | { errno: number } {
  if ('descriptor' in target) return openDescriptor(thread, target.descriptor)
  const path = readText(thread, target.pointer)
  if (path === undefined) return { errno: EFAULT }
  if (path === '' && target.empty) return openDescriptor(thread, target.folder)
  const own = OWN_DESCRIPTOR.exec(path)?.[1]
  return own === undefined ? openFor(thread, target.folder, path, target) : openDescriptor(thread, Number(own))
}

/** Through `/proc`, since the descriptor of a path has no right to the file itself. */
function apply(descriptor: number, change: Change): Answer {
  const path = `/proc/self/fd/${descriptor}`
  const { value, errno } =
    'mode' in change
      ? syscall(callNumber('fchmodat'), AT_FDCWD, path, change.mode)
      : syscall(callNumber('fchownat'), AT_FDCWD, path, change.owner & NOBODY, change.group & NOBODY, 0)
  if (value === 0) return { value: 0 }
  return { errno: errno === 0 ? EOPNOTSUPP : errno }
}
