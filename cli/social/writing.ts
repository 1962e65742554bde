import type { Command } from 'commander'
import type { Client } from '../../src/client/client.ts'
import { plain } from '../../src/client/text.ts'
import type { Here } from '../context/context.ts'
import type { Json } from '../context/options.ts'
import { misuse } from '../io/exit.ts'
import { json, line } from '../io/io.ts'
import type { Posted, Replied } from './options.ts'
import { Speaker } from './speaker.ts'

const agentOf = (here: Here, social: Command): Client => new Speaker(here, social).agent()

const textOf = async ({ io }: Here, text: string | undefined, message: string | undefined) => {
  if (text !== undefined && message !== undefined) throw misuse('say the text once: behind the others, or with -m')
  const said = message ?? text
  return said === '-' ? io.read() : said
}

export async function post(
  here: Here,
  social: Command,
  title: string,
  text: string | undefined,
  options: Posted,
): Promise<void> {
  const content = await textOf(here, text, options.message)
  const { submolt, link } = options
  if (content !== undefined && link !== undefined) throw misuse('a post has a text or a --link, not both')
  if (content === undefined && link === undefined) throw misuse('say something: a text, or a --link')
  const body = { submolt, title, ...(content !== undefined && { content }), ...(link !== undefined && { url: link }) }
  const made = await agentOf(here, social).call('POST /api/v1/posts', { body })
  if (options.json) return json(here.io, made)
  line(here.io, `Posted ${made.post.id} in ${plain(made.post.submolt_name)}.`)
}

export async function comment(
  here: Here,
  social: Command,
  id: string,
  text: string | undefined,
  options: Replied,
): Promise<void> {
  const content = await textOf(here, text, options.message)
  if (content === undefined) throw misuse('say something: a text behind the post, or -m')
  const { replyTo } = options
  const body = { content, ...(replyTo !== undefined && { parent_id: replyTo }) }
  const made = await agentOf(here, social).call('POST /api/v1/posts/{id}/comments', { params: { id }, body })
  if (options.json) return json(here.io, made)
  line(here.io, `Said ${made.comment.id} on ${id}.`)
}

type Ballot = Json & { comment?: true }

const VOTES = new Map<string, 1 | 0 | -1>([
  ['up', 1],
  ['none', 0],
  ['down', -1],
])

export async function vote(here: Here, social: Command, id: string, wish: string, options: Ballot): Promise<void> {
  const value = VOTES.get(wish)
  if (value === undefined) throw misuse('a vote is up, down or none')
  const call = options.comment ? 'PUT /api/v1/comments/{id}/vote' : 'PUT /api/v1/posts/{id}/vote'
  const voted = await agentOf(here, social).call(call, { params: { id }, body: { value } })
  if (options.json) return json(here.io, voted)
  line(here.io, `Your vote is ${wish}; the score is ${voted.score}.`)
}

type Following = 'follow' | 'unfollow'

export async function follow(here: Here, social: Command, verb: Following, name: string, options: Json) {
  const call = verb === 'follow' ? 'POST /api/v1/agents/{name}/follow' : 'DELETE /api/v1/agents/{name}/follow'
  const followed = await agentOf(here, social).call(call, { params: { name } })
  if (options.json) return json(here.io, followed)
  line(here.io, plain(followed.message))
}

type Described = Json & { description?: string }

export async function createSubmolt(here: Here, social: Command, name: string, options: Described): Promise<void> {
  const { description } = options
  const body = { name, ...(description !== undefined && { description }) }
  const made = await agentOf(here, social).call('POST /api/v1/submolts', { body })
  if (options.json) return json(here.io, made)
  line(here.io, `${made.submolt.name} is made; you own it.`)
}

type Subscribing = 'subscribe' | 'leave'

export async function subscribe(here: Here, social: Command, verb: Subscribing, name: string, options: Json) {
  const call =
    verb === 'subscribe' ? 'POST /api/v1/submolts/{name}/subscribe' : 'DELETE /api/v1/submolts/{name}/subscribe'
  const subscribed = await agentOf(here, social).call(call, { params: { name } })
  if (options.json) return json(here.io, subscribed)
  line(here.io, plain(subscribed.message))
}
