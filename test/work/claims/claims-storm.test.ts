import { expect, test } from 'bun:test'
import { AppError } from '../../../src/core/errors.ts'
import type { SessionCaller } from '../../../src/http/caller.ts'
import { human } from '../../../src/http/guard.ts'
import { SeededRandom } from '../model/random.ts'
import { openWork, type Work } from '../world.ts'

const WORKERS = 64
const BEADS = 1000
const MINUTE = 60_000
const LEASE = 15 * MINUTE
/** More rounds than any run needs, so that a stuck bead fails the test. */
const MAX_ROUNDS = 1000

/** A worker of the simulation. A hosted one is seen to end; of another only the heartbeats stop. */
interface SimulatedWorker {
  caller: SessionCaller
  session: string
  hosted: boolean
  alive: boolean
  bead: string | undefined
}

/** Checks the rules of claims against every response. */
class ClaimChecker {
  readonly done = new Map<string, string>()
  readonly violations: string[] = []
  readonly #held = new Map<string, { by: string; until: number }>()
  losses = 0

  recordClaim(bead: string, { session, hosted }: SimulatedWorker, now: number): void {
    const holder = this.#held.get(bead)
    if (this.done.has(bead)) this.violations.push(`${bead} was claimed by ${session} when it was closed`)
    if (holder && holder.by !== session)
      this.violations.push(`${bead} was claimed by ${session} while ${holder.by} held it`)
    this.#held.set(bead, { by: session, until: hosted ? Number.POSITIVE_INFINITY : now + LEASE })
  }

  holds(bead: string, session: string): boolean {
    return this.#held.get(bead)?.by === session
  }

  /** Closing a closed bead changes nothing. */
  recordClose(bead: string, session: string): void {
    if (this.done.has(bead)) return
    if (!this.holds(bead, session)) this.violations.push(`${session} closed ${bead}, which it had lost`)
    this.done.set(bead, session)
    this.#held.delete(bead)
  }

  recordLoss(bead: string): void {
    this.losses++
    this.#held.delete(bead)
  }

  /** Ends the claims whose lease is over. */
  expire(now: number): void {
    for (const [bead, { until }] of this.#held) if (until <= now) this.recordLoss(bead)
  }
}

/** True if an operation on a bead is allowed. */
async function isAllowed(doing: Promise<unknown>): Promise<boolean> {
  try {
    await doing
    return true
  } catch (error) {
    if (error instanceof AppError && (error.code === 'claim-lost' || error.code === 'conflict-wrong-state'))
      return false
    throw error
  }
}

/** One round of a live worker: it claims work, sends a heartbeat, closes the bead, or dies. */
async function act(work: Work, worker: SimulatedWorker, checker: ClaimChecker, random: SeededRandom): Promise<void> {
  const { caller } = worker
  if (worker.bead === undefined) {
    const next = await work.claims.next(caller)
    worker.bead = next.bead_id
    if (next.bead_id) checker.recordClaim(next.bead_id, worker, work.clock.now())
    return
  }
  const { bead } = worker
  if (random.oneIn(8)) return die(work, worker, checker)
  if (random.oneIn(2)) {
    const isRenewed = await isAllowed(work.claims.heartbeat(caller, bead))
    if (isRenewed !== checker.holds(bead, worker.session))
      checker.violations.push(`${worker.session} got ${isRenewed} for ${bead}`)
    if (isRenewed) checker.recordClaim(bead, worker, work.clock.now())
    else worker.bead = undefined
    return
  }
  if (await isAllowed(work.beads.close(caller, bead))) checker.recordClose(bead, worker.session)
  worker.bead = undefined
}

/** The claims of a hosted process are revoked immediately; those of another expire with their lease. */
async function die(work: Work, worker: SimulatedWorker, checker: ClaimChecker): Promise<void> {
  worker.alive = false
  if (!worker.hosted) return
  await work.exit(worker.session)
  if (worker.bead !== undefined) checker.recordLoss(worker.bead)
}

/** A hosted worker starts again; another continues with the bead it believes to hold. */
async function restart(work: Work, worker: SimulatedWorker): Promise<void> {
  worker.alive = true
  if (!worker.hosted) return
  worker.bead = undefined
  await work.sessions.running.wake(worker.session, human)
}

/** Every bead that was closed, once for each close. */
function closedBeadsOf({ log }: Work): string[] {
  const closed: string[] = []
  for (let seen = 0; seen < log.head; ) {
    const events = log.after(seen, 1000)
    closed.push(...events.flatMap(({ type, subject = '' }) => (type === 'bead.closed' ? [subject] : [])))
    seen = events.at(-1)?.seq ?? log.head
  }
  return closed
}

async function startWorker(work: Work, n: number): Promise<SimulatedWorker> {
  const hosted = n % 2 === 0
  const { id: session } = await (hosted ? work.session(`w${n}`) : work.lentSession(`w${n}`))
  return { caller: work.caller(session), session, hosted, alive: true, bead: undefined }
}

test('whichever sessions die, each bead is done once and no one writes after losing a claim', async () => {
  await using work = await openWork()
  const random = new SeededRandom(7)
  const checker = new ClaimChecker()
  const workers = await Promise.all(Array.from({ length: WORKERS }, (_, n) => startWorker(work, n)))
  const metadata = { 'gc.routed_to': 'press/hand' }
  await Promise.all(Array.from({ length: BEADS }, (_, n) => work.add({ title: `bead ${n}`, metadata })))
  for (let round = 0; checker.done.size < BEADS && round < MAX_ROUNDS; round++) {
    const living = workers.filter(({ alive }) => alive)
    for (const worker of workers) if (!worker.alive && random.oneIn(20)) await restart(work, worker)
    await work.settled()
    await Promise.all(living.map((worker) => act(work, worker, checker, random)))
    await work.clock.advance(MINUTE)
    await work.store.write(() => {})
    checker.expire(work.clock.now())
  }
  expect(checker.violations).toEqual([])
  expect(checker.done.size).toBe(BEADS)
  expect(checker.losses).toBeGreaterThan(WORKERS)
  expect(work.beads.list({ limit: 1, type: 'task' }).value.total).toBe(0)
  const closings = closedBeadsOf(work)
  expect([closings.length, new Set(closings).size]).toEqual([BEADS, BEADS])
  expect(work.claims.list().total).toBe(0)
  expect(work.errors).toEqual([])
}, 60_000)
