import type { ProgramRuntime } from '../program.ts'
import { geminiLogs } from './log.ts'

export const geminiRuntime: ProgramRuntime = {
  log: geminiLogs,
  contextWindows: [[/gemini/i, 1_000_000]],
}
