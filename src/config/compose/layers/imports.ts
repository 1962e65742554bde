import type { CityDeclarations } from '../../declare/city-declarations.ts'
import { type Declaration, locationOf } from '../../declare/declaration.ts'
import { withoutPrices } from '../../declare/hide.ts'
import type { ImportedPack } from '../../declare/pack.ts'
import type { Diagnostics } from '../../files/diagnostics.ts'
import { PackLoader, resolvePackPaths } from '../packs/load-packs.ts'
import { LOCK_FILE, LockError, type PackLock, parseLock } from '../packs/lock.ts'
import { stampAgent, stampNamedSession } from '../packs/stamp.ts'
import { nameOf, Surface } from '../packs/surface.ts'
import { type PackUse, usesOfCity, usesOfRig } from '../packs/uses.ts'
import type { Layer, LayerContext } from './layer.ts'

/** What the city and its rigs import stands under what they declare themselves. */
export const imports: Layer = {
  name: 'packs',
  isEditable: false,
  apply(lower, context) {
    const { diagnostics } = context
    const loading = { ...context, lock: readLock(context), layer: imports }
    const loader = new PackLoader(loading)
    const ofCity = usesOfCity(lower, loader, loading)
    const ofRigs = lower.rigs.flatMap((rig) => usesOfRig(rig, lower, loader, loading))
    const uses = [...ofCity, ...ofRigs]
    if (uses.length === 0) return lower
    for (const use of uses) checkServices(use, diagnostics)
    warnOfShadows(lower.agents, ofCity, diagnostics)
    const packs = uses.flatMap(importedBy)
    return { ...withPackValues(lower, uses), ...composeNamed(lower, ofCity, ofRigs, context), packs }
  },
}

function readLock({ files, diagnostics }: LayerContext): PackLock {
  try {
    return parseLock(files.city.text(LOCK_FILE))
  } catch (error) {
    if (!(error instanceof LockError)) throw error
    diagnostics.error({ file: LOCK_FILE, line: error.line, key: '' }, error.message)
    return new Map()
  }
}

/** The packs of a use; what one of them calls a nested pack is its name here unless it has none. */
const importedBy = ({ loaded, binding, rig }: PackUse): ImportedPack[] =>
  loaded.packs.map(({ file, binding: nested }) => ({
    ...{ pack: file.pack, binding: nested ?? binding, rig },
    ...{ requirements: file.requirements, globals: file.globals, scripts: file.scripts },
  }))

/** Providers and the like of packs, where nothing has that name already. */
function withPackValues(lower: CityDeclarations, uses: readonly PackUse[]): CityDeclarations {
  const files = uses.flatMap(({ loaded }) => loaded.packs.map(({ file }) => file))
  const unique = [...new Map(files.map((file) => [file.pack.folder, file])).values()]
  return {
    ...lower,
    providers: firstOfEach([lower.providers, ...unique.map(({ providers }) => providers)]),
    upstreams: firstOfEach([lower.upstreams, ...unique.map(({ upstreams }) => upstreams)]),
    runtimes: firstOfEach([lower.runtimes, ...unique.map(({ runtimes }) => runtimes)]),
    services: [...unique.flatMap(({ services }) => services), ...lower.services],
    webhooks: [...unique.flatMap(({ webhooks }) => webhooks), ...lower.webhooks],
    pricing: [
      ...lower.pricing,
      ...withoutPrices(
        unique.flatMap(({ pricing }) => pricing),
        lower.pricing,
      ),
    ],
  }
}

const firstOfEach = <Value>(maps: readonly ReadonlyMap<string, Value>[]): ReadonlyMap<string, Value> =>
  new Map(maps.toReversed().flatMap((map) => [...map]))

function checkServices({ loaded, rig, place }: PackUse, diagnostics: Diagnostics): void {
  for (const { file } of loaded.packs) {
    if (rig === undefined || file.services.length === 0) continue
    diagnostics.error(place, `pack "${file.pack.name}" has services, which only the city may import`)
  }
}

/** An agent of the city with the bare name of one that it imports may be meant to replace it, which it does not. */
function warnOfShadows(own: CityDeclarations['agents'], uses: readonly PackUse[], diagnostics: Diagnostics): void {
  for (const { loaded, binding, isSilent } of uses) {
    if (isSilent || binding === undefined) continue
    const names = new Set(loaded.agents.map(({ values }) => values.name))
    for (const agent of own) {
      const { name, dir } = agent.values
      if (name === undefined || dir !== undefined || !names.has(name)) continue
      const message = `does not replace "${binding}.${name}" of the imported pack; shadow = "silent" says that both are meant`
      diagnostics.warning(locationOf(agent, 'name'), message)
    }
  }
}

type NamedDeclarations = Pick<CityDeclarations, 'agents' | 'namedSessions'>

/** The agents and named sessions of the city, those of the packs of the city first, those of the rigs' last. */
function composeNamed(
  lower: CityDeclarations,
  ofCity: readonly PackUse[],
  ofRigs: readonly PackUse[],
  { diagnostics }: LayerContext,
): NamedDeclarations {
  const packs = [...ofCity, ...ofRigs].flatMap(({ loaded }) => loaded.packs)
  const own = lower.agents.map((agent) => resolvePackPaths(agent, packs, diagnostics))
  const agents = composeKind('agent', own, ({ loaded }) => loaded.agents, stampAgent)
  const sessions = composeKind(
    'named session',
    lower.namedSessions,
    ({ loaded }) => loaded.namedSessions,
    stampNamedSession,
  )
  return { agents, namedSessions: sessions }

  function composeKind<Values extends { name: string; dir: string; scope: 'city' | 'rig' }>(
    kind: string,
    declared: readonly Declaration<Values>[],
    listOf: (use: PackUse) => readonly Declaration<Values>[],
    stamp: (declaration: Declaration<Values>, use: PackUse) => Declaration<Values>,
  ): readonly Declaration<Values>[] {
    const onCollision = diagnostics.error.bind(diagnostics)
    const [city, rigs] = [new Surface<Values>(kind, onCollision), new Surface<Values>(kind, onCollision)]
    for (const use of ofCity) {
      for (const each of listOf(use)) if (each.values.scope !== 'rig') city.add(stamp(each, use), use.place)
    }
    for (const use of ofCity) {
      for (const rig of rigsReached(lower, use)) {
        for (const each of listOf(use)) {
          if (each.values.scope !== 'city') city.add(stamp(each, { ...use, rig }), use.place)
        }
      }
    }
    const existing = new Set([...declared.map(nameOf), ...city.names])
    for (const use of ofRigs) {
      for (const each of listOf(use)) {
        if (each.values.scope !== 'city') rigs.add(stamp(each, use), use.place)
        else rigs.lift(stamp(each, { ...use, rig: undefined }), existing)
      }
    }
    return [...city.declarations, ...declared, ...rigs.declarations]
  }
}

/** The rigs that an import of the city reaches: those that import nothing by its name themselves. */
const rigsReached = ({ rigs }: CityDeclarations, { binding }: PackUse): string[] =>
  rigs.flatMap(({ values: { name, imports } }) =>
    name === undefined || (binding !== undefined && imports?.has(binding)) ? [] : [name],
  )
