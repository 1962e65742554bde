import type { Program } from '../program.ts'

export const codex: Program = {
  name: 'codex',
  runtime: async () => (await import('./runtime.ts')).codexRuntime,
}
