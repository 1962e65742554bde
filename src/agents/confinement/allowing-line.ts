import { homedir } from 'node:os'
import { type Access, confinementRisk, type Surroundings } from '../../config/confinement/index.ts'
import type { AgentConfineFields } from '../../config/declare/index.ts'
import { contains } from '../../core/folders.ts'
import { type CountedDenial, requiredPermission } from '../../host/confine/index.ts'

/** Place in which a line of configuration would apply. */
export type Around = Omit<Surroundings, 'home'>

/** A key of a `confine` table and what it has to list, or to be. */
type Allowance =
  | { readonly key: 'mode'; readonly value: string }
  | { readonly key: 'allow_hosts' | 'read' | 'write'; readonly items: readonly string[] }
  | { readonly key: 'ports'; readonly items: readonly number[] }

/** Current contents of a `confine` table; `word` is a mode that is short for a table, which must then spell it out. */
export type Written = Partial<Pick<AgentConfineFields, 'allowHosts' | 'read' | 'write' | 'ports'>> & {
  word?: string | undefined
}

/** The line of a `confine` table that would allow a call that was refused; undefined where none does, or it would void confinement. */
export function allowingLine(denial: Refused, around: Around): string | undefined {
  const allowance = allowanceFor(denial, around)
  return allowance && lineOf(allowance)
}

/** The lines of a `confine` table with which none of these calls would be refused again, each key once. */
export function allowingLines(denials: readonly Refused[], around: Around, written: Written): string[] {
  const all = denials.flatMap((denial) => allowanceFor(denial, around) ?? [])
  const strings = (key: 'allow_hosts' | 'write') => all.flatMap((each) => (each.key === key ? each.items : []))
  const ports = all.flatMap((each) => (each.key === 'ports' ? each.items : []))
  if (all.length === 0) return []
  const mode = all.some(({ key }) => key === 'mode') ? 'network' : written.word
  return [
    ...(mode ? [lineOf({ key: 'mode', value: mode })] : []),
    ...listLine({ key: 'write', items: strings('write') }, written.write),
    ...listLine({ key: 'allow_hosts', items: strings('allow_hosts') }, written.allowHosts),
    ...(ports.length > 0 ? [lineOf({ key: 'ports', items: [...new Set([...(written.ports ?? []), ...ports])] })] : []),
  ]
}

const listLine = (
  { key, items }: Extract<Allowance, { items: readonly string[] }>,
  written: readonly string[] = [],
): string[] => (items.length > 0 ? [lineOf({ key, items: [...new Set([...written, ...items])] })] : [])

/** The line that would let a session read or write a path; undefined where that would void its confinement. */
export const pathLine = (path: string, access: Access, around: Around): string | undefined =>
  confinementRisk(path, access, { home: homedir(), ...around }) === undefined
    ? lineOf({ key: access, items: [inHome(path)] })
    : undefined

type Refused = Pick<CountedDenial, 'call' | 'target' | 'hosts'>

function allowanceFor(denial: Refused, around: Around): Allowance | undefined {
  const needed = requiredPermission(denial) ?? neededByEarlierHost(denial)
  switch (needed?.kind) {
    case 'ports':
      return { key: 'ports', items: needed.ports }
    case 'hosts':
      return { key: 'allow_hosts', items: needed.hosts }
    case 'network':
      return { key: 'mode', value: 'network' }
    case 'write':
      return confinementRisk(needed.path, 'write', { home: homedir(), ...around }) === undefined
        ? { key: 'write', items: [inHome(needed.path)] }
        : undefined
    case undefined:
      return undefined
  }
}

/** A session host of an earlier build told of a host that its proxy refused by the name alone. */
function neededByEarlierHost({ call, target, hosts }: Refused): ReturnType<typeof requiredPermission> {
  if (hosts !== undefined || call !== 'connect' || !/^(?!\d+\.\d+\.\d+\.\d+:)[A-Za-z0-9_.-]+:\d+$/.test(target))
    return undefined
  return { kind: 'hosts', hosts: [target.replace(/:443$/, '')] }
}

const lineOf = (allowance: Allowance): string =>
  'value' in allowance
    ? `${allowance.key} = ${JSON.stringify(allowance.value)}`
    : `${allowance.key} = [${allowance.items.map((item) => JSON.stringify(item)).join(', ')}]`

const inHome = (path: string): string =>
  contains(homedir(), path) && path !== homedir() ? `~${path.slice(homedir().length)}` : path
