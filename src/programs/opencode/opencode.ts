import type { Program } from '../program.ts'

export const opencode: Program = {
  name: 'opencode',
  runtime: async () => (await import('./runtime.ts')).opencodeRuntime,
}

export const groq: Program = {
  name: 'groq',
  runtime: async () => (await import('./runtime.ts')).providerRuntime,
}

export const cerebras: Program = { ...groq, name: 'cerebras' }
