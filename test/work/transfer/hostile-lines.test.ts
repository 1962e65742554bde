import { expect, test } from 'bun:test'
import { AppError } from '../../../src/core/errors.ts'
import { SEED } from '../../support/seed.ts'
import { SeededRandom } from '../model/random.ts'
import { openTransfer } from './world.ts'

const FILES = 60
const DAY = Date.parse('2025-11-02T01:00:00Z')

/** Values that a field should not have, and texts that are hard to keep. */
const WRONG: readonly unknown[] = [null, true, 5, -0, 0.5, 1e300, [], [null], {}, { id: 'mi-1' }, [[{ a: [1] }]]]
const TEXTS = [
  '',
  'x',
  '5',
  'true',
  'null',
  '"',
  '{}',
  '\u0000',
  'a\u0000b',
  '\n\r\u2028',
  '\u202e',
  '😀',
  '__proto__',
  ' ',
]
const FIELD_NAMES = [
  ...['design', 'notes', 'owner', 'due_at', 'estimated_minutes', 'pinned', 'timeout', 'await_type', 'closed_at'],
  ...['later', 'bd.later', 'metadata', 'wisp', '_type', 'parent', 'ref', 'rig', 'sender', '__proto__', 'constructor'],
]
const KEYS = [
  'x',
  'design',
  'bd.design',
  'bd.later',
  'bd.metadata',
  'bd.title',
  'closed_at',
  'gc.output_json',
  '__proto__',
]
const STATUSES = ['open', 'in_progress', 'closed', 'closed', 'blocked', 'tombstone', 'hooked', 'own']
const TYPES = ['task', 'bug', 'gate', 'epic', 'message', 'convoy', 'session', 'spec']
const EDGES = ['blocks', 'waits-for', 'tracks', 'parent-child', 'relates-to', '']
const OFFSETS = ['Z', '+02:00', '-08:30', '.5Z', '.123456789+01:00']

class Lines {
  constructor(private readonly random: SeededRandom) {}

  file(): string {
    const count = this.random.pick([1, 3, 12])
    const lines = Array.from({ length: count }, () => this.#line())
    if (this.random.oneIn(6)) lines.push(...Array.from({ length: 70 }, () => this.#line(1000)))
    return lines.join(this.random.pick(['\n', '\r\n', '\n\n']))
  }

  #line(length = 0): string {
    const { random } = this
    const json = JSON.stringify(this.#bead(length))
    if (random.oneIn(150)) return json.slice(0, -2)
    if (random.oneIn(150)) return json.replace('"title":', `"deep":${'['.repeat(70)}${']'.repeat(70)},"title":`)
    if (random.oneIn(40)) return json.replace('"title":', '"title":"twice","title":')
    if (random.oneIn(40)) return json.replace('"title":"', '"title":"\\ud800')
    if (random.oneIn(40)) return JSON.stringify({ _type: random.pick(['memory', 'x y', '__proto__']), key: 'k' })
    return json
  }

  #bead(length: number): object {
    const { random } = this
    const id = this.#id()
    const fields = random.sample(FIELD_NAMES, 4).map((name): [string, unknown] => [name, this.#value()])
    return {
      ...{ id, title: `${random.pick(TEXTS)} of ${id}`, created_at: this.#time(), status: random.pick(STATUSES) },
      ...{
        issue_type: random.pick(TYPES),
        updated_at: this.#time(),
        description: `${random.pick(TEXTS)}${'y'.repeat(length)}`,
      },
      ...(random.oneIn(2) && { labels: random.sample(TEXTS, 3), priority: random.pick([0, 2, 4, -1]) }),
      ...(random.oneIn(3) && { closed_at: this.#time(), parent: this.#id(), assignee: random.pick(TEXTS) }),
      ...(random.oneIn(2) && {
        metadata: Object.fromEntries(random.sample(KEYS, 4).map((key) => [key, this.#value()])),
      }),
      ...(random.oneIn(3) && { dependencies: Array.from({ length: 2 }, () => this.#edge(id)) }),
      ...(random.oneIn(4) && {
        comments: [{ id: random.pick([1, 'c', '']), author: random.pick(TEXTS), text: random.pick(TEXTS) }],
      }),
      ...(random.oneIn(4) && Object.fromEntries(fields)),
    }
  }

  #edge(id: string): object {
    const { random } = this
    return {
      ...{ issue_id: id, depends_on_id: this.#id(), type: random.pick(EDGES) },
      ...(random.oneIn(2) && { created_at: this.#time(), created_by: random.pick(TEXTS) }),
      ...(random.oneIn(3) && { metadata: random.pick(TEXTS), thread_id: 'th', extra: this.#value() }),
    }
  }

  #id = (): string => `${this.random.pick(['mi', 'pr', 'far'])}-${Math.floor(this.random.next() * 40)}`

  #time(): string {
    const at = new Date(DAY + Math.floor(this.random.next() * 1e9)).toISOString().slice(0, 19)
    return at + this.random.pick(OFFSETS)
  }

  #value = (): unknown => (this.random.oneIn(2) ? this.random.pick(WRONG) : this.random.pick(TEXTS))
}

test(`random lines are imported whole or not at all, and an export of them stays the same, from seed ${SEED}`, async () => {
  const lines = new Lines(new SeededRandom(SEED))
  await using here = await openTransfer()
  const outcomes = { imported: 0, rejected: 0 }
  for (let round = 0; round < FILES; round++) {
    const before = await here.file()
    const text = lines.file()
    const result = await here.put(text).catch((error) => error)
    if (result instanceof Error) {
      if (!(result instanceof AppError) || result.status >= 500) throw new Error(`${result}: ${text}`)
      expect(await here.file()).toBe(before)
      outcomes.rejected++
      continue
    }
    const count = text.split('\n').filter((line) => line.trim() !== '').length
    expect(result.created + result.updated + result.unchanged + result.skipped).toBe(count)
    outcomes.imported++
  }
  expect(Math.min(outcomes.imported, outcomes.rejected)).toBeGreaterThan(5)
  const first = await here.file()
  const total = first.split('\n').length - 1
  await using there = await openTransfer()
  expect(await there.put(first)).toMatchObject({ created: total, skipped: 0 })
  expect(await there.file()).toBe(first)
  expect(await here.put(first)).toMatchObject({ unchanged: total })
}, 30_000)
