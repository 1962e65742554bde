import { constants, copyFileSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Filling, fill, RECIPE } from './fill.ts'

/** Histories are kept between runs, as long as the tables are the same: writing one takes longer than most benches. */
const KEPT = join(tmpdir(), 'gc-bench')
const AGE = Bun.hash(RECIPE).toString(36)

/** The size that targets are stated at; all open beads are ready. */
export const STATED = { beads: 100_000, open: 5_000, edges: 20_000, events: 1_000_000 }

/** The same live work among ten times the closed beads. */
export const tenfold = (size: Omit<Filling, 'prefix'>) => ({
  ...size,
  beads: (size.beads - size.open) * 10 + size.open,
})

/** Gives a city a long life: it was up once and is down, and has had no agents yet. */
export async function live(path: string, filling: Filling): Promise<void> {
  const cached = join(KEPT, `${AGE}-${Bun.hash(JSON.stringify(filling)).toString(36)}.db`)
  if (existsSync(cached)) {
    for (const end of ['-wal', '-shm']) rmSync(path + end, { force: true })
    copyFileSync(cached, path, constants.COPYFILE_FICLONE)
    return
  }
  await fill(path, filling)
  mkdirSync(KEPT, { recursive: true, mode: 0o700 })
  for (const name of readdirSync(KEPT)) if (!name.startsWith(AGE)) rmSync(join(KEPT, name), { force: true })
  const part = `${cached}.${process.pid}`
  copyFileSync(path, part, constants.COPYFILE_FICLONE)
  renameSync(part, cached)
}
