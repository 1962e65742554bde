import type { ProgramRuntime } from '../program.ts'
import { geminiLimit, readGeminiEntry } from './limits.ts'
import { geminiLogs } from './log.ts'

export const geminiRuntime: ProgramRuntime = {
  log: geminiLogs,
  limit: geminiLimit,
  readEntry: readGeminiEntry,
  loginFailure:
    /please set an auth method|api key not valid|failed to (?:log|sign) ?in|(?:re-?)?authenticat\w+ (?:is )?required/i,
  contextWindows: [[/gemini/i, 1_000_000]],
}
