import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { tempFolder } from '../support/folder.ts'
import { copied, cut, labOf, life, random } from './cuts.ts'

const CUTS = Number(process.env.GC_CUTS ?? 6)
const seed = Number(process.env.POWERCUT_SEED ?? Date.now() % 1_000_000)

/** State after a cut: runs by status, beads, and events that wait for an order. */
function inspect(path: string) {
  const db = new Database(path, { readwrite: true })
  expect(db.query('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }])
  const runs = db.query<{ id: string; state: string }, []>('SELECT tracking_id AS id, state FROM order_runs').all()
  const beads = db.query<{ id: string; closed: number }, []>('SELECT id, closed FROM beads').all()
  const half = db
    .query<{ id: string }, []>(
      `SELECT tracking_id AS id FROM order_runs r JOIN beads b ON b.id = r.tracking_id
       WHERE (r.state = 'done') != (b.closed = 1)`,
    )
    .all()
  db.close(true)
  return {
    runs: new Map(runs.map(({ id, state }) => [id, state])),
    beads: new Set(beads.map(({ id }) => id)),
    half: half.map(({ id }) => id),
  }
}

test.skipIf(process.platform !== 'linux')(
  `over ${CUTS} power cuts no run of an order is lost, half ended, or started again once it is over`,
  async () => {
    using folder = tempFolder()
    const lab = labOf(folder, 'powercut-orders.ts', 'city/.gc/city.db')
    const chance = random(seed)
    const of = (lines: readonly string[], kind: string) =>
      lines.flatMap((line) => (line.startsWith(`${kind} `) ? [line.slice(kind.length + 1)] : []))
    const all: string[] = []
    for (let run = 0; run < CUTS; run++) {
      const over = new Set(of(all, 'done'))
      const lines = await life(lab, run, { writes: 1 + Math.floor(chance() * 400) })
      const again = of(lines, 'start').filter((id) => over.has(id))
      all.push(...lines)
      cut(lab, chance)
      const left = copied(lab)
      if (left === undefined) continue
      const { runs, beads, half } = inspect(left)
      const lost = [
        ...of(all, 'run').filter((id) => !runs.has(id)),
        ...of(all, 'bead').filter((id) => !beads.has(id)),
        ...of(all, 'done').filter((id) => runs.get(id) !== 'done'),
      ]
      expect({ seed, run, again, lost, half }).toEqual({ seed, run, again: [], lost: [], half: [] })
    }
    expect(of(all, 'done').length).toBeGreaterThan(CUTS)
  },
  600_000,
)
