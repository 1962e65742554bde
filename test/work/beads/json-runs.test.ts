import { describe, expect, test } from 'bun:test'
import { AppError } from '../../../src/core/errors.ts'
import { query } from '../../../src/core/store/index.ts'
import { MAX_PAGE_BYTES } from '../../../src/http/respond/page.ts'
import { BeadJsonCache, type BeadVersion } from '../../../src/work/beads/json-cache.ts'
import { BeadJsonRuns } from '../../../src/work/beads/json-runs.ts'
import type { ListBodyBead } from '../../../src/work/beads/schema.ts'
import type { Bead } from '../../../src/work/schema.ts'
import { SEED } from '../../support/seed.ts'
import { Model } from '../model/model.ts'
import { SeededRandom } from '../model/random.ts'
import { StepGenerator } from '../model/steps.ts'
import { human, openWork, type Work } from '../world.ts'

/** Runs over beads of so many characters each, and the numbers of those that were rendered since it was last asked. */
function createRuns(size = 10) {
  const rendered: number[] = []
  const cache = new BeadJsonCache((numbers) => {
    rendered.push(...numbers)
    return numbers.map((n) => ({ n, revision: 0, json: `"${n}${'x'.repeat(size)}"`, isCacheable: true }))
  })
  const runs = new BeadJsonRuns(cache)
  return { runs, rendered: () => rendered.splice(0) }
}

const numbered = (from: number, to: number): BeadVersion[] =>
  Array.from({ length: to - from }, (_, index) => ({ n: from + index, revision: 0 }))

describe('runs of beads', () => {
  test('are written once, and only the one in which a bead comes, goes or changes is written again', () => {
    const { runs } = createRuns()
    const versions = numbered(1, 1000)
    const first = new Set(runs.list(versions))
    const isNew = (list: BeadVersion[]) => [...runs.list(list)].filter((run) => !first.has(run)).length
    expect(first.size).toBeGreaterThan(30)
    expect(isNew(versions)).toBe(0)
    expect(isNew(versions.toSpliced(500, 1))).toBe(1)
    expect(isNew([{ n: 5000, revision: 0 }, ...versions])).toBe(1)
    expect(isNew(versions.with(300, { n: 301, revision: 7 }))).toBe(1)
  })

  test('fill a page to its bound in bytes, with its first bead however large that is', () => {
    const beads = numbered(1, 100)
    for (const [size, length] of [
      [10, 99],
      [MAX_PAGE_BYTES / 10 - 20, 10],
      [MAX_PAGE_BYTES / 2, 1],
      [MAX_PAGE_BYTES * 2, 1],
    ] as const) {
      const page = createRuns(size).runs.page(beads)
      expect(page.length).toBe(length)
      expect(JSON.parse(`[${page.json}]`)).toHaveLength(length)
    }
    expect(createRuns().runs.page([])).toEqual({ json: '', length: 0 })
  })
})

/** All pages of a list, of so many beads each. */
function listed({ beads }: Work, query: { all?: boolean }, limit: number): Bead[] {
  const items: Bead[] = []
  for (let cursor: string | undefined = ''; cursor !== undefined; ) {
    const page: ListBodyBead = beads.list({ ...query, limit, cursor }).value
    items.push(...(page.items ?? []))
    cursor = page.next_cursor
  }
  return items
}

/** Beads as served. */
const served = (work: Work, ids: readonly string[], limit: number) => ({
  all: listed(work, { all: true }, limit),
  open: listed(work, {}, limit),
  one: ids.map((id) => work.beads.show(id).value),
  ready: work.beads.ready().value.items,
})

/** The same, each bead read automatically and written again. */
function uncached({ store, beadRepository, clock }: Work): ReturnType<typeof served> {
  const read = (sql: string) => store.all(query<{ id: string }>(`SELECT id FROM beads ${sql}`))
  const newest = read('ORDER BY created_at DESC, id DESC').map(({ id }) => beadRepository.get(id))
  const ready = `WHERE ready = 1 AND coalesce(defer_until, 0) <= ${clock.now()}`
  return {
    all: newest,
    open: newest.filter(({ status }) => status !== 'closed'),
    one: newest,
    ready: read(`${ready} ORDER BY coalesce(priority, 2), created_at, id`).map(({ id }) => beadRepository.get(id)),
  }
}

/** Steps that no caller of one bead makes: an export is imported again, and old mail is archived and removed. */
function* rareSteps({ transfer, mail, clock }: Work): Generator<() => Promise<unknown>, never> {
  for (;;) {
    const file = new Response(transfer.export()).bytes()
    yield async () => {
      clock.stop(2 * 31 * DAY)
      await mail.retention.run()
    }
    yield async () => transfer.import(human, await file, new AbortController().signal)
  }
}

const DAY = 24 * 3_600_000
const STEP_COUNT = 100

describe('lists of beads', () => {
  test('show each unchanged, whatever was written, imported, restored and removed since they were last read', async () => {
    await using work = await openWork()
    const random = new SeededRandom(SEED)
    const model = new Model()
    const { id } = await work.session('ada')
    const steps = new StepGenerator(work, model, random, { id, name: 'ada', route: id })
    const rare = rareSteps(work)
    for (let count = 0; count < STEP_COUNT; count++) {
      if (random.oneIn(10)) await rare.next().value()
      const step = steps.next()
      const answer = await step.runInCity().catch((error) => expect(error).toBeInstanceOf(AppError))
      if (answer !== undefined) step.runInModel(answer)
      await work.settled()
      const expected = uncached(work)
      const is = served(
        work,
        expected.one.map((bead) => bead.id),
        random.pick([2, 7, 1000]),
      )
      if (!Bun.deepEquals(is, expected)) expect(is, `step ${count}: ${step.description}`).toEqual(expected)
    }
  }, 60_000)
})
