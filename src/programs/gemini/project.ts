import {
  COMPACTION_HOOK,
  type McpConnection,
  type Settings,
  serverSettings,
  startHook,
  TURN_HOOKS,
} from '../parts/project.ts'
import type { ProgramProject } from '../program.ts'

const SETTINGS = '.gemini/settings.json'

function serverOf(server: McpConnection): Settings {
  if ('command' in server) return { command: server.command, args: server.args, env: server.env }
  return { [server.type === 'sse' ? 'url' : 'httpUrl']: server.url, headers: server.headers }
}

export const geminiProject: ProgramProject = {
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
}

export const antigravityProject: ProgramProject = { shared: [{ path: '.agents/hooks.json' }] }
