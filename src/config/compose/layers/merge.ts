import { withoutAgents } from '../../agents/index.ts'
import { type BlockDeclarations, type CityDeclarations, joinPatches } from '../../city/index.ts'
import { type Declaration, mergeFields } from '../../declare/index.ts'
import { withoutPrices } from '../../settings/index.ts'

/** Merges what a higher layer declares over what the lower ones do; the higher layer's blocks are listed first. */
export function mergeDeclarations(lower: CityDeclarations, higher: Partial<CityDeclarations>): CityDeclarations {
  return {
    ...mergeBlocks(lower, higher),
    presets: mergeByName(lower.presets, higher.presets),
    providers: mergeByName(lower.providers, higher.providers),
    mcpServers: mergeByName(lower.mcpServers, higher.mcpServers),
    imports: mergeByName(lower.imports, higher.imports),
    defaultRigImports: mergeByName(lower.defaultRigImports, higher.defaultRigImports),
    upstreams: mergeByName(lower.upstreams, higher.upstreams),
    runtimes: mergeByName(lower.runtimes, higher.runtimes),
    patches: higher.patches ? joinPatches(lower.patches, higher.patches) : lower.patches,
    pack: higher.pack ?? lower.pack,
    packs: [...lower.packs, ...(higher.packs ?? [])],
    workspace: mergeIfAny(lower.workspace, higher.workspace),
    site: mergeIfAny(lower.site, higher.site),
    agentDefaults: mergeIfAny(lower.agentDefaults, higher.agentDefaults),
    daemon: mergeIfAny(lower.daemon, higher.daemon),
    session: mergeIfAny(lower.session, higher.session),
    sessionSleep: mergeIfAny(lower.sessionSleep, higher.sessionSleep),
    chatSessions: mergeIfAny(lower.chatSessions, higher.chatSessions),
    mail: mergeIfAny(lower.mail, higher.mail),
    eventRotation: mergeIfAny(lower.eventRotation, higher.eventRotation),
    usage: mergeIfAny(lower.usage, higher.usage),
    webhookPolicy: mergeIfAny(lower.webhookPolicy, higher.webhookPolicy),
    orders: mergeIfAny(lower.orders, higher.orders),
  }
}

const mergeIfAny = <Values>(
  lower: Declaration<Values> | undefined,
  higher: Declaration<Values> | undefined,
): Declaration<Values> | undefined => (lower && higher ? mergeFields(lower, higher) : (higher ?? lower))

function mergeByName<Values extends object>(
  lower: ReadonlyMap<string, Declaration<Values>>,
  higher: ReadonlyMap<string, Declaration<Values>> = new Map(),
): ReadonlyMap<string, Declaration<Values>> {
  const merged = new Map(lower)
  for (const [name, declaration] of higher) {
    const below = lower.get(name)
    merged.set(name, below ? mergeFields(below, declaration) : declaration)
  }
  return merged
}

const mergeBlocks = (lower: BlockDeclarations, higher: Partial<BlockDeclarations>): BlockDeclarations => ({
  rigs: [...(higher.rigs ?? []), ...lower.rigs],
  rigBindings: [...(higher.rigBindings ?? []), ...lower.rigBindings],
  agents: [...(higher.agents ?? []), ...lower.agents],
  namedSessions: [...(higher.namedSessions ?? []), ...lower.namedSessions],
  pricing: [...(higher.pricing ?? []), ...lower.pricing],
  services: [...(higher.services ?? []), ...lower.services],
  webhooks: [...(higher.webhooks ?? []), ...lower.webhooks],
  monitors: [...(higher.monitors ?? []), ...lower.monitors],
  defaultRoutes: [...(higher.defaultRoutes ?? []), ...lower.defaultRoutes],
})

/** Merges city.toml over the city's own pack, of which it replaces whole entries of the same name. */
export function mergeCityFile(pack: CityDeclarations, city: Partial<CityDeclarations>): CityDeclarations {
  const { agents = [], namedSessions = [], pricing = [], services = [] } = city
  const lower = {
    ...pack,
    providers: without(pack.providers, city.providers),
    imports: without(pack.imports, city.imports),
    upstreams: without(pack.upstreams, city.upstreams),
    agents: pack.pack ? withoutAgents(pack.agents, agents) : pack.agents,
    pricing: withoutPrices(pack.pricing, pricing),
  }
  return {
    ...mergeDeclarations(lower, city),
    namedSessions: [...pack.namedSessions, ...namedSessions],
    services: [...pack.services, ...services],
  }
}

const without = <Value>(
  lower: ReadonlyMap<string, Value>,
  higher: ReadonlyMap<string, Value> = new Map(),
): ReadonlyMap<string, Value> => new Map([...lower].filter(([name]) => !higher.has(name)))
