import { normalize } from 'node:path'
import { parseDuration } from '../../core/durations.ts'
import { AGENT_NAME, type Declaration, locationOf } from '../declare/index.ts'
import { type Diagnostic, Diagnostics, formatDiagnostic } from '../files/index.ts'
import { PACK_FILE } from '../packs/index.ts'
import type { ServiceConfig } from './config.ts'
import type { ServiceFields } from './fields.ts'

type ServiceDeclaration = Declaration<ServiceFields>

/** Under which folder of the city the services keep their state. */
const STATE_FOLDER = '.gc/services'

/** Contract that gc itself can serve. */
const HEALTH_CONTRACT = 'gc.healthz.v1'

/** Maximum time a service may leave a request without a sign unless it says otherwise. */
const RESPONSE_TIMEOUT_MS = 60_000

const DNS_LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i

/** The services of the city and its packs. What is wrong with one keeps that one from running, and nothing else. */
export function resolveServices(
  services: readonly ServiceDeclaration[],
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
