import type { ProgramRuntime } from '../program.ts'
import { codexLimit, readCodexEntry } from './limits.ts'
import { codexLogs } from './log.ts'
import { codexProject } from './project.ts'

export const codexRuntime: ProgramRuntime = {
  ...codexProject,
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
