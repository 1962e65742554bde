import { claude } from './claude/index.ts'
import { codex } from './codex/index.ts'
import { antigravity, gemini } from './gemini/index.ts'
import type { GENERIC } from './generic.ts'
import { cerebras, groq, mimocode, opencode } from './opencode/index.ts'
import type { Program } from './program.ts'

/** Programs of which gc knows little more than how to start them. */
const generic = (...names: (keyof typeof GENERIC)[]): Program[] =>
  names.map((name) => ({
    name,
    preset: async () => (await import('./generic.ts')).GENERIC[name],
    runtime: async () => (await import('./generic.ts')).GENERIC_RUNTIMES[name],
  }))

/** The agent programs that gc knows, in the order in which they are listed. */
export const PROGRAMS: readonly Program[] = [
  claude,
  codex,
  gemini,
  ...generic('grok', 'kimi', 'kiro', 'cursor', 'copilot', 'amp'),
  opencode,
  mimocode,
  groq,
  cerebras,
  ...generic('auggie', 'pi', 'omp'),
  antigravity,
]

/** A program by the name of its preset. */
export const programOf = (preset: string | undefined): Program | undefined =>
  PROGRAMS.find(({ name }) => name === preset)
