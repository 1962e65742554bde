import { isAbsolute, resolve } from 'node:path'
import type { McpConnection } from '../../programs/parts/index.ts'
import { type Declaration, locationOf, oneOf, string, stringMap, strings, type ValuesOf } from '../declare/index.ts'
import { type Diagnostics, suggestion, withHint } from '../files/index.ts'

/** `[mcp_servers.<name>]`: a server of tools for agents that are spoken to by protocol. */
export const MCP_SERVER = {
  agents: strings('agents'),
  command: string('command'),
  args: strings('args'),
  env: stringMap('env'),
  url: string('url'),
  type: oneOf('type', ['http', 'sse']),
  headers: stringMap('headers'),
}
export type McpServerFields = ValuesOf<typeof MCP_SERVER>

/** `[mcp_servers.<name>]`: a server of tools. */
export interface McpServerConfig {
  readonly name: string
  /** The agents that have it, by their qualified names; absent for all. */
  readonly agents?: readonly string[]
  readonly connection: McpConnection
}

interface McpServerScope {
  readonly path: string
  /** The agents of the city, by their qualified names. */
  readonly agents: readonly string[]
  readonly diagnostics: Diagnostics
}

export function resolveMcpServers(
  servers: ReadonlyMap<string, Declaration<McpServerFields>>,
  scope: McpServerScope,
): McpServerConfig[] {
  const names = scope.agents
  return [...servers].flatMap(([name, declaration]) => {
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
