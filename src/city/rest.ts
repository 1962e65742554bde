import type { AttentionList } from '../agents/attention/index.ts'
import type { StampedFiles } from '../config/files/index.ts'
import { LOCK_FILE } from '../config/packs/index.ts'
import type { NumberMetric } from '../core/metrics/index.ts'
import { cityMetrics } from './metrics.ts'
import type { CityServices } from './services.ts'

/**
 * State of a city in which nothing would happen if it were opened, as JSON: it needs to be opened only when somebody asks
 * it for something, its files change, or something is due.
 */
export interface Rest {
  /** Fingerprint of its database. */
  readonly database: string
  readonly files: StampedFiles
  /** The number of its newest event. */
  readonly head: number
  readonly closedAt: number
  /** The first moment at which something is due; absent without one. */
  readonly due?: number
  /** Text of the lock file of its packs; absent without one. */
  readonly packsLock?: string
  readonly metrics: readonly NumberMetric[]
}

/** Rest of a city that is about to be closed, without the fingerprint of its database. */
export type ExpectedRest = Omit<Rest, 'database'>

/**
 * Rest of a running city; undefined when opening it again would start, notify or write something. Intervals of upkeep do
 * not count: upkeep runs whenever a city opens.
 */
export function expectRest(city: CityServices): ExpectedRest | undefined {
  const { due, hasTerm } = city.deadlines.waiting()
  if (hasTerm || isBusy(city) || demandsTokens(city) || startsSomething(city)) return undefined
  const files = city.config.stamp()
  if (!files) return undefined
  const packsLock = city.config.composition.files.city.text(LOCK_FILE)
  return {
    files,
    head: city.log.head,
    closedAt: city.clock.now(),
    ...(due !== undefined && { due }),
    ...(packsLock !== undefined && { packsLock }),
    metrics: cityMetrics(city),
  }
}

/** True if something is under way, or waits for somebody. */
function isBusy({
  store,
  reactions,
  reconciler,
  sessionRepository,
  attention,
  landings,
  ...city
}: CityServices): boolean {
  return (
    store.problem !== undefined ||
    !reactions.isIdle ||
    !reconciler.isIdle ||
    sessionRepository.live().length > 0 ||
    !attention.isIdle ||
    waitsForChange(attention.list()) ||
    landings.rows.rigs().length > 0 ||
    city.changeRows.undecided().length > 0 ||
    city.networkAccounts.rows().length > 0
  )
}

/** Items that end by a request or an event only; others may end by what happens outside of the city, such as a login. */
const LASTING: ReadonlySet<string> = new Set(['unrouted', 'mail', 'parked'])

const waitsForChange = ({ items, muted = [] }: AttentionList): boolean =>
  muted.length > 0 || items.some(({ kind }) => !LASTING.has(kind))

/** True if the guard needs the open city: for its tokens, its secrets or its confined agents. */
const demandsTokens = ({ tokens, config, defaultConfine }: CityServices): boolean =>
  tokens.listLive().length > 0 ||
  !config.secrets.isEmpty ||
  (defaultConfine === 'off' && config.current.agents.some(({ confine }) => confine !== 'off'))

/** True if opening the city runs commands that its files declare. */
const startsSomething = ({ config: { current } }: CityServices): boolean =>
  current.services.length > 0 || current.agents.some(({ onBoot }) => onBoot !== undefined)
