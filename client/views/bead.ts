import { type BeadChange, beadChanges } from '../../src/client/bead-changes.ts'
import type { Output } from '../../src/client/operations.ts'
import { formatTime } from '../../src/client/text.ts'
import type { Bead } from '../../src/work/beads/index.ts'
import { waitingLines } from './attention.ts'
import { beadActions } from './bead-actions.ts'
import { type Action, type Line, text } from './page.ts'
import { fieldLines, section, textLines } from './sections.ts'
import { toneOf } from './tones.ts'

type Edges = Output<'GET ~/bead/{id}/dependencies'>
type Run = Output<'GET ~/bead/{id}/runs'>['runs'][number]
type Comment = Output<'GET ~/bead/{id}/comments'>['items'][number]

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
    const [bead, edges, children, runs, comments, history, attention] = await Promise.all([
      city.call('GET ~/bead/{id}', call),
      city.call('GET ~/bead/{id}/dependencies', call),
      city.call('GET ~/bead/{id}/deps', call),
      city.call('GET ~/bead/{id}/runs', call),
      city.call('GET ~/bead/{id}/comments', call),
      city.call('GET ~/bead/{id}/history', { ...call, query: { limit: HISTORY } }),
      city.call('GET ~/attention', { ...(signal && { signal }) }),
    ])
    const waiting = attention.items.filter(({ bead_id, session_id }) => bead_id === bead.id && session_id === undefined)
    const lines = [
      ...beadLines(bead),
      ...section('runs (enter opens the first)', runs.runs.map(runLine)),
      ...section('children', (children.children ?? []).map(childLine)),
      ...edgeLines(edges),
      ...commentLines(comments.items),
      ...historyLines(beadChanges(history)),
    ]
    const [run] = runs.runs
    return {
      head: waitingLines(waiting),
      lines,
      actions: [...beadActions(bead), openRelated(relatedOf(bead, edges, children.children ?? []))],
      opens: run && { page: 'run', city: city.name, subject: run.run_id },
    }
  },
})

/** The beads that it is linked with: its parent, its children, and both ends of its edges. */
function relatedOf({ parent }: Bead, { depends_on, dependents }: Edges, children: readonly Bead[]): string[] {
  const linked = [...depends_on, ...dependents].map(({ id, bead }) => `${id} ${bead?.title ?? ''}`)
  return [...new Set([...(parent ? [parent] : []), ...children.map(({ id, title }) => `${id} ${title}`), ...linked])]
}

const openRelated = (beads: readonly string[]): Action => ({
  key: 'v',
  name: 'related',
  help: 'open a bead that it is linked with',
  disabled: beads.length === 0 ? 'it is linked with no other bead' : undefined,
  ...(beads.length > 1 && { fields: [{ name: 'bead', title: 'which', choices: beads }] }),
  run: async ({ city }, { bead = beads[0] ?? '' }) => {
    const [subject = ''] = bead.split(' ')
    return { opens: { page: 'bead', city: city.name, subject } }
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
    ['created', formatTime(bead.created_at)],
    ['closed because', bead.metadata?.close_reason],
  ]
  return [
    { text: bead.title, tone: 'strong' },
    { text: '' },
    ...fieldLines(fields),
    ...(bead.description ? [{ text: '' }, ...textLines(bead.description)] : []),
  ]
}

const runLine = ({ run_id: id, title, status }: Run): Line => ({
  text: `${id.padEnd(12)} ${status.padEnd(12)} ${title}`,
  tone: toneOf(status),
})

const childLine = ({ id, title, status }: Bead): Line => ({
  text: `${id.padEnd(12)} ${status.padEnd(12)} ${title}`,
  tone: toneOf(status),
})

/** Its dependencies and dependents. */
const edgeLines = ({ depends_on, dependents }: Edges): Line[] => [
  ...section('depends on', depends_on.map(edgeLine)),
  ...section('what depends on it', dependents.map(edgeLine)),
]

const edgeLine = ({ id, type, bead }: Edges['depends_on'][number]): Line => ({
  text: `${id.padEnd(12)} ${(bead?.status ?? '').padEnd(12)} ${type.padEnd(14)} ${bead?.title ?? ''}`,
  tone: toneOf(bead?.status ?? ''),
})

const commentLines = (comments: readonly Comment[]): Line[] =>
  section(
    'comments',
    comments.flatMap(({ author, created_at, text: said }) => [
      { text: `${author} · ${formatTime(created_at)}`, tone: 'quiet' as const },
      ...textLines(said, '  '),
    ]),
  )

/** Its history with times and actors, newest first. */
const historyLines = (changes: readonly BeadChange[]): Line[] =>
  section(
    'history',
    changes.map(({ event: { ts, type }, what, who }): Line => {
      const time = formatTime(ts)
      const happened = type.replace(/^bead\./, '').replaceAll('_', ' ')
      const told = happened === 'updated' && what !== '' ? what : [happened, what].filter(Boolean).join(': ')
      return { text: `${time}  ${told} · ${who}`, hang: time.length + 2, tone: 'quiet' }
    }),
  )
