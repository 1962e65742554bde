import { basename } from 'node:path'
import type { CityConfig, WorkspaceConfig } from '../city-config.ts'
import { readAgents } from '../declare/agents.ts'
import { readMcpServers } from '../declare/mcp-servers.ts'
import { readNamedSessions } from '../declare/named-sessions.ts'
import { readProviders } from '../declare/providers.ts'
import { readBindings, readRigs } from '../declare/rigs.ts'
import { Reader } from '../declare/section-reader.ts'
import { readChat, readSleep } from '../declare/sleep.ts'
import {
  readAgentDefaults,
  readArchives,
  readDaemon,
  readMail,
  readSession,
  readWorkspace,
} from '../declare/workspace.ts'
import type { Diagnostic, Diagnostics } from '../diagnostics.ts'
import type { FileSnapshot } from '../file-snapshot.ts'
import { CITY_NAME, PREFIX, prefixOf } from '../names.ts'
import { readSource } from '../toml/toml.ts'

export const CITY_FILE = 'city.toml'
export const SITE_FILE = '.gc/site.toml'

/** Sections that other parts of gc read from what was written. */
const KEPT = [
  ...['include', 'upstreams', 'imports', 'defaults', 'patches', 'storage', 'beads', 'usage', 'dolt'],
  ...['formulas', 'orders', 'api', 'convergence', 'doctor', 'maintenance', 'service'],
  ...['webhook', 'webhooks', 'github', 'extmsg', 'pricing'],
]

/** What a city's files come to: a configuration, or the mistakes that keep it from being one. */
export interface Reading {
  readonly sources: FileSnapshot
  readonly config: CityConfig
  readonly mistakes: readonly Diagnostic[]
}

/** Reads everything that makes up a city's configuration. With mistakes in it, the configuration is not for use. */
export function compose(sources: FileSnapshot): Reading {
  const findings: Diagnostics = { mistakes: [], warnings: [] }
  const open = (file: string) => new Reader(findings, file, '', readSource(findings, file, sources.text(file)))
  const city = open(CITY_FILE)
  const site = open(SITE_FILE)
  const config = assemble(findings, city, site, sources)
  findings.mistakes.unshift(...sources.unreadable)
  if (sources.text(CITY_FILE) === undefined && sources.unreadable.length === 0) {
    const message = `there is no such file in ${sources.path}; \`gc init\` makes a city`
    findings.mistakes.unshift({ file: CITY_FILE, line: 1, key: '', message })
  }
  return { sources, config, mistakes: findings.mistakes.sort(inReadingOrder) }
}

/** city.toml first, since what is wrong in it makes other files wrong; then by file and line. */
function inReadingOrder(a: Diagnostic, b: Diagnostic): number {
  const place = ({ file }: Diagnostic) => (file === CITY_FILE ? '' : file)
  if (place(a) === place(b)) return a.line - b.line
  return place(a) < place(b) ? -1 : 1
}

function assemble(findings: Diagnostics, city: Reader, site: Reader, sources: FileSnapshot): CityConfig {
  const { path } = sources
  const declared = city.within('workspace')
  const workspace = readWorkspace(declared)
  const name = nameOf(site, workspace, path)
  const prefix = prefixIn(site) ?? workspace.declaredPrefix ?? prefixOf(name)
  const rigs = readRigs(city, { path, prefix, bindings: readBindings(site) })
  site.end()
  const providers = readProviders(city)
  const agentDefaults = readAgentDefaults(city.within('agent_defaults'))
  const sleep = readSleep(city.within('session_sleep'))
  const agents = readAgents(findings, city, sources, { workspace, defaults: agentDefaults, rigs, providers, sleep })
  const config: CityConfig = {
    ...{ name, prefix, path, workspace, providers, rigs, agents, agentDefaults },
    namedSessions: readNamedSessions(city, agents),
    mcpServers: readMcpServers(city, path, agents),
    chat: readChat(city.within('chat_sessions')),
    daemon: readDaemon(city.within('daemon')),
    session: readSession(city.within('session')),
    mail: readMail(city.within('mail')),
    events: readArchives(city.within('events')),
    sections: city.table.entries,
    warnings: findings.warnings,
  }
  checkRest(city)
  return config
}

/** The sections that others read: here only whether they are known at all. */
function checkRest(city: Reader): void {
  city.keep(...KEPT)
  if (city.has('include')) city.warn('include', 'fragments are not read; put what they say into city.toml')
  const formulas = city.within('formulas')
  if (formulas.has('dir')) formulas.wrong('dir', 'formulas live in formulas/; take this key out')
  city.end()
}

function nameOf(site: Reader, workspace: WorkspaceConfig, path: string): string {
  const here = site.text('workspace_name')
  if (here !== undefined && !CITY_NAME.test(here)) {
    site.wrong('workspace_name', `"${here}" must begin with a letter or digit and go on with those, ".", "-" or "_"`)
  }
  const folder = basename(path)
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+/, '')
  return here ?? workspace.declaredName ?? (folder || 'city')
}

function prefixIn(site: Reader): string | undefined {
  const here = site.text('workspace_prefix')
  if (here !== undefined && !PREFIX.test(here)) {
    site.wrong('workspace_prefix', `"${here}" must begin with a letter or digit and go on with those, "-" or "_"`)
  }
  return here
}
