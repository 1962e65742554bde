import { parseDuration } from '../../core/durations.ts'
import type { RigConfig } from '../city-config.ts'
import type { CityDeclarations } from '../declare/city-declarations.ts'
import { type Declaration, locationOf, originOf } from '../declare/declaration.ts'
import type { PullRequestMonitorFields } from '../declare/github.ts'
import type { Diagnostics } from '../diagnostics/diagnostics.ts'
import type { PullRequestMonitorConfig, RepairConfig } from '../github/monitor.ts'

const DEFAULT_INTERVAL_MS = 120_000
const MIN_INTERVAL_MS = 10_000
const GITHUB = 'https://api.github.com'

/** The repositories whose pull requests are watched. */
export function resolveMonitors(
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
