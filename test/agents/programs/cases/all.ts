import type { AskedCase } from './case.ts'
import { claudeCases } from './claude.ts'
import { codexCases } from './codex.ts'
import { geminiCases } from './gemini.ts'
import { opencodeCases } from './opencode.ts'

export const CASES: readonly AskedCase[] = [...claudeCases(), ...codexCases(), ...geminiCases(), ...opencodeCases()]
