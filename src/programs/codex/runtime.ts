import type { ProgramRuntime } from '../program.ts'
import { codexLogs } from './log.ts'

export const codexRuntime: ProgramRuntime = {
  log: codexLogs,
  contextWindows: [
    [/gpt-5|codex/i, 258_000],
    [/gpt-4/i, 128_000],
  ],
}
