import {
  COMPACTION_HOOK,
  type McpConnection,
  type Settings,
  serverSettings,
  startHook,
  TURN_HOOKS,
} from '../parts/index.ts'
import type { ProgramRuntime } from '../program.ts'
import { geminiLimit, readGeminiEntry } from './limits.ts'
import { geminiLogs } from './log.ts'
import { SETTINGS } from './preset.ts'

function serverOf(server: McpConnection): Settings {
  if ('command' in server) return { command: server.command, args: server.args, env: server.env }
  return { [server.type === 'sse' ? 'url' : 'httpUrl']: server.url, headers: server.headers }
}

export const geminiRuntime: ProgramRuntime = {
  skills: '.gemini/skills',
  shared: [{ path: SETTINGS }],
  hooks: [
    {
      path: SETTINGS,
      settings: {
        hooks: { SessionStart: [startHook('gemini')], BeforeAgent: [TURN_HOOKS], PreCompress: [COMPACTION_HOOK] },
      },
    },
  ],
  mcp: (servers, isSecret) => [serverSettings({ path: SETTINGS, key: 'mcpServers', isSecret }, servers, serverOf)],
  log: geminiLogs,
  limit: geminiLimit,
  readEntry: readGeminiEntry,
  loginFailure:
    /please set an auth method|api key not valid|failed to (?:log|sign) ?in|(?:re-?)?authenticat\w+ (?:is )?required/i,
  contextWindows: [[/gemini/i, 1_000_000]],
}

export const antigravityRuntime: ProgramRuntime = { shared: [{ path: '.agents/hooks.json' }] }
