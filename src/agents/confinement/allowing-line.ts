import { homedir } from 'node:os'
import { type Access, contains, type Surroundings, voids } from '../../config/confinement/obstacle.ts'

/** Where a line of configuration would be in force. */
export type Around = Omit<Surroundings, 'home'>

/** The line of a `confine` table that would allow a call that was refused; undefined where none does, or it would void confinement. */
export function allowingLine({ call, target }: { call: string; target: string }, around: Around): string | undefined {
  const port = LOOPBACK.exec(target)?.[1]
  if (call === 'connect' && port !== undefined) return `ports = [${port}]`
  if (call === 'connect' && ADDRESS.test(target)) return 'mode = "network"'
  if (call === 'connect' && NAMED.test(target)) return `allow_hosts = ["${target.replace(/:443$/, '')}"]`
  return target.startsWith('/') ? pathLine(target, 'write', around) : undefined
}

/** The line that would let a session read or write a path; undefined where that would void its confinement. */
export const pathLine = (path: string, access: Access, around: Around): string | undefined =>
  voids(path, access, { home: homedir(), ...around }) === undefined ? `${access} = ["${inHome(path)}"]` : undefined

/** As connections are told of: `127.0.0.1:5432` and `[0:0:0:0:0:0:0:1]:5432`. */
const LOOPBACK = /^(?:127\.\d+\.\d+\.\d+|\[0:0:0:0:0:0:0:1\]):(\d+)$/
const ADDRESS = /^(?:\d+\.\d+\.\d+\.\d+|\[[0-9a-f:]+\]):\d+$/
/** A host that the session's proxy refused. */
const NAMED = /^[A-Za-z0-9_.-]+:\d+$/

const inHome = (path: string): string =>
  contains(homedir(), path) && path !== homedir() ? `~${path.slice(homedir().length)}` : path
