import { COMPACTION_HOOK, commonServer, serverSettings, startHook, TURN_HOOKS } from '../parts/index.ts'
import type { ProgramRuntime } from '../program.ts'
import { claudeLimit, readClaudeEntry } from './limits.ts'
import { claudeLogs } from './log.ts'

const SETTINGS = '.claude/settings.json'

export const claudeRuntime: ProgramRuntime = {
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
  mcp: (servers, isSecret) => [
    serverSettings({ path: '.mcp.json', key: 'mcpServers', isSecret }, servers, commonServer),
    { path: '.claude/settings.local.json', settings: { enabledMcpjsonServers: servers.map(({ name }) => name) } },
  ],
  log: claudeLogs,
  limit: claudeLimit,
  readEntry: readClaudeEntry,
  loginFailure:
    /please run \/login|not logged in|invalid api key|oauth (?:access )?token (?:has expired|revoked)|session expired/i,
  contextWindows: [
    [/fable|mythos|opus-4-[678]|opus-5|sonnet-4-6|sonnet-5/i, 1_000_000],
    [/claude|opus|sonnet|haiku/i, 200_000],
  ],
}
