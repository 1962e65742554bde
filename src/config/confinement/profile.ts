import {
  type AgentConfineFields,
  CONFINE,
  type ConfineFields,
  type ConfineMode,
  type Declaration,
  type FieldOrigin,
  type ShareFields,
  type UnknownHosts,
} from '../declare/index.ts'

/** Declarer of sandbox rules. */
export type Grantor = 'provider' | 'rig' | 'agent'

/** Something that a profile allows, and its line. */
export interface Grant<Value = string> {
  readonly value: Value
  readonly by: Grantor
  readonly file: string
  readonly line: number
}

/** Requests of an agent's or provider's pack that only the city can grant. */
export interface Withheld extends Grant<string> {
  /** Its key, such as `write`. */
  readonly key: string
  readonly pack: string
}

/** The tables that apply to one agent's sessions. */
export interface ConfineTables {
  readonly provider?: Declaration<ConfineFields> | undefined
  readonly rig?: Declaration<ConfineFields> | undefined
  readonly agent?: Declaration<AgentConfineFields> | undefined
  /** Sandbox of the agent, regardless of its table. */
  readonly inForce?: ConfineMode
}

/** Permissions of an agent's sessions beyond those of every sandbox. Paths are as they were written. */
export interface Profile {
  readonly read: readonly Grant[]
  readonly write: readonly Grant[]
  readonly allowHosts: readonly Grant[]
  readonly ports: readonly Grant<number>[]
  /** Handling of connections to other hosts; undefined if unset. */
  readonly unknownHosts: Grant<UnknownHosts> | undefined
  /** True if the file with the login of its program may be read. */
  readonly shareLogin: Grant<boolean> | undefined
  /** The lowest of what is declared. */
  readonly share: { readonly [Name in keyof ShareFields]?: Grant<number> }
  readonly withheld: readonly Withheld[]
}

/** Combined permissions of a provider, a rig and an agent: lists are merged, and the lowest share wins. */
export function profileOf(tables: ConfineTables): Profile {
  const withheld: Withheld[] = []
  const grants = <Value extends string | number>(
    name: 'read' | 'write' | 'allowHosts' | 'ports',
    list: (values: Partial<ConfineFields>) => readonly Value[] | undefined,
  ): Grant<Value>[] =>
    declared(tables).flatMap(([by, table]) => {
      const origin = table.origins[name]
      const values = list(table.values) ?? []
      if (!origin) return []
      const { pack } = origin.block
      if (!pack) return values.map((value) => ({ value, by, ...placeOf(origin) }))
      const { key } = CONFINE[name]
      withheld.push(...values.map((value) => ({ key, value: String(value), by, pack: pack.name, ...placeOf(origin) })))
      return []
    })
  return {
    read: grants('read', ({ read }) => read),
    write: grants('write', ({ write }) => write),
    allowHosts: grants('allowHosts', ({ allowHosts }) => allowHosts),
    ports: grants('ports', ({ ports }) => ports),
    unknownHosts: wordOf(tables, 'unknownHosts', { closest: 'refuse', withheld }),
    shareLogin: wordOf(tables, 'shareLogin', { closest: false, withheld }),
    share: { ...lowest(tables, 'cpu'), ...lowest(tables, 'memory'), ...lowest(tables, 'pids') },
    withheld: [...withheld, ...withheldMode(tables)],
  }
}

/** The word of the agent goes before that of its rig, and that before its provider's. A pack can only say the closest one. */
function wordOf<Name extends 'unknownHosts' | 'shareLogin'>(
  tables: ConfineTables,
  name: Name,
  { closest, withheld }: { closest: ConfineFields[Name]; withheld: Withheld[] },
): Grant<ConfineFields[Name]> | undefined {
  const words = declared(tables).flatMap(([by, { values, origins }]): Grant<ConfineFields[Name]>[] => {
    const [value, origin] = [values[name], origins[name]]
    if (value === undefined || !origin) return []
    const { pack } = origin.block
    if (!pack || value === closest) return [{ value, by, ...placeOf(origin) }]
    withheld.push({ key: CONFINE[name].key, value: String(value), by, pack: pack.name, ...placeOf(origin) })
    return []
  })
  return words.at(-1)
}

function withheldMode({ agent, inForce = agent?.values.mode }: ConfineTables): Withheld[] {
  const { mode } = agent?.values ?? {}
  const origin = agent?.origins.mode
  const pack = origin?.block.pack
  if (mode === undefined || !origin || !pack || mode === inForce) return []
  return [{ key: 'mode', value: mode, by: 'agent', pack: pack.name, ...placeOf(origin) }]
}

function lowest(tables: ConfineTables, name: keyof ShareFields): Profile['share'] {
  const all = declared(tables).flatMap(
    ([
      by,
      {
        values: { share },
      },
    ]): Grant<number>[] => {
      const [value, origin] = [share?.values[name], share?.origins[name]]
      return value === undefined || !origin ? [] : [{ value, by, ...placeOf(origin) }]
    },
  )
  const least = all.toSorted((a, b) => a.value - b.value)[0]
  return least ? { [name]: least } : {}
}

const declared = ({ provider, rig, agent }: ConfineTables): [Grantor, Declaration<ConfineFields>][] => [
  ...(provider ? [['provider', provider] as [Grantor, typeof provider]] : []),
  ...(rig ? [['rig', rig] as [Grantor, typeof rig]] : []),
  ...(agent ? [['agent', agent] as [Grantor, typeof agent]] : []),
]

const placeOf = ({ block, line }: FieldOrigin): { file: string; line: number } => ({ file: block.file, line })
