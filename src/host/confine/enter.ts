import { writeFileSync } from 'node:fs'
import { addressOf, type Result, resetSignal, syscall } from '../../core/libc.ts'
import { Verdict } from './bpf.ts'
import { brokeredCalls, refusals } from './filters.ts'
import { sendDescriptor } from './handover.ts'
import { landlockVersion, restrictFiles } from './landlock.ts'
import { outerSession, requireInheritable } from './outer.ts'
import type { Policy } from './policy.ts'
import { architecture, callNumber } from './system-calls.ts'
import { yamaObstacle } from './yama.ts'

/** Descriptor of the socket over which a sandboxed program hands over its listener. */
export const HANDOVER = 3

const PR_SET_NO_NEW_PRIVS = 38
const CAPABILITY_VERSION = 0x2008_0522
const SECCOMP_SET_MODE_FILTER = 1
const SECCOMP_GET_ACTION_AVAIL = 2
const NEW_LISTENER = 1 << 3
/** Since 5.19: no signal starts a call again that the host is about to answer. */
const WAIT_KILLABLE = 1 << 5
const [EBUSY, EINVAL] = [16, 22]
const SIG_SETMASK = 2
const [SIGPIPE, SIGXFSZ] = [13, 25]
const CLOSE_ON_EXEC = 4
const PRIO_PROCESS = 0
/** Half of what `nice` has: it still continues while others work. */
const LOW_PRIORITY = 10
/** OOM score: the kernel counts half of the machine's memory on top of what the program uses. */
const OOM_SCORE = '500'

export interface Program {
  path: string
  argv: readonly string[]
  env: Readonly<Record<string, string | undefined>>
}

/** Confines this process and becomes the program; throws a sentence, with the process still there, when it cannot. */
export function enter(policy: Policy, program: Program): never {
  const arch = architecture()
  const landlock = landlockVersion()
  if (landlock === 0)
    throw new Error('this kernel has no Landlock; Linux 5.13 and later have it, if it is enabled at boot')
  const obstacle = policy.network === 'none' ? undefined : yamaObstacle()
  if (obstacle !== undefined) throw new Error(obstacle)
  assertSucceeded('give up new rights', syscall(callNumber('prctl'), PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0).value)
  dropCapabilities()
  yieldTo(policy.yields)
  restrictFiles(policy, landlock)
  const outer = policy.network === 'none' ? undefined : outerSession()
  if (outer) requireInheritable(outer, policy, landlock)
  else if (policy.network !== 'none') sendDescriptor(HANDOVER, installListener(brokeredCalls(landlock, arch)))
  installFilter(refusals(policy, { landlock, arch, isInherited: outer !== undefined }))
  return become(program)
}

/** True if this kernel hands system calls over to be answered, as a filter asks it to. */
export function hasListener(): boolean {
  const notify = new Uint8Array(new Uint32Array([Verdict.notify]).buffer)
  return syscall(callNumber('seccomp'), SECCOMP_GET_ACTION_AVAIL, 0, notify).value === 0
}

/** Has all other programs go first where the machine is short of something. */
function yieldTo(resources: Policy['yields']): void {
  if (resources.includes('cpu'))
    assertSucceeded('lower its priority', syscall(callNumber('setpriority'), PRIO_PROCESS, 0, LOW_PRIORITY).value)
  if (resources.includes('memory')) writeFileSync('/proc/self/oom_score_adj', OOM_SCORE)
}

function dropCapabilities(): void {
  const header = new Uint8Array(new Uint32Array([CAPABILITY_VERSION, 0]).buffer)
  assertSucceeded('give up capabilities', syscall(callNumber('capset'), header, new Uint8Array(24)).value)
}

/** Answers the descriptor of the filter's listener. */
function installListener(filter: Uint8Array): number {
  const killable = install(filter, NEW_LISTENER | WAIT_KILLABLE)
  const { value, errno } = killable.errno === EINVAL ? install(filter, NEW_LISTENER) : killable
  if (value >= 0) return value
  if (errno === EBUSY) throw new Error('another program already handles its system calls, and Linux allows only one')
  throw new Error(
    `this system cannot pass system calls to gc; Linux 5.0 and later can, unless a container forbids it (errno ${errno})`,
  )
}

function installFilter(filter: Uint8Array): void {
  const { value, errno } = install(filter, 0)
  if (value !== 0) throw new Error(`the kernel refused a filter of system calls (errno ${errno})`)
}

function install(filter: Uint8Array, flags: number): Result {
  const program = Buffer.alloc(16)
  program.writeUInt16LE(filter.length / 8, 0)
  program.writeBigUInt64LE(BigInt(addressOf(filter)), 8)
  return syscall(callNumber('seccomp'), SECCOMP_SET_MODE_FILTER, flags, program)
}

function become({ path, argv, env }: Program): never {
  // The runtime ignores these signals and blocks others, and what is ignored or blocked stays so.
  resetSignal(SIGPIPE)
  resetSignal(SIGXFSZ)
  syscall(callNumber('rt_sigprocmask'), SIG_SETMASK, new Uint8Array(8), 0, 8)
  syscall(callNumber('close_range'), HANDOVER, 0xffff_ffff, CLOSE_ON_EXEC)
  const pairs = Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${value}`]))
  const words = texts(argv)
  const variables = texts(pairs)
  const { errno } = syscall(callNumber('execve'), path, words.pointers, variables.pointers)
  throw new Error(`${path} could not be started (errno ${errno})`)
}

/** A list of texts as C has it; the texts are kept because only their addresses are in the list. */
function texts(values: readonly string[]): { pointers: Uint8Array; kept: Uint8Array[] } {
  const kept = values.map((value) => Buffer.from(`${value}\0`))
  const pointers = new BigUint64Array([...kept.map((text) => BigInt(addressOf(text))), 0n])
  return { pointers: new Uint8Array(pointers.buffer), kept }
}

function assertSucceeded(what: string, result: number): void {
  if (result !== 0) throw new Error(`the program could not ${what}`)
}
