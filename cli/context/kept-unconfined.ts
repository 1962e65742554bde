import { type Env, resolveHome } from '../../src/client/home.ts'

/** What a person is told until they decide, whose agents go on unconfined since they ran before confinement was the default. */
export const KEPT_UNCONFINED = 'agents of this home run unconfined, as they did before'
export const HOW_TO_DECIDE = '`gc confine on` confines them, `gc confine off` leaves them so'

/** Whether to tell a person so; no session is told. */
export async function areKeptUnconfined(env: Env): Promise<boolean> {
  if (env.GC_SESSION_ID) return false
  const { isKeptUnconfined } = await import('../../src/config/confinement/default-mode.ts')
  return isKeptUnconfined(resolveHome(env))
}
