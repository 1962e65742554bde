import type { CatalogueCode } from '../../src/core/error-catalogue.ts'
import { isWork } from '../bead/work.ts'
import type { CommandContext } from '../context/context.ts'

/** A name that may be typed, and what it stands for in a few words. */
export interface Named {
  name: string
  about?: string | undefined
}

/** Kind of names of a placeholder: `<agent>` is the name of an agent wherever it is declared. */
export interface Kind {
  /** The code with which the server says that there is none of a name. */
  readonly missing: CatalogueCode
  /** The names there are now, at most some hundreds. */
  list(context: CommandContext): Promise<Named[]>
}

/** Maximum number of names one list holds: the newest. */
const MAX = 300
const query = { limit: MAX }

const agent: Kind = {
  missing: 'agent-not-found',
  async list(context) {
    const { items } = await (await context.city()).call('GET ~/agents')
    const names = items.map(({ name, pool, description }) => [pool ?? name, description] as const)
    return [...new Map(names)].map(([name, about]) => ({ name, about }))
  },
}

const session: Kind = {
  missing: 'session-not-found',
  async list(context) {
    const { items } = await (await context.city()).call('GET ~/sessions', { query })
    return items.flatMap(({ id, alias, template, title }) => [
      { name: id, about: [alias ?? template, title].filter(Boolean).join(': ') },
      ...(alias ? [{ name: alias, about: title }] : []),
    ])
  },
}

const bead: Kind = {
  missing: 'bead-not-found',
  async list(context) {
    const { items } = await (await context.city()).call('GET ~/beads', { query })
    return items.filter(isWork).map(({ id, title }) => ({ name: id, about: title }))
  },
}

const convoy: Kind = {
  missing: 'convoy-not-found',
  async list(context) {
    const { items } = await (await context.city()).call('GET ~/convoys', { query })
    return items.map(({ id, title }) => ({ name: id, about: title }))
  },
}

const run: Kind = {
  missing: 'run-not-found',
  async list(context) {
    const { runs } = await (await context.city()).call('GET ~/runs', { query })
    return runs.map(({ run_id, formula, title }) => ({ name: run_id, about: title || formula }))
  },
}

const workflow: Kind = { ...run, missing: 'workflow-not-found' }

const mail: Kind = {
  missing: 'mail-not-found',
  async list(context) {
    const { items } = await (await context.city()).call('GET ~/mail', { query: { ...query, status: 'all' } })
    return items.map(({ id, from, subject }) => ({ name: id, about: `${from}: ${subject}` }))
  },
}

const wait: Kind = {
  missing: 'wait-not-found',
  async list(context) {
    const { waits } = await (await context.city()).call('GET ~/waits')
    return waits.slice(0, MAX).map(({ id, kind }) => ({ name: id, about: kind }))
  },
}

const formula: Kind = {
  missing: 'formula-not-found',
  async list(context) {
    const city = await context.city()
    const rig = await context.rig(city, undefined)
    const { formulas } = await city.call('GET ~/formula-files', { query: { ...(rig && { rig }) } })
    return formulas.map(({ name, catalog }) => ({ name, about: catalog?.description }))
  },
}

const order: Kind = {
  missing: 'order-not-found',
  async list(context) {
    const { orders } = await (await context.city()).call('GET ~/order-files')
    return orders.map(({ scoped_name, description }) => ({ name: scoped_name, about: description }))
  },
}

const rig: Kind = {
  missing: 'rig-not-found',
  async list(context) {
    const { items } = await (await context.city()).call('GET ~/rigs')
    return items.map(({ name, path }) => ({ name, about: path }))
  },
}

const city: Kind = {
  missing: 'city-not-found',
  async list(context) {
    return (await context.cities()).map(({ name, path }) => ({ name, about: path }))
  },
}

const service: Kind = {
  missing: 'service-not-found',
  async list(context) {
    const { items } = await (await context.city()).call('GET ~/services')
    return (items ?? []).map(({ service_name, state }) => ({ name: service_name, about: state }))
  },
}

const webhook: Kind = {
  missing: 'webhook-not-found',
  async list(context) {
    const { items } = await (await context.city()).call('GET ~/webhooks')
    return (items ?? []).map(({ name }) => ({ name }))
  },
}

const conversation: Kind = {
  missing: 'conversation-not-found',
  async list(context) {
    const { items } = await (await context.city()).call('GET ~/extmsg/conversations', { query })
    return items.map(({ id, conversation: { provider, conversation_id } }) => ({
      name: id,
      about: `${provider} ${conversation_id}`,
    }))
  },
}

const provider: Kind = {
  missing: 'provider-not-found',
  async list(context) {
    const { items } = await (await context.city()).call('GET ~/providers')
    return (items ?? []).map(({ name, display_name }) => ({ name, about: display_name }))
  },
}

const account: Kind = {
  missing: 'account-not-found',
  async list(context) {
    const { items } = await (await context.city()).call('GET ~/accounts')
    return items.map(({ name, provider }) => ({ name, about: provider }))
  },
}

const question: Kind = {
  missing: 'question-not-found',
  async list(context) {
    const { items } = await (await context.city()).call('GET ~/attention')
    return items.flatMap(({ id, asks }) => {
      const number = /^question:(\d+)$/.exec(id)?.[1]
      return number === undefined ? [] : [{ name: number, about: asks }]
    })
  },
}

const rule: Kind = {
  missing: 'rule-not-found',
  async list(context) {
    const { items } = await (await context.city()).call('GET ~/rules')
    return items.map(({ id, kind, value }) => ({ name: id, about: `${kind} ${value}` }))
  },
}

const attentionKind: Kind = {
  missing: 'attention-kind-not-found',
  async list(context) {
    const { items } = await (await context.city()).call('GET ~/attention-kinds')
    return items.map(({ kind, meaning }) => ({ name: kind, about: meaning }))
  },
}

const person: Kind = {
  missing: 'person-not-found',
  async list(context) {
    const { items } = await context.client.call('GET /v0/people')
    return items.map(({ name, grants }) => ({ name, about: grants.join(', ') }))
  },
}

const pack: Kind = {
  missing: 'pack-not-found',
  async list(context) {
    const { packs } = await (await context.city()).call('GET ~/packs')
    return (packs ?? []).map(({ name }) => ({ name }))
  },
}

const snapshot: Kind = {
  missing: 'snapshot-not-found',
  async list(context) {
    const { items } = await (await context.city()).call('GET ~/worktrees/snapshots')
    return items.slice(0, MAX).map(({ id, reason, bead_id }) => ({ name: id, about: bead_id ?? reason }))
  },
}

const change: Kind = {
  missing: 'change-not-found',
  async list(context) {
    const { items } = await (await context.city()).call('GET ~/changes', { query })
    return items.map(({ id, title, branch }) => ({ name: id, about: title ?? branch }))
  },
}

const landing: Kind = {
  missing: 'landing-not-found',
  async list(context) {
    const { items } = await (await context.city()).call('GET ~/landings')
    return items.slice(0, MAX).map(({ id, branch, state }) => ({ name: id, about: `${branch} (${state})` }))
  },
}

const topic: Kind = {
  missing: 'topic-not-found',
  list: async () =>
    (await import('../../src/manual/pages.ts')).PAGES.map(({ topic: name, about }) => ({ name, about })),
}

const KINDS: Readonly<Record<string, Kind>> = {
  ...{ agent, session, bead, convoy, run, mail, wait, formula, order, rig, city, service, webhook, provider },
  ...{ conversation },
  'attention-kind': attentionKind,
  ...{ rule, account, question, pack, person, workflow, snapshot, change, landing, topic },
}

/** Placeholders that are called otherwise, since more than one kind may stand there or a better word is known. */
const OTHER_WORDS: Readonly<Record<string, readonly string[]>> = {
  who: ['session', 'agent'],
  session: ['session', 'agent'],
  assignee: ['session', 'agent'],
  molecule: ['bead'],
}

/** The kinds of names that a placeholder is for: `<bead>`, `[beads...]`, `<agent|bead>`, `<other-bead>`. */
export function kindsOf(placeholder: string): Kind[] {
  const words = placeholder
    .split('|')
    .map((word) => (KINDS[word] ? word : word.slice(word.lastIndexOf('-') + 1).replace(/s$/, '')))
  return words.flatMap((word) => OTHER_WORDS[word] ?? word).flatMap((word) => KINDS[word] ?? [])
}

/** The kind of what there is none of, by the code of the error. */
export const missingKind = (code: string): Kind | undefined =>
  Object.values(KINDS).find(({ missing }) => missing === code)
