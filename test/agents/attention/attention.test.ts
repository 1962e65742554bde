import { describe, expect, test } from 'bun:test'
import type { City } from '../../../src/city/city.ts'
import { human } from '../../../src/http/guard.ts'
import { scriptedTown } from '../../support/city.ts'

const announced = (city: City, after = 0) =>
  city.log.after(after, 1000).flatMap(({ type, payload }) => (type.startsWith('attention.') ? [[type, payload]] : []))

describe('what waits for a person', () => {
  test('is announced when it comes and when it goes, with what to do, in the history of its bead', async () => {
    await using town = scriptedTown()
    const city = await town.open()
    const { id } = await city.beads.create(human, { title: 'cursed', labels: ['gc:parked'] })
    await city.attention.whenIdle()
    const item = { id: `parked:${id}`, kind: 'parked', bead_id: id, asks: expect.stringContaining('cursed') }
    expect((await city.attention.list()).items).toMatchObject([item])
    await city.parking.unpark(human, id)
    await city.attention.whenIdle()
    expect((await city.attention.list()).items).toEqual([])
    expect(announced(city)).toEqual([
      ['attention.raised', expect.objectContaining({ ...item, to_do: expect.stringContaining(`unpark ${id}`) })],
      ['attention.cleared', expect.objectContaining(item)],
    ])
    expect(city.events.history(id, {}).items.map(({ type }) => type)).toEqual(
      expect.arrayContaining(['attention.raised', 'attention.cleared']),
    )
  })

  test('is announced once over a restart, and when it went while nobody ran, then', async () => {
    await using town = scriptedTown()
    let city = await town.open()
    const stays = await city.beads.create(human, { title: 'stays', labels: ['gc:parked'] })
    const goes = await city.beads.create(human, { title: 'goes', labels: ['gc:parked'] })
    await city.attention.whenIdle()
    const { items } = await city.attention.list()
    const head = city.log.head
    await city.attention.stop()
    await city.parking.unpark(human, goes.id)
    await city.close({ endSessions: false })
    await town.clock.advance(60_000)
    city = await town.open()
    await city.attention.whenIdle()
    expect(announced(city, head)).toEqual([['attention.cleared', expect.objectContaining({ id: `parked:${goes.id}` })]])
    expect((await city.attention.list()).items).toEqual(items.filter(({ bead_id }) => bead_id === stays.id))
  })
})
