import { expect, test } from 'bun:test'
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  type Branch,
  type Faults,
  git,
  isOnItsWay,
  judge,
  type Landed,
  NO_FAULTS,
  readRemote,
  resolveConflict,
  writeBranches,
} from '../support/landings.ts'
import { SEED } from '../support/seed.ts'
import type { TestCity } from '../support/world.ts'
import { killGroup, killHost, makeRig, POINTS, Points, PUSH_FAULTS } from './landing-points.ts'
import { dice, up, World } from './town.ts'

/** Branches in all, in runs of so many. `GC_LANDINGS_LOG` names a file that keeps the runs that are over, and adds them up. */
const BRANCHES = Number(process.env.GC_LANDINGS ?? 200)
/** Without a number of branches, none is submitted after this, so that the test takes a minute on two cores. */
const SLICE_MS = process.env.GC_LANDINGS === undefined ? 50_000 : Number.POSITIVE_INFINITY
const PER_RUN = 50
/** Runs side by side: a supervisor that is killed again and again waits more than it works. */
const AT_ONCE = 2
const LOG = process.env.GC_LANDINGS_LOG
const FED = 3
/** No factor of the number of points. */
const STRIDE = 37
const LIFE_MS = 25_000
/** Nothing is left to do, or what is left is forgotten, when no landing has moved for this long. */
const STILL_MS = 120_000

/** Events of a run. */
interface Run extends Faults {
  readonly seed: number
  readonly branches: number
  readonly landed: number
  /** Green branches that were blamed for a red check. */
  readonly blamed: number
  readonly persons: number
  readonly pushFaults: number
  /** The number of kills at each point. */
  readonly kills: Readonly<Record<string, number>>
}

/** Some branches break the check, and some change the same line. */
function planBranches(count: number, roll: () => number): Branch[] {
  return Array.from({ length: count }, (_, n) => {
    const kind = roll()
    const name = `b${n}`
    if (kind < 0.06) return { name, files: { [`broken-${n}`]: 'x\n' } }
    if (kind < 0.3) return { name, files: { [`shared-${n % 3}`]: `1\n${name}\n3\n` } }
    return { name, files: { [`own-${n}`]: `${name}\n` } }
  })
}

/**
 * Each run continues in the list of points where the one with the seed before it ended, in an order that mixes them.
 */
const pointOf = (seed: number, life: number): string =>
  POINTS[((seed * Math.ceil(PER_RUN / FED) + life) * STRIDE) % POINTS.length] ?? ''

/** What a call comes to, unless it fails or something happens first. */
async function unless<T>(happens: () => boolean, call: Promise<T>): Promise<T | undefined> {
  let isOver = false
  const ended = call
    .catch(() => undefined)
    .finally(() => {
      isOver = true
    })
  const happened = async () => {
    while (!isOver && !happens()) await Bun.sleep(10)
    return undefined
  }
  return Promise.race([ended, happened()])
}

/** A world in which branches land while the supervisor is killed again and again. */
class Driver {
  readonly kills: Record<string, number> = {}
  pushFaults = 0
  readonly #blamed = new Set<string>()
  #index = '0'
  readonly #left: Branch[]

  constructor(
    private readonly world: World,
    private readonly city: TestCity,
    private readonly points: Points,
    private readonly place: { rig: string; remote: string },
    private readonly branches: readonly Branch[],
    private readonly roll: () => number,
  ) {
    this.#left = [...branches]
  }

  get isFed(): boolean {
    return this.#left.length === 0
  }

  /** The number of branches that were submitted. */
  get fed(): number {
    return this.branches.length - this.#left.length
  }

  get persons(): string[] {
    return this.points.personsOf(this.place.remote)
  }

  get blamed(): number {
    return this.#blamed.size
  }

  async list(): Promise<Landed[]> {
    return (await this.city.call('GET ~/landings?limit=500')).body.items
  }

  /** The landings, once something was recorded since they were listed last. */
  async #news(): Promise<Landed[]> {
    const { headers } = await this.city.call(`GET ~/events?limit=1&wait=1s&index=${this.#index}`)
    this.#index = headers.get('x-gc-index') ?? '0'
    return this.list()
  }

  judge(said: readonly Landed[], isOver: boolean): Faults {
    return judge(said, { remote: this.place.remote, branches: this.branches, persons: this.persons, isOver })
  }

  /** One life of the supervisor: it ends at the point, or when what was submitted in it is over. */
  async live(point: string): Promise<void> {
    const { points, roll } = this
    if (point.includes('fetch') || roll() < 0.2) points.pushAsPerson()
    if (roll() < 0.15) {
      points.setFault(PUSH_FAULTS[Math.floor(roll() * PUSH_FAULTS.length)] ?? '')
      this.pushFaults++
    }
    points.plan = point
    await Promise.all(this.#left.splice(0, FED).map((branch) => this.#submit(branch)))
    const anyTime = point.startsWith('any time') ? performance.now() + roll() * 1500 : Number.POSITIVE_INFINITY
    await this.#work(LIFE_MS, () => points.isStruck || performance.now() >= anyTime)
    points.plan = undefined
    if (points.isStruck || performance.now() >= anyTime) await this.#kill(point)
  }

  /** State of unfinished landings. */
  async explain(said: readonly Landed[]): Promise<string> {
    const { body } = await this.city.call('GET ~/rig/shop/land')
    return `${JSON.stringify([said.filter(isOnItsWay), body], null, 1)}\n${this.world.log.slice(-4_000)}\n`
  }

  /** Waits until nothing is left to do, or nothing moves any more. */
  async end(): Promise<void> {
    let [seen, since] = ['', performance.now()]
    await this.#work(Number.POSITIVE_INFINITY, (said) => {
      const now = said?.map(({ id, state, head }) => `${id} ${state} ${head}`).join() ?? seen
      if (now !== seen) [seen, since] = [now, performance.now()]
      return performance.now() - since > STILL_MS
    })
  }

  async #kill(point: string): Promise<void> {
    const { world, points } = this
    const victims = point.split(' ').at(-1)
    this.kills[point] = (this.kills[point] ?? 0) + 1
    if (victims === 'host') killHost(world.home)
    else if (victims === 'group') killGroup(world.pid)
    if (victims !== 'host') await world.kill()
    if (victims !== 'late') points.release()
    if (victims === 'host') return
    await world.start()
    await up(this.city)
    if (victims !== 'late') return
    await Bun.sleep(this.roll() * 1_000)
    points.release()
  }

  /** A submission whose answer was lost in a kill, or that waits for a git that stands at the point, is made again. */
  async #submit(branch: Branch): Promise<void> {
    const isStruck = () => this.points.isStruck
    for (const end = performance.now() + LIFE_MS; performance.now() < end && !isStruck(); await Bun.sleep(20)) {
      const body = { branch: branch.name }
      const answer = await unless(isStruck, this.city.call('POST ~/rig/shop/land', { body }))
      if (answer?.status === 202) return
    }
    this.#left.unshift(branch)
  }

  /** Plays owners and a person until it is time, or nothing is on its way. */
  async #work(limit: number, isTime: (said?: readonly Landed[]) => boolean): Promise<void> {
    let said: Landed[] | undefined
    for (const end = performance.now() + limit; performance.now() < end && !isTime(said); await Bun.sleep(10)) {
      said = await unless(() => isTime(said), this.#play())
      if (said && !said.some((each) => isOnItsWay(each) || each.state === 'conflict' || each.state === 'red')) return
    }
  }

  async #play(): Promise<Landed[]> {
    const { city, place, branches } = this
    const said = await this.#news()
    for (const landing of said) {
      const path = Object.keys(branches.find(({ name }) => name === landing.branch)?.files ?? {})[0] ?? ''
      const isBroken = path.startsWith('broken')
      if (landing.state === 'red' && !isBroken) this.#blamed.add(landing.id)
      const isGivenUp = landing.state === 'red' || (landing.state === 'conflict' && landing.branch.endsWith('7'))
      if (isGivenUp) await city.call(`POST ~/landing/${landing.id}/give-up`, { body: {} })
      else if (landing.state === 'conflict') {
        if (git(place.rig, ['rev-parse', landing.branch]) === landing.head) resolveConflict(place.rig, landing, path)
        await city.call('POST ~/rig/shop/land', { body: { branch: landing.branch } })
      }
    }
    const { body } = await city.call('GET ~/rig/shop/land')
    if (body.standing) await city.call('POST ~/rig/shop/land/resume')
    return said
  }
}

/** One run: branches are submitted and land, while the supervisor is killed again and again, until time is up. */
async function run(seed: number, count: number, isUp: () => boolean): Promise<Run> {
  const roll = dice(seed)
  using points = new Points()
  await using world = await World.with(points.env)
  const place = makeRig(world.folder.path, points)
  const branches = planBranches(count, roll)
  writeBranches(place.rig, branches, 'main')
  const city = await world.city('town')
  const land = `[rigs.land]\nmode = "push"\nbatch = 8\ncheck = ["sh", "-c", '''${points.check}''']\n`
  const toml = `[workspace]\nname = "town"\n[[rigs]]\nname = "shop"\npath = "${place.rig}"\n${land}`
  writeFileSync(join(city.path, 'city.toml'), toml)
  const driver = new Driver(world, city, points, place, branches, roll)
  for (let life = 0; !driver.isFed && !(life > 0 && isUp()); life++) {
    const point = pointOf(seed, life)
    await driver.live(point)
    const faults = driver.judge(await driver.list(), false)
    expect({ seed, life, point, ...faults, blamed: driver.blamed }).toEqual({
      seed,
      life,
      point,
      ...NO_FAULTS,
      blamed: 0,
    })
  }
  await driver.end()
  const said = await driver.list()
  const { kills, pushFaults, blamed, persons, fed } = driver
  const landed = new Set([...readRemote(place.remote).values()].map(({ landing }) => landing).filter(Boolean)).size
  const faults = driver.judge(said, true)
  if (faults.forgotten > 0) process.stdout.write(await driver.explain(said))
  return { seed, branches: fed, landed, blamed, persons: persons.length, pushFaults, kills, ...faults }
}

const readLog = (): Run[] =>
  LOG && existsSync(LOG)
    ? readFileSync(LOG, 'utf8')
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line))
    : []

/** All runs added up, with the kills by point. */
function report(runs: readonly Run[]): string {
  const sum = (of: (run: Run) => number) => runs.reduce((all, each) => all + of(each), 0)
  const killsAt = (point: string) => sum(({ kills }) => kills[point] ?? 0)
  const reached = POINTS.filter((point) => killsAt(point) > 0)
  const facts = {
    runs: runs.length,
    seeds: runs.map(({ seed }) => seed).join(' '),
    branches: sum(({ branches }) => branches),
    landed: sum(({ landed }) => landed),
    kills: POINTS.reduce((all, point) => all + killsAt(point), 0),
    'points reached': `${reached.length} of ${POINTS.length}`,
    'pushes of persons': sum(({ persons }) => persons),
    'faults of pushes': sum(({ pushFaults }) => pushFaults),
    lost: sum(({ lost }) => lost),
    twice: sum(({ twice }) => twice),
    invented: sum(({ invented, wrong }) => invented + wrong),
    forgotten: sum(({ forgotten, unreported }) => forgotten + unreported),
    blamed: sum(({ blamed }) => blamed),
  }
  const lines = Object.entries(facts).map(([name, value]) => `${name.padEnd(26)}${value}`)
  return [...lines, '', ...reached.map((point) => `${point.padEnd(26)}${killsAt(point)}`), ''].join('\n')
}

test(
  `kills at named points lose, repeat, invent and forget no landing (at most ${BRANCHES} branches)`,
  async () => {
    const end = performance.now() + SLICE_MS
    const isUp = () => performance.now() > end
    const runs = readLog()
    const seen = new Set(runs.map(({ seed }) => seed))
    const left = Array.from({ length: Math.ceil(BRANCHES / PER_RUN) }, (_, n) => n).filter((n) => !seen.has(SEED + n))
    const work = async () => {
      for (let n = left.shift(); n !== undefined && !isUp(); n = left.shift()) {
        const result = await run(SEED + n, Math.min(PER_RUN, BRANCHES - n * PER_RUN), isUp)
        runs.push(result)
        if (LOG) appendFileSync(LOG, `${JSON.stringify(result)}\n`)
        expect(result).toMatchObject({ ...NO_FAULTS, blamed: 0 })
        if (result.branches > 2 * FED) expect(Object.keys(result.kills).length).toBeGreaterThan(0)
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, work))
    expect(runs.some(({ kills }) => Object.keys(kills).length > 0)).toBe(true)
    process.stdout.write(report(runs))
  },
  SLICE_MS === Number.POSITIVE_INFINITY ? BRANCHES * 20_000 : 300_000,
)
