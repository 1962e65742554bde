import type { AgentConfig } from '../../config/agents/index.ts'
import { agentNamed, type CityConfig } from '../../config/city/index.ts'
import type { ConfineMode } from '../../config/declare/index.ts'
import { type CountedDenial, outerSession, readDenials } from '../../host/confine/index.ts'
import { isRunning, type SessionResolver, type SessionRow } from '../../work/sessions/index.ts'
import { type Around, allowingLine, allowingLines } from './allowing-line.ts'
import { type ConfinementPlace, confinableOf, privateFolder } from './confinement.ts'
import type { Denial, DenialList } from './schema.ts'
import type { UnconfinedSessions } from './unconfined.ts'

interface DenialsOptions {
  readonly place: Pick<ConfinementPlace, 'path' | 'home'>
  readonly config: { readonly current: CityConfig }
  readonly sessions: Pick<SessionResolver, 'resolve'>
  readonly unconfined: Pick<UnconfinedSessions, 'has'>
}

/** Denied accesses of a city's sandboxed sessions. */
export class Denials {
  #inherited: boolean | undefined

  constructor(private readonly options: DenialsOptions) {}

  /** True if gc runs in a confined session itself; that never changes. */
  get #isInherited(): boolean {
    this.#inherited ??= outerSession() !== undefined
    return this.#inherited
  }

  /** Denials of a session since it was created. */
  list(id: string): DenialList {
    const { place, config, sessions, unconfined } = this.options
    const row = sessions.resolve(id, { past: true })
    const agent = row.kind === 'agent' ? agentNamed(config.current, row.template) : undefined
    const counted = readDenials(privateFolder(place.path, row.id))
    const around = { gcHome: place.home, city: place.path, rigs: config.current.rigs, rig: agent?.dir }
    const items = counted.map((denial) => toView(denial, around)).sort((a, b) => b.count - a.count)
    const confinable = confinableOf(row, agent, config.current)
    const { values = {}, origins } = confinable?.confineTable ?? {}
    const word = origins?.mode?.key === 'confine' ? values.mode : undefined
    const lines = allowingLines(counted, around, { ...values, word })
    return {
      ...{ session_id: row.id, confine: this.#modeOf(row, agent), items },
      ...(isRunning(row) && row.confined !== null && { confined: row.confined }),
      ...(agent && agent.confine !== 'off' && this.#isInherited && { inherited: true }),
      ...(unconfined.has(row) && { unconfined: true }),
      ...(confinable &&
        lines.length > 0 && {
          allowing: { lines, table: confinable.declared, ...(word && { replaces: `confine = "${word}"` }) },
        }),
      total: items.reduce((sum, { count }) => sum + count, 0),
    }
  }

  #modeOf({ kind }: Pick<SessionRow, 'kind'>, agent: AgentConfig | undefined): ConfineMode {
    if (agent) return agent.confine
    return kind === 'agent' ? 'off' : this.options.config.current.defaultConfine
  }
}

function toView(denial: CountedDenial, around: Around): Denial {
  const { call, target, count, lastAt } = denial
  const allow = allowingLine(denial, around)
  return { call, target, count, last_at: lastAt, ...(allow !== undefined && { allow }) }
}
