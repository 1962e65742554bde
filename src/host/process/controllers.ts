import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { errorMessage, hasCode } from '../../core/errors.ts'
import { enterCgroup, pidsOfCgroup, readCgroupFile, writeCgroupFile } from './cgroup-files.ts'
import { RESOURCES, type Resource } from './resources.ts'

/** The group of a host that is alone where it was started: only a group without processes hands controllers down. */
export const HOST_GROUP = 'gc-host'

/** The resources that groups below a folder can be held to a share of. */
export interface Controllers {
  readonly held: ReadonlySet<Resource>
  /** Reason they cannot be held to the others; undefined when there are none. */
  readonly reason: string | undefined
}

/** Hands the controllers of a group down to those below it, as far as the system lets this process. */
export function handDownControllers(folder: string): Controllers {
  const offered = new Set(offeredControllers(folder))
  const absent = RESOURCES.filter((resource) => !offered.has(resource))
  const missing = absent.length === 0 ? undefined : `${folder} has no controller of ${absent.join(', ')}`
  try {
    handDown(folder, [...offered])
    return { held: offered, reason: missing }
  } catch (error) {
    const why = hasCode(error, 'EBUSY') ? `other programs run in ${folder}` : errorMessage(error)
    return { held: controllersIn(folder, 'cgroup.subtree_control'), reason: why }
  }
}

/** The controllers that a group has to hand down. */
export const offeredControllers = (folder: string): Resource[] => [...controllersIn(folder, 'cgroup.controllers')]

function handDown(folder: string, wanted: readonly Resource[]): void {
  const given = controllersIn(folder, 'cgroup.subtree_control')
  const words = wanted.flatMap((resource) => (given.has(resource) ? [] : [`+${resource}`])).join(' ')
  if (words === '') return
  try {
    writeCgroupFile(folder, 'cgroup.subtree_control', words)
  } catch (error) {
    if (!hasCode(error, 'EBUSY') || !isAlone(folder)) throw error
    mkdirSync(join(folder, HOST_GROUP), { recursive: true })
    enterCgroup(join(folder, HOST_GROUP))
    writeCgroupFile(folder, 'cgroup.subtree_control', words)
  }
}

const isAlone = (folder: string): boolean => pidsOfCgroup(folder).every((pid) => pid === process.pid)

function controllersIn(folder: string, name: string): ReadonlySet<Resource> {
  const words = new Set((readCgroupFile(folder, name) ?? '').trim().split(' '))
  return new Set(RESOURCES.filter((resource) => words.has(resource)))
}
