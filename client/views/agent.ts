import { formatConfined } from '../../src/client/confined.ts'
import type { Output } from '../../src/client/operations.ts'
import { formatTime } from '../../src/client/text.ts'
import { actionsOfAgent, readAgent, splitAgent } from './agent-actions.ts'
import { originOf } from './configuration.ts'
import { amount, limitOf } from './figures.ts'
import { isOneOf, type Line, text } from './page.ts'
import { fieldLines, section } from './sections.ts'
import { toneOf } from './tones.ts'

type Agent = Output<'GET ~/agent/{base}'>
type Explained = Output<'GET ~/config/explain'>['agents'][number]
type Budget = Output<'GET ~/budgets'>['items'][number]
type Session = Output<'GET ~/sessions'>['items'][number]

const SESSIONS = 20

/** One agent: what is declared of it and where, its sessions and work, what limits it, and why it is held. */
export const agentPage = text({
  name: 'agent',
  about: 'agent',
  title: 'agent',
  help: 'one agent: its configuration, sessions, work and limits, and why it is held',
  isChangedBy: isOneOf('agent.', 'session.', 'bead.', 'config.', 'budget.', 'attention.'),
  load: async (reach) => {
    const { city, subject: name, signal } = reach
    const call = signal ? { signal } : {}
    const agent = await readAgent(reach)
    const template = agent.pool ?? name
    const [explained, budgets, sessions] = await Promise.all([
      city.call('GET ~/config/explain', call),
      city.call('GET ~/budgets', call),
      city.call('GET ~/sessions', { query: { template, state: 'all', limit: SESSIONS }, ...call }),
    ])
    const [newest] = sessions.items
    const denials = newest && (await city.call('GET ~/session/{id}/denials', { params: { id: newest.id }, ...call }))
    const { dir, base } = splitAgent(template)
    const declared = explained.agents.find((each) => each.name === base && (each.dir ?? '') === dir)
    const limits = budgets.items.filter((budget) => limitsAgent(budget, template, dir))
    const uncounted = budgets.uncounted.some((each) => each.agent === template)
    return {
      head: headLines(agent),
      lines: [
        ...fieldLines([...agentFields(agent), ['confined', denials && formatConfined(denials)]]),
        ...section('configuration', declared ? configurationLines(declared) : []),
        ...section('limits', limitLines(limits, uncounted)),
        ...section('sessions, newest first', sessions.items.map(sessionLine)),
      ],
      actions: actionsOfAgent(agent),
      opens: agent.session && { page: 'session', city: city.name, subject: agent.session.name },
    }
  },
})

function headLines({ name, state, unavailable_reason: why, idle_reason: idle, session }: Agent): Line[] {
  const opens = session ? ' · enter opens its session' : ''
  return [
    { text: `${name} · ${state}${opens}`, tone: toneOf(state) },
    ...(idle ? [{ text: `idle: ${idle}`, tone: why ? ('bad' as const) : ('warning' as const) }] : []),
  ]
}

const agentFields = (agent: Agent): [string, string | undefined][] => [
  ['purpose', agent.description],
  ['program', agent.display_name ?? agent.provider],
  ['model', agent.model],
  ['context', agent.context_pct === undefined ? undefined : `${agent.context_pct}% used`],
  ['pool', agent.pool],
  ['rig', agent.rig],
  ['works on', agent.active_bead],
  ['last output', agent.session?.last_activity && formatTime(agent.session.last_activity)],
  ['from pack', agent.pack],
]

/** Declarations, as in `gc config explain`. */
const configurationLines = ({ origin, ...rest }: Explained): Line[] =>
  fieldLines([
    ...Object.entries(rest).map(([key, value]): [string, string | undefined] => [
      key.replaceAll('_', ' '),
      asText(value),
    ]),
    ['declared', originOf(origin)],
  ])

const asText = (value: unknown): string | undefined => {
  if (value === undefined || value === '' || value === null) return undefined
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** A budget of the city or of its rig limits an agent as well. */
const limitsAgent = ({ scope, name = '' }: Budget, agent: string, rig: string): boolean =>
  scope === 'city' || name === (scope === 'agent' ? agent : rig)

const limitLines = (budgets: readonly Budget[], isUncounted: boolean): Line[] => [
  ...budgets.map(({ scope, name = '', spent, limit, unit, per, state }): Line => {
    const text = `${`${scope} ${name}`.trim().padEnd(24)} ${amount(spent, unit)} of ${limitOf({ limit, unit, per })} · ${state}`
    return { text, tone: state === 'exhausted' ? 'bad' : state === 'warned' ? 'warning' : 'plain' }
  }),
  ...(isUncounted
    ? [{ text: 'Its program does not report usage: no budget counts what it uses.', tone: 'warning' as const }]
    : []),
]

function sessionLine({ id, state, title, active_bead: bead, reason, metadata, created_at }: Session): Line {
  const shown = state || 'closed'
  const facts = [shown.padEnd(12), formatTime(created_at), bead, title, reason, metadata?.end_reason].filter(Boolean)
  return { text: `${id.padEnd(12)} ${facts.join('  ')}`, tone: toneOf(shown) }
}
