import type { AgentConfig, NamedSessionConfig } from '../city-config.ts'
import { AGENT_NAME, qualify } from '../names.ts'
import type { Reader } from './section-reader.ts'

/** `[[named_session]]`. */
export function readNamedSessions(city: Reader, agents: readonly AgentConfig[]): NamedSessionConfig[] {
  const named: NamedSessionConfig[] = []
  for (const at of city.each('named_session')) {
    const one = readNamedSession(at, agents)
    if (!one) continue
    if (named.some(({ qualified }) => qualified === one.qualified)) {
      at.wrong(at.has('name') ? 'name' : 'template', `"${one.qualified}" is an earlier named session`)
    } else named.push(one)
  }
  return named
}

function readNamedSession(at: Reader, agents: readonly AgentConfig[]): NamedSessionConfig | undefined {
  const template = at.required('template')
  const declared = at.text('name')
  const dir = at.text('dir')
  const scope = at.oneOf('scope', ['city', 'rig'])
  const mode = at.oneOf('mode', ['on_demand', 'always']) ?? 'on_demand'
  at.end()
  if (template === undefined) return undefined
  const agent = agents.find(({ qualified }) => qualified === template || qualified === qualify(dir, template))
  if (!agent) at.warn('template', `there is no agent "${qualify(dir, template)}"; the session cannot start`)
  const name = declared ?? agent?.name ?? template
  if (declared !== undefined && !AGENT_NAME.test(declared)) {
    at.wrong('name', `"${declared}" must begin with a letter or digit and go on with those, "-" or "_"`)
  }
  const home = dir ?? agent?.dir
  return { name, dir: home, qualified: qualify(home, name), template: agent?.qualified ?? template, scope, mode }
}
