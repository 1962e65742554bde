import { expect, test } from 'bun:test'
import { AppError } from '../../../src/core/errors.ts'
import { Dice } from '../model/dice.ts'
import { callerOf, openWork, type Work, workerOf } from '../world.ts'

const WORKERS = 64
const BEADS = 1000
const MINUTE = 60_000
const TERM = 15 * MINUTE
/** More rounds than any run needs: a bead that is stuck is seen. */
const ROUNDS = 1000

/** A worker as it is. One with a process here is seen to end; one without is only not heard of any more. */
interface Hand {
  session: string
  hosted: boolean
  incarnation: number
  alive: boolean
  bead: string | undefined
}

/** What must be true of who holds what, told by everything that was answered. */
class Witness {
  readonly done = new Map<string, string>()
  readonly wrong: string[] = []
  readonly #held = new Map<string, { by: string; until: number }>()
  losses = 0

  took(bead: string, { session, hosted }: Hand, now: number): void {
    const holder = this.#held.get(bead)
    if (this.done.has(bead)) this.wrong.push(`${bead} was given to ${session} when it was done`)
    if (holder && holder.by !== session) this.wrong.push(`${bead} was given to ${session}, and ${holder.by} had it`)
    this.#held.set(bead, { by: session, until: hosted ? Number.POSITIVE_INFINITY : now + TERM })
  }

  has(bead: string, session: string): boolean {
    return this.#held.get(bead)?.by === session
  }

  /** Closing what is closed changes nothing, whoever asks. */
  closed(bead: string, session: string): void {
    if (this.done.has(bead)) return
    if (!this.has(bead, session)) this.wrong.push(`${session} closed ${bead}, which it had lost`)
    this.done.set(bead, session)
    this.#held.delete(bead)
  }

  lost(bead: string): void {
    this.losses++
    this.#held.delete(bead)
  }

  /** Claims of those that were not heard for too long are over. */
  passed(now: number): void {
    for (const [bead, { until }] of this.#held) if (until <= now) this.lost(bead)
  }
}

/** Does something with a bead; whether that was allowed. */
async function allowed(doing: Promise<unknown>): Promise<boolean> {
  try {
    await doing
    return true
  } catch (error) {
    if (error instanceof AppError && (error.code === 'claim-lost' || error.code === 'conflict-wrong-state'))
      return false
    throw error
  }
}

/** What a worker that is alive does in a round: it asks for work, says that it is at it, ends it, or dies. */
async function act(work: Work, hand: Hand, witness: Witness, dice: Dice): Promise<void> {
  const caller = callerOf(hand.session)
  if (hand.bead === undefined) {
    const next = await work.claims.next(caller)
    hand.bead = next.bead_id
    if (next.bead_id) witness.took(next.bead_id, hand, work.clock.now())
    return
  }
  const { bead } = hand
  if (dice.once(8)) return die(work, hand, witness)
  if (dice.once(2)) {
    const heard = await allowed(work.claims.heartbeat(caller, bead))
    if (heard !== witness.has(bead, hand.session)) witness.wrong.push(`${hand.session} was told ${heard} of ${bead}`)
    if (heard) witness.took(bead, hand, work.clock.now())
    else hand.bead = undefined
    return
  }
  if (await allowed(work.beads.close(caller, bead))) witness.closed(bead, hand.session)
  hand.bead = undefined
}

/** A process that is seen gone loses all it had at once; one that cannot be seen keeps it until its time is over. */
async function die(work: Work, hand: Hand, witness: Witness): Promise<void> {
  hand.alive = false
  if (!hand.hosted) return
  await work.store.write((tx) => work.claimManager.revokeAll(tx, hand.session))
  if (hand.bead !== undefined) witness.lost(hand.bead)
}

/** One that was seen gone is started again; one that was not heard of goes on where it thinks it was. */
function rise(work: Work, hand: Hand): void {
  hand.alive = true
  if (!hand.hosted) return
  hand.incarnation++
  hand.bead = undefined
  enlist(work, hand)
}

/** Every bead that was closed, as often as it was. */
function closedIn({ log }: Work): string[] {
  const closed: string[] = []
  for (let seen = 0; seen < log.head; ) {
    const events = log.after(seen, 1000)
    closed.push(...events.flatMap(({ type, subject = '' }) => (type === 'bead.closed' ? [subject] : [])))
    seen = events.at(-1)?.seq ?? log.head
  }
  return closed
}

const enlist = ({ workers }: Work, { session, hosted, incarnation }: Hand): void =>
  void workers.set(session, workerOf(session, { hosted, incarnation: String(incarnation) }))

test('whichever sessions die, each bead is done once and nobody writes after losing a claim', async () => {
  await using work = openWork()
  await work.claims.start()
  const dice = new Dice(7)
  const witness = new Witness()
  const hands = Array.from({ length: WORKERS }, (_, n): Hand => {
    return { session: `w${n}`, hosted: n % 2 === 0, incarnation: 1, alive: true, bead: undefined }
  })
  for (const hand of hands) enlist(work, hand)
  const metadata = { 'gc.routed_to': 'press/hand' }
  await Promise.all(Array.from({ length: BEADS }, (_, n) => work.add({ title: `bead ${n}`, metadata })))
  for (let round = 0; witness.done.size < BEADS && round < ROUNDS; round++) {
    const living = hands.filter(({ alive }) => alive)
    for (const hand of hands) if (!hand.alive && dice.once(20)) rise(work, hand)
    await Promise.all(living.map((hand) => act(work, hand, witness, dice)))
    await work.clock.advance(MINUTE)
    await work.store.write(() => {})
    witness.passed(work.clock.now())
  }
  expect(witness.wrong).toEqual([])
  expect(witness.done.size).toBe(BEADS)
  expect(witness.losses).toBeGreaterThan(WORKERS)
  expect(work.beads.list({ limit: 1 }).value.total).toBe(0)
  const closings = closedIn(work)
  expect([closings.length, new Set(closings).size]).toEqual([BEADS, BEADS])
  expect(work.claims.list().total).toBe(0)
  expect(work.errors).toEqual([])
}, 60_000)
