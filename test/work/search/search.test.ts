import { describe, expect, test } from 'bun:test'
import { command, query } from '../../../src/core/store/index.ts'
import { dice } from '../../slow/town.ts'
import type { ScriptedTown } from '../../support/city.ts'
import { until } from '../../support/until.ts'
import { human, openWork, workTown } from '../world.ts'

async function open(town?: ScriptedTown) {
  const work = await openWork(town && { town })
  const { search, comments, store } = work
  const waiting = query<{ n: number }>('SELECT count(*) AS n FROM bead_unworded')
  return {
    ...work,
    words: search.words,
    waiting: () => store.get(waiting)?.n ?? 0,
    ids: async (q: string, more = {}) => (await search.find({ q, ...more })).items.map(({ id }) => id),
    say: (id: string, text: string) => comments.create(human, id, { text }),
  }
}

describe('a search', () => {
  test('finds beads by all words of their title, description, labels or of one comment, the newest first', async () => {
    await using world = await open()
    const a = await world.add({ title: 'Fix the parser', description: 'It fails on leap seconds', labels: ['clock'] })
    const b = await world.add({ title: 'Leap of faith', status: 'closed' })
    const c = await world.add({ title: 'Other' })
    await world.say(c.id, 'a Leap, and then seconds')
    expect(await world.ids('leap')).toEqual([c.id, b.id, a.id])
    expect(await world.ids('seconds LEAP')).toEqual([c.id, a.id])
    expect(await world.ids('parser seconds clock')).toEqual([a.id])
    expect(await world.ids('other leap')).toEqual([])
    expect(await world.ids('lea')).toEqual([])
    expect(await world.ids('nowhere')).toEqual([])
  })

  test('finds words by how they begin while one types them', async () => {
    await using world = await open()
    const a = await world.add({ title: 'Fix the parser', description: 'It fails on leap seconds' })
    await world.add({ title: 'Other' })
    const typed = (q: string) => world.ids(q, { prefixes: true })
    for (const text of ['par', 'pars', 'fi pars', 'leap sec', 'parser']) expect(await typed(text)).toEqual([a.id])
    for (const text of ['arser', 'par oth', '"*']) expect(await typed(text)).toEqual([])
  })

  test('lists a bead once, however often it contains the word', async () => {
    await using world = await open()
    const { id } = await world.add({ title: 'echo', description: 'echo' })
    const other = await world.add({ title: 'echo' })
    for (let n = 0; n < 5; n++) await world.say(id, `echo ${n}`)
    expect(await world.ids('echo')).toEqual([other.id, id])
    expect((await world.search.find({ q: 'echo', limit: 1 })).items).toHaveLength(1)
  })

  test('is filtered by status, type and rig', async () => {
    await using world = await open()
    const a = await world.add({ title: 'x', rig: 'press', type: 'bug' })
    const b = await world.add({ title: 'x', status: 'in_progress' })
    const c = await world.add({ title: 'x', rig: 'press', status: 'closed' })
    expect(await world.ids('x', { rig: 'press' })).toEqual([c.id, a.id])
    expect(await world.ids('x', { rig: 'mill' })).toEqual([b.id])
    expect(await world.ids('x', { status: 'in_progress' })).toEqual([b.id])
    expect(await world.ids('x', { type: 'bug' })).toEqual([a.id])
    expect(await world.ids('x', { rig: '', status: '', type: '' })).toEqual([c.id, b.id, a.id])
    expect(await world.ids('x', { rig: 'press', type: 'task', status: 'open' })).toEqual([])
  })

  test('accepts any text as words', async () => {
    await using world = await open()
    const { id } = await world.add({ title: `NEAR("a* OR -b) {title}: naïve 日本 foo-bar^2 O'Hara` })
    for (const q of [`NEAR("a*`, 'OR', '-b)', '{title}:', 'naive', '日本', 'foo-bar^2', "o'hara", 'a* or b']) {
      expect([q, await world.ids(q)]).toEqual([q, [id]])
    }
    for (const q of ['"', '""', '*', ' ', '\0', '\ud800', 'AND', 'NOT x', 'foo-baz', '𞤀', `${'a '.repeat(100)}zz`]) {
      expect([q, (await world.ids(q)).length <= 1]).toEqual([q, true])
    }
  })

  test('pages through any number of matches, also when a filter leaves few', async () => {
    await using world = await open()
    await world.store.write((tx) => {
      for (let n = 0; n < 4500; n++) {
        world.beadRepository.add(tx, { title: 'common', status: n % 1500 === 0 ? 'open' : 'closed' })
      }
    })
    const seen: string[] = []
    let pages = 0
    for (let cursor: string | undefined; ; ) {
      const page = await world.search.find({ q: 'common', status: 'open', ...(cursor && { cursor }) })
      seen.push(...page.items.map(({ id }) => id))
      pages++
      cursor = page.next_cursor
      if (!cursor) break
    }
    expect(seen).toEqual(['mi-3001', 'mi-1501', 'mi-1'])
    expect(pages).toBe(3)
    const first = await world.search.find({ q: 'common', limit: 2 })
    expect(first.items.map(({ id }) => id)).toEqual(['mi-4500', 'mi-4499'])
    expect(await world.ids('common', { limit: 2, cursor: first.next_cursor })).toEqual(['mi-4498', 'mi-4497'])
  })
})

describe('the word index', () => {
  test('contains the present words of beads and comments after any changes', async () => {
    await using world = await open()
    const random = dice(11)
    const one = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T
    const WORDS = ['ash', 'birch', 'cedar', 'elm', 'fir']
    const ids: string[] = []
    for (let turn = 0; turn < 300; turn++) {
      const id = one(ids)
      const chance = random()
      if (!id || chance < 0.25) {
        const draft = {
          title: one(WORDS),
          description: one(WORDS),
          labels: [one(WORDS)],
          type: one(['task', 'message']),
        }
        ids.push((await world.add(draft)).id)
      } else if (chance < 0.6) {
        const change = one([{ title: one(WORDS) }, { description: one(WORDS) }, { labels: [one(WORDS)] }])
        const type = one(['task', 'bug', 'session', undefined])
        await world.store.write(
          (tx) => void world.beadRepository.change(tx, id, { ...change, type, status: one(['open', 'closed']) }),
        )
      } else if (chance < 0.75) {
        await world.say(id, one(WORDS))
      } else if (chance < 0.85) {
        const remark = { id: 'r', author: 'ada', createdAt: turn, text: one(WORDS) }
        await world.store.write((tx) => world.comments.restore(tx, id, [remark]))
      } else if (chance < 0.9) {
        ids.splice(ids.indexOf(id), 1)
        await world.store.write((tx) => void world.beadRepository.remove(tx, id))
      } else {
        await world.words.settle()
      }
      if (turn % 20 > 0) continue
      for (const word of WORDS) {
        const expected = ids.filter((each) => {
          const bead = world.beadRepository.get(each)
          const own = ['session', 'message', 'gate'].includes(bead.issue_type) ? {} : bead
          const texts = [
            JSON.stringify({ ...own, metadata: 0 }),
            ...world.comments.listAll(each).map(({ text }) => text),
          ]
          return texts.some((text) => text.includes(word))
        })
        expect([turn, word, (await world.ids(word)).sort()]).toEqual([turn, word, expected.sort()])
      }
    }
    const check = command("INSERT INTO bead_search (bead_search) VALUES ('integrity-check')")
    await world.store.write((tx) => void tx.run(check))
  })

  test('indexes the words of several writes together after a delay', async () => {
    await using world = await open()
    for (const title of ['a', 'b', 'c']) await world.add({ title })
    expect(world.waiting()).toBe(3)
    await world.clock.advance(1000)
    await until(() => world.waiting() === 0)
    await world.say('mi-1', 'd')
    expect(world.waiting()).toBe(1)
    await world.words.stop()
    await world.clock.advance(60_000)
    expect(world.waiting()).toBe(1)
    expect(world.errors).toEqual([])
  })

  test('continues where it was when the city closed', async () => {
    await using town = workTown()
    const before = await open(town)
    await before.add({ title: 'early' })
    await before.close({ endSessions: false })
    await using world = await open(town)
    expect(world.waiting()).toBe(1)
    expect(await world.ids('early')).toEqual(['mi-1'])
    expect(world.waiting()).toBe(0)
  })
})
