import type { Program } from '../program.ts'

export const claude: Program = {
  name: 'claude',
  runtime: async () => (await import('./runtime.ts')).claudeRuntime,
}
