import type { Clock } from '../../core/clock.ts'
import type { Deadlines } from '../../core/deadlines.ts'
import { AppError, errorMessage } from '../../core/errors.ts'
import { Look } from './inspector.ts'
import { type Finding, PROBES, type Probe } from './probes.ts'
import type { ProviderReadinessQuery, ProviderReadinessResponse, ReadinessQuery, ReadinessResponse } from './schema.ts'

interface Needs {
  clock: Clock
  deadlines: Deadlines
  env: Readonly<Record<string, string | undefined>>
}

/** How long what was seen is believed. */
const KEPT_MS = 2000
const ITEMS = ['claude', 'codex', 'gemini', 'github_cli']
const PROVIDERS = ['claude', 'codex', 'gemini']

interface Seen {
  at: number
  /** Being looked for just now: whoever asks meanwhile waits for the same. */
  looking: boolean
  finding: Promise<Finding>
}

/** Whether the programs that agents run are installed and logged in. */
export class Readiness {
  readonly #seen = new Map<string, Seen>()
  readonly #look: Look

  constructor(private readonly needs: Needs) {
    this.#look = new Look(needs.env, needs.deadlines)
  }

  /** Providers and tools. `prefix` stands before a refusal. */
  async items({ items, fresh }: ReadinessQuery, prefix = ''): Promise<ReadinessResponse> {
    const wanted = asked(items, ITEMS, () => true, `${prefix}unsupported items value`)
    const found = await this.#all(wanted, fresh)
    return {
      items: Object.fromEntries(
        found.map(([name, { kind, displayName }, finding]) => [
          name,
          { name, kind, display_name: displayName, ...finding },
        ]),
      ),
    }
  }

  /** Providers alone. */
  async providers({ providers, fresh }: ProviderReadinessQuery, prefix = ''): Promise<ProviderReadinessResponse> {
    const isProvider = ({ kind }: Probe) => kind === 'provider'
    const wanted = asked(providers, PROVIDERS, isProvider, `${prefix}unsupported providers value`)
    const found = await this.#all(wanted, fresh)
    return {
      providers: Object.fromEntries(
        found.map(([name, { displayName }, finding]) => [name, { display_name: displayName, ...finding }]),
      ),
    }
  }

  #all(wanted: readonly (readonly [string, Probe])[], fresh = false) {
    return Promise.all(
      wanted.map(async ([name, probe]) => [name, probe, await this.#find(name, probe, fresh)] as const),
    )
  }

  #find(name: string, probe: Probe, fresh: boolean): Promise<Finding> {
    const now = this.needs.clock.now()
    const seen = this.#seen.get(name)
    if (seen?.looking || (seen && !fresh && Math.abs(now - seen.at) < KEPT_MS)) return seen.finding
    const looked: Seen = { at: now, looking: true, finding: this.#probe(probe) }
    void looked.finding.finally(() => {
      looked.looking = false
    })
    this.#seen.set(name, looked)
    return looked.finding
  }

  async #probe(probe: Probe): Promise<Finding> {
    if (!this.#look.find(probe.program)) {
      return { status: 'not_installed', detail: `there is no program ${probe.program}` }
    }
    try {
      return await probe.check(this.#look)
    } catch (error) {
      return { status: 'probe_error', detail: errorMessage(error) }
    }
  }
}

/** The probes of a list of names; refuses a name there is none for. */
function asked(
  list: string | undefined,
  usual: readonly string[],
  fits: (probe: Probe) => boolean,
  refusal: string,
): (readonly [string, Probe])[] {
  const names = (list ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
  return [...new Set(names.length > 0 ? names : usual)].map((name) => {
    const probe = PROBES.get(name)
    if (probe && fits(probe)) return [name, probe] as const
    throw new AppError('invalid-request', `${refusal} "${name}"`)
  })
}
