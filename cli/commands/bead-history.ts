import type { Command } from 'commander'
import type { CityEvent } from '../../src/client/operations.ts'
import { isRecord } from '../../src/client/problem.ts'
import { cut, paint, plain } from '../../src/client/text.ts'
import type { Here } from '../context/context.ts'
import { count, type Json, withJson } from '../context/options.ts'
import { type Io, json, line } from '../io/io.ts'

export function historyCommand(bead: Command, here: Here): void {
  withJson(bead.command('history').description('what happened to a bead, newest first'))
    .argument('<bead>')
    .option('--limit <n>', 'at most so many', count, 50)
    .action((id: string, options: Json & { limit: number }) => history(here, id, options))
}

async function history(here: Here, id: string, { limit, json: asJson }: Json & { limit: number }): Promise<void> {
  const city = await here.city()
  const page = await city.call('GET ~/bead/{id}/history', { params: { id }, query: { limit } })
  if (asJson) return json(here.io, page)
  for (const [at, event] of page.items.entries()) print(here.io, event, page.items.slice(at + 1).find(hasBead))
  if (page.next_cursor) line(here.io, `The newest ${page.items.length}; --limit shows more.`)
}

const hasBead = (event: CityEvent): boolean => beadOf(event) !== undefined

function print(io: Io, event: CityEvent, before: CityEvent | undefined): void {
  const when = new Date(event.ts).toLocaleString('sv-SE')
  const type = plain(event.type).padEnd(16)
  const what = plain([...changes(before && beadOf(before), event), event.message ?? ''].filter(Boolean).join(', '))
  const room = io.width === undefined ? what : cut(what, Math.max(10, io.width - when.length - type.length - 4))
  line(io, `${paint(when, 'dim', io.colour)}  ${paint(type, 'cyan', io.colour)}  ${room}`.trimEnd())
}

function beadOf({ payload }: CityEvent): Record<string, unknown> | undefined {
  return isRecord(payload) && isRecord(payload.bead) ? payload.bead : undefined
}

/** What an event tells that the one before did not, in words. */
function changes(before: Record<string, unknown> | undefined, event: CityEvent): string[] {
  const after = beadOf(event)
  if (!after) return isRecord(event.payload) && isRecord(event.payload.comment) ? [said(event.payload.comment)] : []
  if (event.type === 'bead.created' || !before) return [`“${after.title}”`, `status ${after.status}`]
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  return [...names].flatMap((name) => (QUIET.has(name) ? [] : changed(name, before[name], after[name])))
}

/** What changes with everything, or says nothing to a reader. */
const QUIET = new Set(['updated_at', 'is_blocked'])

function changed(name: string, before: unknown, after: unknown): string[] {
  if (JSON.stringify(before) === JSON.stringify(after)) return []
  if (name === 'description') return ['description changed']
  if (name === 'dependencies') return ['dependencies changed']
  if (name !== 'metadata') return [`${name} ${shown(before)} → ${shown(after)}`]
  const [old, now] = [isRecord(before) ? before : {}, isRecord(after) ? after : {}]
  return [...new Set([...Object.keys(old), ...Object.keys(now)])].flatMap((key) => changed(key, old[key], now[key]))
}

const shown = (value: unknown): string => {
  if (value === undefined || value === '') return 'none'
  return Array.isArray(value) ? value.join(' ') : typeof value === 'object' ? JSON.stringify(value) : String(value)
}

const said = ({ author, text }: Record<string, unknown>): string => `${author}: ${text}`
