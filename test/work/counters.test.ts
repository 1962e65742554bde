import { describe, expect, test } from 'bun:test'
import { GC } from '../../src/core/actor.ts'
import { AppError } from '../../src/core/errors.ts'
import { query } from '../../src/core/store/index.ts'
import type { Bead } from '../../src/work/schema.ts'
import { runImport } from '../../src/work/transfer/bulk/run-import.ts'
import { miscountsOf } from '../support/miscounts.ts'
import { SEED } from '../support/seed.ts'
import { SeededRandom } from './model/random.ts'
import { human, openWork, type Work } from './world.ts'

const STEP_COUNT = 120
/** Beads that writes are about. */
const RECENT = 25
const EDGES = ['blocks', 'waits-for', 'conditional-blocks', 'parent-child', 'tracks', 'relates-to']
const GATING = EDGES.slice(0, 3)
const TYPES = ['task', 'bug', 'epic', 'gate', 'molecule', 'convoy']
const STATUSES = ['open', 'in_progress', 'closed', 'closed', 'tombstone']
const LABELS = ['red', 'green', 'gc:parked']
const ASSIGNEES = ['', 'ada', 'bert']

/** Every write path of beads, with several dependencies on one bead and on beads that do not exist. */
class History {
  #made = 0

  constructor(
    private readonly work: Work,
    private readonly random: SeededRandom,
  ) {}

  /** A random write, which may be rejected; returns what it was. */
  async step(): Promise<string> {
    const [name, run] = this.random.pick(Object.entries(this.#steps))
    try {
      await run()
    } catch (error) {
      if (!(error instanceof AppError)) throw error
    }
    return name
  }

  readonly #steps: Readonly<Record<string, () => Promise<unknown>>> = {
    add: () => this.work.add({ ...this.#draft(), needs: this.#needs() }),
    graph: async () => {
      const { store, beadRepository: beads } = this.work
      const size = 1 + Math.floor(this.random.next() * 7)
      await store.write((tx) => {
        const ids = beads.reserveIds(tx, '', size)
        const prepared = ids.map((id, at) =>
          beads.prepare({ ...this.#draft(), id, needs: this.#needs(ids.slice(at + 1)) }),
        )
        return beads.addGraph(tx, prepared)
      })
    },
    depend: () => this.work.beads.depend(human, this.#any(), { depends_on_id: this.#any(), type: this.#type() }),
    undepend: () =>
      this.work.beads.undepend(human, this.#any(), this.#any(), this.random.oneIn(2) ? this.#type() : undefined),
    close: () => this.work.beads.close(human, this.#any()),
    reopen: () => this.work.beads.reopen(human, this.#any()),
    remove: () => this.work.store.write((tx) => this.work.beadRepository.remove(tx, this.#any())),
    update: async () => {
      const { random, work } = this
      await work.store.write((tx) =>
        work.beadRepository.change(tx, this.#any(), {
          ...(random.oneIn(2) && { status: random.pick(STATUSES) }),
          ...(random.oneIn(2) && { type: random.pick(TYPES) }),
          ...(random.oneIn(2) && { assignee: random.pick(ASSIGNEES) }),
          ...(random.oneIn(2) && { labels: random.sample(LABELS, 2) }),
          ...(random.oneIn(2) && { removeLabels: random.sample(LABELS, 2) }),
          ...(random.oneIn(3) && { parent: random.oneIn(2) ? '' : this.#any() }),
          ...(random.oneIn(3) && { deferUntil: work.clock.now() + 60_000 }),
        }),
      )
    },
    bulk: () =>
      this.work.beads.bulk.update(human, {
        updates: [this.#any(), this.#any()].map((id) => ({ id, status: this.random.pick(STATUSES) })),
      }),
    bulkCreate: () =>
      this.work.beads.bulk.create(human, {
        beads: Array.from({ length: 5 }, (_, at) => ({
          ...{ title: `bulk ${at}`, name: `b${at}`, labels: this.random.sample(LABELS, 2) },
          ...(at > 0 && { needs: [`b${at - 1}`, `waits-for:b${at - 1}`] }),
        })),
      }),
    mail: () => this.work.mail.send(human, { to: 'human', subject: 'hello', body: 'well' }),
    import: async () => {
      const bytes = new TextEncoder().encode(this.#lines().join('\n'))
      await this.work.transfer.import(human, bytes, new AbortController().signal)
    },
    importInThread: async () => {
      runImport(
        {
          ...{ path: this.work.store.path, bytes: new TextEncoder().encode(this.#lines().join('\n')), actor: GC },
          ...{ now: this.work.clock.now(), rigs: [{ name: 'press', prefix: 'pr' }] },
          ...{ separateTypes: this.work.beadRepository.restorer.types, isAbandoned: new SharedArrayBuffer(4) },
        },
        () => {},
      )
    },
    purge: async () => {
      await this.work.clock.advance(11 * 60_000)
      await this.work.wispRetention.run()
    },
  }

  /** One of the newest beads, or one that does not exist yet. */
  #any(): string {
    const { last } = this.work.store.get(query<{ last: number }>("SELECT last FROM prefixes WHERE prefix = 'mi'")) ?? {
      last: 0,
    }
    return `mi-${Math.max(1, last + 2 - Math.floor(this.random.next() * RECENT))}`
  }

  #type(): string {
    return this.random.pick(EDGES)
  }

  /** Dependencies on a few beads, some of several types. */
  #needs(more: readonly string[] = []): string[] {
    const { random } = this
    const targets = random.sample([this.#any(), this.#any(), ...more], 3)
    return targets.flatMap((target) => random.sample(EDGES, 3).map((type) => `${type}:${target}`))
  }

  #draft() {
    const { random } = this
    return {
      ...{ title: `bead ${++this.#made}`, type: random.pick(TYPES), assignee: random.pick(ASSIGNEES) },
      ...{ labels: random.sample(LABELS, 2), ephemeral: random.oneIn(3) },
      ...(random.oneIn(4) && { status: random.pick(STATUSES) }),
      ...(random.oneIn(4) && { rig: 'press' }),
      ...(random.oneIn(5) && { metadata: { 'gc.kind': random.pick(['retry', 'scope', 'other']) } }),
    }
  }

  /** Beads that exist and beads that others wait for. */
  #lines(): string[] {
    return Array.from({ length: 4 }, () => {
      const id = this.#any()
      const { title, type, labels } = this.#draft()
      const dependencies = this.#needs().map((need) => {
        const [kind = '', target = ''] = need.split(':')
        return { issue_id: id, depends_on_id: target, type: kind }
      })
      const created_at = new Date(this.work.clock.now()).toISOString()
      return JSON.stringify({ id, title, type, labels, status: this.random.pick(STATUSES), created_at, dependencies })
    })
  }
}

/** The beads that show as blocked, against their dependencies. */
function wronglyBlocked({ beads }: Work): string[] {
  const all = beads.list({ all: true, limit: 1000 }).value.items
  const isClosed = new Map(all.map((bead) => [bead.id, bead.status === 'closed']))
  const blocks = (bead: Bead) =>
    (bead.dependencies ?? []).some(({ type, depends_on_id: on }) => GATING.includes(type) && isClosed.get(on) !== true)
  return all.filter((bead) => (bead.is_blocked ?? false) !== blocks(bead)).map(({ id }) => id)
}

describe('counters agree with what they count after every write', () => {
  test.each([0, 1])(
    'in random history %d',
    async (index) => {
      await using work = await openWork({
        toml: '[daemon]\nwisp_ttl = "10m"\n[[rigs]]\nname = "press"\npath = "../press"\nprefix = "pr"\n',
      })
      const history = new History(work, new SeededRandom(SEED * 100 + index))
      const miscounts = miscountsOf(work.store)
      const trace: string[] = []
      while (trace.length < STEP_COUNT) {
        trace.push(await history.step())
        const wrong = [miscounts(), wronglyBlocked(work)]
        expect(wrong, `${SEED}.${index}, step ${trace.length}: ${trace.slice(-8)}`).toEqual([[], []])
      }
      expect(work.errors).toEqual([])
    },
    60_000,
  )
})
