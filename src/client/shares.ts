import type { Output } from './operations.ts'

type Shares = Output<'GET ~/session/{id}/share'>
type Share = Shares['items'][number]

const MEGABYTE = 1024 ** 2

const HOLDERS: Readonly<Record<Share['held_by'], string>> = {
  cgroup: '',
  priority: ' (not held to it: others go first)',
  nothing: ' (not held to it)',
}

/** Resource share of a session, in words; undefined without limits. */
export function formatShares({ items, reason }: Pick<Shares, 'items' | 'reason'>): string | undefined {
  if (items.length === 0) return undefined
  return items.map(formatShare).join(', ') + (reason ? `; ${reason}` : '')
}

function formatShare({ resource, most, used, held_by }: Share): string {
  const now = used === undefined ? '' : `${amount(resource, used)} of `
  return `${now}${amount(resource, most)} ${UNITS[resource]}${HOLDERS[held_by]}`
}

const UNITS: Readonly<Record<Share['resource'], string>> = { cpu: 'processors', memory: 'MB', pids: 'processes' }

const amount = (resource: Share['resource'], number: number): string =>
  String(resource === 'memory' ? Math.round(number / MEGABYTE) : number)
