import type { Output } from '../../src/client/operations.ts'
import { countOf } from '../../src/client/text.ts'
import { copy } from './copy.ts'
import type { Action, Outcome, Reach } from './page.ts'

export type Landing = Output<'GET ~/landings'>['items'][number]
export type LandStatus = Output<'GET ~/rig/{name}/land'>
type State = Landing['state']
type Verb = 'retry' | 'cancel' | 'hold' | 'release' | 'give-up'

const OVER: readonly State[] = ['landed', 'already', 'cancelled', 'given_up']

/** The states that a verb is not for are those that the server refuses. */
const RETRIED: readonly State[] = ['conflict', 'red', 'parked', 'lost', 'held']
const HELD_FROM: readonly State[] = [
  ...(['submitted', 'queued', 'waits_turn', 'conflict', 'red', 'pr_open', 'pr_waiting'] as const),
]

export const stateWords = (state: State): string => state.replace('_', ' ')

/** `gc/to-1 at 3f2a9b1c04d2`. */
const nameOf = ({ branch, head }: Landing): string => `${branch} at ${head.slice(0, 12)}`

const change =
  (id: string, verb: Verb, done: string, undo?: Outcome['undo']) =>
  async ({ city }: Reach, { reason = '' }: Readonly<Record<string, string>>): Promise<Outcome> => {
    const body = reason.trim() === '' ? {} : { reason }
    await city.call(`POST ~/landing/{id}/${verb}`, { params: { id }, body })
    return { text: `${id} ${done}`, ...(undo && { undo }) }
  }

/** Actions on a submitted branch. */
export function landingActions(landing: Landing): Action[] {
  const { id, state, rig, target, session, bead_id: bead } = landing
  const over = OVER.includes(state) ? `${id} is ${stateWords(state)}` : undefined
  const moving = state === 'in_batch' ? `${id} is being checked or pushed; wait, or pause the rig first` : over
  return [
    {
      ...{ key: 'r', name: 'retry', many: {}, help: 'try it again, with the commit that was submitted' },
      disabled: RETRIED.includes(state)
        ? undefined
        : (moving ?? `${id} is ${stateWords(state)}, which continues automatically`),
      confirm: `Retry ${nameOf(landing)}?\nIt goes to the queue of ${rig} again, as its first try.`,
      run: change(id, 'retry', 'is tried again'),
    },
    state === 'held' ? release(landing) : { ...hold(landing), disabled: heldProblem(landing, moving) },
    openChange(landing),
    {
      ...{ key: 'x', name: 'cancel', many: {}, help: 'take it out of the queue; its branch stays' },
      disabled: moving,
      confirm: `Cancel the landing of ${nameOf(landing)}?\nIt leaves the queue of ${rig}. The branch is not changed.`,
      fields: [{ name: 'reason', title: 'why it is cancelled', isOptional: true }],
      run: change(id, 'cancel', 'is out of the queue'),
    },
    {
      ...{ key: 'X', name: 'give-up', many: {}, help: 'give it up, as it cannot land' },
      disabled: moving,
      confirm: `Give up ${nameOf(landing)}?\nIt will not land on ${target}. The branch is not changed.`,
      fields: [{ name: 'reason', title: 'why it is given up', isOptional: true }],
      run: change(id, 'give-up', 'is given up'),
    },
    openPage('t', 'session', 'its session', 'session', session, 'no session submitted it'),
    openPage('b', 'bead', 'its bead', 'bead', bead, 'it is the work of no bead'),
    copy('y', 'copy', 'its id', id),
  ]
}

const heldProblem = ({ id, state }: Landing, moving: string | undefined): string | undefined =>
  HELD_FROM.includes(state) ? undefined : (moving ?? `${id} is ${stateWords(state)}; it already needs attention`)

const hold = (landing: Landing): Action => ({
  ...{ key: 'K', name: 'hold', help: 'hold it until it is released' },
  many: { fields: [{ name: 'reason', title: 'why they are held', isOptional: true }] },
  fields: [{ name: 'reason', title: `why ${nameOf(landing)} is held`, isOptional: true }],
  run: change(landing.id, 'hold', 'is held; K releases it', {
    name: 'release',
    run: change(landing.id, 'release', 'is released again'),
  }),
})

const release = (landing: Landing): Action => ({
  ...{ key: 'K', name: 'release', many: {}, help: 'release it despite the reason for its hold' },
  confirm: `Release ${nameOf(landing)}?\n${landing.reason ? `It is held: ${landing.reason}.` : 'It is held.'} This lets it pass, for this commit.`,
  run: change(landing.id, 'release', 'is released'),
})

const openPage = (
  key: string,
  name: string,
  help: string,
  page: string,
  subject: string | undefined,
  without: string,
): Action => ({
  ...{ key, name, help },
  disabled: subject ? undefined : without,
  run: async ({ city }) => ({ opens: { page, city: city.name, subject: subject ?? '' } }),
})

const openChange = ({ id, bead_id: bead, branch, rig }: Landing): Action => ({
  ...{ key: 'c', name: 'change', help: 'its change, as it is reviewed' },
  run: async ({ city }) => {
    const query = { state: 'all', rig, ...(bead && { bead }) }
    const { items } = await city.call('GET ~/changes', { query })
    const found = items.find((each) => each.branch === branch)
    if (!found) throw new Error(`no change of ${id} is under review; K releases it`)
    return { opens: { page: 'change', city: city.name, subject: found.id } }
  },
})

/** Landings that are under way or need attention. */
export const openLandings = ({ queue, waiting }: LandStatus): readonly Landing[] => [...queue, ...waiting]

/** Pauses and resumes landing: in the rig, or in that of several which is chosen. */
export function trainActions(statuses: readonly LandStatus[]): Action[] {
  const isHeld = ({ paused, standing }: LandStatus) => paused !== undefined || standing !== undefined
  return [
    trainAction(
      'pause',
      statuses.filter(({ paused }) => !paused),
      'nothing lands here, or all of it is paused',
    ),
    trainAction('resume', statuses.filter(isHeld), 'no rig is paused'),
  ]
}

function trainAction(verb: 'pause' | 'resume', statuses: readonly LandStatus[], without: string): Action {
  const [first, ...others] = statuses
  const rigs = statuses.map(({ rig }) => rig)
  const waits = countOf(first ? openLandings(first).length : 0, 'landing')
  return {
    key: verb === 'pause' ? 'P' : 'R',
    name: verb,
    help: verb === 'pause' ? 'land nothing more in a rig' : 'land in a rig again, and retry what failed',
    disabled: first ? undefined : without,
    ...(others.length > 0
      ? { fields: [{ name: 'rig', title: `rig to ${verb}`, initial: first?.rig ?? '', choices: rigs }] }
      : verb === 'pause' && {
          confirm: `Pause landing in ${first?.rig}?\nNothing more lands there until you resume it; ${waits} would wait.`,
        }),
    run: turn(verb, first?.rig ?? ''),
  }
}

const turn =
  (verb: 'pause' | 'resume', only: string): Action['run'] =>
  async ({ city }, { rig: name = only }) => {
    await city.call(`POST ~/rig/{name}/land/${verb}`, { params: { name } })
    const other = verb === 'pause' ? 'resume' : 'pause'
    return {
      text: verb === 'pause' ? `landing in ${name} is paused; R resumes it` : `${name} lands again`,
      undo: { name: other, run: (reach) => turn(other, name)(reach, {}) },
    }
  }
