import { basename } from 'node:path'
import type { Findings, Mistake } from './mistakes.ts'
import { CITY_NAME, PREFIX, prefixOf } from './names.ts'
import { Reader } from './reader.ts'
import { readAgents } from './sections/agents.ts'
import { readMcpServers } from './sections/mcp-servers.ts'
import { readNamedSessions } from './sections/named-sessions.ts'
import { readProviders } from './sections/providers.ts'
import { readBindings, readRigs } from './sections/rigs.ts'
import { readChat, readSleep } from './sections/sleep.ts'
import {
  readAgentDefaults,
  readArchives,
  readDaemon,
  readMail,
  readSession,
  readWorkspace,
} from './sections/workspace.ts'
import type { Sources } from './sources.ts'
import type { CityConfig, WorkspaceSpec } from './spec.ts'
import { readSource } from './toml.ts'

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
  readonly sources: Sources
  readonly config: CityConfig
  readonly mistakes: readonly Mistake[]
}

/** Reads everything that makes up a city's configuration. With mistakes in it, the configuration is not for use. */
export function compose(sources: Sources): Reading {
  const findings: Findings = { mistakes: [], warnings: [] }
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
function inReadingOrder(a: Mistake, b: Mistake): number {
  const place = ({ file }: Mistake) => (file === CITY_FILE ? '' : file)
  if (place(a) === place(b)) return a.line - b.line
  return place(a) < place(b) ? -1 : 1
}

function assemble(findings: Findings, city: Reader, site: Reader, sources: Sources): CityConfig {
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

function nameOf(site: Reader, workspace: WorkspaceSpec, path: string): string {
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
