import type { CityContext } from '../../../core/city-context.ts'
import { toTimestamp } from '../../../core/clock.ts'
import { AppError } from '../../../core/errors.ts'
import { query, stablePlan, type Tx } from '../../../core/store/index.ts'
import { actorOf } from '../../../http/actor-of.ts'
import type { Caller } from '../../../http/caller.ts'
import type { Bead, BeadRepository } from '../../../work/beads/index.ts'
import type { Mail } from '../../../work/mail/index.ts'
import { WorkKey } from '../../../work/metadata.ts'
import { BeadParked } from '../../events.ts'
import type { FailureCounts } from '../plan/failure-counts.ts'

/** The label of a parked bead. */
export const PARKED = 'gc:parked'
/** The most parked beads in one list. */
const MAX_LISTED = 1000

const OPEN = query<{ id: string }, [string, number]>(
  stablePlan('SELECT id FROM bead_labels WHERE label = ? AND closed = 0 ORDER BY created_at, id LIMIT ?'),
)

/** Beads over which too many sessions exited: they are not offered any more until a person unparks them. */
export class Parking {
  constructor(
    private readonly context: CityContext,
    private readonly beads: BeadRepository,
    private readonly failures: FailureCounts,
    private readonly mail: Pick<Mail, 'notifyPeople'>,
  ) {}

  /** Stops offering a bead, and sends mail about it once. */
  park(tx: Tx, { bead, agent, deaths }: { bead: string; agent: string; deaths: number }): void {
    const { log, clock } = this.context
    const { beads, failures, mail } = this
    const reason = failures.find('bead', bead)?.reason ?? ''
    const message = `${deaths} sessions of ${agent} exited while they worked on it; the last: ${reason.split('\n').at(-1) ?? ''}`
    failures.clear(tx, 'bead', bead)
    mail.notifyPeople(tx, `Parked: ${beads.get(bead).title}`.slice(0, 200), mailBody(bead, agent, message))
    const metadata = { [WorkKey.parkedReason]: message.slice(0, 500), [WorkKey.parkedAt]: toTimestamp(clock.now()) }
    beads.change(tx, bead, { labels: [PARKED], metadata })
    log.append(tx, BeadParked, { subject: bead, message }, { bead_id: bead, agent, deaths })
  }

  /** Offers a parked bead again immediately; throws when it is not parked. */
  unpark(caller: Caller, id: string): Promise<Bead> {
    const { store } = this.context
    const { beads, failures } = this
    return store.write((tx) => {
      const bead = beads.get(id)
      if (!bead.labels?.includes(PARKED)) throw new AppError('conflict-wrong-state', `bead ${id} is not parked`)
      const agent = agentOf(bead)
      failures.clear(tx, 'bead', id)
      if (agent) failures.clear(tx, 'agent', agent)
      return beads.change(tx, id, {
        removeLabels: [PARKED],
        metadata: { [WorkKey.parkedReason]: null, [WorkKey.parkedAt]: null },
      })
    }, actorOf(caller))
  }

  /** Open beads that are parked, with why and since when. */
  parked(): { bead: Bead; agent: string; since: string; reason: string }[] {
    const { store } = this.context
    const { beads } = this
    return beads
      .list(store.read(() => this.context.store.all(OPEN, PARKED, MAX_LISTED)).map(({ id }) => id))
      .map((bead) => ({
        bead,
        agent: agentOf(bead),
        since: bead.metadata?.[WorkKey.parkedAt] ?? bead.updated_at ?? bead.created_at,
        reason: bead.metadata?.[WorkKey.parkedReason] ?? 'a person parked it',
      }))
  }
}

/** The agent that a bead is routed to; '' for none. */
const agentOf = (bead: Bead): string => bead.metadata?.[WorkKey.routedTo] ?? ''

const mailBody = (bead: string, agent: string, reason: string): string =>
  `Bead ${bead} is no longer offered to ${agent}: ${reason}\n\n` +
  `See what is wrong with it (gc bead show ${bead}), then offer it again: gc bead unpark ${bead}`
