import { type Env, resolveHome } from '../../src/client/home.ts'

/** A notice for users whose agents stay unconfined because they ran before confinement was the default; none in sessions. */
export async function findUnconfinedNotice(env: Env): Promise<{ what: string; remedy: string } | undefined> {
  if (env.GC_SESSION_ID) return undefined
  const defaultMode = await import('../../src/config/confinement/default-mode.ts')
  return defaultMode.findKeptUnconfined(resolveHome(env))
}
