import type { Program } from '../program.ts'
import { opencodeScreens } from './screens.ts'

export const opencode: Program = {
  name: 'opencode',
  home: { variable: 'XDG_DATA_HOME', folder: 'data' },
  screens: opencodeScreens,
  preset: async () => (await import('./preset.ts')).opencodePreset,
  runtime: async () => (await import('./runtime.ts')).opencodeRuntime,
}

export const mimocode: Program = {
  name: 'mimocode',
  preset: async () => (await import('./preset.ts')).mimocodePreset,
}

export const groq: Program = {
  ...opencode,
  name: 'groq',
  preset: async () => (await import('./preset.ts')).groqPreset,
  runtime: async () => (await import('./runtime.ts')).withModelRuntime,
}

export const cerebras: Program = {
  ...groq,
  name: 'cerebras',
  preset: async () => (await import('./preset.ts')).cerebrasPreset,
}
