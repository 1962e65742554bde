import { AGENT } from '../declare/agent.ts'
import { AGENT_DEFAULTS } from '../declare/agent-defaults.ts'
import type { CityDeclarations, NamedDeclarations, SectionDeclarations } from '../declare/city-declarations.ts'
import { DAEMON } from '../declare/daemon.ts'
import { declareFields } from '../declare/declaration.ts'
import { DEFAULT_ROUTE } from '../declare/default-route.ts'
import { PULL_REQUEST_MONITOR } from '../declare/github.ts'
import { UPSTREAM } from '../declare/kept.ts'
import { MCP_SERVER } from '../declare/mcp-server.ts'
import { NAMED_SESSION } from '../declare/named-session.ts'
import { ORDERS } from '../declare/order.ts'
import { importsOf } from '../declare/pack.ts'
import { PROVIDER } from '../declare/provider.ts'
import { EVENT_ROTATION, MAIL, PRICING, USAGE } from '../declare/records.ts'
import { RIG } from '../declare/rig.ts'
import type { SectionReader } from '../declare/section-reader.ts'
import { blocksOf, cityPatchesOf, requireFormulaFolder, tablesOf } from '../declare/sections.ts'
import { servicesOf } from '../declare/service.ts'
import { SESSION } from '../declare/session.ts'
import { CHAT_SESSIONS, SESSION_SLEEP } from '../declare/session-sleep.ts'
import { WEBHOOK, WEBHOOK_POLICY } from '../declare/webhook.ts'
import { WORKSPACE } from '../declare/workspace.ts'

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
