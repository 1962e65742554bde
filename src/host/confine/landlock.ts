import { closeSync, fstatSync } from 'node:fs'
import { syscall } from '../../core/libc.ts'
import type { Policy } from './policy.ts'
import { callNumber } from './system-calls.ts'

/** Rights over files, in the order of the kernel's `linux/landlock.h`. */
const RIGHT = {
  execute: 1n << 0n,
  writeFile: 1n << 1n,
  readFile: 1n << 2n,
  readDir: 1n << 3n,
  makeCharacterDevice: 1n << 6n,
  makeBlockDevice: 1n << 11n,
  truncate: 1n << 14n,
  ioctlDev: 1n << 15n,
}
const READ = RIGHT.execute | RIGHT.readFile | RIGHT.readDir
const DEVICES = RIGHT.makeCharacterDevice | RIGHT.makeBlockDevice
/** Rights that apply to regular files. */
const OF_FILES = RIGHT.execute | RIGHT.writeFile | RIGHT.readFile | RIGHT.truncate | RIGHT.ioctlDev
/** Number of rights in each version of Landlock, from the first on. */
const RIGHTS_OF = [13n, 14n, 15n, 15n, 16n]
/** From this version on signals and abstract sockets can be kept within. */
const SCOPES_SINCE = 6
const SCOPES = 0b11n
const RULE_PATH_BENEATH = 1
const ASK_VERSION = 1
const AT_FDCWD = -100
const O_PATH = 0o10000000n
const O_CLOEXEC = 0o2000000n
const RESOLVE_NO_SYMLINKS = 0x04n
/** `ENOENT`, `EACCES`, `ENOTDIR`, `ELOOP`. */
const NOT_THERE = [2, 13, 20, 40]

/** The version of Landlock that this kernel has; 0 where it has none. */
export function landlockVersion(): number {
  return Math.max(0, syscall(callNumber('landlock_create_ruleset'), 0, 0, ASK_VERSION).value)
}

/** Restricts this thread, and the program it becomes, to the files of a policy; throws a sentence when it cannot. */
export function restrictFiles(policy: Policy, version: number): void {
  const all = (1n << (RIGHTS_OF[Math.min(version, RIGHTS_OF.length) - 1] ?? 0n)) - 1n
  const ruleset = createRuleset(all, version)
  for (const path of policy.read) allow(ruleset, path, READ & all)
  for (const path of policy.list ?? []) allow(ruleset, path, RIGHT.readDir)
  for (const path of policy.write) allow(ruleset, path, all & ~DEVICES)
  const done = syscall(callNumber('landlock_restrict_self'), ruleset, 0)
  if (done.value !== 0) throw new Error(`Landlock refused to restrict the program (errno ${done.errno})`)
  closeSync(ruleset)
}

function createRuleset(rights: bigint, version: number): number {
  const scopes = version >= SCOPES_SINCE ? SCOPES : 0n
  const size = version < 4 ? 8 : version < SCOPES_SINCE ? 16 : 24
  const attributes = new Uint8Array(new BigUint64Array([rights, 0n, scopes]).buffer, 0, size)
  const created = syscall(callNumber('landlock_create_ruleset'), attributes, size, 0)
  if (created.value < 0) throw new Error(`Landlock refused its rules (errno ${created.errno})`)
  return created.value
}

/** A path that cannot be opened needs no rule: what nothing allows is refused. */
function allow(ruleset: number, path: string, rights: bigint): void {
  const opened = open(path)
  if (opened === undefined) return
  const rule = Buffer.alloc(12)
  rule.writeBigUInt64LE(fstatSync(opened).isDirectory() ? rights : rights & OF_FILES, 0)
  rule.writeInt32LE(opened, 8)
  const added = syscall(callNumber('landlock_add_rule'), ruleset, RULE_PATH_BENEATH, rule, 0)
  closeSync(opened)
  if (added.value !== 0) throw new Error(`Landlock refused a rule for ${path} (errno ${added.errno})`)
}

/** Opens a path that has no link in it: one that has become a link leads where no one allowed it. */
function open(path: string): number | undefined {
  const how = new Uint8Array(new BigUint64Array([O_PATH | O_CLOEXEC, 0n, RESOLVE_NO_SYMLINKS]).buffer)
  const { value, errno } = syscall(callNumber('openat2'), AT_FDCWD, path, how, how.length)
  if (value >= 0) return value
  if (NOT_THERE.includes(errno)) return undefined
  throw new Error(`${path} could not be opened to allow it (errno ${errno})`)
}
