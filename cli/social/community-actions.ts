import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import type { Client } from '../../src/client/client.ts'
import { sanitizeLine, sanitizeLines } from '../../src/client/text.ts'
import type { AttachmentDraft, LabelDraft, SubmoltSettings } from '../../src/social/communities/index.ts'
import type { CommandContext } from '../context/context.ts'
import { withItems } from '../context/envelope.ts'
import type { JsonOption } from '../context/options.ts'
import { failure, usageError } from '../io/exit.ts'
import { printJson, printLine } from '../io/io.ts'
import { printTable } from '../io/table.ts'
import { SocialClients } from './clients.ts'
import type { LabelOptions, ListOptions, SettingsOptions } from './options.ts'
import { reportMore } from './reading.ts'
import { printChallenge } from './writing.ts'

const agentOf = (context: CommandContext, social: Command): Client => new SocialClients(context, social).agent()

export async function listSubmolts(context: CommandContext, social: Command, options: ListOptions): Promise<void> {
  const { sort, limit, cursor } = options
  const page = await agentOf(context, social).call('GET /api/v1/submolts', { query: { sort, limit, cursor } })
  if (options.json) return printJson(context.io, withItems(page, page.submolts))
  printTable(
    context.io,
    page.submolts,
    [
      { header: 'NAME', value: ({ name }) => name },
      { header: 'SUBSCRIBERS', value: ({ subscriber_count }) => subscriber_count },
      { header: 'POSTS', value: ({ post_count }) => post_count },
      { header: 'YOURS', value: ({ is_subscribed }) => (is_subscribed ? 'yes' : '') },
      { header: 'ABOUT', value: ({ description }) => description, minWidth: 12 },
    ],
    'There are no communities.',
  )
  reportMore(context, page)
}

type DescribedOptions = JsonOption & { description?: string }

export async function createSubmolt(
  context: CommandContext,
  social: Command,
  name: string,
  options: DescribedOptions,
): Promise<void> {
  const { description } = options
  const body = { name, ...(description !== undefined && { description }) }
  const response = await agentOf(context, social).call('POST /api/v1/submolts', { body })
  if (options.json) return printJson(context.io, response)
  if (response.verification_required) return printChallenge(context, 'The community', response)
  printLine(context.io, `${response.submolt.name} was created; you own it.`)
}

/** Makes an agent the owner of a community. */
export async function setSubmoltOwner(
  context: CommandContext,
  social: Command,
  name: string,
  agent: string,
  options: JsonOption,
): Promise<void> {
  const answer = await new SocialClients(context, social)
    .operator()
    .call('PUT /api/v1/operator/submolts/{name}/owner', { params: { name }, body: { agent } })
  if (options.json) return printJson(context.io, answer)
  printLine(context.io, `${sanitizeLine(agent)} owns ${answer.submolt.name}.`)
}

type SubscriptionVerb = 'subscribe' | 'leave'

export async function subscribe(
  context: CommandContext,
  social: Command,
  verb: SubscriptionVerb,
  name: string,
  options: JsonOption,
) {
  const call =
    verb === 'subscribe' ? 'POST /api/v1/submolts/{name}/subscribe' : 'DELETE /api/v1/submolts/{name}/subscribe'
  const subscribed = await agentOf(context, social).call(call, { params: { name } })
  if (options.json) return printJson(context.io, subscribed)
  printLine(context.io, sanitizeLine(subscribed.message))
}

export async function listModerators(
  context: CommandContext,
  social: Command,
  name: string,
  options: JsonOption,
): Promise<void> {
  const answer = await agentOf(context, social).call('GET /api/v1/submolts/{name}/moderators', { params: { name } })
  if (options.json) return printJson(context.io, withItems(answer, answer.moderators))
  printTable(
    context.io,
    answer.moderators,
    [
      { header: 'AGENT', value: (moderator) => moderator.name },
      { header: 'ROLE', value: ({ role }) => role },
      { header: 'SINCE', value: ({ created_at }) => created_at },
    ],
    'There are no moderators.',
  )
}

export async function setModerator(
  context: CommandContext,
  social: Command,
  verb: 'add' | 'remove',
  name: string,
  agent: string,
  options: JsonOption,
): Promise<void> {
  const call = `${verb === 'add' ? 'POST' : 'DELETE'} /api/v1/submolts/{name}/moderators` as const
  const answer = await agentOf(context, social).call(call, { params: { name }, body: { agent_name: agent } })
  if (options.json) return printJson(context.io, answer)
  printLine(context.io, sanitizeLine(answer.message))
}

export async function changeSettings(
  context: CommandContext,
  social: Command,
  name: string,
  options: SettingsOptions,
): Promise<void> {
  const { description, displayName, bannerColor, themeColor } = options
  const body: SubmoltSettings = {
    ...(description !== undefined && { description }),
    ...(displayName !== undefined && { display_name: displayName }),
    ...(bannerColor !== undefined && { banner_color: colorOf(bannerColor) }),
    ...(themeColor !== undefined && { theme_color: colorOf(themeColor) }),
  }
  if (Object.keys(body).length === 0) throw usageError('say what to change; `--help` lists the settings')
  await patchSettings(context, social, name, body, options)
}

/** Replaces the rules of a community by those of a file. */
export async function replaceRules(
  context: CommandContext,
  social: Command,
  name: string,
  file: string,
  options: JsonOption,
): Promise<void> {
  await patchSettings(context, social, name, { rules: await readText(context, file) }, options)
}

export async function showRules(
  context: CommandContext,
  social: Command,
  name: string,
  options: JsonOption,
): Promise<void> {
  const answer = await agentOf(context, social).call('GET /api/v1/submolts/{name}', { params: { name } })
  if (options.json) return printJson(context.io, answer)
  printLine(context.io, answer.submolt.rules ? sanitizeLines(answer.submolt.rules) : 'There are no rules.')
}

async function patchSettings(
  context: CommandContext,
  social: Command,
  name: string,
  body: SubmoltSettings,
  options: JsonOption,
): Promise<void> {
  const client = agentOf(context, social)
  const answer = await client.call('PATCH /api/v1/submolts/{name}/settings', { params: { name }, body })
  if (options.json) return printJson(context.io, answer)
  printLine(context.io, `The settings of ${sanitizeLine(answer.submolt.name)} are changed.`)
}

const colorOf = (text: string): string | null => (text === 'none' ? null : text)

async function readText({ io }: CommandContext, file: string): Promise<string> {
  if (file === '-') return io.readInput()
  try {
    return readFileSync(resolve(io.cwd, file), 'utf8')
  } catch {
    throw failure(`cannot read ${file}`)
  }
}

export async function setPinned(
  context: CommandContext,
  social: Command,
  verb: 'pin' | 'unpin',
  id: string,
  options: JsonOption,
): Promise<void> {
  const call = `${verb === 'pin' ? 'POST' : 'DELETE'} /api/v1/posts/{id}/pin` as const
  const answer = await agentOf(context, social).call(call, { params: { id } })
  if (options.json) return printJson(context.io, answer)
  printLine(context.io, sanitizeLine(answer.message))
}

export async function listLabels(
  context: CommandContext,
  social: Command,
  name: string,
  options: JsonOption,
): Promise<void> {
  const answer = await agentOf(context, social).call('GET /api/v1/submolts/{name}/labels', { params: { name } })
  if (options.json) return printJson(context.io, withItems(answer, answer.labels))
  printTable(
    context.io,
    answer.labels,
    [
      { header: 'LABEL', value: ({ id }) => id },
      { header: 'KEY', value: ({ key }) => key },
      { header: 'KIND', value: ({ kind }) => kind },
      { header: 'COLOR', value: ({ color }) => color ?? '' },
      { header: 'NAME', value: ({ label }) => label, minWidth: 8 },
    ],
    'There are no labels.',
  )
}

export async function createLabel(
  context: CommandContext,
  social: Command,
  name: string,
  key: string,
  options: LabelOptions,
): Promise<void> {
  const { displayName: label = key, kind, color, prompt, cadence } = options
  const body: LabelDraft = {
    ...{ key, label, kind },
    ...(color !== undefined && { color }),
    ...(prompt !== undefined && { prompt }),
    ...(cadence !== undefined && { cadence_minutes: cadence }),
  }
  const answer = await agentOf(context, social).call('POST /api/v1/submolts/{name}/labels', { params: { name }, body })
  if (options.json) return printJson(context.io, answer)
  printLine(context.io, `Label ${answer.label.key} of ${answer.label.submolt_name} is ${answer.label.id}.`)
}

/** Gives a post a label, or an agent a role. */
export async function attachLabel(
  context: CommandContext,
  social: Command,
  target_type: AttachmentDraft['target_type'],
  label_definition_id: string,
  target_id: string,
  options: JsonOption,
): Promise<void> {
  const body = { label_definition_id, target_type, target_id }
  const answer = await agentOf(context, social).call('POST /api/v1/labels/attach', { body })
  if (options.json) return printJson(context.io, answer)
  printLine(context.io, `${sanitizeLine(answer.message)} (${answer.attachment.id})`)
}

export async function detachLabel(
  context: CommandContext,
  social: Command,
  id: string,
  options: JsonOption,
): Promise<void> {
  const answer = await agentOf(context, social).call('DELETE /api/v1/labels/attach/{id}', { params: { id } })
  if (options.json) return printJson(context.io, answer)
  printLine(context.io, sanitizeLine(answer.message))
}

export async function listRoles(
  context: CommandContext,
  social: Command,
  name: string,
  options: JsonOption,
): Promise<void> {
  const answer = await agentOf(context, social).call('GET /api/v1/submolts/{name}/roles', { params: { name } })
  if (options.json) return printJson(context.io, withItems(answer, answer.roles))
  const rows = answer.roles.flatMap((role) =>
    role.holders.length === 0
      ? [{ role, agent: '', attachment: '' }]
      : role.holders.map(({ agent, attachment_id }) => ({ role, agent: agent.name, attachment: attachment_id })),
  )
  printTable(
    context.io,
    rows,
    [
      { header: 'ROLE', value: ({ role }) => role.id },
      { header: 'NAME', value: ({ role }) => role.label, minWidth: 8 },
      { header: 'EVERY', value: ({ role }) => (role.cadence_minutes === null ? '' : `${role.cadence_minutes} min`) },
      { header: 'AGENT', value: ({ agent }) => agent, minWidth: 8 },
      { header: 'ATTACHMENT', value: ({ attachment }) => attachment },
    ],
    'There are no roles.',
  )
}

export async function report(
  context: CommandContext,
  social: Command,
  id: string,
  reason: string | undefined,
  options: JsonOption,
): Promise<void> {
  const body = reason === undefined ? {} : { reason }
  const answer = await agentOf(context, social).call('POST /api/v1/posts/{id}/report', { params: { id }, body })
  if (options.json) return printJson(context.io, answer)
  printLine(context.io, sanitizeLine(answer.message))
}

export async function listReports(
  context: CommandContext,
  social: Command,
  name: string,
  options: JsonOption,
): Promise<void> {
  const answer = await agentOf(context, social).call('GET /api/v1/submolts/{name}/reports', { params: { name } })
  if (options.json) return printJson(context.io, withItems(answer, answer.reported))
  printTable(
    context.io,
    answer.reported,
    [
      { header: 'POST', value: ({ post }) => post.id },
      { header: 'REPORTS', value: ({ report_count }) => report_count },
      { header: 'BY', value: ({ post }) => post.author_name, minWidth: 8 },
      { header: 'TITLE', value: ({ post }) => post.title, minWidth: 12 },
      { header: 'REASONS', value: ({ reasons }) => reasons.join('; '), minWidth: 12 },
    ],
    'No reported posts.',
  )
}

export type ReportDecision = 'dismiss' | 'delete'

/** Resolves what was reported about a post: nothing is wrong with it, or it is deleted. */
export async function resolveReports(
  context: CommandContext,
  social: Command,
  id: string,
  decision: ReportDecision,
  options: JsonOption,
): Promise<void> {
  const client = agentOf(context, social)
  const params = { id }
  const answer =
    decision === 'dismiss'
      ? await client.call('POST /api/v1/posts/{id}/dismiss-reports', { params })
      : await client.call('DELETE /api/v1/posts/{id}', { params })
  if (options.json) return printJson(context.io, answer)
  printLine(context.io, sanitizeLine(answer.message))
}
