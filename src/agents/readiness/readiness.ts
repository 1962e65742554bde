import type { Clock } from '../../core/clock.ts'
import type { Deadlines } from '../../core/deadlines.ts'
import { AppError, errorMessage } from '../../core/errors.ts'
import type { ProcessTokens } from '../../http/process-tokens.ts'
import type { ProbeResult } from '../../programs/parts/index.ts'
import { ProgramInspector } from './inspector.ts'
import { DEFAULT_ITEMS, DEFAULT_PROVIDERS, PROBES, type Probe } from './probes.ts'
import type { ProviderReadinessQuery, ProviderReadinessResponse, ReadinessQuery, ReadinessResponse } from './schema.ts'

interface ReadinessDependencies {
  clock: Clock
  deadlines: Deadlines
  env: Readonly<Record<string, string | undefined>>
  tokens: ProcessTokens
}

/** Time a result is reused. */
const CACHE_MS = 2000

interface CachedResult {
  checkedAt: number
  /** True if the probe still runs: later callers wait for the same result. */
  isRunning: boolean
  result: Promise<ProbeResult>
}

/** True if the programs that agents run are installed and logged in. */
export class Readiness {
  readonly #cache = new Map<string, CachedResult>()
  readonly #inspector: ProgramInspector

  constructor(private readonly dependencies: ReadinessDependencies) {
    this.#inspector = new ProgramInspector(dependencies.env, dependencies.deadlines, dependencies.tokens)
  }

  /** The readiness of providers and tools. `prefix` begins the message of an error. */
  async items({ items, fresh }: ReadinessQuery, prefix = ''): Promise<ReadinessResponse> {
    const probes = selectProbes(items, DEFAULT_ITEMS, () => true, `${prefix}unsupported items value`)
    const results = await this.#runAll(probes, fresh)
    return {
      items: Object.fromEntries(
        results.map(([name, { kind, displayName }, result]) => [
          name,
          { name, kind, display_name: displayName, ...result },
        ]),
      ),
    }
  }

  /** The readiness of providers. */
  async providers({ providers, fresh }: ProviderReadinessQuery, prefix = ''): Promise<ProviderReadinessResponse> {
    const isProvider = ({ kind }: Probe) => kind === 'provider'
    const probes = selectProbes(providers, DEFAULT_PROVIDERS, isProvider, `${prefix}unsupported providers value`)
    const results = await this.#runAll(probes, fresh)
    return {
      providers: Object.fromEntries(
        results.map(([name, { displayName }, result]) => [name, { display_name: displayName, ...result }]),
      ),
    }
  }

  #runAll(probes: readonly (readonly [string, Probe])[], fresh = false) {
    return Promise.all(
      probes.map(async ([name, probe]) => [name, probe, await this.#resultOf(name, probe, fresh)] as const),
    )
  }

  #resultOf(name: string, probe: Probe, fresh: boolean): Promise<ProbeResult> {
    const now = this.dependencies.clock.now()
    const cached = this.#cache.get(name)
    if (cached?.isRunning || (cached && !fresh && Math.abs(now - cached.checkedAt) < CACHE_MS)) return cached.result
    const started: CachedResult = { checkedAt: now, isRunning: true, result: this.#run(probe) }
    void started.result.finally(() => {
      started.isRunning = false
    })
    this.#cache.set(name, started)
    return started.result
  }

  async #run(probe: Probe): Promise<ProbeResult> {
    if (!this.#inspector.findProgram(probe.program)) {
      return {
        status: 'not_installed',
        detail: `there is no program ${probe.program}; install it: ${probe.install}`,
      }
    }
    try {
      const [result, obstacle] = await Promise.all([probe.check(this.#inspector), probe.obstacle?.(this.#inspector)])
      if (result.status !== 'configured' || !obstacle) return result
      return { status: 'invalid_configuration', detail: `${obstacle.reason}; ${obstacle.fix}` }
    } catch (error) {
      return { status: 'probe_error', detail: errorMessage(error) }
    }
  }
}

/** The probes of a list of names; fails for a name that has none. */
function selectProbes(
  list: string | undefined,
  defaults: readonly string[],
  isSupported: (probe: Probe) => boolean,
  errorPrefix: string,
): (readonly [string, Probe])[] {
  const names = (list ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
  return [...new Set(names.length > 0 ? names : defaults)].map((name) => {
    const probe = PROBES.get(name)
    if (probe && isSupported(probe)) return [name, probe] as const
    const known = [...PROBES].flatMap(([each, probe]) => (isSupported(probe) ? each : []))
    throw new AppError('invalid-request', `${errorPrefix} "${name}"; there are ${known.join(', ')}`)
  })
}
