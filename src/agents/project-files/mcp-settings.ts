import type { McpConnection } from '../../config/city/city-config.ts'
import { renderValue } from '../../core/toml/edit.ts'
import type { NamedTable, Settings, WantedBuilder } from './wanted.ts'

const FROM = 'the MCP servers of the city and its packs'

/** OpenCode writes this into a file without it, which would then count as changed by somebody else. */
const OPENCODE_SCHEMA: Settings = { $schema: 'https://opencode.ai/config.json' }

/** Puts MCP servers into the file in which a program looks for them. */
export function addMcpServers(servers: readonly McpConnection[], family: string, wanted: WantedBuilder): void {
  if (servers.length === 0) return
  const isSecret = servers.some((server) => Object.keys('command' in server ? server.env : server.headers).length > 0)
  const settings = (path: string, key: string, form: (server: McpConnection) => Settings) =>
    wanted.settings(path, { [key]: Object.fromEntries(servers.map((each) => [each.name, form(each)])) }, FROM, isSecret)
  if (family === 'claude') {
    settings('.mcp.json', 'mcpServers', claudeServer)
    wanted.settings('.claude/settings.local.json', { enabledMcpjsonServers: servers.map(({ name }) => name) }, FROM)
  }
  if (family === 'gemini') settings('.gemini/settings.json', 'mcpServers', geminiServer)
  if (family === 'opencode') {
    wanted.settings('opencode.json', OPENCODE_SCHEMA, FROM)
    settings('opencode.json', 'mcp', opencodeServer)
  }
  if (family === 'cursor') settings('.cursor/mcp.json', 'mcpServers', claudeServer)
  if (family === 'codex') wanted.tables('.codex/config.toml', servers.map(codexTable), isSecret)
}

function claudeServer(server: McpConnection): Settings {
  if ('command' in server) return { command: server.command, args: server.args, env: server.env }
  return { type: server.type, url: server.url, headers: server.headers }
}

function geminiServer(server: McpConnection): Settings {
  if ('command' in server) return { command: server.command, args: server.args, env: server.env }
  return { [server.type === 'sse' ? 'url' : 'httpUrl']: server.url, headers: server.headers }
}

function opencodeServer(server: McpConnection): Settings {
  if ('command' in server) {
    return { type: 'local', command: [server.command, ...server.args], environment: server.env, enabled: true }
  }
  return { type: 'remote', url: server.url, headers: server.headers, enabled: true }
}

function codexTable(server: McpConnection): NamedTable {
  const header = `[mcp_servers.${server.name}]`
  const keys =
    'command' in server
      ? { command: server.command, args: server.args, env: server.env }
      : { url: server.url, http_headers: server.headers }
  const lines = Object.entries(keys).map(([key, value]) => `${key} = ${renderValue(value)}`)
  return { header, text: [header, ...lines].join('\n') }
}
