import { isAbsolute, normalize } from 'node:path'
import { AGENT, AGENT_DEFAULTS, NAMED_SESSION } from '../../agents/index.ts'
import {
  type CityDeclarations,
  type CityPack,
  cityPatchesOf,
  type NamedDeclarations,
  NO_DECLARATIONS,
  type SectionDeclarations,
} from '../../city/index.ts'
import {
  blocksOf,
  CITY_LAYER,
  declareFields,
  type LayerInfo,
  locationOf,
  openFile,
  requireFormulaFolder,
  type SectionReader,
  tablesOf,
} from '../../declare/index.ts'
import { CITY_FILE, type Diagnostics } from '../../files/index.ts'
import { ORDERS } from '../../orders/index.ts'
import { importsOf, isUnpacked } from '../../packs/index.ts'
import { PROVIDER, UPSTREAM } from '../../providers/index.ts'
import { RIG } from '../../rigs/index.ts'
import { servicesOf } from '../../services/index.ts'
import {
  CHAT_SESSIONS,
  DAEMON,
  DEFAULT_ROUTE,
  EVENT_ROTATION,
  MAIL,
  MCP_SERVER,
  PRICING,
  PULL_REQUEST_MONITOR,
  SESSION,
  SESSION_SLEEP,
  USAGE,
  WORKSPACE,
} from '../../settings/index.ts'
import { WEBHOOK, WEBHOOK_POLICY } from '../../webhooks/index.ts'
import type { Layer, LayerContext } from './layer.ts'
import { mergeCityFile, mergeDeclarations } from './merge.ts'

/** Declarations of city.toml with its fragments. */
export const cityFile: Layer = {
  name: CITY_LAYER,
  isEditable: true,
  apply(lower, context) {
    const { files, diagnostics } = context
    const toml = files.city.toml(CITY_FILE)
    const reader = openFile({ layer: cityFile, diagnostics, file: CITY_FILE, toml, unknownKeys: 'warning', kind: '' })
    if (toml === undefined && files.city.unreadable.length === 0) {
      reader.error('', `there is no such file in ${files.city.path}; \`gc init\` makes a city`)
    }
    const declared = declareCity(reader)
    if (lower.pack) requirePackForm(reader, declared, lower.pack, diagnostics)
    const whole = mergeFragments(declared, { reader, layer: cityFile, pack: lower.pack, context })
    reader.finish()
    return mergeCityFile(lower, whole)
  },
}

interface Including {
  /** The top of city.toml. */
  readonly reader: SectionReader
  readonly layer: LayerInfo
  readonly pack: CityPack | undefined
  readonly context: LayerContext
}

/** Files outside of the city, which gc may not edit. */
const OUTSIDE = { name: CITY_LAYER, isEditable: false }

/** The sections of which the last file that has one says all, by their headers. */
const WHOLE_SECTIONS = {
  daemon: 'daemon',
  session: 'session',
  mail: 'mail',
  eventRotation: 'events',
  usage: 'usage',
  orders: 'orders',
} satisfies { [Name in keyof SectionDeclarations]?: string }

const isWhole = (name: string): name is keyof typeof WHOLE_SECTIONS => name in WHOLE_SECTIONS

/** city.toml with the files that it includes, each over the ones before. */
function mergeFragments(city: Partial<CityDeclarations>, including: Including): Partial<CityDeclarations> {
  const { reader } = including
  return (reader.strings('include') ?? []).reduce((lower, path) => mergeFragment(lower, path, including), city)
}

function mergeFragment(
  lower: Partial<CityDeclarations>,
  path: string,
  { reader: city, layer, pack, context: { files, diagnostics } }: Including,
): Partial<CityDeclarations> {
  const file = normalize(path.startsWith('//') ? path.slice(2) : path)
  const toml = files.city.toml(file)
  if (toml === undefined) city.error('include', `there is no file ${path}`)
  const isOutside = isAbsolute(file) || file.startsWith('..')
  const reader = openFile({
    ...{ layer: isOutside ? OUTSIDE : layer, diagnostics, file, toml, unknownKeys: 'warning', kind: '' },
  })
  if (reader.has('include')) reader.error('include', 'a file that city.toml includes cannot include others')
  const declared = declareCity(reader)
  if (pack) requirePackForm(reader, declared, pack, diagnostics)
  reader.strings('include')
  reader.finish()
  warnOfCollisions(lower, declared, reader)
  return joinFragment(lower, declared, reader)
}

/** Blocks come after those of earlier files; whole sections replace theirs. */
function joinFragment(
  lower: Partial<CityDeclarations>,
  declared: Partial<CityDeclarations>,
  reader: SectionReader,
): Partial<CityDeclarations> {
  const present = Object.fromEntries(
    Object.entries(declared).filter(([name]) => !isWhole(name) || reader.has(WHOLE_SECTIONS[name])),
  )
  const replaced = Object.keys(present).filter(isWhole)
  const base = Object.fromEntries(Object.entries(lower).filter(([name]) => !replaced.some((each) => each === name)))
  const {
    rigs = [],
    agents = [],
    namedSessions = [],
    pricing = [],
    services = [],
    webhooks = [],
    defaultRoutes = [],
    monitors = [],
  } = lower
  const blocks = {
    rigs: [...rigs, ...(declared.rigs ?? [])],
    agents: [...agents, ...(declared.agents ?? [])],
    namedSessions: [...namedSessions, ...(declared.namedSessions ?? [])],
    pricing: [...pricing, ...(declared.pricing ?? [])],
    services: [...services, ...(declared.services ?? [])],
    webhooks: [...webhooks, ...(declared.webhooks ?? [])],
    monitors: [...monitors, ...(declared.monitors ?? [])],
    defaultRoutes: [...defaultRoutes, ...(declared.defaultRoutes ?? [])],
  }
  return { ...mergeDeclarations({ ...NO_DECLARATIONS, ...base }, present), ...blocks }
}

/** A fragment that says what another file says already is probably not meant. */
function warnOfCollisions(
  lower: Partial<CityDeclarations>,
  declared: Partial<CityDeclarations>,
  reader: SectionReader,
): void {
  for (const name of declared.imports?.keys() ?? []) {
    if (lower.imports?.has(name)) reader.warning('imports', `"${name}" replaces what an earlier file imports by it`)
  }
  for (const name of declared.upstreams?.keys() ?? []) {
    if (lower.upstreams?.has(name)) reader.warning('upstreams', `"${name}" is declared by an earlier file too`)
  }
  for (const [name, origin] of Object.entries(declared.workspace?.origins ?? {})) {
    if (origin && Reflect.has(lower.workspace?.values ?? {}, name)) {
      reader.child('workspace').warning(origin.key, 'replaces what an earlier file says')
    }
  }
}

/** Rejects older forms beside a pack.toml of schema 2, and names the form that replaces each. */
function requirePackForm(
  reader: SectionReader,
  { agents = [], rigs = [] }: Partial<CityDeclarations>,
  { schema }: CityPack,
  diagnostics: Diagnostics,
): void {
  if (reader.has('imports')) reader.warning('imports', 'still works here; its place is pack.toml')
  if (schema < 2) return
  if (reader.has('agent')) {
    const files = agents.map(({ values: { name = '<name>' } }) => `agents/${name}/agent.toml`)
    reader.error('agent', `${BESIDE_PACK} agents are folders: move each block to its own file, ${files.join(', ')}`)
  }
  if (reader.has('packs')) {
    reader.error('packs', `${BESIDE_PACK} packs are imports: write ${importOf('imports', '<source>')} in pack.toml`)
  }
  const workspace = reader.child('workspace')
  const includes = (workspace.strings('includes') ?? []).filter((source) => !isUnpacked(source))
  if (includes.length > 0) {
    const written = includes.map((source) => importOf('imports', source)).join(', ')
    workspace.error('includes', `${BESIDE_PACK} packs are imports: write ${written} in pack.toml`)
  }
  for (const rig of rigs) {
    const { includes: sources = [] } = rig.values
    if (sources.length === 0) continue
    const written = sources.map((source) => importOf('rigs.imports', source)).join(', ')
    diagnostics.warning(locationOf(rig, 'includes'), `is the older form of ${written}, and still works`)
  }
  if (workspace.has('default_rig_includes')) {
    const sources = workspace.strings('default_rig_includes') ?? []
    const written = sources.map((source) => importOf('defaults.rig.imports', source)).join(', ')
    workspace.error('default_rig_includes', `${BESIDE_PACK} these are imports: write ${written}`)
  }
}

const BESIDE_PACK = 'beside a pack.toml of schema 2'

/** The table that imports a pack, named after the last word of its source. */
function importOf(section: string, source: string): string {
  const last = source
    .replace(/#.*$/, '')
    .replace(/\/+$/, '')
    .replace(/\.git$/, '')
  const name = /[\w-]+$/.exec(last)?.[0] ?? '<name>'
  return `[${section}.${name}] with source = ${JSON.stringify(source)}`
}

/** What the top of city.toml, or of a fragment of it, declares. */
export function declareCity(reader: SectionReader): Partial<CityDeclarations> {
  requireFormulaFolder(reader)
  return {
    ...sectionsOf(reader),
    ...namedOf(reader),
    rigs: blocksOf(reader, 'rigs', RIG),
    agents: blocksOf(reader, 'agent', AGENT),
    namedSessions: blocksOf(reader, 'named_session', NAMED_SESSION),
    pricing: blocksOf(reader, 'pricing', PRICING),
    services: servicesOf(reader),
    webhooks: blocksOf(reader, 'webhook', WEBHOOK),
    monitors: reader.has('github') ? blocksOf(reader.child('github'), 'pr_monitor', PULL_REQUEST_MONITOR) : [],
    defaultRoutes: reader.has('extmsg') ? blocksOf(reader.child('extmsg'), 'default_route', DEFAULT_ROUTE) : [],
    patches: cityPatchesOf(reader),
  }
}

/** `[agents]` is an old name of `[agent_defaults]`. */
const defaultsOf = (reader: SectionReader) =>
  reader.child(reader.has('agents') && !reader.has('agent_defaults') ? 'agents' : 'agent_defaults', 'agent_defaults')

const sectionsOf = (reader: SectionReader): Omit<SectionDeclarations, 'site'> => ({
  workspace: declareFields(reader.child('workspace'), WORKSPACE),
  agentDefaults: declareFields(defaultsOf(reader), AGENT_DEFAULTS),
  daemon: declareFields(reader.child('daemon'), DAEMON),
  session: declareFields(reader.child('session'), SESSION),
  sessionSleep: declareFields(reader.child('session_sleep'), SESSION_SLEEP),
  chatSessions: declareFields(reader.child('chat_sessions'), CHAT_SESSIONS),
  mail: declareFields(reader.child('mail'), MAIL),
  eventRotation: declareFields(reader.child('events').child('rotation'), EVENT_ROTATION),
  usage: declareFields(reader.child('usage'), USAGE),
  webhookPolicy: declareFields(reader.child('webhooks'), WEBHOOK_POLICY),
  orders: declareFields(reader.child('orders'), ORDERS),
})

const namedOf = (reader: SectionReader): Omit<NamedDeclarations, 'presets'> => ({
  providers: tablesOf(reader, 'providers', PROVIDER),
  mcpServers: tablesOf(reader, 'mcp_servers', MCP_SERVER),
  imports: importsOf('imports').read(reader) ?? new Map(),
  defaultRigImports: defaultRigImportsOf(reader),
  upstreams: tablesOf(reader, 'upstreams', UPSTREAM),
  runtimes: new Map(),
})

function defaultRigImportsOf(reader: SectionReader): NamedDeclarations['defaultRigImports'] {
  if (!reader.has('defaults')) return new Map()
  return importsOf('imports').read(reader.child('defaults').child('rig', 'defaults.rig')) ?? new Map()
}
