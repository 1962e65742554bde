import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { tempFolder } from '../support/folder.ts'
import { eventually } from '../support/until.ts'
import { PROGRAM, type TestCity, World } from '../support/world.ts'
import { random } from './cuts.ts'
import { everything, freePort, up } from './town.ts'
import { STRACE, TracedDisk } from './traced-disk.ts'

const CUTS = Number(process.env.GC_CUTS ?? 30)
const seed = Number(process.env.POWERCUT_SEED ?? Date.now() % 1_000_000)
const MAX_CITIES = 5

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** Acknowledgements over HTTP: each must survive every cut. */
class Acknowledged {
  readonly beads = new Set<string>()
  readonly agents = new Set<string>()
  readonly rigs = new Set<string>()
  readonly cities = new Set<string>(['mill'])
  readonly archives = new Map<string, number>()

  get size(): number {
    return this.beads.size + this.agents.size + this.rigs.size + this.cities.size + this.archives.size
  }

  /** Missing acknowledged data. */
  async lost(city: TestCity): Promise<string[]> {
    const names = (items: { name: string }[]) => new Set(items.map(({ name }) => name))
    const beads = new Set((await everything(city, '~/beads?all=true')).map(({ id }) => id))
    const agents = names((await city.call('GET ~/agents')).body.items)
    const rigs = names((await city.call('GET ~/rigs')).body.items)
    const cities = names((await city.world.call('GET /v0/cities')).body.items)
    const absent = (kind: string, wanted: Iterable<string>, there: ReadonlySet<string>) =>
      [...wanted].filter((each) => !there.has(each)).map((each) => `${kind} ${each}`)
    return [
      ...absent('bead', this.beads, beads),
      ...absent('agent', this.agents, agents),
      ...absent('rig', this.rigs, rigs),
      ...absent('city', this.cities, cities),
      ...[...this.archives].filter(([path, events]) => linesOf(path) !== events).map(([path]) => `archive ${path}`),
    ]
  }
}

function linesOf(path: string): number {
  if (!existsSync(path)) return 0
  return gunzipSync(readFileSync(path)).toString().trim().split('\n').length
}

/** Changes everything that is kept, until the power goes; each change that was acknowledged is remembered. */
async function work(city: TestCity, run: number, rigs: string, all: Acknowledged): Promise<void> {
  const { world } = city
  const post = (path: string, body: object) => city.call(`POST ${path}`, { body }).then(succeeded)
  const loop = async (change: (n: number) => Promise<void>) => {
    for (let n = 0; ; n++) await change(n)
  }
  const writers = [
    loop(async (n) => void all.beads.add((await post('~/beads', { title: `bead ${run} ${n}` })).id)),
    loop(async (n) => {
      const name = `agent-${run}-${n}`
      await post('~/agents/declare', { name, start_command: 'true', suspended: true })
      all.agents.add(name)
    }),
    loop(async (n) => {
      const name = `rig-${run}-${n}`
      mkdirSync(join(rigs, name))
      await post('~/rigs', { name, path: join(rigs, name) })
      all.rigs.add(name)
    }),
    loop(async () => {
      await post('~/beads', { title: 'more to archive' })
      const { rotated, archive } = await post('~/events/rotate', {})
      if (rotated)
        all.archives.set(join(city.path, '.gc', basename(archive.path)), archive.last_seq - archive.first_seq + 1)
    }),
    (async () => {
      const name = `city-${run}`
      if (all.cities.size >= MAX_CITIES) return
      succeeded(
        await world.call('POST /v0/city', { body: { dir: join(world.folder.path, name), start_command: 'true' } }),
      )
      all.cities.add(name)
    })(),
  ]
  await Promise.all(writers.map((writer) => writer.catch(rethrowUnlessCut)))
}

class RejectedChange extends Error {}

// biome-ignore lint/suspicious/noExplicitAny: bodies are of every shape
function succeeded({ status, body }: { status: number; body: any }): any {
  if (status < 300) return body
  throw new RejectedChange(`${status} ${JSON.stringify(body)}`)
}

const rethrowUnlessCut = (error: unknown): void => {
  if (error instanceof RejectedChange) throw error
}

function checkDatabases({ path, world }: TestCity): void {
  for (const file of [join(path, '.gc/city.db'), join(world.home, 'supervisor.db'), join(world.home, 'social.db')]) {
    using db = new Database(file)
    expect(db.query('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }])
  }
}

test.skipIf(process.platform !== 'linux')(
  `${CUTS} power cuts lose nothing that was acknowledged over HTTP: rows, configuration, the registry, archives`,
  async () => {
    using outside = tempFolder()
    mkdirSync(outside.at('rigs'))
    const flags = ['--port', await freePort()]
    await using world = await World.open(...flags)
    const city = await world.city('mill')
    await world.kill()
    const chance = random(seed)
    const all = new Acknowledged()
    for (let run = 0; run < CUTS; run++) {
      const trace = outside.at('trace')
      const disk = new TracedDisk(world.folder.path)
      world.program = [...STRACE, '-o', trace, ...PROGRAM]
      await world.start(...flags)
      await up(city)
      expect({ seed, run, lost: await all.lost(city) }).toEqual({ seed, run, lost: [] })
      const supervisor: number = JSON.parse(readFileSync(join(world.home, 'supervisor.json'), 'utf8')).pid
      const working = work(city, run, outside.at('rigs'), all)
      await Promise.race([working, Bun.sleep(100 + chance() * 900)])
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
    await world.start(...flags)
    await up(city)
    expect({ seed, lost: await all.lost(city) }).toEqual({ seed, lost: [] })
    await world.kill()
    checkDatabases(city)
    expect(all.size).toBeGreaterThan(CUTS * 2)
  },
  Math.max(300_000, CUTS * 20_000),
)
