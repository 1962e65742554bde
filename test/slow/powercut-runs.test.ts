import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { tempFolder } from '../support/folder.ts'
import { eventually } from '../support/until.ts'
import { PROGRAM, World } from '../support/world.ts'
import { random } from './cuts.ts'
import { PowerCut, type Round, RunWorld } from './run-world.ts'
import { freePort, up } from './town.ts'
import { STRACE, TracedDisk } from './traced-disk.ts'

const CUTS = Number(process.env.GC_CUTS ?? 10)
const seed = Number(process.env.POWERCUT_SEED ?? Date.now() % 1_000_000)

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** Acknowledged data that is missing. */
async function lost(runs: RunWorld): Promise<string[]> {
  const missing: string[] = []
  for (const root of runs.roots) {
    if ((await runs.city.call(`GET ~/runs/${root}`)).status !== 200) missing.push(`run ${root}`)
  }
  for (const id of runs.closed) {
    if ((await runs.city.call(`GET ~/bead/${id}`)).body.status !== 'closed') missing.push(`close of ${id}`)
  }
  return missing
}

test.skipIf(process.platform !== 'linux')(
  `runs end as undisturbed ones do over ${CUTS} power cuts, and nothing that was acknowledged is lost`,
  async () => {
    using outside = tempFolder()
    const flags = ['--port', await freePort()]
    await using world = await World.open(...flags)
    const chance = random(seed)
    const runs = await RunWorld.openWithoutProcesses(world, chance)
    const twin = await runs.begin()
    await runs.workOn(twin)
    const expected = await runs.pictureOf(twin)
    expect(Object.values(expected).map(([status]) => status)).toEqual([
      ...['run completed', 'run canceled', 'run completed', 'run completed'],
    ])
    await world.kill()

    let round: Round | undefined
    let finished = 0
    const work = async () => {
      for (;;) {
        round ??= await runs.begin()
        await runs.workOn(round)
        expect({ seed, ...(await runs.pictureOf(round)) }).toEqual({ seed, ...expected })
        round = undefined
        finished++
      }
    }
    for (let cut = 0; cut < CUTS; cut++) {
      const trace = outside.at('trace')
      const disk = new TracedDisk(world.folder.path)
      world.program = [...STRACE, '-o', trace, ...PROGRAM]
      runs.isCut = false
      await world.start(...flags)
      await up(runs.city)
      expect({ seed, cut, lost: await lost(runs) }).toEqual({ seed, cut, lost: [] })
      runs.roots.splice(0)
      runs.closed.splice(0)
      const supervisor: number = JSON.parse(readFileSync(join(world.home, 'supervisor.json'), 'utf8')).pid
      const working = work().catch((error: unknown) => {
        if (!(error instanceof PowerCut)) throw error
      })
      await Promise.race([working, Bun.sleep(50 + chance() * 900)])
      runs.isCut = true
      process.kill(supervisor, 'SIGKILL')
      await working
      await eventually(
        'the trace has ended',
        20_000,
        async () => isAlive(world.pid),
        (alive) => !alive,
      )
      disk.apply(readFileSync(trace, 'latin1'))
      disk.cut(chance)
    }
    world.program = PROGRAM
    runs.isCut = false
    await world.start(...flags)
    await up(runs.city)
    expect({ seed, lost: await lost(runs) }).toEqual({ seed, lost: [] })
    round ??= await runs.begin()
    await runs.workOn(round)
    expect({ seed, ...(await runs.pictureOf(round)) }).toEqual({ seed, ...expected })
    await world.kill()
    using db = new Database(join(runs.city.path, '.gc/city.db'))
    expect(db.query('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }])
    process.stdout.write(
      `${CUTS} power cuts (seed ${seed}): ${finished + 1} rounds of three runs ended as undisturbed ones\n`,
    )
  },
  Math.max(300_000, CUTS * 20_000),
)
