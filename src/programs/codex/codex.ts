import type { Program } from '../program.ts'
import { codexScreens } from './screens.ts'

export const codex: Program = {
  name: 'codex',
  home: { variable: 'CODEX_HOME', usual: '.codex', folder: 'codex', login: 'auth.json', logs: ['sessions'] },
  screens: codexScreens,
  preset: async () => (await import('./preset.ts')).codexPreset,
  confinement: async () => (await import('./confinement.ts')).codexConfinement,
  runtime: async () => (await import('./runtime.ts')).codexRuntime,
}
