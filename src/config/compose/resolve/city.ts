import { basename, isAbsolute, normalize, resolve } from 'node:path'
import { parseDuration } from '../../../core/durations.ts'
import { errorMessage } from '../../../core/errors.ts'
import type { McpConnection } from '../../../programs/parts/index.ts'
import type {
  AgentConfig,
  CityConfig,
  DefaultRouteConfig,
  McpServerConfig,
  NamedSessionConfig,
  PackConfig,
  PullRequestMonitorConfig,
  RepairConfig,
  RigConfig,
  ServiceConfig,
} from '../../city/index.ts'
import { localName } from '../../declare/apply-patch.ts'
import { type Declaration, locationOf, originOf, withValue } from '../../declare/declaration.ts'
import type {
  CityDeclarations,
  ImportedPack,
  McpServerFields,
  NamedSessionFields,
  ProviderConfig,
  PullRequestMonitorFields,
  ServiceFields,
} from '../../declare/index.ts'
import { AGENT_NAME, prefixOf, qualify } from '../../declare/names.ts'
import { type Diagnostic, Diagnostics, formatDiagnostic } from '../../files/diagnostics.ts'
import { suggestion, withHint } from '../../files/suggestion.ts'
import { resolveProvider } from '../../providers/resolve.ts'
import type { LayerContext } from '../layers/layer.ts'
import { resolveOrders } from '../orders/orders.ts'
import { PACK_FILE } from '../packs/locate.ts'
import { resolveAgents } from './agents.ts'
import { FragmentFolders } from './fragment-folders.ts'
import { PackContext } from './pack-context.ts'
import { resolveRigs } from './rigs.ts'
import {
  resolveChatSessions,
  resolveDaemon,
  resolveEventArchives,
  resolveMail,
  resolvePricing,
  resolveSession,
  resolveSessionSleep,
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
    packsAround: new PackContext(packs, path),
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

/** The routes whose agent has a named session; another is warned of and leads nowhere. */
function resolveDefaultRoutes(
  { defaultRoutes }: CityDeclarations,
  named: readonly NamedSessionConfig[],
  diagnostics: Diagnostics,
): DefaultRouteConfig[] {
  return defaultRoutes.flatMap((declaration) => {
    const { provider, accountId, agent } = declaration.values
    if (provider === undefined || agent === undefined) return []
    const session = named.find(({ qualified }) => qualified === agent)
    if (session) return { provider: provider.trim().toLowerCase(), ...(accountId && { accountId }), agent }
    const names = named.map(({ qualified }) => qualified)
    const message = `there is no [[named_session]] "${agent}"; the route leads nowhere`
    diagnostics.warning(locationOf(declaration, 'agent'), withHint(message, suggestion(agent, names)))
    return []
  })
}

/** The packs that a city is made of: its imports, its own, then those of its rigs; each once under each name. */
function resolvePacks({ packs, pack: own }: CityDeclarations): PackConfig[] {
  const all = packs.map(toConfig)
  const ofCity = all.filter(({ rig }) => rig === undefined)
  const ofRigs = all.filter(({ rig }) => rig !== undefined)
  const ordered = [...ofCity, ...(own ? [toConfig({ ...own, binding: undefined, rig: undefined })] : []), ...ofRigs]
  return [...new Map(ordered.map((pack) => [[pack.folder, pack.binding, pack.rig].join('\n'), pack])).values()]
}

const toConfig = ({
  pack: { name, version, folder },
  binding,
  rig,
  scripts,
}: Pick<ImportedPack, 'pack' | 'binding' | 'rig' | 'scripts'>): PackConfig => ({
  ...{ name, folder, scripts },
  ...(version !== undefined && { version }),
  ...(binding !== undefined && { binding }),
  ...(rig !== undefined && { rig }),
})

/** The declared providers, each as far as it was written; its bases are merged in where it is used. */
function resolveProviders(
  { providers: declared }: CityDeclarations,
  diagnostics: Diagnostics,
): ReadonlyMap<string, ProviderConfig> {
  const providers = new Map([...declared].map(([name, declaration]) => [name, withPacks(declaration)]))
  for (const [name, declaration] of declared) {
    const { file, line, section } = declaration.block
    if (name.includes(':')) {
      const message = 'a name with ":" cannot be told from a base such as builtin:claude'
      diagnostics.warning({ file, line, key: section }, message)
    }
    try {
      resolveProvider(name, providers)
    } catch (error) {
      const field = declaration.values.base === undefined ? 'command' : 'base'
      diagnostics.error(locationOf(declaration, field), errorMessage(error))
    }
  }
  return providers
}

/** Applies a pack's statements on a provider to its sessions, without exceeding the city's permissions. */
function withPacks({ values, block, origins }: Declaration<ProviderConfig>): ProviderConfig {
  const packs = [block.pack, origins.env?.block.pack].flatMap((pack) => pack?.name ?? [])
  return packs.length > 0 ? { ...values, packs } : values
}

interface McpServerScope {
  readonly path: string
  readonly agents: readonly AgentConfig[]
  readonly diagnostics: Diagnostics
}

function resolveMcpServers({ mcpServers }: CityDeclarations, scope: McpServerScope): McpServerConfig[] {
  const names = scope.agents.map(({ qualified }) => qualified)
  return [...mcpServers].flatMap(([name, declaration]) => {
    const { agents } = declaration.values
    for (const agent of agents ?? []) {
      if (names.includes(agent)) continue
      const message = withHint(`there is no agent "${agent}"`, suggestion(agent, names))
      scope.diagnostics.error(locationOf(declaration, 'agents'), message)
    }
    const connection = connectionOf(name, declaration, scope)
    return connection ? [{ name, ...(agents && { agents }), connection }] : []
  })
}

function connectionOf(
  name: string,
  declaration: Declaration<McpServerFields>,
  { path, diagnostics }: McpServerScope,
): McpConnection | undefined {
  const { command, url, type = 'http', args = [], env = {}, headers = {} } = declaration.values
  if (command !== undefined && url === undefined) {
    const program = command.includes('/') && !isAbsolute(command) ? resolve(path, command) : command
    return { name, command: program, args, env }
  }
  if (url !== undefined && command === undefined) return { name, type, url, headers }
  const field = command === undefined ? 'command' : 'url'
  diagnostics.error(locationOf(declaration, field), 'give either a command to run or the url of a server')
  return undefined
}

function resolveNamedSessions(
  { namedSessions, rigs }: CityDeclarations,
  agents: readonly AgentConfig[],
  diagnostics: Diagnostics,
): NamedSessionConfig[] {
  const resolved: NamedSessionConfig[] = []
  for (const declaration of namedSessions.flatMap((each) => inRigs(each, rigs))) {
    const session = resolveNamedSession(declaration, agents, diagnostics)
    if (!session) continue
    if (resolved.some(({ qualified }) => qualified === session.qualified)) {
      const field = declaration.values.name === undefined ? 'template' : 'name'
      diagnostics.error(locationOf(declaration, field), `"${session.qualified}" is an earlier named session`)
    } else resolved.push(session)
  }
  return resolved
}

/** One of scope rig that names none is one in each rig. */
function inRigs(
  declaration: Declaration<NamedSessionFields>,
  rigs: CityDeclarations['rigs'],
): Declaration<NamedSessionFields>[] {
  const { scope, dir } = declaration.values
  if (scope !== 'rig' || dir !== undefined) return [declaration]
  const origin = declaration.origins.scope
  return rigs.map((rig) => withValue<NamedSessionFields, 'dir'>(declaration, 'dir', rig.values.name, origin))
}

function resolveNamedSession(
  declaration: Declaration<NamedSessionFields>,
  agents: readonly AgentConfig[],
  diagnostics: Diagnostics,
): NamedSessionConfig | undefined {
  const { template, name: declaredName, dir: declaredDir, mode = 'on_demand' } = declaration.values
  if (template === undefined) return undefined
  const qualifiedTemplate = qualify(declaredDir, template)
  const agent =
    agents.find(({ qualified }) => qualified === qualifiedTemplate) ??
    agents.find(({ qualified }) => qualified === template)
  if (!agent) {
    const message = `there is no agent "${qualifiedTemplate}"; the session cannot start`
    diagnostics.warning(locationOf(declaration, 'template'), message)
  }
  if (declaredName !== undefined && !AGENT_NAME.test(localName(declaredName, declaration.binding))) {
    const message = `"${declaredName}" must start with a letter or digit and contain only letters, digits, "-" or "_"`
    diagnostics.error(locationOf(declaration, 'name'), message)
  }
  const name = declaredName ?? agent?.name ?? template
  const dir = declaredDir ?? agent?.dir
  return { name, dir, qualified: qualify(dir, name), template: agent?.qualified ?? template, mode }
}

const DEFAULT_INTERVAL_MS = 120_000
const MIN_INTERVAL_MS = 10_000
const GITHUB = 'https://api.github.com'

/** The repositories whose pull requests are watched. */
function resolveMonitors(
  { monitors }: CityDeclarations,
  rigs: readonly RigConfig[],
  diagnostics: Diagnostics,
): PullRequestMonitorConfig[] {
  const names = new Set<string>()
  return monitors.flatMap((declaration) => {
    const { name, owner, repo } = declaration.values
    if (name === undefined || owner === undefined || repo === undefined) return []
    if (names.has(name)) diagnostics.error(locationOf(declaration, 'name'), `there is a monitor "${name}" already`)
    names.add(name)
    return [resolveMonitor(declaration, { name, owner, repo }, rigs, diagnostics)]
  })
}

function resolveMonitor(
  declaration: Declaration<PullRequestMonitorFields>,
  identity: Pick<PullRequestMonitorConfig, 'name' | 'owner' | 'repo'>,
  rigs: readonly RigConfig[],
  diagnostics: Diagnostics,
): PullRequestMonitorConfig {
  const { baseBranches = [], rig, pollInterval, baseUrl = GITHUB, tokenEnv } = declaration.values
  const { authors = [], notify = [], repairRoute, repairWorkflow } = declaration.values
  const report = (key: keyof PullRequestMonitorFields & string, message: string) =>
    diagnostics.error(originOf(declaration, key), message)
  for (const key of ['owner', 'repo'] as const) {
    if (!/^[\w.-]+$/.test(identity[key])) report(key, `"${identity[key]}" is not a name at GitHub`)
  }
  if (rig !== undefined && !rigs.some((each) => each.name === rig)) report('rig', `there is no rig "${rig}"`)
  if (tokenEnv !== undefined && !/^[A-Za-z_]\w*$/.test(tokenEnv)) {
    report('tokenEnv', `"${tokenEnv}" is not the name of a variable`)
  }
  if (!isAddress(baseUrl)) report('baseUrl', `"${baseUrl}" must be an https:// address such as ${GITHUB}`)
  for (const key of ['authors', 'notify'] as const) {
    if (declaration.values[key]?.some((name) => name.trim() === '')) report(key, 'must not hold an empty name')
  }
  if (repairWorkflow !== undefined && repairRoute === undefined) {
    report('repairWorkflow', 'goes with repair_route, which says who runs it')
  }
  const interval = pollInterval === undefined ? DEFAULT_INTERVAL_MS : parseDuration(pollInterval)
  if (interval === undefined || interval < MIN_INTERVAL_MS) {
    report('pollInterval', `"${pollInterval}" must be a duration of 10s or more, such as 2m`)
  }
  return {
    ...{ ...identity, baseBranches, pollInterval: interval ?? DEFAULT_INTERVAL_MS },
    baseUrl: baseUrl.replace(/\/+$/, ''),
    ...(rig !== undefined && { rig }),
    ...(tokenEnv !== undefined && { tokenEnv }),
    ...{ authors, notify },
    ...(repairRoute !== undefined && { repair: repairOf(repairRoute, repairWorkflow) }),
  }
}

const repairOf = (route: string, workflow: string | undefined): RepairConfig => ({
  route,
  ...(workflow !== undefined && { workflow }),
})

/** A token must not go over plain HTTP, unless it never leaves this machine. */
function isAddress(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, hostname, username } = new URL(text)
  const isOwn = ['localhost', '127.0.0.1', '[::1]'].includes(hostname)
  return username === '' && (protocol === 'https:' || (protocol === 'http:' && isOwn))
}

type ServiceDeclaration = Declaration<ServiceFields>

/** Under which folder of the city the services keep their state. */
const STATE_FOLDER = '.gc/services'
/** Contract that gc itself can serve. */
const HEALTH_CONTRACT = 'gc.healthz.v1'
/** Maximum time a service may leave a request without a sign unless it says otherwise. */
const RESPONSE_TIMEOUT_MS = 60_000
const DNS_LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i

/** The services of the city and its packs. What is wrong with one keeps that one from running, and nothing else. */
function resolveServices(
  { services }: Pick<CityDeclarations, 'services'>,
  { path, diagnostics }: { path: string; diagnostics: Diagnostics },
): ServiceConfig[] {
  const resolved: ServiceConfig[] = []
  for (const declaration of services) {
    const own = new Diagnostics()
    const service = resolveService(declaration, path, own)
    if (service) checkAgainst(service, resolved, declaration, own)
    const errors = [...(declaration.problems?.list('error') ?? []), ...own.list('error')]
    for (const each of declaration.problems?.list('warning', 'lint') ?? []) diagnostics.add(each)
    for (const each of errors) diagnostics.broken(each, `${each.message}; the service does not run until this is fixed`)
    if (service && !resolved.some(({ name }) => name === service.name)) resolved.push(withProblem(service, errors))
  }
  return resolved
}

const withProblem = (service: ServiceConfig, [first]: readonly Diagnostic[]): ServiceConfig =>
  first ? { ...service, broken: formatDiagnostic(first) } : service

/** Undefined without a name. */
function resolveService(declaration: ServiceDeclaration, path: string, own: Diagnostics): ServiceConfig | undefined {
  const { values, block } = declaration
  const { name, kind = 'workflow', publishMode = 'private' } = values
  if (name === undefined) return undefined
  if (!AGENT_NAME.test(name)) {
    own.error(
      locationOf(declaration, 'name'),
      `"${name}" must start with a letter or digit and contain only letters, digits, "-" or "_"`,
    )
  }
  const { visibility = 'private', hostname = name, allowWebsockets = false } = values.publication?.values ?? {}
  if (publishMode === 'direct' && block.pack) {
    own.error(locationOf(declaration, 'publishMode'), 'a service of a pack is not published as "direct"')
  }
  checkKind(declaration, kind, own)
  checkHostname(declaration, own)
  const { contract } = values.workflow?.values ?? {}
  const { command = [], healthPath } = values.process?.values ?? {}
  return {
    ...{ name, kind, publishMode, hostname, allowWebsockets, command, block },
    visibility: publishMode === 'direct' ? 'public' : visibility,
    stateRoot: stateRootOf(declaration, name, own),
    responseTimeout: responseTimeoutOf(declaration, own),
    folder: block.pack?.folder ?? path,
    ...(contract !== undefined && { contract }),
    ...(healthPath !== undefined && { healthPath }),
    ...(block.pack && { pack: block.pack.name }),
  }
}

function checkKind(declaration: ServiceDeclaration, kind: ServiceConfig['kind'], own: Diagnostics): void {
  const { workflow, process } = declaration.values
  if (kind === 'workflow') {
    if (process) own.error(locationOf(declaration, 'process'), 'is for services of kind "proxy_process"')
    checkContract(declaration, workflow, own)
    return
  }
  if (workflow) own.error(locationOf(declaration, 'workflow'), 'is for services of kind "workflow"')
  const [program] = process?.values.command ?? []
  if (!program) {
    const location = process ? locationOf(process, 'command') : locationOf(declaration, 'process')
    own.error(location, 'is required: command = ["program", "argument"] in [service.process]')
  }
  const { healthPath = '/' } = process?.values ?? {}
  if (process && !/^\/[^\s#]*$/.test(healthPath)) {
    own.error(locationOf(process, 'healthPath'), `"${healthPath}" must be a path that begins with "/"`)
  }
}

function responseTimeoutOf({ values: { process } }: ServiceDeclaration, own: Diagnostics): number {
  const { responseTimeout } = process?.values ?? {}
  if (!process || responseTimeout === undefined) return RESPONSE_TIMEOUT_MS
  const ms = parseDuration(responseTimeout)
  if (ms !== undefined && ms > 0) return ms
  own.error(locationOf(process, 'responseTimeout'), `"${responseTimeout}" must be a duration above 0, such as 2m`)
  return RESPONSE_TIMEOUT_MS
}

function checkContract(
  declaration: ServiceDeclaration,
  workflow: ServiceFields['workflow'] | undefined,
  own: Diagnostics,
): void {
  const { contract } = workflow?.values ?? {}
  if (contract === HEALTH_CONTRACT) return
  const location = workflow ? locationOf(workflow, 'contract') : locationOf(declaration, 'workflow')
  const problem = contract === undefined ? 'is required' : `"${contract}" is not known`
  own.error(location, `${problem}: contract = "${HEALTH_CONTRACT}" in [service.workflow]`)
}

function checkHostname({ values: { publication } }: ServiceDeclaration, own: Diagnostics): void {
  const { hostname } = publication?.values ?? {}
  if (!publication || hostname === undefined || DNS_LABEL.test(hostname)) return
  const message = `"${hostname}" must be one label of a host name: letters, digits and "-", 63 at most`
  own.error(locationOf(publication, 'hostname'), message)
}

/** Folder of its state, relative to the city. */
function stateRootOf(declaration: ServiceDeclaration, name: string, own: Diagnostics): string {
  const { stateRoot } = declaration.values
  if (stateRoot === undefined) return `${STATE_FOLDER}/${name}`
  const path = normalize(stateRoot).replace(/\/$/, '')
  if (path.startsWith(`${STATE_FOLDER}/`)) return path
  own.error(locationOf(declaration, 'stateRoot'), `"${stateRoot}" must be a folder under ${STATE_FOLDER}/`)
  return `${STATE_FOLDER}/${name}`
}

/** A name is unique, and a folder of state is shared by services of one pack only. */
function checkAgainst(
  service: ServiceConfig,
  earlier: readonly ServiceConfig[],
  declaration: ServiceDeclaration,
  own: Diagnostics,
): void {
  const namesake = earlier.find(({ name }) => name === service.name)
  if (namesake) {
    const { file, line } = namesake.block
    own.error(locationOf(declaration, 'name'), `service "${service.name}" is declared at ${file}:${line} already`)
    return
  }
  const { stateRoot } = service
  const pack = declaringPack(service)
  const sharer = earlier.find(
    (each) => each.stateRoot === stateRoot && (pack === undefined || declaringPack(each) !== pack),
  )
  if (!sharer) return
  const message = `"${stateRoot}" belongs to service "${sharer.name}"; only services of one pack may share a folder`
  own.error(locationOf(declaration, 'stateRoot'), message)
}

/** The pack whose file declares a service, the city's own among them; undefined for city.toml. */
const declaringPack = ({ block, folder }: ServiceConfig): string | undefined =>
  block.pack || block.file === PACK_FILE ? folder : undefined
