import { basename } from 'node:path'
import type { CityConfig } from '../city-config.ts'
import type { CityDeclarations } from '../declare/city-declarations.ts'
import { prefixOf } from '../declare/names.ts'
import type { LayerContext } from '../layers/layer.ts'
import { resolveOrders } from '../orders/orders.ts'
import { resolveAgents } from './agents.ts'
import { resolveDefaultRoutes } from './default-routes.ts'
import { FragmentFolders } from './fragment-folders.ts'
import { resolveMonitors } from './github.ts'
import { resolveMcpServers } from './mcp-servers.ts'
import { resolveNamedSessions } from './named-sessions.ts'
import { PacksAround } from './pack-surroundings.ts'
import { resolvePacks } from './packs.ts'
import { resolvePricing } from './pricing.ts'
import { resolveProviders } from './providers.ts'
import { resolveRigs } from './rigs.ts'
import { resolveServices } from './services.ts'
import { resolveSessionSleep } from './session-sleep.ts'
import {
  resolveChatSessions,
  resolveDaemon,
  resolveEventArchives,
  resolveMail,
  resolveSession,
  resolveUsage,
  resolveWorkspace,
} from './settings.ts'
import { resolveWebhooks } from './webhooks.ts'

/** Fills in defaults and judges what the layers declare; everything that is wrong is an error in `diagnostics`. */
export function resolveCity(declarations: CityDeclarations, context: LayerContext): CityConfig {
  const { files, diagnostics, defaultConfine } = context
  const { path } = files.city
  const workspace = resolveWorkspace(declarations.workspace)
  const { workspaceName, workspacePrefix, strict = false } = declarations.site?.values ?? {}
  const name = workspaceName ?? workspace.declaredName ?? nameOfFolder(path)
  const prefix = workspacePrefix ?? workspace.declaredPrefix ?? prefixOf(name)
  const rigs = resolveRigs(declarations, { path, prefix, diagnostics })
  const providers = resolveProviders(declarations, diagnostics)
  const sleep = resolveSessionSleep(declarations.sessionSleep)
  const packs = resolvePacks(declarations)
  const fragments = new FragmentFolders(files)
  const isPack = declarations.pack !== undefined
  const agents = resolveAgents(declarations, {
    ...context,
    workspace,
    rigs,
    providers,
    sleep,
    fragments,
    packsAround: new PacksAround(packs, path),
    isPack,
  })
  const namedSessions = resolveNamedSessions(declarations, agents, diagnostics)
  return {
    ...{ name, prefix, path, strict, workspace, defaultConfine, providers, rigs, agents, packs },
    namedSessions,
    monitors: resolveMonitors(declarations, rigs, diagnostics),
    defaultRoutes: resolveDefaultRoutes(declarations, namedSessions, diagnostics),
    mcpServers: resolveMcpServers(declarations, { path, agents, diagnostics }),
    services: resolveServices(declarations, { path, diagnostics }),
    chat: resolveChatSessions(declarations.chatSessions),
    daemon: resolveDaemon(declarations.daemon),
    session: resolveSession(declarations.session),
    mail: resolveMail(declarations.mail),
    events: resolveEventArchives(declarations.eventRotation),
    usage: resolveUsage(declarations.usage),
    pricing: resolvePricing(declarations, diagnostics),
    webhooks: resolveWebhooks(declarations, { path, rigs, diagnostics }),
    orders: resolveOrders(declarations, { ...context, packs, rigs }),
  }
}

function nameOfFolder(path: string): string {
  const name = basename(path)
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+/, '')
  return name || 'city'
}
