import { parseHostRule } from '../../core/host-rules.ts'
import { type Declaration, declareFields, mergeFields, table } from './declaration.ts'
import { boolean, type FieldReader, integer, type ValuesOf } from './fields.ts'
import type { SectionReader } from './section-reader.ts'

/** Sandbox modes, strictest first. */
export const CONFINE_MODES = ['default', 'network', 'off'] as const
export type ConfineMode = (typeof CONFINE_MODES)[number]

/** Handling of a connection to an unlisted host: refuse it, or ask a person. */
export const UNKNOWN_HOSTS = ['refuse', 'ask'] as const
export type UnknownHosts = (typeof UNKNOWN_HOSTS)[number]

/** A path starts at the root, at home or at the rig: what is relative would mean another place in each file. */
const PATH = /^(\/|~$|~\/|\{rig\}$|\{rig\}\/)/
const MAX_PORT = 65_535

/** A list of strings of which each is judged automatically; `judge` answers what is wrong with one. */
function listOf(key: string, judge: (item: string) => string | undefined): FieldReader<string[]> {
  const read = (section: SectionReader) =>
    section.strings(key)?.filter((item) => {
      const wrong = judge(item)
      if (wrong !== undefined) section.error(key, `"${item}" ${wrong}`)
      return wrong === undefined
    })
  return { key, read }
}

function judgePath(path: string): string | undefined {
  if (!PATH.test(path)) return 'must begin with "/", "~/" or "{rig}"'
  return path.split('/').includes('..') ? 'must not lead up by ".."' : undefined
}

function judgeHost(host: string): string | undefined {
  if (host === '*') return 'is every host: confine = "network" of an agent allows that'
  if (parseHostRule(host.toLowerCase())) return undefined
  return 'is not a host: write example.com, *.example.com, 192.0.2.1 or [2001:db8::1], each with :port or without'
}

const hosts: FieldReader<string[]> = {
  key: 'allow_hosts',
  read: (section) =>
    listOf('allow_hosts', judgeHost)
      .read(section)
      ?.map((host) => host.toLowerCase()),
}

const ports: FieldReader<number[]> = {
  key: 'ports',
  read(section) {
    const node = section.node('ports')
    if (!node) return undefined
    const listed = node.kind === 'array' ? node.items.map((item) => (item.kind === 'integer' ? item.value : 0)) : [0]
    if (listed.every((port) => port >= 1 && port <= MAX_PORT)) return listed
    section.error('ports', `must be a list of numbers from 1 to ${MAX_PORT}: ports of this machine`)
    return undefined
  },
}

function unknownHosts(): FieldReader<UnknownHosts> {
  const key = 'unknown_hosts'
  return { key, read: (section) => section.oneOf(key, UNKNOWN_HOSTS) }
}

const processors: FieldReader<number> = {
  key: 'cpu',
  read(section) {
    const node = section.node('cpu')
    if (!node) return undefined
    const isNumber = node.kind === 'integer' || node.kind === 'float'
    if (isNumber && node.value >= 0.01 && node.value <= 1024) return node.value
    section.error('cpu', 'must be a number of processors, such as 2 or 0.5')
    return undefined
  },
}

const UNITS = { KB: 1024, MB: 1024 ** 2, GB: 1024 ** 3 }
/** With less nothing starts. */
const LEAST_MEMORY = 16 * UNITS.MB

const memory: FieldReader<number> = {
  key: 'memory',
  read(section) {
    const written = section.string('memory')
    if (written === undefined) return undefined
    const [, amount = '', unit = 'MB'] = /^(\d+(?:\.\d+)?) ?(KB|MB|GB)$/.exec(written) ?? []
    const bytes = amount && (unit === 'KB' || unit === 'MB' || unit === 'GB') ? Number(amount) * UNITS[unit] : 0
    if (bytes >= LEAST_MEMORY) return Math.floor(bytes)
    section.error('memory', `"${written}" must be a size of at least 16MB, such as 512MB or 4GB`)
    return undefined
  },
}

/** `[….confine.share]`: the most that a session has of this machine. */
export const SHARE = { cpu: processors, memory, pids: integer('pids', { min: 8, max: 4_000_000 }) }
export type ShareFields = ValuesOf<typeof SHARE>

/** A `[confine]` table: what sessions may do besides what every confined one may. */
export const CONFINE = {
  read: listOf('read', judgePath),
  write: listOf('write', judgePath),
  allowHosts: hosts,
  unknownHosts: unknownHosts(),
  shareLogin: boolean('share_login'),
  ports,
  share: mergedTable(table('share', SHARE)),
}
export type ConfineFields = ValuesOf<typeof CONFINE>

/** A layer's table over that of a lower one: key by key, each with its origin. */
function mergedTable<Values>(reader: FieldReader<Declaration<Values>>): FieldReader<Declaration<Values>> {
  return { ...reader, merge: mergeFields }
}

/** `[providers.<name>.confine]` and `[rigs.confine]`. */
export const confineTable: FieldReader<Declaration<ConfineFields>> = mergedTable(table('confine', CONFINE))

const AGENT_CONFINE = { mode: mode('mode'), ...CONFINE }
export type AgentConfineFields = ValuesOf<typeof AGENT_CONFINE>

function mode(key: string): FieldReader<ConfineMode> {
  return { key, read: (section) => section.oneOf(key, CONFINE_MODES) }
}

/** `confine` of an agent: a word, which is short for a table with this `mode`, or a table. */
export const agentConfine: FieldReader<Declaration<AgentConfineFields>> = mergedTable({
  key: 'confine',
  read(section) {
    const node = section.node('confine')
    if (node?.kind === 'table') return declareFields(section.child('confine'), AGENT_CONFINE)
    const word = mode('confine').read(section)
    if (word === undefined) return undefined
    const origins = { mode: section.originOf('confine') }
    return { block: section.block, fields: AGENT_CONFINE, values: { mode: word }, origins }
  },
})

/** Sandbox mode of an agent: a pack can narrow the city's mode, never widen it. */
export function modeOf(table: Declaration<AgentConfineFields> | undefined, unsaid: ConfineMode): ConfineMode {
  const mode = table?.values.mode ?? unsaid
  const isOfPack = table?.origins.mode?.block.pack !== undefined
  return isOfPack && WIDTH[mode] > WIDTH[unsaid] ? unsaid : mode
}

const WIDTH: Record<ConfineMode, number> = { default: 0, network: 1, off: 2 }
