import type { Program, ProgramHome } from '../program.ts'
import { opencodeScreens } from './screens.ts'

/** Its database is one, whichever models it uses. */
const DATA: ProgramHome = {
  ...{ variable: 'XDG_DATA_HOME', usual: '.local/share', folder: 'data' },
  logs: ['opencode/opencode.db', 'opencode/opencode.db-wal', 'opencode/opencode.db-shm'],
}

export const opencode: Program = {
  name: 'opencode',
  home: { ...DATA, login: 'opencode/auth.json' },
  screens: opencodeScreens,
  preset: async () => (await import('./preset.ts')).opencodePreset,
  confinement: async () => (await import('./confinement.ts')).opencodeConfinement,
  runtime: async () => (await import('./runtime.ts')).opencodeRuntime,
}

export const mimocode: Program = {
  name: 'mimocode',
  preset: async () => (await import('./preset.ts')).mimocodePreset,
  runtime: async () => (await import('./runtime.ts')).mimocodeRuntime,
}

export const groq: Program = {
  ...opencode,
  name: 'groq',
  home: DATA,
  preset: async () => (await import('./preset.ts')).groqPreset,
  confinement: async () => (await import('./confinement.ts')).withModelConfinement,
  runtime: async () => (await import('./runtime.ts')).withModelRuntime,
}

export const cerebras: Program = {
  ...groq,
  name: 'cerebras',
  preset: async () => (await import('./preset.ts')).cerebrasPreset,
}
