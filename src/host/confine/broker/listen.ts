import { syscall } from '../libc.ts'
import { callNumber } from '../system-calls.ts'
import type { ConfinedSession } from './confined-session.ts'
import type { Answer, Notification } from './notification.ts'
import { close, processOf, takeDescriptor } from './process-access.ts'
import { isForbidden, socketInode } from './program-socket.ts'
import { parseSocketAddress, showAddress } from './socket-address.ts'

const [ESRCH, EADDRINUSE] = [3, 98]
const MAX_ADDRESS_BYTES = 128
const SHUT_BOTH = 2

/**
 * Has a socket of a confined program listen, and remembers it: the session may connect to what it listens on. Where gc itself
 * is looked for it never does: who took a port of gc while that is away would be shown the tokens of others. Where a container
 * forbids to take sockets over the kernel makes the call; one that is put in the place of this one meanwhile is not remembered.
 */
export function listen(session: ConfinedSession, { thread, args: [number = 0n, backlog = 0n] }: Notification): Answer {
  const own = Number(number & 0xffff_ffffn)
  const pid = processOf(thread)
  if (pid === undefined) return { errno: ESRCH }
  const taken = takeDescriptor(pid, own)
  if ('errno' in taken) {
    if (!isForbidden(taken.errno)) return taken
    remember(session, socketInode(thread, own))
    return 'continue'
  }
  try {
    return listenAt(session, taken.descriptor, Number(BigInt.asIntN(32, backlog)))
  } finally {
    close(taken.descriptor)
  }
}

/** The program can bind the socket until it listens, so that it is looked at before and after. */
function listenAt(session: ConfinedSession, socket: number, backlog: number): Answer {
  if (isRefused(session, socket)) return { errno: EADDRINUSE }
  remember(session, socketInode('self', socket))
  const { value, errno } = syscall(callNumber('listen'), socket, backlog)
  if (value !== 0) return { errno }
  if (!isRefused(session, socket)) return { value: 0 }
  syscall(callNumber('shutdown'), socket, SHUT_BOTH)
  return { errno: EADDRINUSE }
}

function isRefused(session: ConfinedSession, socket: number): boolean {
  const bytes = Buffer.alloc(MAX_ADDRESS_BYTES)
  const size = new Uint8Array(new Uint32Array([bytes.length]).buffer)
  if (syscall(callNumber('getsockname'), socket, bytes, size).value !== 0) return false
  const own = parseSocketAddress(bytes)
  if (own.kind !== 'tcp' || !session.isReserved(own.port)) return false
  session.deny('listen', showAddress(own.address, own.port))
  return true
}

function remember(session: ConfinedSession, inode: string | undefined): void {
  if (inode !== undefined) session.addListener(inode)
}
