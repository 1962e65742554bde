import type { AskedCase } from './cases/case.ts'
import { claudeCases } from './cases/claude.ts'
import { codexCases } from './cases/codex.ts'
import { geminiCases } from './cases/gemini.ts'
import { opencodeCases } from './cases/opencode.ts'

export const CASES: readonly AskedCase[] = [...claudeCases(), ...codexCases(), ...geminiCases(), ...opencodeCases()]
