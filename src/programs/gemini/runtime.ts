import type { ProgramRuntime } from '../program.ts'
import { geminiLimit, readGeminiEntry } from './limits.ts'
import { geminiLogs } from './log.ts'
import { antigravityProject, geminiProject } from './project.ts'

export const geminiRuntime: ProgramRuntime = {
  ...geminiProject,
  log: geminiLogs,
  limit: geminiLimit,
  readEntry: readGeminiEntry,
  loginFailure:
    /please set an auth method|api key not valid|failed to (?:log|sign) ?in|(?:re-?)?authenticat\w+ (?:is )?required/i,
  contextWindows: [[/gemini/i, 1_000_000]],
}

export const antigravityRuntime: ProgramRuntime = antigravityProject
