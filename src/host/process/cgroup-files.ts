import { readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { hasCode } from '../../core/errors.ts'

/** The folder of the cgroup that this process is in; undefined where none is mounted that has it. */
export function ownCgroup(): string | undefined {
  const own = readCgroupFile('/proc/self', 'cgroup')
    ?.split('\n')
    .find((line) => line.startsWith('0::'))
    ?.slice(3)
  if (own === undefined || own.includes('/..')) return undefined
  for (const line of readCgroupFile('/proc/self', 'mountinfo')?.split('\n') ?? []) {
    const [mount = '', kind = ''] = line.split(' - ')
    const [, , , root = '', at = ''] = mount.split(' ')
    if (!kind.startsWith('cgroup2 ')) continue
    if (root === '/') return resolve(unescaped(at), `.${own}`)
    if (own === root || own.startsWith(`${root}/`)) return resolve(unescaped(at), `.${own.slice(root.length)}`)
  }
  return undefined
}

const unescaped = (path: string): string =>
  path.replace(/\\(\d{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)))

/** Moves this process into a group. */
export const enterCgroup = (path: string): void => writeCgroupFile(path, 'cgroup.procs', '0')

export const writeCgroupFile = (path: string, name: string, text: string): void => writeFileSync(join(path, name), text)

/** Content of a group's file; undefined without one. */
export function readCgroupFile(path: string, name: string): string | undefined {
  try {
    return readFileSync(join(path, name), 'utf8')
  } catch (error) {
    if (isGone(error)) return undefined
    throw error
  }
}

/** The processes in a group itself; none when it is gone. */
export const pidsOfCgroup = (path: string): number[] =>
  (readCgroupFile(path, 'cgroup.procs') ?? '').split('\n').filter(Boolean).map(Number)

/** The processes in a group and in the groups below it; none when it is gone. */
export const pidsInCgroup = (path: string): number[] => [
  ...pidsOfCgroup(path),
  ...foldersIn(path).flatMap((name) => pidsInCgroup(join(path, name))),
]

/** Kills everything in a group immediately, unless this process is in it and cannot get out. */
export function killCgroup(path: string): void {
  if (pidsInCgroup(path).includes(process.pid) && !leavesTo(dirname(path))) return
  try {
    writeCgroupFile(path, 'cgroup.kill', '1')
  } catch (error) {
    if (!isGone(error)) throw error
  }
}

function leavesTo(path: string): boolean {
  try {
    enterCgroup(path)
    return true
  } catch {
    return false
  }
}

/** Removes a group in which nothing runs any more, with the groups below it; one that is still in use stays. */
export function removeCgroup(path: string): void {
  for (const name of foldersIn(path)) removeCgroup(join(path, name))
  try {
    rmdirSync(path)
  } catch {
    // In use, or gone.
  }
}

function foldersIn(path: string): string[] {
  try {
    return readdirSync(path, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []))
  } catch (error) {
    if (isGone(error)) return []
    throw error
  }
}

const isGone = (error: unknown): boolean => hasCode(error, 'ENOENT', 'ENODEV')
