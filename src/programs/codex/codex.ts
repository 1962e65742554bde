import type { Program } from '../program.ts'
import { codexScreens } from './screens.ts'

export const codex: Program = {
  name: 'codex',
  home: { variable: 'CODEX_HOME', folder: 'codex' },
  screens: codexScreens,
  preset: async () => (await import('./preset.ts')).codexPreset,
  runtime: async () => (await import('./runtime.ts')).codexRuntime,
}
