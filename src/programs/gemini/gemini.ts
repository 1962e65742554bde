import type { Program } from '../program.ts'
import { geminiScreens } from './screens.ts'

export const gemini: Program = {
  name: 'gemini',
  home: { variable: 'GEMINI_CLI_HOME', folder: 'gemini' },
  screens: geminiScreens,
  preset: async () => (await import('./preset.ts')).geminiPreset,
  runtime: async () => (await import('./runtime.ts')).geminiRuntime,
}

export const antigravity: Program = {
  name: 'antigravity',
  preset: async () => (await import('./preset.ts')).antigravityPreset,
}
