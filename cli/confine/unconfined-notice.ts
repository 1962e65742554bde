import { type Env, resolveHome } from '../../src/client/home.ts'

/** What to tell a person whose agents go on unconfined since they ran before confinement was the default; no session is told. */
export async function findKeptUnconfined(env: Env): Promise<{ what: string; remedy: string } | undefined> {
  if (env.GC_SESSION_ID) return undefined
  const defaultMode = await import('../../src/config/confinement/default-mode.ts')
  return defaultMode.findKeptUnconfined(resolveHome(env))
}
