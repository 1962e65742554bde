import { basename } from 'node:path'
import { resolveAgents, resolveNamedSessions } from '../../agents/index.ts'
import type { CityConfig, CityDeclarations } from '../../city/index.ts'
import { checkConfinement } from '../../confinement/index.ts'
import { prefixOf } from '../../declare/index.ts'
import { resolveOrders } from '../../orders/index.ts'
import { PackContext, resolvePacks } from '../../packs/index.ts'
import { FragmentFolders } from '../../prompts/index.ts'
import { resolveProviders } from '../../providers/index.ts'
import { resolveRigs } from '../../rigs/index.ts'
import { resolveServices } from '../../services/index.ts'
import {
  resolveChatSessions,
  resolveDaemon,
  resolveDefaultRoutes,
  resolveEventArchives,
  resolveMail,
  resolveMcpServers,
  resolveMonitors,
  resolvePricing,
  resolveSession,
  resolveSessionSleep,
  resolveUsage,
  resolveWorkspace,
} from '../../settings/index.ts'
import { resolveWebhooks } from '../../webhooks/index.ts'
import type { LayerContext } from '../layers/layer.ts'

/** Fills in defaults and judges what the layers declare; everything that is wrong is an error in `diagnostics`. */
export function resolveCity(declarations: CityDeclarations, context: LayerContext): CityConfig {
  const { files, diagnostics, defaultConfine } = context
  const { path } = files.city
  const workspace = resolveWorkspace(declarations.workspace)
  const { workspaceName, workspacePrefix, strict = false } = declarations.site?.values ?? {}
  const name = workspaceName ?? workspace.declaredName ?? nameOfFolder(path)
  const prefix = workspacePrefix ?? workspace.declaredPrefix ?? prefixOf(name)
  const rigs = resolveRigs(declarations, { path, prefix, diagnostics })
  const providers = resolveProviders(declarations.providers, diagnostics)
  const sleep = resolveSessionSleep(declarations.sessionSleep)
  const packs = resolvePacks(declarations.packs, declarations.pack)
  const fragments = new FragmentFolders(files)
  const isPack = declarations.pack !== undefined
  const agents = resolveAgents(declarations.agents, {
    ...context,
    workspace,
    rigs,
    providers,
    sleep,
    fragments,
    packsAround: new PackContext(packs, path),
    isPack,
    checkConfinement: (agent, own) => checkConfinement(agent, { path, rigs, providers, diagnostics: own }),
  })
  const rigNames = rigs.map((rig) => rig.name)
  const namedSessions = resolveNamedSessions(declarations.namedSessions, {
    rigs: declarations.rigs.map(({ values }) => values.name),
    agents,
    diagnostics,
  })
  return {
    ...{ name, prefix, path, strict, workspace, defaultConfine, providers, rigs, agents, packs },
    namedSessions,
    monitors: resolveMonitors(declarations.monitors, rigNames, diagnostics),
    defaultRoutes: resolveDefaultRoutes(declarations.defaultRoutes, namedSessions.map(qualifiedOf), diagnostics),
    mcpServers: resolveMcpServers(declarations.mcpServers, { path, agents: agents.map(qualifiedOf), diagnostics }),
    services: resolveServices(declarations.services, { path, diagnostics }),
    chat: resolveChatSessions(declarations.chatSessions),
    daemon: resolveDaemon(declarations.daemon),
    session: resolveSession(declarations.session),
    mail: resolveMail(declarations.mail),
    events: resolveEventArchives(declarations.eventRotation),
    usage: resolveUsage(declarations.usage),
    pricing: resolvePricing(declarations.pricing, diagnostics),
    webhooks: resolveWebhooks(declarations, { path, rigs, diagnostics }),
    orders: resolveOrders(declarations, { ...context, packs, rigs }),
  }
}

const qualifiedOf = ({ qualified }: { readonly qualified: string }): string => qualified

function nameOfFolder(path: string): string {
  const name = basename(path)
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+/, '')
  return name || 'city'
}
