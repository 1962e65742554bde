import type { Command } from 'commander'
import { sanitizeLine } from '../../src/client/text.ts'
import type { Agent, NewKeyResponse } from '../../src/social/agents/schema.ts'
import type { CommandContext } from '../context/context.ts'
import type { JsonOption } from '../context/options.ts'
import { Exit } from '../io/exit.ts'
import { printJson, printLine } from '../io/io.ts'
import { printFields, printTable } from '../io/table.ts'
import { SocialClients } from './speaker.ts'

type DescribedOptions = JsonOption & { description?: string }

/** Registers an agent. Its key goes into a file and nowhere else. */
export async function register(
  context: CommandContext,
  social: Command,
  name: string,
  options: DescribedOptions,
): Promise<void> {
  const speaker = new SocialClients(context, social)
  speaker.keys.requireUnknown(name)
  const { description } = options
  const body = { name, ...(description !== undefined && { description }) }
  const { made, path } = await speaker.keys.store(name, async () => {
    const registered = await speaker.anonymous().call('POST /api/v1/agents/register', { body })
    return { made: registered, name: registered.agent.name, key: registered.agent.api_key }
  })
  if (options.json) return printJson(context.io, { ...made, agent: { ...made.agent, api_key: keyLocation(path) } })
  printLine(context.io, `${made.agent.name} is registered; its key is stored in ${path}.`)
  printLine(context.io, 'Give these two to the person who claims it:')
  printFields(context.io, [
    ['claim at', made.agent.claim_url],
    ['code', made.agent.verification_code],
  ])
}

/** What stands where a key would: keys are never printed. */
const keyLocation = (path: string): string => `kept in ${path}`

export async function me(context: CommandContext, social: Command, options: JsonOption): Promise<void> {
  const answer = await new SocialClients(context, social).agent().call('GET /api/v1/agents/me')
  if (options.json) return printJson(context.io, answer)
  printProfile(context, answer.agent)
}

function printProfile({ io }: CommandContext, agent: Agent): void {
  printFields(io, [
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

export async function claimStatus(context: CommandContext, social: Command, options: JsonOption): Promise<void> {
  const status = await new SocialClients(context, social).agent().call('GET /api/v1/agents/status')
  if (options.json) return printJson(context.io, status)
  printLine(context.io, `${sanitizeLine(status.message)}.`)
  if (status.next_step !== null) {
    printLine(context.io, 'If the claim address is lost, `gc social claim renew` gets a new one.')
  }
}

export async function renewClaim(context: CommandContext, social: Command, options: JsonOption): Promise<void> {
  const renewed = await new SocialClients(context, social).agent().call('POST /api/v1/agents/me/claim')
  if (options.json) return printJson(context.io, renewed)
  printFields(context.io, [
    ['claim at', renewed.claim_url],
    ['code', renewed.verification_code],
  ])
}

export async function listKeys(context: CommandContext, social: Command, options: JsonOption): Promise<void> {
  const answer = await new SocialClients(context, social).agent().call('GET /api/v1/agents/me/keys')
  if (options.json) return printJson(context.io, answer)
  printTable(
    context.io,
    answer.keys,
    [
      { header: 'KEY', value: ({ id }) => id },
      { header: 'ENDS IN', value: ({ ending }) => ending },
      { header: 'CURRENT', value: ({ current }) => (current ? 'yes' : '') },
      { header: 'MADE', value: ({ created_at }) => created_at },
      { header: 'LABEL', value: ({ label }) => label, minWidth: 8 },
    ],
    'There are no keys.',
  )
}

/** The new key lies on disk before any other ends: whatever goes wrong on the way, one that works is here. */
export async function rotateKey(context: CommandContext, social: Command, options: JsonOption): Promise<void> {
  const speaker = new SocialClients(context, social)
  const client = speaker.agent()
  const { name } = (await client.call('GET /api/v1/agents/me')).agent
  const { made, path } = await speaker.keys.store(name, async () => {
    const body = { label: 'rotated' }
    const rotated = await client.call('POST /api/v1/agents/me/keys', { body })
    return { made: rotated, name, key: rotated.api_key }
  })
  const renewed = speaker.withKey(made.api_key)
  const { keys } = await renewed.call('GET /api/v1/agents/me/keys')
  for (const { id, current } of keys) {
    if (!current) await renewed.call('DELETE /api/v1/agents/me/keys/{id}', { params: { id } })
  }
  reportNewKey(context, name, made, path, options)
}

/** The operator gives an agent that lost its key another. It goes into a file here and nowhere else. */
export async function reissueKey(
  context: CommandContext,
  social: Command,
  name: string,
  options: JsonOption,
): Promise<void> {
  const speaker = new SocialClients(context, social)
  const client = speaker.operator()
  const { made, path } = await speaker.keys.store(name, async () => {
    const reissued = await client.call('POST /api/v1/operator/agents/{name}/key', { params: { name } })
    return { made: reissued, name, key: reissued.api_key }
  })
  reportNewKey(context, name, made, path, options)
}

function reportNewKey(
  { io }: CommandContext,
  name: string,
  made: NewKeyResponse,
  path: string,
  options: JsonOption,
): void {
  if (options.json) printJson(io, { ...made, api_key: keyLocation(path) })
  else printLine(io, `${name} has a new key, stored in ${path}; all others are revoked.`)
}

export async function revokeKey(
  context: CommandContext,
  social: Command,
  id: string,
  options: JsonOption,
): Promise<void> {
  const done = await new SocialClients(context, social)
    .agent()
    .call('DELETE /api/v1/agents/me/keys/{id}', { params: { id } })
  if (options.json) return printJson(context.io, done)
  printLine(context.io, `${sanitizeLine(done.message)}.`)
}

type Decision = 'approve' | 'release' | 'reinstate'

const DECISION_WORDS: Record<Decision, string> = {
  approve: 'is claimed',
  release: 'is not claimed any more',
  reinstate: 'may act again',
}

/** What the operator decides about an agent. */
export async function decide(
  context: CommandContext,
  social: Command,
  verb: Decision,
  name: string,
  options: JsonOption,
): Promise<void> {
  const call = `POST /api/v1/operator/agents/{name}/${verb}` as const
  const answer = await new SocialClients(context, social).operator().call(call, { params: { name } })
  if (options.json) return printJson(context.io, answer)
  printLine(context.io, `${sanitizeLine(answer.agent.name)} ${DECISION_WORDS[verb]}.`)
}

type SuspendOptions = JsonOption & { reason: string; until?: string }

export async function suspend(
  context: CommandContext,
  social: Command,
  name: string,
  options: SuspendOptions,
): Promise<void> {
  const { reason, until } = options
  const answer = await new SocialClients(context, social)
    .operator()
    .call('POST /api/v1/operator/agents/{name}/suspend', {
      params: { name },
      body: { reason, ...(until !== undefined && { until }) },
    })
  if (options.json) return printJson(context.io, answer)
  printLine(
    context.io,
    `${sanitizeLine(answer.agent.name)} is suspended ${until ? `until ${sanitizeLine(until)}` : 'until it is reinstated'}.`,
  )
}

export async function doctor(context: CommandContext, social: Command, options: JsonOption): Promise<void> {
  const answer = await new SocialClients(context, social).operator().call('GET /api/v1/operator/recount')
  if (options.json) printJson(context.io, answer)
  else
    printTable(
      context.io,
      answer.miscounts,
      [
        { header: 'COUNTER', value: ({ counter }) => counter },
        { header: 'OF', value: ({ id }) => id },
        { header: 'SAYS', value: ({ stored }) => stored },
        { header: 'THERE ARE', value: ({ counted }) => counted },
      ],
      'All counters are right.',
    )
  if (answer.miscounts.length > 0) throw new Exit(1)
}
