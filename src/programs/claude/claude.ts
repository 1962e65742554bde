import type { Program } from '../program.ts'

export const claude: Program = {
  name: 'claude',
  home: { variable: 'CLAUDE_CONFIG_DIR', folder: 'claude' },
  preset: async () => (await import('./preset.ts')).claudePreset,
  runtime: async () => (await import('./runtime.ts')).claudeRuntime,
}
