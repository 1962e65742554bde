import { isAbsolute, resolve } from 'node:path'
import type { AgentConfig, McpServerConfig } from '../city-config.ts'
import { suggestion, withHint } from '../diagnostics.ts'
import type { Reader } from './section-reader.ts'

/** `[mcp_servers.<name>]`: servers of tools, for agents that are spoken to by protocol. */
export function readMcpServers(city: Reader, path: string, agents: readonly AgentConfig[]): McpServerConfig[] {
  const all = city.within('mcp_servers')
  return [...all.table.entries.keys()].flatMap((name) => {
    const at = all.within(name)
    const spec = readServer(at, name, path)
    const known = agents.map(({ qualified }) => qualified)
    for (const agent of spec?.agents ?? []) {
      if (!known.includes(agent)) at.wrong('agents', withHint(`there is no agent "${agent}"`, suggestion(agent, known)))
    }
    at.end()
    return spec ?? []
  })
}

function readServer(at: Reader, name: string, path: string): McpServerConfig | undefined {
  const agents = at.texts('agents')
  const command = at.text('command')
  const args = at.texts('args') ?? []
  const env = at.map('env') ?? {}
  const url = at.text('url')
  const type = at.oneOf('type', ['http', 'sse']) ?? 'http'
  const headers = at.map('headers') ?? {}
  if ((command === undefined) === (url === undefined)) {
    at.wrong(command === undefined ? 'command' : 'url', 'give either a command to run or the url of a server')
    return undefined
  }
  const known = { name, ...(agents && { agents }) }
  if (url !== undefined) return { ...known, connection: { name, type, url, headers } }
  const program = command ?? ''
  const found = program.includes('/') && !isAbsolute(program) ? resolve(path, program) : program
  return { ...known, connection: { name, command: found, args, env } }
}
