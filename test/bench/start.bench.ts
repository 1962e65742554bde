import { both, median, Table } from './support/figures.ts'
import { GC, Town } from './support/town.ts'

/**
 * Time of a command that needs no server, and from the start of a supervisor without cities to its first answer. `npm run
 * bench start`.
 */

const ROUNDS = 21

async function version(): Promise<number> {
  const started = performance.now()
  await Bun.spawn([GC, 'version'], { stdio: ['ignore', 'ignore', 'ignore'] }).exited
  return performance.now() - started
}

async function health(town: Town): Promise<number> {
  await town.stop()
  const started = performance.now()
  await town.start()
  return performance.now() - started
}

await using town = await Town.open()
const versions: number[] = []
const healths: number[] = []
for (let round = 0; round < ROUNDS; round++) {
  versions.push(await version())
  healths.push(await health(town))
}
const table = new Table()
table.row('gc version', both(versions), 'p50 ≤ 20 ms', median(versions) <= 20)
table.row('start to /health without cities', both(healths), 'p50 ≤ 65 ms', median(healths) <= 65)
table.print('starts')
