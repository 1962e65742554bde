import { isAbsolute, normalize } from 'node:path'
import { type CityDeclarations, NO_DECLARATIONS, type SectionDeclarations } from '../declare/city-declarations.ts'
import { openFile } from '../declare/open-file.ts'
import type { LayerInfo } from '../declare/origin.ts'
import type { CityPack } from '../declare/pack.ts'
import type { SectionReader } from '../declare/section-reader.ts'
import { declareCity } from './declare-city.ts'
import type { LayerContext } from './layer.ts'
import { mergeDeclarations } from './merge.ts'
import { requirePackForm } from './pack-form.ts'

interface Including {
  /** The top of city.toml. */
  readonly reader: SectionReader
  readonly layer: LayerInfo
  readonly pack: CityPack | undefined
  readonly context: LayerContext
}

/** What gc may not edit, since it does not lie in the city. */
const OUTSIDE = { name: 'city', isEditable: false }

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
export function mergeFragments(city: Partial<CityDeclarations>, including: Including): Partial<CityDeclarations> {
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
