import type { Program } from '../program.ts'
import { geminiScreens } from './screens.ts'

export const gemini: Program = {
  name: 'gemini',
  home: {
    ...{ variable: 'GEMINI_CLI_HOME', usual: '', folder: 'gemini' },
    ...{ login: '.gemini/oauth_creds.json', logs: ['.gemini/projects.json', '.gemini/tmp'] },
  },
  screens: geminiScreens,
  preset: async () => (await import('./preset.ts')).geminiPreset,
  confinement: async () => (await import('./confinement.ts')).geminiConfinement,
  runtime: async () => (await import('./runtime.ts')).geminiRuntime,
}

export const antigravity: Program = {
  name: 'antigravity',
  preset: async () => (await import('./preset.ts')).antigravityPreset,
  runtime: async () => (await import('./runtime.ts')).antigravityRuntime,
}
