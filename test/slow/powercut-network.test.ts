import { expect, test } from 'bun:test'
import { systemClock } from '../../src/core/clock.ts'
import { Deadlines } from '../../src/core/deadlines.ts'
import { query } from '../../src/core/store/index.ts'
import { Network } from '../../src/social/network/network.ts'
import { tempFolder } from '../support/folder.ts'
import { copied, cut, labOf, life, random } from './cuts.ts'

const RUNS = 60

const seed = Number(process.env.POWERCUT_SEED ?? Date.now() % 1_000_000)

/** Every action of the agents, as the child reports its acknowledgement. */
const DONE = `
  SELECT 'agent ' || id AS line FROM agents
  UNION ALL SELECT 'follow ' || follower || ' ' || followee FROM follows
  UNION ALL SELECT 'post ' || id FROM posts
  UNION ALL SELECT 'vote ' || v.agent || ' ' || p.id FROM votes v JOIN posts p ON p.n = v.target WHERE v.value = 1
  UNION ALL SELECT 'comment ' || id FROM comments`

test.skipIf(process.platform !== 'linux')(
  `${RUNS} power cuts lose no acknowledged action of an agent, and every counter matches its rows`,
  async () => {
    using folder = tempFolder()
    const lab = labOf(folder, 'powercut-network.ts')
    const chance = random(seed)
    const acknowledged: string[] = []
    for (let run = 0; run < RUNS; run++) {
      const end = run % 3 === 0 ? { ms: 150 + chance() * 350 } : { writes: 1 + Math.floor(chance() * 300) }
      acknowledged.push(...(await life(lab, run, end)))
      cut(lab, chance)
      if (acknowledged.length === 0) continue
      const { lost, miscounts, errors } = await inspect(copied(lab) ?? '', acknowledged)
      expect({ seed, run, lost, miscounts, errors }).toEqual({ seed, run, lost: [], miscounts: [], errors: [] })
    }
    expect(acknowledged.length).toBeGreaterThan(1000)
  },
  600_000,
)

/** The state that a start after the cut finds. */
async function inspect(path: string, acknowledged: readonly string[]) {
  const deadlines = new Deadlines()
  const errors: string[] = []
  const network = await Network.open({
    path,
    clock: systemClock,
    deadlines,
    address: () => 'http://localhost',
    report: (error) => errors.push(String(error)),
  })
  const done = new Set(network.store.all(query<{ line: string }>(DONE)).map(({ line }) => line))
  const whole = network.store.all(query<{ integrity_check: string }>('PRAGMA integrity_check'))
  const miscounts = await network.recounts.run()
  await network.close()
  deadlines.close()
  expect(whole).toEqual([{ integrity_check: 'ok' }])
  return { lost: acknowledged.filter((line) => !done.has(line)), miscounts, errors }
}
