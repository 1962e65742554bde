import type { RunTimeline } from '../../src/client/run-timeline.ts'
import { money } from './figures.ts'

export type TimelineStep = RunTimeline['steps'][number]

/** Steps that gc does automatically, which no one looks for. */
const BOOKKEEPING: ReadonlySet<string> = new Set(['spec', 'workflow-finalize'])

/** True if gc keeps a step automatically. */
export const isBookkeeping = (kind: string | undefined): boolean => BOOKKEEPING.has(kind ?? '')

const MARKS: Readonly<Record<string, string>> = {
  ...{ completed: '✓', failed: '✗', active: '▶', in_progress: '▶' },
  ...{ skipped: '↷', canceled: '✗', closed: '✓', blocked: '◌' },
}

/** Mark of a step's status, in one column. */
export const markOf = (status: string): string => MARKS[status] ?? '○'

/** Title of a step, with its attempt or repetition if several share a title. */
export function titleOf({ title, kind, attempt }: Pick<TimelineStep, 'title' | 'kind' | 'attempt'>): string {
  if (attempt !== undefined) return `${title} · attempt ${attempt}`
  return kind === 'ralph' ? `${title} · until its check passes` : title
}

/** Time it was worked on: `42s`, `1m 05s`, `2h 10m`. */
export function formatWorkTime(seconds: number): string {
  const whole = Math.round(seconds)
  const two = (value: number) => String(value).padStart(2, '0')
  if (whole < 60) return whole === 0 ? '' : `${whole}s`
  if (whole < 3600) return `${Math.floor(whole / 60)}m ${two(whole % 60)}s`
  return `${Math.floor(whole / 3600)}h ${two(Math.floor((whole % 3600) / 60))}m`
}

/** Cost, once there is usage. */
export const costOf = (step: TimelineStep): string =>
  step.input_tokens + step.output_tokens > 0 ? money(step.cost_usd_estimate, step.unpriced) : ''

export const statusOf = ({ states }: TimelineStep): string => states.at(-1)?.status ?? 'pending'
