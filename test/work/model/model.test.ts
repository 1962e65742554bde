import { describe, expect, test } from 'bun:test'
import { AppError } from '../../../src/core/errors.ts'
import { miscountsOf } from '../../support/miscounts.ts'
import { openWork, type Work } from '../world.ts'
import { Model, type ModelBead } from './model.ts'
import { SeededRandom } from './random.ts'
import { RECIPIENTS, type Step, StepGenerator } from './steps.ts'

const STEP_COUNT = 200

/** The inbox and the list that are compared after a step. */
interface Query {
  agent: string | undefined
  filter: keyof typeof FILTERS
}

const FILTERS = {
  open: {},
  red: { label: 'red', all: true },
  press: { rig: 'press' },
  mayor: { assignee: 'mayor' },
  bugs: { type: 'bug', status: 'closed' },
  'mayor, ever': { assignee: 'mayor', all: true },
  'red in the press': { label: 'red', rig: 'press' },
  'green bugs, ever': { label: 'green', type: 'bug', all: true },
  'archived mail of the mayor': { assignee: 'mayor', type: 'message', status: 'closed' },
  'red of the mayor, ever': { label: 'red', assignee: 'mayor', all: true },
}

const isOpen = ({ status }: ModelBead): boolean => status !== 'closed'

const MODEL_FILTERS: Record<Query['filter'], (thing: ModelBead) => boolean> = {
  open: isOpen,
  red: ({ labels }) => labels.includes('red'),
  press: (thing) => isOpen(thing) && thing.rig === 'press',
  mayor: (thing) => isOpen(thing) && thing.assignee === 'mayor',
  bugs: ({ type, status }) => type === 'bug' && status === 'closed',
  'mayor, ever': ({ assignee }) => assignee === 'mayor',
  'red in the press': (thing) => isOpen(thing) && thing.labels.includes('red') && thing.rig === 'press',
  'green bugs, ever': ({ labels, type }) => labels.includes('green') && type === 'bug',
  'archived mail of the mayor': ({ assignee, type, status }) =>
    assignee === 'mayor' && type === 'message' && status === 'closed',
  'red of the mayor, ever': ({ labels, assignee }) => labels.includes('red') && assignee === 'mayor',
}

/** Takes turns through all inboxes and filters. */
function queryAfter(step: number): Query {
  const agents = [undefined, ...RECIPIENTS]
  const filters = Object.keys(FILTERS) as Query['filter'][]
  return { agent: agents[step % agents.length], filter: filters[step % filters.length] ?? 'open' }
}

/** Beads, ready work, convoys and mail of a city. */
function cityState({ beads, convoys, mail }: Work, { agent, filter }: Query) {
  const all = beads.list({ all: true, limit: 1000 }).value.items
  const ids = (items: readonly { id: string }[]) => items.map(({ id }) => id)
  const { items, total } = beads.list({ ...FILTERS[filter], limit: 1000 }).value
  return {
    beads: all.map((bead) => [
      bead.id,
      bead.title,
      bead.status,
      bead.issue_type,
      bead.priority,
      bead.assignee ?? '',
      bead.parent,
      bead.labels ?? [],
      bead.metadata?.close_reason,
      bead.is_blocked,
      (bead.dependencies ?? []).map(({ type, depends_on_id }) => `${type} ${depends_on_id}`).sort(),
    ]),
    some: ids(items),
    total,
    ready: ids(beads.ready().value.items),
    convoys: convoys.list({ limit: 1000 }).value.items.map(({ id }) => {
      const { children = [], progress } = convoys.get(id)
      return [id, ids(children), progress]
    }),
    mail: mail.list({ agent, status: 'all', limit: 1000 }).items.map(({ id, read }) => [id, read]),
    unread: ids(mail.list({ agent, limit: 1000 }).items),
    count: mail.count({ agent }),
    threads: ids(mail.threads({ agent, limit: 1000 }).items),
  }
}

/** The same from the model. */
function modelState(model: Model, now: number, { agent, filter }: Query): ReturnType<typeof cityState> {
  const ids = (items: readonly { id: string }[]) => items.map(({ id }) => id)
  const some = ids(model.list(MODEL_FILTERS[filter]))
  return {
    beads: model
      .list(() => true)
      .map((thing) => [
        thing.id,
        thing.title,
        thing.status,
        thing.type,
        thing.priority,
        thing.assignee,
        thing.parent,
        thing.labels,
        thing.reason,
        model.isBlocked(thing.id),
        model.edges(thing.id),
      ]),
    some,
    total: some.length,
    ready: model.ready(now),
    convoys: model
      .list((thing) => isOpen(thing) && thing.type === 'convoy')
      .map(({ id }) => [id, model.members(id), model.progress(id)]),
    mail: model.inbox(agent, false).map(({ id, mail }) => [id, mail?.read === true]),
    unread: ids(model.inbox(agent, true)),
    count: { total: model.inbox(agent, false).length, unread: model.inbox(agent, true).length },
    threads: model.threads(agent),
  }
}

/** The result of a step in the city: its response, or the code of its error. */
async function resultOf(step: Step): Promise<{ answer?: unknown; error?: string }> {
  try {
    return { answer: await step.runInCity() }
  } catch (error) {
    if (error instanceof AppError) return { error: error.code }
    throw error
  }
}

describe('after any operations, a city shows the same as a simple model in memory, and its counters are right', () => {
  test.each([1, 2, 3, 4])(
    'seed %d',
    async (seed) => {
      await using world = await openWork()
      const model = new Model()
      const { id } = await world.session('ada')
      await world.namedSession('mayor')
      const at = world.clock.now()
      const plain = { rig: '', priority: undefined, assignee: '', parent: undefined, reason: undefined }
      for (const { id, title = '', labels = [], status } of world.beads.list({}).value.items)
        model.beads.push({ ...plain, id, title, labels, status, type: 'session', at, deferUntil: undefined })
      const steps = new StepGenerator(world, model, new SeededRandom(seed), { id, name: 'ada', route: id })
      const trace: string[] = []
      const miscounts = miscountsOf(world.store)
      for (let step = steps.next(); trace.length < STEP_COUNT; step = steps.next()) {
        trace.push(step.description)
        const { answer, error } = await resultOf(step)
        await world.settled()
        const look = queryAfter(trace.length)
        const expected = {
          ...{ error: step.runInModel(answer), miscounts: [] },
          ...modelState(model, world.clock.now(), look),
        }
        const is = { error, miscounts: miscounts(), ...cityState(world, look) }
        if (!Bun.deepEquals(is, expected)) {
          expect(is, `seed ${seed}, step ${trace.length}:\n${trace.slice(-12).join('\n')}`).toEqual(expected)
        }
      }
      expect(world.errors).toEqual([])
    },
    60_000,
  )
})
