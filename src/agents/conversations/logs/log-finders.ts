import { claudeLogs } from './claude-logs.ts'
import { codexLogs } from './codex-logs.ts'
import type { LogFinder } from './finder.ts'
import { geminiLogs } from './gemini-logs.ts'
import { opencodeLogs } from './opencode-logs.ts'

/** The finders of all programs whose logs can be read, by built-in provider. */
export const LOG_FINDERS: ReadonlyMap<string, LogFinder> = new Map(
  Object.entries({
    ...{ claude: claudeLogs, codex: codexLogs, gemini: geminiLogs },
    ...{ opencode: opencodeLogs, groq: opencodeLogs, cerebras: opencodeLogs },
  }),
)
