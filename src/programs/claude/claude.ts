import type { Program } from '../program.ts'
import { claudeScreens } from './screens.ts'

export const claude: Program = {
  name: 'claude',
  home: {
    ...{
      variable: 'CLAUDE_CONFIG_DIR',
      usual: '.claude',
      folder: 'claude',
      login: '.credentials.json',
      logs: ['projects'],
    },
    // It cannot replace itself in a confined session, nor needs to try.
    confined: (temporary) => ({ DISABLE_AUTOUPDATER: '1', CLAUDE_CODE_TMPDIR: temporary }),
  },
  screens: claudeScreens,
  preset: async () => (await import('./preset.ts')).claudePreset,
  confinement: async () => (await import('./confinement.ts')).claudeConfinement,
  runtime: async () => (await import('./runtime.ts')).claudeRuntime,
}
