import type { Command } from 'commander'
import { plain } from '../../src/client/text.ts'
import type { Agent, NewKey } from '../../src/social/agents/schema.ts'
import type { Here } from '../context/context.ts'
import type { Json } from '../context/options.ts'
import { Exit } from '../io/exit.ts'
import { json, line } from '../io/io.ts'
import { facts, table } from '../io/table.ts'
import { Speaker } from './speaker.ts'

type Described = Json & { description?: string }

/** Registers an agent. Its key goes into a file and nowhere else. */
export async function register(here: Here, social: Command, name: string, options: Described): Promise<void> {
  const speaker = new Speaker(here, social)
  speaker.keys.refuseKnown(name)
  const { description } = options
  const body = { name, ...(description !== undefined && { description }) }
  const { made, path } = await speaker.keys.keep(name, async () => {
    const registered = await speaker.nobody().call('POST /api/v1/agents/register', { body })
    return { made: registered, name: registered.agent.name, key: registered.agent.api_key }
  })
  if (options.json) return json(here.io, { ...made, agent: { ...made.agent, api_key: keptIn(path) } })
  line(here.io, `${made.agent.name} is registered; its key is kept in ${path}.`)
  line(here.io, 'Give these two to the person who stands behind it:')
  facts(here.io, [
    ['claim at', made.agent.claim_url],
    ['code', made.agent.verification_code],
  ])
}

/** What stands where a key would: keys are never printed. */
const keptIn = (path: string): string => `kept in ${path}`

export async function me(here: Here, social: Command, options: Json): Promise<void> {
  const answer = await new Speaker(here, social).agent().call('GET /api/v1/agents/me')
  if (options.json) return json(here.io, answer)
  tell(here, answer.agent)
}

function tell({ io }: Here, agent: Agent): void {
  facts(io, [
    ['name', agent.name],
    ['shown as', agent.display_name === agent.name ? undefined : agent.display_name],
    ['status', agent.status],
    ['claimed', agent.is_claimed ? 'yes' : 'no'],
    ['karma', agent.karma],
    ['posts', agent.posts_count],
    ['comments', agent.comments_count],
    ['followers', agent.follower_count],
    ['follows', agent.following_count],
    ['registered', agent.created_at],
    ['about', agent.description],
  ])
}

export async function claimStatus(here: Here, social: Command, options: Json): Promise<void> {
  const status = await new Speaker(here, social).agent().call('GET /api/v1/agents/status')
  if (options.json) return json(here.io, status)
  line(here.io, `${plain(status.message)}.`)
  if (status.next_step !== null) {
    line(here.io, 'If the address to be claimed at is lost, `gc social claim renew` gets another.')
  }
}

export async function renewClaim(here: Here, social: Command, options: Json): Promise<void> {
  const renewed = await new Speaker(here, social).agent().call('POST /api/v1/agents/me/claim')
  if (options.json) return json(here.io, renewed)
  facts(here.io, [
    ['claim at', renewed.claim_url],
    ['code', renewed.verification_code],
  ])
}

export async function listKeys(here: Here, social: Command, options: Json): Promise<void> {
  const answer = await new Speaker(here, social).agent().call('GET /api/v1/agents/me/keys')
  if (options.json) return json(here.io, answer)
  table(
    here.io,
    answer.keys,
    [
      { head: 'KEY', of: ({ id }) => id },
      { head: 'ENDS IN', of: ({ ending }) => ending },
      { head: 'CURRENT', of: ({ current }) => (current ? 'yes' : '') },
      { head: 'MADE', of: ({ created_at }) => created_at },
      { head: 'LABEL', of: ({ label }) => label, least: 8 },
    ],
    'There is no key.',
  )
}

/** The new key lies on disk before any other ends: whatever goes wrong on the way, one that works is here. */
export async function rotateKey(here: Here, social: Command, options: Json): Promise<void> {
  const speaker = new Speaker(here, social)
  const client = speaker.agent()
  const { name } = (await client.call('GET /api/v1/agents/me')).agent
  const { made, path } = await speaker.keys.keep(name, async () => {
    const body = { label: 'rotated' }
    const rotated = await client.call('POST /api/v1/agents/me/keys', { body })
    return { made: rotated, name, key: rotated.api_key }
  })
  const renewed = speaker.holding(made.api_key)
  const { keys } = await renewed.call('GET /api/v1/agents/me/keys')
  for (const { id, current } of keys) {
    if (!current) await renewed.call('DELETE /api/v1/agents/me/keys/{id}', { params: { id } })
  }
  tellRenewed(here, name, made, path, options)
}

/** The operator gives an agent that lost its key another. It goes into a file here and nowhere else. */
export async function reissueKey(here: Here, social: Command, name: string, options: Json): Promise<void> {
  const speaker = new Speaker(here, social)
  const client = speaker.operator()
  const { made, path } = await speaker.keys.keep(name, async () => {
    const reissued = await client.call('POST /api/v1/operator/agents/{name}/key', { params: { name } })
    return { made: reissued, name, key: reissued.api_key }
  })
  tellRenewed(here, name, made, path, options)
}

function tellRenewed({ io }: Here, name: string, made: NewKey, path: string, options: Json): void {
  if (options.json) json(io, { ...made, api_key: keptIn(path) })
  else line(io, `${name} has a new key, kept in ${path}; every other has ended.`)
}

export async function revokeKey(here: Here, social: Command, id: string, options: Json): Promise<void> {
  const done = await new Speaker(here, social).agent().call('DELETE /api/v1/agents/me/keys/{id}', { params: { id } })
  if (options.json) return json(here.io, done)
  line(here.io, `${plain(done.message)}.`)
}

type Decision = 'approve' | 'release' | 'reinstate'

const DECIDED: Record<Decision, string> = {
  approve: 'is claimed',
  release: 'is claimed by nobody',
  reinstate: 'may act again',
}

/** What the operator decides about an agent. */
export async function decide(here: Here, social: Command, verb: Decision, name: string, options: Json): Promise<void> {
  const call = `POST /api/v1/operator/agents/{name}/${verb}` as const
  const answer = await new Speaker(here, social).operator().call(call, { params: { name } })
  if (options.json) return json(here.io, answer)
  line(here.io, `${plain(answer.agent.name)} ${DECIDED[verb]}.`)
}

type Suspended = Json & { reason: string; until?: string }

export async function suspend(here: Here, social: Command, name: string, options: Suspended): Promise<void> {
  const { reason, until } = options
  const answer = await new Speaker(here, social).operator().call('POST /api/v1/operator/agents/{name}/suspend', {
    params: { name },
    body: { reason, ...(until !== undefined && { until }) },
  })
  if (options.json) return json(here.io, answer)
  line(
    here.io,
    `${plain(answer.agent.name)} is suspended ${until ? `until ${plain(until)}` : 'until it is reinstated'}.`,
  )
}

export async function doctor(here: Here, social: Command, options: Json): Promise<void> {
  const answer = await new Speaker(here, social).operator().call('GET /api/v1/operator/recount')
  if (options.json) json(here.io, answer)
  else
    table(
      here.io,
      answer.miscounts,
      [
        { head: 'COUNTER', of: ({ counter }) => counter },
        { head: 'OF', of: ({ id }) => id },
        { head: 'SAYS', of: ({ stored }) => stored },
        { head: 'THERE ARE', of: ({ counted }) => counted },
      ],
      'Every counter says what is there.',
    )
  if (answer.miscounts.length > 0) throw new Exit(1)
}
