import { isNotNull } from 'drizzle-orm'
import { KEPT_UNCONFINED, keepUnconfined, readDefaultMode, readSaidMode } from '../config/confinement/default-mode.ts'
import type { ConfineMode } from '../config/declare/confine.ts'
import type { Store } from '../core/store.ts'
import type { SessionHost } from '../host/client/session-host.ts'
import type { Home } from './home.ts'
import { cities } from './table.ts'
import { TokenRequirement } from './token-requirement.ts'

interface BeginOptions {
  readonly home: Home
  readonly store: Store
  readonly host: Pick<SessionHost, 'status'>
  /** What the operator said of tokens; undefined where nothing was said. */
  readonly requireToken: boolean | undefined
  report(message: string): void
}

/** How agents are confined of which no line says it, and whether everybody is asked for a token from the first request on. */
export async function beginConfinement({ home, store, host, requireToken, report }: BeginOptions): Promise<{
  tokenRequirement: TokenRequirement
  defaultConfine: ConfineMode
}> {
  const tokenRequirement = new TokenRequirement({ wanted: requireToken, mark: home.confinedMark, report })
  const hosts = await host.status()
  if (hosts.every(({ sessions }) => sessions === 0)) tokenRequirement.forget()
  await keepAsBefore(home.path, store, report)
  const defaultConfine = readDefaultMode(home.path)
  if (defaultConfine !== 'off') tokenRequirement.demand('agents are to be confined unless they say otherwise')
  return { tokenRequirement, defaultConfine }
}

/** The first start of a home whose cities ran before sessions were confined by default lets them go on, and says so. */
async function keepAsBefore(home: string, store: Store, report: (message: string) => void): Promise<void> {
  const marked = isNotNull(cities.ranUnconfined)
  const [first] = store.read((orm) => orm.select().from(cities).where(marked).limit(1).all())
  if (!first) return
  if (readSaidMode(home).mode === undefined) {
    keepUnconfined(home)
    const { what, remedy } = KEPT_UNCONFINED
    report(
      `${what}: sessions are confined by default now, and ${home}/supervisor.toml says [confine] default = "off" since its cities are older; ${remedy}`,
    )
  }
  await store.write((tx) => void tx.orm.update(cities).set({ ranUnconfined: null }).where(marked).run())
}
