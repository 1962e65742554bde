import { expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { register } from '../api/town.ts'
import { SEED } from '../support/seed.ts'
import { eventually } from '../support/until.ts'
import { type TestCity, World } from '../support/world.ts'

/** Number of runs that are made; the supervisor is killed four times in each. */
const RUNS = Math.ceil(Number(process.env.GC_KILLS ?? 4) / 4)
const WIDE = 120
const TOML = '[[agent]]\nname = "clerk"\nstart_command = "true"\nmax_active_sessions = 3\nsuspended = true\n'
const step = (id: string, needs: readonly string[]) =>
  `[[steps]]\nid = "${id}"\ntitle = "${id}"\nneeds = ${JSON.stringify(needs)}\n`
const MIDDLE = Array.from({ length: WIDE }, (_, at) => `s${at}`)
const FORMULA = `formula = "wide"\n[requires]\nformula_compiler = ">=2.0.0"\n${step('first', [])}${MIDDLE.map((id) =>
  step(id, ['first']),
).join('')}${step('last', MIDDLE)}`

interface Member {
  id: string
  ref?: string
  status: string
  metadata?: Record<string, string>
}

/** Actions of a person on runs of many steps while the supervisor is killed. */
class Controls {
  constructor(
    private readonly world: World,
    private readonly city: TestCity,
    /** Time after a request the supervisor is killed; undefined: it is not. */
    private readonly delay: () => number | undefined,
  ) {}

  /** Has a run fail, does it all again, pauses and resumes it, and continues without a step that fails. */
  async play(): Promise<string[]> {
    const { body } = await this.city.call('POST ~/sling', { body: { target: 'clerk', formula: 'wide' } })
    const root: string = body.root_bead_id
    await this.#close(root, 'first')
    for (const id of MIDDLE) await this.#close(root, id)
    await this.#close(root, 'last', 'fail')
    await this.#until(
      root,
      'retry',
      { step: 'first' },
      async () => (await this.#member(root, 'first')).status === 'open',
    )
    await this.#until(root, 'pause', {}, async () => (await this.#waits(root)).includes('It is paused by'))
    await this.#until(root, 'resume', {}, async () => !(await this.#waits(root)).includes('paused'))
    await this.#close(root, 'first')
    for (const id of MIDDLE) await this.#close(root, id)
    await this.#close(root, 'last', 'fail')
    const skip = { step: 'last', reason: 'not needed' }
    await this.#until(root, 'skip', skip, async () => (await this.#member(root, 'last')).status === 'closed')
    const status = await eventually(
      'the run is over',
      20_000,
      async () => (await this.#call(`GET ~/runs/${root}`)).status,
      (each) => each === 'completed',
    )
    const members = (await this.#members(root)).map(({ ref, status, metadata = {} }) =>
      [ref, status, metadata['gc.outcome'], metadata['gc.paused'], metadata.close_reason].join(' '),
    )
    return [status, ...members.sort()]
  }

  /** Asks for something while the supervisor is killed, and again until it is done. */
  async #until(root: string, verb: string, body: object, isDone: () => Promise<boolean>): Promise<void> {
    const delay = this.delay()
    const asked = this.city.call(`POST ~/runs/${root}/${verb}`, { body }).catch(() => undefined)
    if (delay !== undefined) {
      await Bun.sleep(delay)
      await this.world.kill()
      await this.world.start()
    }
    await asked
    await eventually(
      `${verb} is done`,
      30_000,
      async () => {
        const answer = await this.city.call(`POST ~/runs/${root}/${verb}`, { body })
        return answer.status === 409 && (await isDone())
      },
      (done) => done,
    )
  }

  async #close(root: string, name: string, outcome = 'pass'): Promise<void> {
    const { id } = await eventually(
      `${name} is ready`,
      20_000,
      () => this.#member(root, name),
      ({ status }) => status === 'open',
    )
    await this.#call(`POST ~/bead/${id}/update`, { status: 'closed', metadata: { 'gc.outcome': outcome } })
  }

  #waits = async (root: string): Promise<string> => (await this.#call(`GET ~/runs/${root}/progress`)).waits_for ?? ''
  #ids = new Map<string, string>()

  async #member(root: string, name: string): Promise<Member> {
    if (!this.#ids.has(`${root} ${name}`)) {
      for (const { id, ref } of await this.#members(root)) this.#ids.set(`${root} ${ref?.slice('wide.'.length)}`, id)
    }
    return this.#call(`GET ~/bead/${this.#ids.get(`${root} ${name}`)}`)
  }

  #members = async (root: string): Promise<Member[]> =>
    (await this.#call(`GET ~/beads/graph/${root}/beads?limit=1000`)).items

  async #call(operation: string, body?: object) {
    const answer = await eventually(
      operation,
      30_000,
      () => this.city.call(operation, { ...(body && { body }) }).catch(() => undefined),
      (each) => each !== undefined && each.status < 300,
    )
    return answer?.body
  }
}

test(
  'runs that are retried, paused, resumed and skipped end as undisturbed ones do when the supervisor is killed in between',
  async () => {
    await using world = await World.open()
    const city = await register(world, 'mill', TOML)
    mkdirSync(`${city.path}/formulas`, { recursive: true })
    writeFileSync(`${city.path}/formulas/wide.toml`, FORMULA)
    const expected = await new Controls(world, city, () => undefined).play()
    expect(expected[0]).toBe('completed')
    let state = SEED
    const delay = () => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0
      return (state / 2 ** 32) * 40
    }
    for (let n = 0; n < RUNS; n++) expect(await new Controls(world, city, delay).play()).toEqual(expected)
  },
  120_000 + RUNS * 60_000,
)
