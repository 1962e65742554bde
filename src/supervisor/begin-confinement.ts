import { readDefaultMode } from '../config/confinement/default-mode.ts'
import type { ConfineMode } from '../config/declare/confine.ts'
import type { SessionHost } from '../host/client/session-host.ts'
import type { Home } from './home.ts'
import { TokenRequirement } from './token-requirement.ts'

interface BeginOptions {
  readonly home: Home
  readonly host: Pick<SessionHost, 'status'>
  /** What the operator said of tokens; undefined where nothing was said. */
  readonly requireToken: boolean | undefined
  report(message: string): void
}

/** How agents are confined of which no line says it, and whether everybody is asked for a token from the first request on. */
export async function beginConfinement({ home, host, requireToken, report }: BeginOptions): Promise<{
  tokenRequirement: TokenRequirement
  defaultConfine: ConfineMode
}> {
  const tokenRequirement = new TokenRequirement({ wanted: requireToken, mark: home.confinedMark, report })
  const hosts = await host.status()
  if (hosts.every(({ sessions }) => sessions === 0)) tokenRequirement.forget()
  const defaultConfine = readDefaultMode(home.path)
  if (defaultConfine !== 'off') tokenRequirement.demand('agents are to be confined unless they say otherwise')
  return { tokenRequirement, defaultConfine }
}
