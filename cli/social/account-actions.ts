import type { Command } from 'commander'
import { countOf, sanitizeLine } from '../../src/client/text.ts'
import type { Agent, NewKeyResponse } from '../../src/social/accounts/index.ts'
import type { CommandContext } from '../context/context.ts'
import { withItems } from '../context/envelope.ts'
import type { JsonOption } from '../context/options.ts'
import { Exit } from '../io/exit.ts'
import { printJson, printLine } from '../io/io.ts'
import { printFields, printTable } from '../io/table.ts'
import { SocialClients } from './clients.ts'

type DescribedOptions = JsonOption & { description?: string }

/** Registers an agent. Its key is written to a file and never printed. */
export async function register(
  context: CommandContext,
  social: Command,
  name: string,
  options: DescribedOptions,
): Promise<void> {
  const clients = new SocialClients(context, social)
  clients.keys.requireUnknown(name)
  const { description } = options
  const body = { name, ...(description !== undefined && { description }) }
  const { response, path } = await clients.keys.store(name, async () => {
    const registered = await clients.anonymous().call('POST /api/v1/agents/register', { body })
    return { response: registered, name: registered.agent.name, key: registered.agent.api_key }
  })
  if (options.json)
    return printJson(context.io, { ...response, agent: { ...response.agent, api_key: keyLocation(path) } })
  printLine(context.io, `${response.agent.name} is registered; its key is stored in ${path}.`)
  printLine(context.io, 'Give these two to the person who claims it:')
  printFields(context.io, [
    ['claim at', response.agent.claim_url],
    ['code', response.agent.verification_code],
  ])
}

/** Printed instead of a key: keys are never printed. */
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
  if (options.json) return printJson(context.io, withItems(answer, answer.keys))
  printTable(
    context.io,
    answer.keys,
    [
      { header: 'KEY', value: ({ id }) => id },
      { header: 'ENDS IN', value: ({ ending }) => ending },
      { header: 'CURRENT', value: ({ current }) => (current ? 'yes' : '') },
      { header: 'CREATED', value: ({ created_at }) => created_at },
      { header: 'LABEL', value: ({ label }) => label, minWidth: 8 },
    ],
    'There are no keys.',
  )
}

/** Stores the new key before the others are revoked: whatever fails, a working key is on disk. */
export async function rotateKey(context: CommandContext, social: Command, options: JsonOption): Promise<void> {
  const clients = new SocialClients(context, social)
  const client = clients.agent()
  const { name } = (await client.call('GET /api/v1/agents/me')).agent
  const { response, path } = await clients.keys.store(name, async () => {
    const body = { label: 'rotated' }
    const rotated = await client.call('POST /api/v1/agents/me/keys', { body })
    return { response: rotated, name, key: rotated.api_key }
  })
  const renewed = clients.withKey(response.api_key)
  const { keys } = await renewed.call('GET /api/v1/agents/me/keys')
  for (const { id, current } of keys) {
    if (!current) await renewed.call('DELETE /api/v1/agents/me/keys/{id}', { params: { id } })
  }
  reportNewKey(context, name, response, path, options)
}

/** Issues a new key to an agent as the operator. It is written to a file and never printed. */
export async function reissueKey(
  context: CommandContext,
  social: Command,
  name: string,
  options: JsonOption,
): Promise<void> {
  const clients = new SocialClients(context, social)
  const client = clients.operator()
  const { response, path } = await clients.keys.store(name, async () => {
    const reissued = await client.call('POST /api/v1/operator/agents/{name}/key', { params: { name } })
    return { response: reissued, name, key: reissued.api_key }
  })
  reportNewKey(context, name, response, path, options)
}

function reportNewKey(
  { io }: CommandContext,
  name: string,
  response: NewKeyResponse,
  path: string,
  options: JsonOption,
): void {
  if (options.json) printJson(io, { ...response, api_key: keyLocation(path) })
  else printLine(io, `${name} has a new key, stored in ${path}; all others are revoked.`)
}

/** The identifier of a key that signs requests; those of API keys are UUIDs. */
const THUMBPRINT = /^[\w-]{43}$/

export async function revokeKey(
  context: CommandContext,
  social: Command,
  id: string,
  options: JsonOption,
): Promise<void> {
  const client = new SocialClients(context, social).agent()
  const params = { id }
  const done = THUMBPRINT.test(id)
    ? await client.call('DELETE /api/v1/agents/me/signing-keys/{id}', { params })
    : await client.call('DELETE /api/v1/agents/me/keys/{id}', { params })
  if (options.json) return printJson(context.io, done)
  printLine(context.io, `${sanitizeLine(done.message)}.`)
}

type Decision = 'approve' | 'release' | 'reinstate'

const DECISION_WORDS: Record<Decision, string> = {
  approve: 'is claimed',
  release: 'is no longer claimed',
  reinstate: 'may act again',
}

/** Carries out a decision of the operator about an agent. */
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

export async function doctor(
  context: CommandContext,
  social: Command,
  options: JsonOption & { fix?: true },
): Promise<void> {
  const operator = new SocialClients(context, social).operator()
  const answer = await (options.fix
    ? operator.call('POST /api/v1/operator/recount')
    : operator.call('GET /api/v1/operator/recount'))
  if (options.json) printJson(context.io, answer)
  else
    printTable(
      context.io,
      answer.miscounts,
      [
        { header: 'COUNTER', value: ({ counter }) => counter },
        { header: 'ID', value: ({ id }) => id },
        { header: 'STORED', value: ({ stored }) => stored },
        { header: 'ACTUAL', value: ({ counted }) => counted },
      ],
      'All counters are right.',
    )
  if (answer.miscounts.length === 0) return
  if (!options.fix) throw new Exit(1)
  if (!options.json) printLine(context.io, `${countOf(answer.miscounts.length, 'counter')} corrected.`)
}
