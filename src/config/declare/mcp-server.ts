import { oneOf, string, stringMap, strings, type ValuesOf } from './fields.ts'

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
