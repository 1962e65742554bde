import { AppError } from '../../core/errors.ts'
import type { RecordedEvent } from '../../core/events/event.ts'
import type { EventLog } from '../../core/events/log.ts'
import type { Reactions } from '../../core/events/reactions.ts'
import { type SaveResponse, withoutReplay } from '../../core/replays/replays.ts'
import type { Store, Tx } from '../../core/store.ts'
import type { Caller } from '../../http/caller.ts'
import type { RenderedJson } from '../../http/rendered.ts'
import type { OKResponseBody } from '../../http/schema.ts'
import type { Beads } from '../beads/beads.ts'
import type { Bead, ListBodyBead } from '../beads/schema.ts'
import { ConvoyKey } from '../metadata.ts'
import { speaker } from '../speaker.ts'
import { ConvoyClosed, ConvoyCreated } from './events.ts'
import { isComplete, Members } from './members.ts'
import type { ConvoyCheckResponse, ConvoyGetResponse, ConvoyQuery, ConvoyTerms } from './schema.ts'

/** A convoy about to be created. */
export interface ConvoyDraft {
  title: string
  rig?: string | undefined
  items: readonly string[]
  labels?: readonly string[] | undefined
  metadata?: Readonly<Record<string, string>> | undefined
}

/** Keeps a convoy open until a person closes it. */
export const OWNED = 'owned'

const DONE = 'every bead of the convoy is closed'

/** Beads that belong together: a convoy tracks them and closes with the last of them. */
export class Convoys {
  readonly #members: Members

  constructor(
    private readonly store: Store,
    private readonly log: EventLog,
    private readonly beads: Beads,
    reactions: Reactions,
  ) {
    this.#members = new Members(store, beads)
    beads.onClosed('convoy', (tx, { id }, actor) => log.append(tx, ConvoyClosed, { actor, subject: id }, {}))
    reactions.on('convoys.autoclose', ['bead.closed'], (tx, recorded) => this.#follow(tx, recorded))
  }

  list(query: ConvoyQuery): RenderedJson<ListBodyBead> {
    return this.beads.list({ ...query, type: 'convoy' })
  }

  get(id: string): ConvoyGetResponse {
    const convoy = this.beads.find(id)
    if (convoy?.issue_type !== 'convoy') throw new AppError('convoy-not-found', `convoy ${id} does not exist`)
    const children = this.#members.of(id)
    return { convoy, ...(children.length > 0 && { children }), progress: this.#members.progress(id) }
  }

  check(id: string): ConvoyCheckResponse {
    this.#need(id)
    const progress = this.#members.progress(id)
    return { convoy_id: id, ...progress, complete: isComplete(progress) }
  }

  /** The open convoys that a bead is in. */
  of(bead: string): string[] {
    return this.#members.convoysOf(bead)
  }

  /** Begins a convoy of beads that are there. */
  begin(tx: Tx, actor: string, { items, ...draft }: ConvoyDraft): Bead {
    this.#needItems(items)
    const needs = [...new Set(items)].map((item) => `tracks:${item}`)
    const convoy = this.beads.add(tx, { ...draft, type: 'convoy', needs })
    this.log.append(tx, ConvoyCreated, { actor, subject: convoy.id }, {})
    return convoy
  }

  create(
    caller: Caller,
    { owned, owner, merge, target, ...body }: ConvoyTerms,
    once: SaveResponse = withoutReplay,
  ): Promise<Bead> {
    const metadata = {
      ...(owner !== undefined && { [ConvoyKey.owner]: owner }),
      ...(merge !== undefined && { [ConvoyKey.merge]: merge }),
      ...(target !== undefined && { [ConvoyKey.target]: target }),
    }
    const { items = [] } = body
    const draft = { ...body, items, metadata, labels: owned ? [OWNED] : [] }
    return this.store.write((tx) => once(tx, this.begin(tx, speaker(caller, undefined), draft)))
  }

  add(id: string, items: readonly string[] = []): Promise<OKResponseBody> {
    return this.store.write((tx) => {
      this.#need(id)
      this.#needItems(items)
      this.beads.depend(tx, id, items, 'tracks')
      return { status: 'updated' }
    })
  }

  remove(id: string, items: readonly string[] = []): Promise<OKResponseBody> {
    return this.store.write((tx) => {
      this.#need(id)
      this.#needItems(items)
      const members = this.#members.ids(id)
      const stranger = items.find((item) => !members.has(item))
      if (stranger) throw new AppError('invalid-request', `bead ${stranger} is not in convoy ${id}`)
      this.beads.undepend(tx, id, items, 'tracks')
      for (const item of items) if (this.beads.get(item).parent === id) this.beads.change(tx, item, { parent: null })
      return { status: 'updated' }
    })
  }

  /** Closes a convoy, whatever its members are. */
  close(caller: Caller, id: string): Promise<OKResponseBody> {
    return this.store.write((tx) => {
      this.#need(id)
      this.beads.close(tx, id, undefined, { actor: speaker(caller, undefined) })
      return { status: 'closed' }
    })
  }

  /** Closes the convoys that a closed bead was the last of. */
  #follow(tx: Tx, { subject }: RecordedEvent): void {
    for (const id of subject ? this.of(subject) : []) {
      const convoy = this.beads.get(id)
      if (convoy.labels?.includes(OWNED) || !isComplete(this.#members.progress(id))) continue
      this.beads.close(tx, id, DONE)
    }
  }

  #need(id: string): Bead {
    const bead = this.beads.find(id)
    if (!bead) throw new AppError('convoy-not-found', `convoy ${id} does not exist`)
    if (bead.issue_type === 'convoy') return bead
    throw new AppError('invalid-request', `bead ${id} is a ${bead.issue_type}, not a convoy`)
  }

  #needItems(items: readonly string[]): void {
    for (const item of items) this.beads.get(item)
  }
}
