import { Wire } from './wire.ts'

const CONNECTIONS = 32

/**
 * Writes to a city at a steady rate until it is ended: a bead is created, and the one before it closed. Runs in a
 * process of its own, so that it does not are in the way of who measures.
 */
export async function write(city: string, rate: number): Promise<void> {
  const { origin, pathname } = new URL(city)
  const free = await Promise.all(Array.from({ length: CONNECTIONS }, () => Wire.open(origin)))
  const open: string[] = []
  const one = async (wire: Wire): Promise<void> => {
    const id = open.pop()
    if (id) await wire.json('POST', `${pathname}/bead/${id}/close`, {})
    else open.push((await wire.json('POST', `${pathname}/beads`, { title: 'a bead', labels: ['a'] })).id)
    free.push(wire)
  }
  const started = performance.now()
  for (let done = 0; ; await Bun.sleep(1)) {
    const owed = Math.min(Math.floor(((performance.now() - started) / 1000) * rate) - done, free.length)
    for (let n = 0; n < owed; n++) {
      const wire = free.pop()
      if (wire) one(wire).catch(() => process.exit(1))
      done++
    }
  }
}
