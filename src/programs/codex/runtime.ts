import { renderValue } from '../../core/toml/index.ts'
import { type McpConnection, type NamedTable, startHook, TURN_HOOKS } from '../parts/index.ts'
import type { ProgramRuntime } from '../program.ts'
import { codexLimit, readCodexEntry } from './limits.ts'
import { codexLogs } from './log.ts'

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

export const codexRuntime: ProgramRuntime = {
  skills: '.agents/skills',
  shared: [{ path: HOOKS }],
  hooks: [{ path: HOOKS, settings: { hooks: { SessionStart: [startHook('codex')], UserPromptSubmit: [TURN_HOOKS] } } }],
  mcp: (servers, isSecret) => [{ path: '.codex/config.toml', tables: servers.map(serverTable), isSecret }],
  log: codexLogs,
  limit: codexLimit,
  readEntry: readCodexEntry,
  loginFailure:
    /not logged in|log out and sign in again|refresh token (?:was already used|has expired)|401 unauthorized/i,
  contextWindows: [
    [/gpt-5|codex/i, 258_000],
    [/gpt-4/i, 128_000],
  ],
}
