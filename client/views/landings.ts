import { countOf, formatTime } from '../../src/client/text.ts'
import { timedLine } from './figures.ts'
import {
  type Landing,
  type LandStatus,
  landingActions,
  openLandings,
  stateWords,
  trainActions,
} from './landing-actions.ts'
import { type Columns, isOneOf, type Line, type Reach, type Slice, table } from './page.ts'
import { differenceOf } from './several.ts'
import { toneOf } from './tones.ts'

const PAGE = 100

/** A landing, and where it is in the queue of its rig. */
interface Listed extends Landing {
  /** Its place in the queue, from 1. */
  readonly place?: number
  /** State of its batch, its position there, and the time at which the check began. */
  readonly stage?: string
  readonly part?: string
  readonly checkedSince?: string | undefined
  /** True if branches land in no other rig. */
  readonly isOnlyRig?: boolean
}

const ON_THEIR_WAY = 'on their way'

/** The orders of the list, and the state that each shows. */
const ORDERS: Readonly<Record<string, 'landed' | undefined>> = {
  [ON_THEIR_WAY]: undefined,
  'all, newest first': undefined,
  'landed ones': 'landed',
}

/** Facts of a landing that an action on several of them relies on. */
const FACTS = { state: 'state', head: 'commit' }

/** Columns of a list of landings. */
export const landingColumns = {
  place: { title: '#', width: 2, leaves: 7, cell: ({ place }) => (place === undefined ? '' : String(place)) },
  landing: {
    title: 'landing',
    width: 15,
    leaves: 5,
    yields: true,
    isName: true,
    cell: ({ id }) => ({ text: id, tone: 'quiet' }),
  },
  state: {
    ...{ title: 'state', width: 10 },
    cell: ({ state, stage = stateWords(state) }) => ({ text: stage, tone: toneOf(state) }),
  },
  branch: { title: 'branch', width: 18, grows: true, isName: true, cell: ({ branch }) => branch },
  bead: { title: 'bead', header: 'WORK', width: 8, isName: true, leaves: 4, cell: ({ bead_id }) => bead_id },
  batch: { title: 'batch', width: 6, leaves: 3, cell: ({ part }) => part },
  check: {
    title: 'check',
    width: 5,
    leaves: 3,
    cell: ({ checkedSince: since }) => (since ? { since, tone: 'busy' } : ''),
  },
  agent: {
    title: 'agent',
    width: 12,
    isName: true,
    leaves: 2,
    cell: ({ agent }) => ({ text: agent ?? '', tone: 'quiet' }),
  },
  rig: {
    title: 'rig',
    width: 8,
    isName: true,
    leaves: 6,
    cell: ({ rig, isOnlyRig }) => ({ text: isOnlyRig ? '' : rig, tone: 'quiet' }),
  },
  reason: {
    ...{ title: 'reason', width: 18, grows: true, leaves: 1 },
    cell: ({ reason = '', state }) => ({ text: reason, tone: toneOf(state) }),
  },
  age: { title: 'age', width: 4, cell: ({ submitted_at: since }) => ({ since, tone: 'quiet' }) },
} satisfies Columns<Listed>

/** The branches of all rigs on their way to their targets, in the order in which they land. */
export const landingsPage = table<Listed>({
  name: 'landings',
  aliases: ['land', 'queue'],
  title: 'landings',
  help: 'submitted branches, in the order of their queues',
  empty: 'the queue is empty: approve a change, or gc land submit',
  sorts: Object.keys(ORDERS),
  columns: Object.values(landingColumns),
  idOf: ({ id }) => id,
  isChangedBy: isOneOf('land.', 'rig.', 'config.'),
  opens: ({ id }, city) => ({ page: 'landing', city, subject: id }),
  load: async (reach, { cursor, sort = ON_THEIR_WAY }) => {
    if (cursor !== undefined) return readAll(reach, sort, cursor)
    const statuses = await readStatuses(reach)
    const { items, next } =
      sort === ON_THEIR_WAY ? { items: statuses.flatMap(listed), next: undefined } : await readAll(reach, sort, cursor)
    const isOnlyRig = statuses.length === 1
    return {
      items: items.map((item) => ({ ...item, isOnlyRig })),
      next,
      head: statuses.flatMap((status) => headOf(status)),
      actions: trainActions(statuses),
    }
  },
  actionsOf: (landing) => landingActions(landing),
  changed: async (landing, { city }) =>
    differenceOf(landing, await city.call('GET ~/landing/{id}', { params: { id: landing.id } }), FACTS),
})

async function readAll({ city, signal }: Reach, sort: string, cursor: string | undefined): Promise<Slice<Listed>> {
  const state = ORDERS[sort]
  const query = { limit: PAGE, ...(state && { state }), ...(cursor && { cursor }) }
  const { items, next_cursor: next } = await city.call('GET ~/landings', { query, ...(signal && { signal }) })
  return { items, next }
}

/** State of each rig that lands anything. */
async function readStatuses({ city, signal }: Reach): Promise<LandStatus[]> {
  const call = signal ? { signal } : {}
  const { items } = await city.call('GET ~/rigs', call)
  const statuses = await Promise.all(
    (items ?? []).map(({ name }) => city.call('GET ~/rig/{name}/land', { params: { name }, ...call })),
  )
  return statuses.filter((status) => status.mode !== 'off' || openLandings(status).length > 0)
}

/** The landings of a rig with their places: those that are checked first, then the queue, then those that wait. */
function listed(status: LandStatus): Listed[] {
  const { batch, queue } = status
  return openLandings(status).map((landing) => {
    const at = queue.indexOf(landing)
    const inBatch = batch?.landings.indexOf(landing.id) ?? -1
    return {
      ...landing,
      ...(at >= 0 && { place: at + 1 }),
      ...(batch &&
        inBatch >= 0 && {
          stage: batch.state,
          part: `${inBatch + 1} of ${batch.landings.length}`,
          checkedSince: batch.check?.started_at,
        }),
    }
  })
}

/** State of landing in a rig: its target, what halts it, and the check that runs. */
export function headOf({ rig, mode, target, base, paused, standing, batch }: LandStatus, now = Date.now()): Line[] {
  const at = base === undefined ? '' : ` at ${base.slice(0, 12)}`
  return [
    {
      text: mode === 'off' ? `Rig ${rig} lands nothing.` : `Rig ${rig} lands on ${target}${at} (mode ${mode}).`,
      tone: 'quiet',
    },
    ...(paused ? [warn(`${rig}: paused by ${paused.by} since ${formatTime(paused.since)}.`)] : []),
    ...(standing ? [{ ...warn(`${rig}: ${haltOf(standing)}: ${standing.reason}.`), tone: 'bad' as const }] : []),
    ...(batch ? [batchLine(rig, batch, now)] : []),
  ]
}

/** The batch of a rig, behind a bar once earlier checks say how long this one takes. */
function batchLine(
  rig: string,
  { landings, state, check, expected_end: end }: NonNullable<LandStatus['batch']>,
  now: number,
): Line {
  const what = `${rig}: a batch of ${countOf(landings.length, 'landing')} is ${state}`
  const since = check?.started_at
  if (since === undefined) return { text: `${what}.`, tone: 'busy' }
  const checked = `${what}, checked since ${formatTime(since)}`
  if (end === undefined) return { text: `${checked}.`, tone: 'busy' }
  return timedLine(`${checked}, probably until ${formatTime(end)}.`, since, end, now)
}

const haltOf = ({ cause }: NonNullable<LandStatus['standing']>): string =>
  cause === 'no-forge' ? 'pull requests wait' : 'nothing lands'

const warn = (text: string): Line => ({ text, tone: 'warning' })
