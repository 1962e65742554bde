import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { register } from '../api/town.ts'
import { eventually } from '../support/until.ts'
import type { TestCity, World } from '../support/world.ts'

const WORKERS = 3
/** Maximum time a round may take on a busy machine that kills the supervisor again and again, in milliseconds. */
const TIME_LIMIT = 300_000
const TOML = `[[agent]]\nname = "clerk"\nstart_command = "sleep 600"\nmax_active_sessions = ${WORKERS}\n`
const REQUIRES = '[requires]\nformula_compiler = ">=2.0.0"\n'
const checkBy = (script: string) =>
  `[steps.check]\nmax_attempts = 2\n[steps.check.check]\npath = "${script}"\ntimeout = "200s"\n`

const FORMULAS = {
  main: `formula = "main"\n${REQUIRES}
[[steps]]
id = "flaky"
title = "Flaky"
[steps.retry]
max_attempts = 2
[[steps]]
id = "work"
title = "Work"
${checkBy('check.sh')}
[[steps]]
id = "survey"
title = "Survey"
[steps.on_complete]
for_each = "output.items"
bond = "job"
parallel = true
[steps.on_complete.vars]
name = "{item.name}"
[[steps]]
id = "after"
title = "After"
needs = ["flaky", "work", "survey"]
`,
  job: `formula = "job"\ntype = "expansion"\n${REQUIRES}[vars.name]\ndefault = "x"\n[[template]]\nid = "{target}.do"\ntitle = "Do {name}"\n`,
  side: `formula = "side"\n${REQUIRES}[[steps]]\nid = "stuck"\ntitle = "Stuck"\n${checkBy('hang.sh')}`,
  batch: `formula = "batch"\n${REQUIRES}[[steps]]\nid = "each"\ntitle = "Each"\n[steps.drain]\nformula = "unit"\ncontext = "separate"\nmember_access = "exclusive"\n`,
  unit: `formula = "unit"\n${REQUIRES}[[steps]]\nid = "do"\ntitle = "Do it"\n`,
}

/** The runs of one round. */
export interface Round {
  main: string
  /** Its check hangs; it is canceled. */
  side: string
  /** It drains a convoy of two beads. */
  batch: string
}

interface Step {
  id: string
  status: string
  issue_type: string
  metadata?: Record<string, string>
}

/** A program outside of gc that works as one of its sessions. */
interface Worker {
  session: string
  token: string
}

/** The power went: what was asked of the supervisor got no answer. */
export class PowerCut extends Error {}

/** The formulas with steps that need no process for their checks. */
const withoutChecks = (text: string): string =>
  text.replaceAll(/\[steps\.check\][^[]*\[steps\.check\.check\]\n[^[]*/g, '')

/**
 * A city with runs of retries, checks, a fan-out, a drain and a cancel, and with workers that claim their steps as agents
 * do: under leases, and some die with a step in hand.
 */
export class RunWorld {
  readonly #workers: Worker[] = []
  /** Processes of check scripts, each with its start time, since pids are reused. */
  readonly pids: string
  readonly #hang: string
  /** Acknowledged data: roots of runs, and closed steps. */
  readonly roots: string[] = []
  readonly closed: string[] = []
  isCut = false

  private constructor(
    readonly city: TestCity,
    private readonly random: () => number,
    private readonly hasProcesses: boolean,
  ) {
    this.pids = `${city.path}/pids`
    this.#hang = `${city.path}/hang`
  }

  static async open(world: World, random: () => number): Promise<RunWorld> {
    const city = await register(world, 'mill', TOML)
    const runs = new RunWorld(city, random, true)
    runs.#writeFiles()
    for (let n = 0; n < WORKERS; n++) await runs.#hire(`outsider-${n}`)
    await runs.#post('~/agent/clerk/suspend')
    return runs
  }

  /** Without a process beside the supervisor: no scripts, and people do what agents do else. */
  static async openWithoutProcesses(world: World, random: () => number): Promise<RunWorld> {
    const runs = new RunWorld(await register(world, 'mill', TOML), random, false)
    runs.#writeFiles()
    await runs.#post('~/agent/clerk/suspend')
    return runs
  }

  /** The same runs and workers in a city that was made of this one. */
  async movedTo(city: TestCity): Promise<RunWorld> {
    const moved = new RunWorld(city, this.random, this.hasProcesses)
    for (const { session } of this.#workers) moved.#workers.push({ session, token: await moved.#lend(session) })
    return moved
  }

  async begin(): Promise<Round> {
    rmSync(this.#hang, { force: true })
    const members: string[] = []
    for (const title of ['one', 'two']) members.push((await this.#post('~/beads', { title })).id)
    const convoy = (await this.#post('~/convoys', { title: 'batch', items: members })).id
    return {
      main: await this.#sling({ formula: 'main' }),
      side: await this.#sling({ formula: 'side' }),
      batch: await this.#sling({ formula: 'batch', attached_bead_id: convoy }),
    }
  }

  /** Claims and closes what is ready, until the runs are over. */
  async workOn(round: Round): Promise<void> {
    const roots = Object.values(round)
    const statusOf = async (root: string) => String((await this.insist(`GET ~/runs/${root}`)).body.status)
    const step = async () => {
      await this.workOnce()
      if (!this.hasProcesses || existsSync(this.#hang)) await this.insist(`POST ~/runs/${round.side}/cancel`)
      return Promise.all(roots.map(statusOf))
    }
    const going = eventually('the runs are over', TIME_LIMIT, step, (statuses) => statuses.every(isOver))
    await going.catch(async (error: unknown) => {
      if (error instanceof PowerCut) throw error
      throw new Error(`${error}: ${JSON.stringify(await this.pictureOf(round), null, 1)}`)
    })
  }

  /** Does one step with each worker, or all that are ready by hand. */
  async workOnce(): Promise<void> {
    if (this.hasProcesses) await Promise.all(this.#workers.map((worker) => this.#work(worker)))
    else await this.#workByHand()
  }

  /** Resolves when the check that does not end automatically runs. */
  async whenHanging(): Promise<void> {
    const step = async () => {
      await this.workOnce()
      return existsSync(this.#hang)
    }
    await eventually('the check hangs', TIME_LIMIT, step, (hangs) => hangs)
  }

  /** Fails when a process of a check is still there after five seconds. */
  async noProcessIsLeft(): Promise<void> {
    const started = readFileSync(this.pids, 'utf8').trim().split('\n')
    const alive = async () => started.filter(isAlive)
    await eventually('no process of a check is left', 5_000, alive, (left) => left.length === 0)
  }

  /** The steps of the runs and how they stand, by their refs; no ids, which differ from round to round. */
  async pictureOf(round: Round): Promise<Record<string, string[]>> {
    const pictures: Record<string, string[]> = {}
    for (const [name, root] of Object.entries(round)) pictures[name] = await this.#pictureOf(root)
    const items = (await this.insist('GET ~/beads?limit=200&all=true')).body.items.filter(
      ({ metadata }: Step) => metadata?.['gc.drain_control_id'] && metadata['gc.kind'] === 'workflow',
    )
    const members = await this.#membersOf(round.batch)
    const own = items.filter(({ metadata }: Step) => members.some(({ id }) => id === metadata?.['gc.drain_control_id']))
    pictures.items = []
    for (const { id } of own) pictures.items.push(...(await this.#pictureOf(id)))
    return pictures
  }

  /** Calls until it is done, or done before: the supervisor may be away, or its city not loaded yet. */
  async insist(operation: string, body?: unknown, token?: string) {
    for (;;) {
      const options = { ...(body !== undefined && { body }), ...(token !== undefined && { token }) }
      const response = await this.city.call(operation, options).catch(() => undefined)
      if (response && (response.status < 300 || response.status === 409)) return response
      if (this.isCut) throw new PowerCut()
      await Bun.sleep(20)
    }
  }

  /** Claims a step and closes it; some workers die in between, and others take their place. */
  async #work(worker: Worker): Promise<void> {
    const { body } = await this.insist('POST ~/claims/next', {}, worker.token)
    if (body.action !== 'work') return
    if (this.random() < 0.2) {
      worker.token = await this.#lend(worker.session)
      return
    }
    await this.insist(
      `POST ~/bead/${body.bead_id}/update`,
      { status: 'closed', metadata: resultOf(body.bead) },
      worker.token,
    )
  }

  /** Closes the steps that are ready, but for that of the run which is canceled. */
  async #workByHand(): Promise<void> {
    const steps: Step[] = (await this.insist('GET ~/beads/ready')).body.items
    for (const step of steps.filter(({ metadata }) => /^(?!side\.)/.test(metadata?.['gc.step_ref'] ?? 'side.'))) {
      await this.insist(`POST ~/bead/${step.id}/update`, { status: 'closed', metadata: resultOf(step) })
      this.closed.push(step.id)
    }
  }

  async #hire(alias: string): Promise<void> {
    const accepted = await this.#post('~/sessions', { kind: 'agent', name: 'clerk', alias })
    const id = String((await this.city.outcome(accepted)).subject)
    await this.#post(`~/session/${id}/suspend`)
    this.#workers.push({ session: id, token: await this.#lend(id) })
  }

  async #lend(session: string): Promise<string> {
    return (await this.insist(`POST ~/session/${session}/lend`)).body.token
  }

  async #pictureOf(root: string): Promise<string[]> {
    const { body: run } = await this.insist(`GET ~/runs/${root}`)
    const lines = (await this.#membersOf(root)).map(({ status, metadata = {} }) => {
      const ref = metadata['gc.step_ref'] ?? 'root'
      const log = metadata['gc.attempt_log'] ?? ''
      return `${ref} ${metadata['gc.attempt'] ?? '-'} ${status} ${metadata['gc.outcome'] ?? '-'} ${log}${rowsOf(metadata)}`
    })
    return [`run ${run.status}`, ...lines.sort()]
  }

  async #membersOf(root: string): Promise<Step[]> {
    return (await this.insist(`GET ~/beads/graph/${root}/beads?limit=1000`)).body.items
  }

  async #sling(body: object): Promise<string> {
    const { root_bead_id: root } = await this.#post('~/sling', { target: 'clerk', ...body })
    this.roots.push(root)
    return root
  }

  async #post(path: string, body?: object) {
    const call = this.city.call(`POST ${path}`, { ...(body && { body }) })
    const response = await call.catch((error: unknown) => {
      throw this.isCut ? new PowerCut() : error
    })
    if (response.status >= 300) throw new Error(JSON.stringify(response.body))
    return response.body
  }

  #writeFiles(): void {
    const { path } = this.city
    mkdirSync(`${path}/formulas`, { recursive: true })
    for (const [name, text] of Object.entries(FORMULAS)) {
      writeFileSync(`${path}/formulas/${name}.toml`, this.hasProcesses ? text : withoutChecks(text))
    }
    const note = `note() { echo $1 $(cut -d ' ' -f 22 /proc/$1/stat) >> $GC_STORE_PATH/pids; }\n`
    const scripts = {
      'check.sh': `#!/bin/sh\n${note}note $$\nsleep 0.3\n[ "$GC_ITERATION" = 2 ]\n`,
      'hang.sh': `#!/bin/sh\n${note}note $$\ntouch $GC_STORE_PATH/hang\nsleep 300 &\nnote $!\nwait\n`,
    }
    for (const [name, text] of Object.entries(scripts)) {
      writeFileSync(`${path}/${name}`, text)
      chmodSync(`${path}/${name}`, 0o755)
    }
  }
}

/** True if the process of a number that began at a time is there, and no other of that number. */
function isAlive(noted: string): boolean {
  const [pid, began] = noted.split(' ')
  const stat = existsSync(`/proc/${pid}/stat`) ? readFileSync(`/proc/${pid}/stat`, 'utf8') : ''
  return stat !== '' && !stat.includes(') Z ') && stat.split(' ')[21] === began
}

const isOver = (status: string): boolean => ['completed', 'failed', 'canceled'].includes(status)

/** State of a drain's members. */
function rowsOf({ 'gc.drain_manifest.v1': manifest }: Record<string, string>): string {
  if (manifest === undefined) return ''
  const { rows }: { rows: { status: string; outcome_kind?: string }[] } = JSON.parse(manifest)
  return rows.map(({ status, outcome_kind }) => `${status} ${outcome_kind}`).join(', ')
}

/** Report of a worker on a step. */
function resultOf({ metadata = {} }: Step): Record<string, string> {
  const ref = metadata['gc.step_ref'] ?? ''
  if (ref.endsWith('flaky.attempt.1'))
    return { 'gc.outcome': 'fail', 'gc.failure_class': 'transient', 'gc.failure_reason': 'timeout' }
  const items = ['x', 'y', 'z'].map((name) => ({ name }))
  return { 'gc.outcome': 'pass', ...(ref.endsWith('survey') && { 'gc.output_json': JSON.stringify({ items }) }) }
}
