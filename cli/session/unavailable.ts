import type { CityClient } from '../../src/client/client.ts'
import { sanitizeLine } from '../../src/client/text.ts'
import type { SessionResponse } from '../../src/work/sessions/index.ts'
import type { Io } from '../io/io.ts'

/** Warns on standard error which agents cannot be started and why: all that a person did not suspend, or `only` one. */
export async function warnUnavailable(io: Io, city: CityClient, only?: string): Promise<void> {
  const { items } = await city.call('GET ~/agents')
  const reasons = new Map(
    items.flatMap(({ name, pool = name, suspended, unavailable_reason: why }) =>
      why === undefined || (suspended && only === undefined) ? [] : [[pool, why] as const],
    ),
  )
  for (const [agent, why] of reasons) {
    if (agent === only || only === undefined) {
      io.err(`gc: ${agent} cannot be started: ${sanitizeLine(why)}; its work stays queued until you fix this\n`)
    }
  }
}

/** Warns on standard error about configuration without effect. */
export async function warnConfiguration(io: Io, city: CityClient): Promise<void> {
  const { warnings } = await city.call('GET ~/config/validate')
  for (const warning of warnings) io.err(`gc: ${sanitizeLine(warning)}\n`)
}

/** The reason for the state of a session: a hold by name, and how it ended. */
export const whyOf = ({ reason, metadata }: SessionResponse): string | undefined =>
  [reason, metadata?.end_reason].filter(Boolean).join(': ') || undefined

/** The same in brackets, within a sentence. */
export function because(session: SessionResponse): string {
  const why = whyOf(session)
  return why === undefined ? '' : ` (${sanitizeLine(why)})`
}
