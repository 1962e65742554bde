import type { Program } from '../program.ts'

export const gemini: Program = {
  name: 'gemini',
  runtime: async () => (await import('./runtime.ts')).geminiRuntime,
}
