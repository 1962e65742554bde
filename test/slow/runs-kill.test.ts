import { expect, test } from 'bun:test'
import { SEED } from '../support/seed.ts'
import { World } from '../support/world.ts'
import { RunWorld } from './run-world.ts'

const KILLS = Number(process.env.GC_KILLS ?? 8)
/** On a busy machine runs would hardly get on between kills: after so many they are left alone. */
const MAX_A_ROUND = 40

/** Numbers from 0 to 1, the same for the same seed. */
function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

test(
  `runs end as undisturbed ones do over ${KILLS} kills of the supervisor, with every step there once`,
  async () => {
    await using world = await World.open()
    const random = randomFrom(SEED)
    const runs = await RunWorld.open(world, random)
    const twin = await runs.begin()
    await runs.workOn(twin)
    const expected = await runs.pictureOf(twin)
    expect(Object.values(expected).map(([status]) => status)).toEqual([
      ...['run completed', 'run canceled', 'run completed', 'run completed'],
    ])
    expect(expected.main?.filter((line) => /\.(attempt|iteration)\.2 /.test(line))).toHaveLength(2)
    expect(expected.main?.filter((line) => line.startsWith('job.'))).toHaveLength(3)
    expect(expected.items?.filter((line) => line === 'run completed')).toHaveLength(2)

    let kills = 0
    while (kills < KILLS) {
      const round = await runs.begin()
      let isOver = false
      const work = runs.workOn(round).finally(() => {
        isOver = true
      })
      for (let n = 0; !isOver && kills < KILLS && n < MAX_A_ROUND; n++) {
        await Promise.race([Bun.sleep(20 + random() * 400), work])
        if (isOver) break
        await world.kill()
        kills++
        await world.start()
      }
      await work
      expect(await runs.pictureOf(round)).toEqual(expected)
    }
    await runs.noProcessIsLeft()
  },
  60_000 + KILLS * 5_000,
)
