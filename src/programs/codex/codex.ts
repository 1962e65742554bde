import type { Program } from '../program.ts'

export const codex: Program = {
  name: 'codex',
  home: { variable: 'CODEX_HOME', folder: 'codex' },
  preset: async () => (await import('./preset.ts')).codexPreset,
  runtime: async () => (await import('./runtime.ts')).codexRuntime,
}
