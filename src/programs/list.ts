import { claude } from './claude/claude.ts'
import { codex } from './codex/codex.ts'
import { gemini } from './gemini/gemini.ts'
import { cerebras, groq, opencode } from './opencode/opencode.ts'
import type { Program } from './program.ts'

/** The agent programs that gc knows, in the order in which they are listed. */
export const PROGRAMS: readonly Program[] = [claude, codex, gemini, opencode, groq, cerebras]
