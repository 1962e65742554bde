import type { ProgramRuntime } from '../program.ts'
import { codexLimit, readCodexEntry } from './limits.ts'
import { codexLogs } from './log.ts'

export const codexRuntime: ProgramRuntime = {
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
