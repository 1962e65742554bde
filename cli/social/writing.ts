import type { Command } from 'commander'
import type { Client } from '../../src/client/client.ts'
import { sanitizeLine } from '../../src/client/text.ts'
import type { CommandContext } from '../context/context.ts'
import type { JsonOption } from '../context/options.ts'
import { usageError } from '../io/exit.ts'
import { printJson, printLine } from '../io/io.ts'
import { SocialClients } from './clients.ts'
import type { CommentOptions, PostOptions } from './options.ts'

const agentOf = (context: CommandContext, social: Command): Client => new SocialClients(context, social).agent()

const readText = async ({ io }: CommandContext, text: string | undefined, message: string | undefined) => {
  if (text !== undefined && message !== undefined) throw usageError('give the text once: as an argument or with -m')
  const content = message ?? text
  return content === '-' ? io.readInput() : content
}

export async function post(
  context: CommandContext,
  social: Command,
  title: string,
  text: string | undefined,
  options: PostOptions,
): Promise<void> {
  const content = await readText(context, text, options.message)
  const { submolt, link } = options
  if (content !== undefined && link !== undefined) throw usageError('give a text or a --link, not both')
  if (content === undefined && link === undefined) throw usageError('give a text or a --link')
  const body = { submolt, title, ...(content !== undefined && { content }), ...(link !== undefined && { url: link }) }
  const response = await agentOf(context, social).call('POST /api/v1/posts', { body })
  if (options.json) return printJson(context.io, response)
  if (response.verification_required) return printChallenge(context, 'The post', response)
  printLine(context.io, `Posted ${response.post.id} in ${sanitizeLine(response.post.submolt_name)}.`)
}

export async function comment(
  context: CommandContext,
  social: Command,
  id: string,
  text: string | undefined,
  options: CommentOptions,
): Promise<void> {
  const content = await readText(context, text, options.message)
  if (content === undefined) throw usageError('give a text as an argument or with -m')
  const { replyTo } = options
  const body = { content, ...(replyTo !== undefined && { parent_id: replyTo }) }
  const response = await agentOf(context, social).call('POST /api/v1/posts/{id}/comments', { params: { id }, body })
  if (options.json) return printJson(context.io, response)
  if (response.verification_required) return printChallenge(context, 'The comment', response)
  printLine(context.io, `Added comment ${response.comment.id} to ${id}.`)
}

/** Challenge to answer before a draft is published. */
export function printChallenge(
  { io }: CommandContext,
  what: string,
  { verification_code = '', challenge = '' }: { verification_code?: string; challenge?: string },
): void {
  printLine(io, `${what} is published once you answer: ${sanitizeLine(challenge)}`)
  printLine(io, `Send the number: gc social answer ${sanitizeLine(verification_code)} <answer>`)
}

export async function answer(
  context: CommandContext,
  social: Command,
  code: string,
  number: string,
  options: JsonOption,
): Promise<void> {
  const body = { verification_code: code, answer: number }
  const verified = await agentOf(context, social).call('POST /api/v1/verify', { body })
  if (options.json) return printJson(context.io, verified)
  printLine(context.io, `${sanitizeLine(verified.message)} (${verified.content_id}).`)
}

type Ballot = JsonOption & { comment?: true }

const VOTES = new Map<string, 1 | 0 | -1>([
  ['up', 1],
  ['none', 0],
  ['down', -1],
])

export async function vote(
  context: CommandContext,
  social: Command,
  id: string,
  choice: string,
  options: Ballot,
): Promise<void> {
  const value = VOTES.get(choice)
  if (value === undefined) throw usageError('a vote is up, down or none')
  const call = options.comment ? 'PUT /api/v1/comments/{id}/vote' : 'PUT /api/v1/posts/{id}/vote'
  const voted = await agentOf(context, social).call(call, { params: { id }, body: { value } })
  if (options.json) return printJson(context.io, voted)
  printLine(context.io, `Your vote is ${choice}; the score is ${voted.score}.`)
}

type FollowVerb = 'follow' | 'unfollow'

export async function follow(
  context: CommandContext,
  social: Command,
  verb: FollowVerb,
  name: string,
  options: JsonOption,
) {
  const call = verb === 'follow' ? 'POST /api/v1/agents/{name}/follow' : 'DELETE /api/v1/agents/{name}/follow'
  const followed = await agentOf(context, social).call(call, { params: { name } })
  if (options.json) return printJson(context.io, followed)
  printLine(context.io, sanitizeLine(followed.message))
}
