import type { ProgramRuntime } from '../program.ts'
import { claudeLimit, readClaudeEntry } from './limits.ts'
import { claudeLogs } from './log.ts'
import { claudeProject } from './project.ts'

export const claudeRuntime: ProgramRuntime = {
  ...claudeProject,
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
