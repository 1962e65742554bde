import { parseDuration } from '../../core/durations.ts'
import {
  type Declaration,
  type FieldReader,
  locationOf,
  mergeValues,
  originOf,
  requiredString,
  string,
  strings,
  type ValuesOf,
} from '../declare/index.ts'
import { type Diagnostics, suggestion, withHint } from '../files/index.ts'

/** The branches that are watched; `base` names one. */
const baseBranches: FieldReader<string[]> = {
  key: 'base_branches',
  read(section) {
    const base = section.string('base')
    return section.strings('base_branches') ?? (base === undefined ? undefined : [base])
  },
}

/** `[[github.pr_monitor]]`: a repository whose pull requests are watched. */
export const PULL_REQUEST_MONITOR = {
  name: requiredString('name'),
  owner: requiredString('owner'),
  repo: requiredString('repo'),
  baseBranches,
  rig: string('rig'),
  /** A duration, judged when it is resolved. */
  pollInterval: string('poll_interval'),
  baseUrl: string('base_url'),
  tokenEnv: string('token_env'),
  authors: strings('authors'),
  notify: strings('notify'),
  repairRoute: string('repair_route'),
  repairWorkflow: string('repair_workflow'),
}
export type PullRequestMonitorFields = ValuesOf<typeof PULL_REQUEST_MONITOR>

/** `[[github.pr_monitor]]`: a repository whose pull requests are watched. Durations are milliseconds. */
export interface PullRequestMonitorConfig {
  readonly name: string
  readonly owner: string
  readonly repo: string
  /** The branches that pull requests are for; any when empty. */
  readonly baseBranches: readonly string[]
  readonly rig?: string
  readonly pollInterval: number
  /** Address of GitHub’s API, without a trailing slash. */
  readonly baseUrl: string
  /** The variable of the supervisor's environment that holds a token; those of `gh` when absent. */
  readonly tokenEnv?: string
  /** Those whose pull requests are looked after; without any, everybody's but those that come from forks. */
  readonly authors: readonly string[]
  /** Recipient of mail when a pull request starts or stops needing a repair. */
  readonly notify: readonly string[]
  readonly repair?: RepairConfig
}

/** Agent that repairs pull requests that cannot be merged. */
export interface RepairConfig {
  /** An agent or pool. */
  readonly route: string
  /** The formula that it runs for each; that of the agent when absent. */
  readonly workflow?: string
}

const DEFAULT_INTERVAL_MS = 120_000

const MIN_INTERVAL_MS = 10_000

const GITHUB = 'https://api.github.com'

/** The repositories whose pull requests are watched. */
export function resolveMonitors(
  monitors: Monitors,
  rigs: readonly string[],
  diagnostics: Diagnostics,
): PullRequestMonitorConfig[] {
  const names = new Set<string>()
  return monitors.flatMap((declaration) => {
    const { name, owner, repo } = declaration.values
    if (name === undefined || owner === undefined || repo === undefined) return []
    if (names.has(name)) diagnostics.error(locationOf(declaration, 'name'), `monitor "${name}" already exists`)
    names.add(name)
    return [resolveMonitor(declaration, { name, owner, repo }, rigs, diagnostics)]
  })
}

function resolveMonitor(
  declaration: Declaration<PullRequestMonitorFields>,
  identity: Pick<PullRequestMonitorConfig, 'name' | 'owner' | 'repo'>,
  rigs: readonly string[],
  diagnostics: Diagnostics,
): PullRequestMonitorConfig {
  const { baseBranches = [], rig, pollInterval, baseUrl = GITHUB, tokenEnv } = declaration.values
  const { authors = [], notify = [], repairRoute, repairWorkflow } = declaration.values
  const report = (key: keyof PullRequestMonitorFields & string, message: string) =>
    diagnostics.error(originOf(declaration, key), message)
  for (const key of ['owner', 'repo'] as const) {
    if (!/^[\w.-]+$/.test(identity[key])) report(key, `"${identity[key]}" is not a name at GitHub`)
  }
  if (rig !== undefined && !rigs.includes(rig)) report('rig', `there is no rig "${rig}"`)
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

/** `[[patches.github_pr_monitor]]`. */
export const MONITOR_PATCH = { ...PULL_REQUEST_MONITOR, owner: string('owner'), repo: string('repo') }
export type MonitorPatchFields = ValuesOf<typeof MONITOR_PATCH>

export function patchMonitor(
  monitors: Monitors,
  patch: Declaration<MonitorPatchFields>,
  diagnostics: Diagnostics,
): Monitors {
  const { name, ...values } = patch.values
  if (name === undefined) return monitors
  const target = monitors.find((monitor) => monitor.values.name === name)
  if (!target) {
    const hint = suggestion(
      name,
      monitors.map((monitor) => monitor.values.name ?? ''),
    )
    diagnostics.error(locationOf(patch, 'name'), withHint(`there is no monitor "${name}"`, hint))
  }
  return monitors.map((monitor) => (monitor === target ? mergeValues(monitor, values, patch) : monitor))
}

type Monitors = readonly Declaration<PullRequestMonitorFields>[]
