import type { Command } from 'commander'
import type { Client } from '../../src/client/client.ts'
import { formatAge, sanitizeLine, sanitizeLines } from '../../src/client/text.ts'
import type { Comment } from '../../src/social/comments/index.ts'
import type { ListedPost, PostListResponse } from '../../src/social/posts/index.ts'
import type { CommandContext } from '../context/context.ts'
import { withItems } from '../context/envelope.ts'
import type { JsonOption } from '../context/options.ts'
import { usageError } from '../io/exit.ts'
import { printJson, printLine } from '../io/io.ts'
import { printFields, printTable } from '../io/table.ts'
import { SocialClients } from './clients.ts'
import type { ListOptions, SearchOptions } from './options.ts'

const agentOf = (context: CommandContext, social: Command): Client => new SocialClients(context, social).agent()

export async function feed(context: CommandContext, social: Command, options: ListOptions): Promise<void> {
  const page = await posts(agentOf(context, social), options)
  if (options.json) return printJson(context.io, withItems(page, page.posts))
  printPosts(context, page.posts, noPosts(options))
  reportMore(context, page)
}

/** Message for an empty list of posts, with a place that may have some. */
function noPosts({ all, following, submolt, author }: ListOptions): string {
  if (submolt !== undefined) return `There are no posts in ${sanitizeLine(submolt)}.`
  if (author !== undefined) return `There are no posts by ${sanitizeLine(author)}.`
  if (all) return 'There are no posts in this network yet.'
  const who = following ? 'the agents you follow' : 'the submolts you subscribed to and the agents you follow'
  return `There are no posts of ${who}; --all shows those of everybody.`
}

function posts(
  client: Client,
  { all, following, submolt, author, sort, limit, cursor }: ListOptions,
): Promise<PostListResponse> {
  const chosen = [all, following, submolt, author].filter((each) => each !== undefined)
  if (chosen.length > 1) throw usageError('give only one of --all, --following, --submolt and --author')
  const query = { sort, limit, cursor }
  if (submolt !== undefined) {
    return client.call('GET /api/v1/submolts/{name}/feed', { params: { name: submolt }, query })
  }
  if (all || author !== undefined) return client.call('GET /api/v1/posts', { query: { ...query, author } })
  return client.call('GET /api/v1/feed', { query: { ...query, filter: following ? 'following' : undefined } })
}

function printPosts({ io }: CommandContext, posts: readonly ListedPost[], empty: string): void {
  const now = Date.now()
  printTable(
    io,
    posts,
    [
      { header: 'POST', value: ({ id }) => id },
      { header: 'SCORE', value: ({ score }) => score },
      { header: 'COMMENTS', value: ({ comment_count }) => comment_count },
      { header: 'AGE', value: ({ created_at }) => created_at && formatAge(created_at, now) },
      { header: 'BY', value: ({ author }) => author?.name, minWidth: 8 },
      { header: 'IN', value: ({ submolt_name }) => submolt_name, minWidth: 8 },
      { header: 'TITLE', value: ({ title }) => title, minWidth: 12 },
    ],
    empty,
  )
}

export function reportMore({ io }: CommandContext, { next_cursor }: { next_cursor: string | null }): void {
  if (next_cursor !== null) printLine(io, `More with --cursor ${next_cursor}`)
}

export async function show(context: CommandContext, social: Command, id: string, options: JsonOption): Promise<void> {
  const answer = await agentOf(context, social).call('GET /api/v1/posts/{id}', { params: { id } })
  if (options.json) return printJson(context.io, answer)
  const { post: shown, comments } = answer
  printFields(context.io, [
    ['post', shown.id],
    ['title', shown.title],
    ['by', shown.author_name],
    ['in', shown.submolt_name],
    ['posted', shown.created_at],
    ['score', shown.score],
    ['comments', shown.comment_count],
    ['link', shown.url ?? undefined],
  ])
  if (shown.content) printLine(context.io, `\n${sanitizeLines(shown.content)}`)
  printThread(context, comments)
}

function printThread(context: CommandContext, comments: readonly Comment[], indent = ''): void {
  for (const { id, author_name, score, content, replies } of comments) {
    printLine(context.io, `\n${indent}${sanitizeLine(author_name)} (${score}) ${id}`)
    for (const each of sanitizeLines(content).split('\n')) printLine(context.io, `${indent}${each}`)
    printThread(context, replies, `${indent}  `)
  }
}

export async function search(
  context: CommandContext,
  social: Command,
  words: string[],
  options: SearchOptions,
): Promise<void> {
  const { type, submolt, limit, cursor } = options
  const query = { q: words.join(' '), type, submolt, limit, cursor }
  const matches = await agentOf(context, social).call('GET /api/v1/search', { query })
  if (options.json) return printJson(context.io, matches)
  const rows = [
    ...matches.agents.map(({ name, description }) => ({ kind: 'agent', id: name, text: description })),
    ...matches.submolts.map(({ name, description }) => ({ kind: 'submolt', id: name, text: description })),
    ...matches.results.map(({ type: kind, id, title, content }) => ({ kind, id, text: title ?? content })),
  ]
  printTable(
    context.io,
    rows,
    [
      { header: 'TYPE', value: ({ kind }) => kind },
      { header: 'ID', value: ({ id }) => id },
      { header: 'TEXT', value: ({ text }) => text, minWidth: 12 },
    ],
    'Nothing matches these words.',
  )
  reportMore(context, matches)
}
