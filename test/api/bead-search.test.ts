import { describe, expect, test } from 'bun:test'
import { OperationCoverage } from '../support/coverage.ts'
import { type TestCity, World } from '../support/world.ts'
import { bead, declare, errorOf, startSession, towns } from './town.ts'

const coverage = new OperationCoverage(({ path }) => path.endsWith('/beads/search'))
const openTown = towns(coverage)

const search = async (city: TestCity, query: string) => {
  const { body } = await city.call(`GET ~/beads/search?${query}`)
  return { ids: body.items.map(({ id }: { id: string }) => id), next: body.next_cursor }
}

describe('a search over HTTP', () => {
  test('finds what was just written, and records nothing', async () => {
    await using town = await openTown()
    const { city } = town
    const first = await bead(city, 'Paint the door', { description: 'red', labels: ['house'], type: 'bug' })
    const second = await bead(city, 'Mend the door')
    await city.call(`POST ~/bead/${second}/comments`, { body: { text: 'needs red paint too' } })
    await city.call(`POST ~/bead/${first}/close`)
    const seq = await city.head()
    expect((await search(city, 'q=door')).ids).toEqual([second, first])
    expect((await search(city, 'q=red+paint')).ids).toEqual([second, first])
    expect((await search(city, 'q=house')).ids).toEqual([first])
    expect((await search(city, 'q=door&status=open')).ids).toEqual([second])
    expect((await search(city, 'q=door&type=bug')).ids).toEqual([first])
    expect((await search(city, `q=door&rig=${city.name}`)).ids).toEqual([second, first])
    expect((await search(city, 'q=door&rig=web')).ids).toEqual([])
    await city.call(`PATCH ~/bead/${second}`, { body: { title: 'Mend the gate' } })
    expect((await search(city, 'q=door')).ids).toEqual([first])
    expect((await search(city, 'q=gate')).ids).toEqual([second])
    expect(await city.recorded(seq)).toMatchObject([{ type: 'bead.updated' }])
  })

  test('is paged by cursor', async () => {
    await using town = await openTown()
    const { city } = town
    const ids: string[] = []
    for (const n of [1, 2, 3, 4, 5]) ids.unshift(await bead(city, `same ${n}`))
    const first = await search(city, 'q=same&limit=2')
    const second = await search(city, `q=same&limit=2&cursor=${first.next}`)
    const third = await search(city, `q=same&limit=2&cursor=${second.next}`)
    expect([...first.ids, ...second.ids, ...third.ids]).toEqual(ids)
    expect(third.next).toBeUndefined()
    for (const cursor of ['garbage', 'e30', '%00', 'a'.repeat(3000)]) {
      expect(await errorOf(city, `GET ~/beads/search?q=x&cursor=${cursor}`)).toStartWith('400 invalid-cursor: ')
    }
  })

  test('accepts up to 500 characters, and finds nothing without any', async () => {
    await using town = await openTown()
    const { city } = town
    const q = encodeURIComponent('é'.repeat(500))
    expect((await search(city, `q=${q}`)).ids).toEqual([])
    for (const query of ['q=', '']) expect((await search(city, query)).ids).toEqual([])
    for (const query of [`q=${q}x`, 'q=x&limit=1001']) {
      expect(await errorOf(city, `GET ~/beads/search?${query}`)).toStartWith('422 validation-failed: ')
    }
    expect((await search(city, `q=${encodeURIComponent('"* ()')}`)).ids).toEqual([])
  })

  test('excludes sessions and messages', async () => {
    await using town = await openTown()
    const { city } = town
    await declare(city, 'wanderer')
    await startSession(city, 'wanderer')
    await city.call('POST ~/mail', { body: { to: 'human', subject: 'wanderer', body: 'wanderer' } })
    expect((await search(city, 'q=wanderer')).ids).toEqual([])
    const id = await bead(city, 'wanderer')
    expect((await search(city, 'q=wanderer')).ids).toEqual([id])
  })
})

test('finds writes before a crash once after the restart', async () => {
  await using world = await World.open()
  const city = await world.city()
  const ids = await Promise.all(Array.from({ length: 30 }, (_, n) => bead(city, `word ${n}`)))
  await city.call(`POST ~/bead/${ids[0]}/comments`, { body: { text: 'said' } })
  await world.kill()
  await world.start()
  while ((await city.call('GET ~')).status === 404) await Bun.sleep(10)
  await city.call(`PATCH ~/bead/${ids[1]}`, { body: { title: 'other' } })
  expect((await search(city, 'q=word')).ids.toSorted()).toEqual(ids.filter((id) => id !== ids[1]).toSorted())
  expect((await search(city, 'q=said')).ids).toEqual(ids.slice(0, 1))
}, 30_000)

describe('the search operation', () => {
  test('is covered with every declared error and every field of its own', () => {
    expect(coverage.uncovered()).toEqual([])
    expect(coverage.emptyFields().filter((field) => field.startsWith('BeadsFound'))).toEqual([])
  })
})
