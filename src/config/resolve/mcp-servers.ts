import { isAbsolute, resolve } from 'node:path'
import type { AgentConfig, McpConnection, McpServerConfig } from '../city-config.ts'
import type { CityDeclarations } from '../declare/city-declarations.ts'
import { type Declaration, locationOf } from '../declare/declaration.ts'
import type { McpServerFields } from '../declare/mcp-server.ts'
import type { Diagnostics } from '../diagnostics/diagnostics.ts'
import { suggestion, withHint } from '../diagnostics/suggestion.ts'

interface McpServerScope {
  readonly path: string
  readonly agents: readonly AgentConfig[]
  readonly diagnostics: Diagnostics
}

export function resolveMcpServers({ mcpServers }: CityDeclarations, scope: McpServerScope): McpServerConfig[] {
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
