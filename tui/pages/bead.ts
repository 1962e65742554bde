import type { Output } from '../../src/client/operations.ts'
import type { Bead } from '../../src/work/beads/schema.ts'
import { beadActions } from './bead-actions.ts'
import { type Line, text } from './page.ts'

type Comment = Output<'GET ~/bead/{id}/comments'>['items'][number]
type Change = Output<'GET ~/bead/{id}/history'>['items'][number]

const HISTORY = 20

/** One bead: its fields, its text, what it waits for, what was said about it and what happened to it. */
export const beadPage = text({
  name: 'bead',
  about: 'bead',
  title: 'bead',
  help: 'a bead with its comments and history',
  isChangedBy: ({ subject }, id) => subject === id,
  load: async ({ city, subject: id, signal }) => {
    const call = { params: { id }, ...(signal && { signal }) }
    const [bead, comments, history] = await Promise.all([
      city.call('GET ~/bead/{id}', call),
      city.call('GET ~/bead/{id}/comments', call),
      city.call('GET ~/bead/{id}/history', { ...call, query: { limit: HISTORY } }),
    ])
    const lines = [...beadLines(bead), ...commentLines(comments.items), ...historyLines(history.items)]
    return { lines, actions: beadActions(bead) }
  },
})

/** The fields and the text of a bead. */
export function beadLines(bead: Bead): Line[] {
  const fields: [string, string | undefined][] = [
    ['status', bead.is_blocked && bead.status === 'open' ? 'blocked' : bead.status],
    ['type', bead.issue_type],
    ['priority', bead.priority === undefined ? undefined : String(bead.priority)],
    ['assignee', bead.assignee],
    ['goes to', bead.metadata?.['gc.routed_to']],
    ['labels', bead.labels?.join(', ')],
    ['parent', bead.parent],
    ['waits for', bead.dependencies?.map(({ depends_on_id, type }) => `${depends_on_id} (${type})`).join(', ')],
    ['created', bead.created_at],
    ['closed because', bead.metadata?.close_reason],
  ]
  return [
    { text: bead.title, tone: 'strong' },
    { text: '' },
    ...fields.flatMap(([name, value]) => (value ? [{ text: `${name.padEnd(15)} ${value}` }] : [])),
    ...(bead.description ? ['', ...bead.description.split(/\r?\n/)].map((line) => ({ text: line })) : []),
  ]
}

const commentLines = (comments: readonly Comment[]): Line[] =>
  section(
    'comments',
    comments.flatMap(({ author, created_at, text: said }) => [
      { text: `${author} · ${created_at}`, tone: 'quiet' as const },
      ...said.split(/\r?\n/).map((line) => ({ text: `  ${line}` })),
    ]),
  )

const historyLines = (changes: readonly Change[]): Line[] =>
  section(
    'history',
    changes.map(({ ts, type, actor }) => ({ text: `${ts}  ${type.padEnd(16)} ${actor}`, tone: 'quiet' as const })),
  )

const section = (title: string, lines: readonly Line[]): Line[] =>
  lines.length === 0 ? [] : [{ text: '' }, { text: title, tone: 'strong' }, ...lines]
