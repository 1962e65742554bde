import { sanitizeLine } from '../../src/client/text.ts'
import type { CommandContext } from '../context/context.ts'
import type { JsonOption } from '../context/options.ts'
import { failure, usageError } from '../io/exit.ts'
import { printJson, printLine } from '../io/io.ts'

type TextOption = JsonOption & { text: string }

/** Drafts a comment on lines: `src/a.ts:12-14`. */
export async function comment(
  context: CommandContext,
  id: string,
  place: string,
  { json, text, old }: TextOption & { old?: true },
): Promise<void> {
  const [, path, first, last = first] = /^(.+):(\d{1,8})(?:-(\d{1,8}))?$/s.exec(place) ?? []
  if (path === undefined) throw usageError(`${place} is not a file and line, such as src/a.ts:12 or src/a.ts:12-14`)
  const lines = { line: Number(first), end_line: Number(last) }
  const city = await context.city()
  const made = await city.call('POST ~/change/{id}/comments', {
    params: { id },
    body: { path, ...lines, text, ...(old && { side: 'old' }) },
  })
  if (json) return printJson(context.io, made)
  printLine(context.io, `Comment ${made.n} is drafted; gc review ask ${id} sends your drafts.`)
}

export async function edit(context: CommandContext, id: string, n: string, { json, text }: TextOption): Promise<void> {
  const city = await context.city()
  const made = await city.call('PATCH ~/change/{id}/comment/{n}', { params: { id, n }, body: { text } })
  if (json) return printJson(context.io, made)
  printLine(context.io, `Comment ${made.n} is changed.`)
}

export async function remove(context: CommandContext, id: string, n: string, { json }: JsonOption): Promise<void> {
  const city = await context.city()
  const removed = await city.call('DELETE ~/change/{id}/comment/{n}', { params: { id, n } })
  if (json) return printJson(context.io, removed)
  printLine(context.io, `Comment ${n} is removed.`)
}

export async function reply(context: CommandContext, id: string, n: string, { json, text }: TextOption): Promise<void> {
  const city = await context.city()
  const answered = await city.call('POST ~/change/{id}/comment/{n}/reply', { params: { id, n }, body: { text } })
  if (json) return printJson(context.io, answered)
  printLine(context.io, `Comment ${answered.n} is answered.`)
}

export async function ask(context: CommandContext, id: string, { json, text }: Partial<TextOption>): Promise<void> {
  const city = await context.city()
  const body = text === undefined ? {} : { text }
  const asked = await city.call('POST ~/change/{id}/ask', { params: { id }, body })
  if (json) return printJson(context.io, asked)
  printLine(
    context.io,
    `Session ${asked.session} is asked for changes; gc review lists ${asked.id} as ready once they are done.`,
  )
}

export async function approve(
  context: CommandContext,
  id: string,
  { json, head }: JsonOption & { head?: string },
): Promise<void> {
  const city = await context.city()
  const seen = head ?? (await city.call('GET ~/change/{id}', { params: { id } })).seen
  if (seen === undefined) throw failure(`look at ${id} first: gc review diff ${id}`)
  const approved = await city.call('POST ~/change/{id}/approve', { params: { id }, body: { head: seen } })
  if (json) return printJson(context.io, approved)
  printLine(context.io, `${approved.id} is approved at ${approved.head.slice(0, 12)}.`)
}

export async function discard(
  context: CommandContext,
  id: string,
  { json, reason }: JsonOption & { reason?: string },
): Promise<void> {
  const city = await context.city()
  const body = reason === undefined ? {} : { reason }
  const discarded = await city.call('POST ~/change/{id}/discard', { params: { id }, body })
  if (json) return printJson(context.io, discarded)
  const branch = discarded.branch === undefined ? '' : `, and branch ${sanitizeLine(discarded.branch)} stays`
  printLine(
    context.io,
    `${discarded.id} is discarded. Its commits are kept for 30 days${branch}; gc review show ${discarded.id} shows how to restore them.`,
  )
}
