import {
  COMPACTION_HOOK,
  commonServer,
  type McpConnection,
  type ProjectPart,
  serverSettings,
  startHook,
  TURN_HOOKS,
} from '../parts/project.ts'
import type { ProgramProject } from '../program.ts'

const SETTINGS = '.claude/settings.json'

export const claudeProject: ProgramProject = {
  skills: '.claude/skills',
  shared: [{ path: SETTINGS, groupsHooks: true }],
  hooks: [
    {
      path: SETTINGS,
      settings: {
        hooks: { SessionStart: [startHook('claude')], UserPromptSubmit: [TURN_HOOKS], PreCompact: [COMPACTION_HOOK] },
      },
    },
  ],
  mcp: (servers: readonly McpConnection[], isSecret): ProjectPart[] => [
    serverSettings({ path: '.mcp.json', key: 'mcpServers', isSecret }, servers, commonServer),
    { path: '.claude/settings.local.json', settings: { enabledMcpjsonServers: servers.map(({ name }) => name) } },
  ],
}
