import { renderValue } from '../../core/toml/edit.ts'
import { type McpConnection, type NamedTable, startHook, TURN_HOOKS } from '../parts/project.ts'
import type { ProgramProject } from '../program.ts'

const HOOKS = '.codex/hooks.json'

function serverTable(server: McpConnection): NamedTable {
  const header = `[mcp_servers.${server.name}]`
  const keys =
    'command' in server
      ? { command: server.command, args: server.args, env: server.env }
      : { url: server.url, http_headers: server.headers }
  const lines = Object.entries(keys).map(([key, value]) => `${key} = ${renderValue(value)}`)
  return { header, text: [header, ...lines].join('\n') }
}

export const codexProject: ProgramProject = {
  skills: '.agents/skills',
  shared: [{ path: HOOKS }],
  hooks: [{ path: HOOKS, settings: { hooks: { SessionStart: [startHook('codex')], UserPromptSubmit: [TURN_HOOKS] } } }],
  mcp: (servers, isSecret) => [{ path: '.codex/config.toml', tables: servers.map(serverTable), isSecret }],
}
