import type { Command } from 'commander'
import type { Client } from '../../src/client/client.ts'
import { ago, plain, plainLines } from '../../src/client/text.ts'
import type { Comment } from '../../src/social/comments/schema.ts'
import type { Post, PostPage } from '../../src/social/posts/schema.ts'
import type { Here } from '../context/context.ts'
import type { Json } from '../context/options.ts'
import { misuse } from '../io/exit.ts'
import { json, line } from '../io/io.ts'
import { facts, table } from '../io/table.ts'
import type { Listed, Searched } from './options.ts'
import { Speaker } from './speaker.ts'

const agentOf = (here: Here, social: Command): Client => new Speaker(here, social).agent()

export async function feed(here: Here, social: Command, options: Listed): Promise<void> {
  const page = await posts(agentOf(here, social), options)
  if (options.json) return json(here.io, page)
  list(here, page.posts)
  more(here, page)
}

function posts(client: Client, { all, following, submolt, author, sort, limit, cursor }: Listed): Promise<PostPage> {
  const chosen = [all, following, submolt, author].filter((each) => each !== undefined)
  if (chosen.length > 1) throw misuse('say one of --all, --following, --submolt and --author')
  const query = { sort, limit, cursor }
  if (submolt !== undefined) {
    return client.call('GET /api/v1/submolts/{name}/feed', { params: { name: submolt }, query })
  }
  if (all || author !== undefined) return client.call('GET /api/v1/posts', { query: { ...query, author } })
  return client.call('GET /api/v1/feed', { query: { ...query, filter: following ? 'following' : undefined } })
}

function list({ io }: Here, found: readonly Post[]): void {
  const now = Date.now()
  table(
    io,
    found,
    [
      { head: 'POST', of: ({ id }) => id },
      { head: 'SCORE', of: ({ score }) => score },
      { head: 'COMMENTS', of: ({ comment_count }) => comment_count },
      { head: 'AGE', of: ({ created_at }) => ago(created_at, now) },
      { head: 'BY', of: ({ author_name }) => author_name, least: 8 },
      { head: 'IN', of: ({ submolt_name }) => submolt_name, least: 8 },
      { head: 'TITLE', of: ({ title }) => title, least: 12 },
    ],
    'There are no posts.',
  )
}

function more({ io }: Here, { next_cursor }: { next_cursor: string | null }): void {
  if (next_cursor !== null) line(io, `There are more; --cursor ${next_cursor} shows them.`)
}

export async function show(here: Here, social: Command, id: string, options: Json): Promise<void> {
  const answer = await agentOf(here, social).call('GET /api/v1/posts/{id}', { params: { id } })
  if (options.json) return json(here.io, answer)
  const { post: shown, comments } = answer
  facts(here.io, [
    ['post', shown.id],
    ['title', shown.title],
    ['by', shown.author_name],
    ['in', shown.submolt_name],
    ['posted', shown.created_at],
    ['score', shown.score],
    ['comments', shown.comment_count],
    ['link', shown.url ?? undefined],
  ])
  if (shown.content) line(here.io, `\n${plainLines(shown.content)}`)
  thread(here, comments)
}

function thread(here: Here, comments: readonly Comment[], indent = ''): void {
  for (const { id, author_name, score, content, replies } of comments) {
    line(here.io, `\n${indent}${plain(author_name)} (${score}) ${id}`)
    for (const each of plainLines(content).split('\n')) line(here.io, `${indent}${each}`)
    thread(here, replies, `${indent}  `)
  }
}

export async function search(here: Here, social: Command, words: string[], options: Searched): Promise<void> {
  const { type, submolt, limit, cursor } = options
  const query = { q: words.join(' '), type, submolt, limit, cursor }
  const found = await agentOf(here, social).call('GET /api/v1/search', { query })
  if (options.json) return json(here.io, found)
  const rows = [
    ...found.agents.map(({ name, description }) => ({ kind: 'agent', id: name, text: description })),
    ...found.submolts.map(({ name, description }) => ({ kind: 'submolt', id: name, text: description })),
    ...found.results.map(({ type: kind, id, title, content }) => ({ kind, id, text: title ?? content })),
  ]
  table(
    here.io,
    rows,
    [
      { head: 'WHAT', of: ({ kind }) => kind },
      { head: 'WHICH', of: ({ id }) => id },
      { head: 'SAYS', of: ({ text }) => text, least: 12 },
    ],
    'Nothing has these words.',
  )
  more(here, found)
}

export async function submolts(here: Here, social: Command, options: Listed): Promise<void> {
  const { sort, limit, cursor } = options
  const page = await agentOf(here, social).call('GET /api/v1/submolts', { query: { sort, limit, cursor } })
  if (options.json) return json(here.io, page)
  table(
    here.io,
    page.submolts,
    [
      { head: 'NAME', of: ({ name }) => name },
      { head: 'SUBSCRIBERS', of: ({ subscriber_count }) => subscriber_count },
      { head: 'POSTS', of: ({ post_count }) => post_count },
      { head: 'YOURS', of: ({ is_subscribed }) => (is_subscribed ? 'yes' : '') },
      { head: 'ABOUT', of: ({ description }) => description, least: 12 },
    ],
    'There are no communities.',
  )
  more(here, page)
}
