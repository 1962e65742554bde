import { describe, expect, test } from 'bun:test'
import { EventLogs } from '../../src/supervisor/event-logs.ts'
import { eventWorld } from '../core/events/world.ts'

type World = ReturnType<typeof eventWorld>

/** The logs of the supervisor and of cities that have nothing else. */
function logsOf(own: World, cities: Record<string, World>): EventLogs {
  const all = Object.entries(cities).map(([name, { log }]) => ({ name, log }))
  return new EventLogs(own.log, own.clock, { listRunning: () => all, listResting: () => [], wake: () => undefined })
}

describe('the events of all cities', () => {
  test('are the newest of every log in the order of time, city and number, with the total of all', async () => {
    await using own = eventWorld()
    await using mill = eventWorld()
    await using forge = eventWorld()
    for (let n = 0; n < 6; n++) {
      for (const world of [own, mill, forge]) world.clock.stop(n % 2)
      await mill.record('note.written', 'ann')
      await forge.record('note.written', 'ann')
      if (n % 3 === 0) await forge.record('note.read', 'ann')
      await own.record('note.written', 'ann')
    }
    const logs = logsOf(own, { mill, forge })
    const all = logs.list({}).value
    expect(all.event_cursor).toBe('__supervisor__:6,forge:8,mill:6')
    expect(all.total).toBe(20)
    const key = ({ ts, city, seq }: (typeof all.items)[number]) => `${ts} ${city} ${seq}`
    expect(all.items.map(key)).toEqual(all.items.map(key).sort())
    expect(all.items).toHaveLength(20)
    for (const limit of [1, 3, 7]) expect(logs.list({ limit }).value.items).toEqual(all.items.slice(-limit))
    expect(logs.list({ type: 'note.read' }).value).toMatchObject({ total: 2, items: [{ seq: 2 }, { seq: 6 }] })
    expect(logs.list({ limit: 2 }, 'mill').value).toMatchObject({
      event_cursor: 'mill:6',
      total: 6,
      items: [
        { city: 'mill', seq: 5, type: 'note.written', actor: 'ann', payload: {} },
        { city: 'mill', seq: 6 },
      ],
    })
  })
})

describe('the log of a city that rests', () => {
  /** One open city, and one that rests with these events. */
  async function restingLogs(own: World, rested: World) {
    await rested.record('note.written', 'ann')
    await rested.record('note.read', 'ann')
    const woken: string[] = []
    const { head } = rested.log
    const logs = new EventLogs(own.log, own.clock, {
      listRunning: () => [],
      listResting: () => [
        {
          name: 'mill',
          head,
          newest: (query) => ({ ...rested.log.newest(query), rows: [...rested.log.newest(query).rows] }),
        },
      ],
      wake: (name) => woken.push(name),
    })
    return { logs, woken }
  }

  test('is listed with the others without opening it', async () => {
    await using own = eventWorld()
    await using rested = eventWorld()
    const { logs, woken } = await restingLogs(own, rested)
    const { event_cursor, total, items } = logs.list({}).value
    expect({ event_cursor, total, seqs: items.map(({ seq }) => seq) }).toEqual({
      ...{ event_cursor: '__supervisor__:0,mill:2', total: 2, seqs: [1, 2] },
    })
    expect(woken).toEqual([])
  })

  test('is opened for a reader who has not seen its end, and for no other', async () => {
    await using own = eventWorld()
    await using rested = eventWorld()
    const { logs, woken } = await restingLogs(own, rested)
    for (const resume of [undefined, '__supervisor__:0', 'mill:2']) logs.follow(resume).close()
    expect(woken).toEqual([])
    for (const resume of ['0', 'mill:1', 'mill:9']) logs.follow(resume).close()
    expect(woken).toEqual(['mill', 'mill', 'mill'])
  })
})
