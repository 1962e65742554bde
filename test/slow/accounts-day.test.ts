import { expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { City } from '../../src/city/city.ts'
import { hashToken } from '../../src/core/text/credentials.ts'
import { human } from '../../src/http/guard.ts'
import { type ScriptedTown, scriptedTown } from '../support/city.ts'
import { until } from '../support/until.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const AGENTS = 20
const TURN = 30 * MINUTE
const TOKENS = 1000
/** Number of turns each account has in five hours: together a little less than the agents can use. */
const QUOTAS: Readonly<Record<string, number>> = { a: 28, b: 40, c: 56, d: 68 }

const agents = Array.from({ length: AGENTS }, (_, index) => `w${index}`)
const TOML = `[providers.mine]
base = "builtin:claude"
command = "cat"
path_check = "cat"
supports_acp = true
${agents.map((name) => `[[agent]]\nname = "${name}"\nprovider = "mine"\nsession = "acp"\nmax_active_sessions = 1\n`).join('')}`

/** The provider's side of the accounts: how much of each is used, and when its five hours are over. */
class Provider {
  readonly #windows = new Map<string, { ends: number; used: number }>()

  constructor(private readonly now: () => number) {}

  hasRoom(account: string): boolean {
    return this.#window(account).used < (QUOTAS[account] ?? 0)
  }

  get anyRoom(): boolean {
    return Object.keys(QUOTAS).some((account) => this.hasRoom(account))
  }

  use(account: string): void {
    this.#window(account).used++
  }

  /** Message of Claude Code when an account is exhausted. */
  refusal(account: string): string {
    const [, hour, minute] = /T(\d\d):(\d\d)/.exec(new Date(this.#window(account).ends).toISOString()) ?? []
    const half = Number(hour) < 12 ? 'am' : 'pm'
    return `You've hit your session limit · resets ${Number(hour) % 12 || 12}:${minute}${half} (UTC)`
  }

  #window(account: string): { ends: number; used: number } {
    const before = this.#windows.get(account)
    if (before && before.ends > this.now()) return before
    // Windows end on a whole minute, as they are stated.
    const fresh = { ends: Math.ceil((this.now() + 5 * HOUR) / MINUTE) * MINUTE, used: 0 }
    this.#windows.set(account, fresh)
    return fresh
  }
}

/**
 * The agents’ programs: each works on a turn, then asks for work as its prompt says, and continues while it gets any.
 */
class Programs {
  /** End times of each program's turn. */
  readonly turns = new Map<string, number>()
  readonly #seen = new Set<string>()
  finished = 0
  /** Turns that began while a budget was used up. */
  begunWithoutBudget = 0

  constructor(
    private readonly town: ScriptedTown,
    private readonly city: City,
    private readonly provider: Provider,
  ) {}

  get working(): number {
    return this.turns.size
  }

  /** True if anything happened. */
  async step(): Promise<boolean> {
    const { host, clock } = this.town
    for (const key of this.turns.keys()) if (!host.running.includes(key)) this.turns.delete(key)
    const started = host.starts.filter(({ key }) => !this.#seen.has(key))
    const due = [...this.turns].filter(([, ends]) => ends <= clock.now()).map(([key]) => key)
    for (const { key } of started) this.#seen.add(key)
    const ready = { type: 'ready' as const, resumed: false, resumable: true, modes: [] }
    await Promise.all(started.map(({ key }) => host.report(key, { ...ready, conversation: key })))
    for (const key of due) this.turns.delete(key)
    this.finished += due.length
    const usage = { inputTokens: TOKENS, model_usage: [{ model: 'm' }] }
    await Promise.all(due.map((key) => host.report(key, { type: 'update', update: MESSAGE })))
    await Promise.all(due.map((key) => host.finishTurn(key, usage)))
    await until(() => this.city.usage.spent({ scope: 'city', name: '' }, 0).tokens === this.finished * TOKENS)
    await Promise.all(started.map(({ key, env }) => this.#begin(key, env.GC_TOKEN ?? '')))
    const again = due.filter((key) => host.running.includes(key))
    await Promise.all(again.map((key) => this.#goOn(key)))
    return started.length + due.length > 0
  }

  async #goOn(key: string): Promise<void> {
    const token = this.town.host.starts.find((start) => start.key === key)?.env.GC_TOKEN ?? ''
    if (!(await this.#hasWork(token))) return
    await this.town.host.beginTurn(key)
    await this.#work(key)
  }

  async #begin(key: string, token: string): Promise<void> {
    if (await this.#hasWork(token)) await this.#work(key)
    else await this.town.host.finishTurn(key)
  }

  async #work(key: string): Promise<void> {
    const account = this.city.sessionRepository.findByHostKey(key)?.login ?? ''
    if (this.city.budgets.exhausted().length > 0) this.begunWithoutBudget++
    if (!this.provider.hasRoom(account)) {
      await this.town.host.failTurn(key, this.provider.refusal(account))
      await until(() => this.city.sessionRepository.findByHostKey(key) === undefined)
      return
    }
    this.provider.use(account)
    this.turns.set(key, this.town.clock.now() + TURN)
  }

  async #hasWork(token: string): Promise<boolean> {
    const caller = this.city.credentials.caller(hashToken(token))
    if (!caller || caller === 'ended') return false
    const { bead_id } = await this.city.claims.next(caller)
    return bead_id !== undefined
  }
}

/** Time it takes until the first of these times, at most ten minutes. */
const untilNext = (now: number, times: readonly number[]): number =>
  Math.min(10 * MINUTE, ...times.map((time) => time - now).filter((wait) => wait > 0))

const MESSAGE = { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'Done.' } }

test('20 agents on 4 accounts lose less than 1 % of a day while an account has room, and begin no turn without budget', async () => {
  const town = scriptedTown(TOML)
  await using _ = town
  mkdirSync(town.hosts.home, { recursive: true })
  const accounts = Object.keys(QUOTAS).map(
    (name) => `[[account]]\nname = "${name}"\nprovider = "claude"\nhome = "/${name}"\n`,
  )
  writeFileSync(join(town.hosts.home, 'accounts.toml'), accounts.join(''), { mode: 0o600 })
  const city = await town.open()
  const { clock } = town
  for (const name of agents) await city.beads.create(human, { title: 'for ever', metadata: { 'gc.routed_to': name } })
  await city.reconciler.settle()
  const provider = new Provider(() => clock.now())
  const programs = new Programs(town, city, provider)
  const budget = { scope: 'city', unit: 'tokens', per: 'hour', limit: 15 * TOKENS } as const
  const began = clock.now()
  let [lost, possible, held] = [0, 0, 0]
  const isBudgeted = () => clock.now() >= began + 23 * HOUR
  while (clock.now() < began + DAY) {
    if (isBudgeted() && city.budgets.list().total === 0) await city.budgets.set(human, budget)
    const happened = await programs.step()
    await city.store.write(() => {})
    await city.reconciler.settle()
    const idle = AGENTS - programs.working
    const isHeld = city.budgets.exhausted().length > 0
    const mayWork = !isHeld && provider.anyRoom
    const ends = city.limits.all().map(({ until: end }) => end ?? 0)
    const next = untilNext(clock.now(), [...programs.turns.values(), ...ends])
    const passes = happened ? 100 : mayWork && idle > 0 ? 1000 : next
    if (isHeld) held += passes * idle
    else if (mayWork) {
      possible += passes * AGENTS
      lost += passes * idle
    }
    await clock.advance(passes)
  }
  expect(town.reports).toEqual([expect.stringContaining('the price of model "m" is not known')])
  expect(programs.begunWithoutBudget).toBe(0)
  expect(held).toBeGreaterThan(HOUR)
  expect(possible).toBeGreaterThan(AGENTS * 15 * HOUR)
  expect(lost / possible).toBeLessThan(0.01)
}, 600_000)
