/** A bead as the model has it; a message is one with a thread. */
export interface Thing {
  id: string
  rig: string
  title: string
  status: string
  type: string
  assignee: string
  labels: string[]
  priority: number | undefined
  parent: string | undefined
  reason: string | undefined
  at: number
  deferUntil: number | undefined
  mail?: { thread: string; read: boolean; from: string }
}

type Edge = Record<'of' | 'on' | 'type', string>
type Change = Partial<Thing> & { remove_labels?: string[] }
/** Why an operation is refused; undefined when it is done. */
export type Refused = string | undefined

const DONE = ['closed', 'tombstone']
const GATES = ['blocks', 'waits-for', 'conditional-blocks']
const NO_WORK = ['gate', 'convoy', 'message', 'session']

const oldestFirst = (a: Thing, b: Thing): number => a.at - b.at || (a.id < b.id ? -1 : 1)

/** What a city's beads, convoys and mail are to do, in lists and loops: for a run to be compared with, step by step. */
export class Model {
  things: Thing[] = []
  #edges: Edge[] = []

  find = (id: string): Thing | undefined => this.things.find((thing) => thing.id === id)

  update(id: string, change: Change): Refused {
    const thing = this.find(id)
    if (!thing) return 'bead-not-found'
    if (change.parent && change.parent !== thing.parent && this.#cannotHold(change.parent, id)) return 'invalid-request'
    const wasClosed = thing.status === 'closed'
    const { labels = [], remove_labels: gone = [], ...rest } = change
    Object.assign(thing, rest, change.parent === '' && { parent: undefined })
    thing.labels = [...new Set([...thing.labels, ...labels])].filter((label) => !gone.includes(label))
    if (!wasClosed && thing.status === 'closed') this.#closed(id)
    return undefined
  }

  close = (id: string): Refused => this.update(id, { status: 'closed' })

  reopen(id: string): Refused {
    const { status = 'closed' } = this.find(id) ?? {}
    return status === 'closed' ? this.update(id, { status: 'open' }) : 'conflict-wrong-state'
  }

  remove(id: string): Refused {
    const missing = this.#missing([id])
    this.things = this.things.filter((thing) => thing.id !== id)
    this.#edges = this.#edges.filter((edge) => edge.of !== id)
    return missing
  }

  depend(of: string, on: string, type: string): Refused {
    const loop = of === on || (GATES.includes(type) && this.#waits(on, of)) ? 'invalid-request' : undefined
    const wrong = this.#missing([of, on]) ?? loop
    if (wrong) return wrong
    const beside = (edge: Edge) => type === 'parent-child' || edge.type === 'parent-child'
    this.#edges = this.#edges.filter((edge) => edge.of !== of || edge.on !== on || (edge.type !== type && beside(edge)))
    this.#edges.push({ of, on, type })
    return undefined
  }

  undepend(of: string, on: string, type?: string): Refused {
    this.#edges = this.#edges.filter((edge) => !(edge.of === of && edge.on === on && (!type || edge.type === type)))
    return this.#missing([of])
  }

  convoyAdd(id: string, items: string[]): Refused {
    const wrong = this.#noConvoy(id) ?? this.#missing(items) ?? (items.includes(id) ? 'invalid-request' : undefined)
    if (!wrong) for (const item of items) this.depend(id, item, 'tracks')
    return wrong
  }

  convoyRemove(id: string, items: string[]): Refused {
    const stranger = items.some((item) => !this.members(id).includes(item)) ? 'invalid-request' : undefined
    const wrong = this.#noConvoy(id) ?? this.#missing(items) ?? stranger
    for (const item of wrong ? [] : items) {
      this.undepend(id, item, 'tracks')
      if (this.find(item)?.parent === id) this.update(item, { parent: '' })
    }
    return wrong
  }

  convoyClose = (id: string): Refused => this.#noConvoy(id) ?? this.close(id)

  mark(id: string, read: boolean): Refused {
    const mail = this.#inBox(id)
    if (mail) mail.read = read
    return mail ? undefined : 'mail-not-found'
  }

  archive(id: string): Refused {
    if (this.#inBox(id)) return this.close(id)
    return this.find(id) && !this.find(id)?.mail ? 'mail-not-found' : undefined
  }

  unarchive(id: string): Refused {
    if (this.#inBox(id)) return undefined
    return this.find(id)?.mail ? this.reopen(id) : 'mail-not-found'
  }

  /** What a reply needs to know; undefined when it is refused. */
  answered = (id: string): Thing | undefined => this.#inBox(id) && this.find(id)

  listed = (fits: (thing: Thing) => boolean): Thing[] => this.things.filter(fits).sort((a, b) => oldestFirst(b, a))

  /** What can be worked on: the most urgent first, then the oldest. */
  ready(now: number): string[] {
    return this.things
      .filter(({ id, status }) => status === 'open' && !this.#isBlocked(id))
      .filter(({ type, labels }) => !NO_WORK.includes(type) && !labels.includes('order-tracking'))
      .filter(({ deferUntil }) => deferUntil === undefined || deferUntil <= now)
      .sort((a, b) => (a.priority ?? 2) - (b.priority ?? 2) || oldestFirst(a, b))
      .map(({ id }) => id)
  }

  /** Whether a bead is blocked; undefined when nothing could block it. */
  blocked = (id: string): boolean | undefined => (this.#gates(id).length > 0 ? this.#isBlocked(id) : undefined)

  edges = (id: string): string[] =>
    this.#edges.flatMap(({ of, on, type }) => (of === id ? [`${type} ${on}`] : [])).sort()

  /** The ids of a convoy's members: those that are gone first, then the oldest. */
  members(id: string): string[] {
    const tracked = this.edges(id).flatMap((edge) => (edge.startsWith('tracks ') ? [edge.slice(7)] : []))
    const there = this.things.filter((thing) => thing.parent === id || tracked.includes(thing.id)).sort(oldestFirst)
    return [...tracked.filter((on) => !this.find(on)).sort(), ...there.map((thing) => thing.id)]
  }

  progress(id: string): { total: number; closed: number } {
    const members = this.members(id)
    return {
      total: members.length,
      closed: members.filter((member) => DONE.includes(this.find(member)?.status ?? '')).length,
    }
  }

  /** The mail in a box, or in all of them, newest first. */
  box(recipient: string | undefined, unread: boolean): Thing[] {
    return this.listed(({ id, assignee, mail }) => {
      const theirs = recipient === undefined || assignee === recipient
      return theirs && this.#inBox(id) !== undefined && !(unread && mail?.read)
    })
  }

  /** The newest message of each thread with mail for a recipient, the newest thread first. */
  threads(recipient: string | undefined): string[] {
    const theirs = this.box(recipient, false).map(({ mail }) => mail?.thread)
    const all = this.box(undefined, false).filter(({ mail }) => theirs.includes(mail?.thread))
    const isFirst = (one: Thing, at: number) => all.findIndex(({ mail }) => mail?.thread === one.mail?.thread) === at
    return all.filter(isFirst).map(({ id }) => id)
  }

  #inBox(id: string): Thing['mail'] {
    const thing = this.find(id)
    return thing?.status !== 'closed' && thing?.type === 'message' ? thing.mail : undefined
  }

  #noConvoy(id: string): Refused {
    const { type = '' } = this.find(id) ?? {}
    return type === 'convoy' ? undefined : type === '' ? 'convoy-not-found' : 'invalid-request'
  }

  #missing = (items: string[]): Refused => (items.every((item) => this.find(item)) ? undefined : 'bead-not-found')

  #gates = (id: string): Edge[] => this.#edges.filter(({ of, type }) => of === id && GATES.includes(type))

  #isBlocked = (id: string): boolean => this.#gates(id).some(({ on }) => this.find(on)?.status !== 'closed')

  /** Whether a bead is not there to be a parent, or is itself a part of what it is to hold. */
  #cannotHold(parent: string, id: string): boolean {
    let at = this.find(parent)
    if (!at) return true
    while (at && at.id !== id) at = at.parent === undefined ? undefined : this.find(at.parent)
    return at !== undefined
  }

  #waits = (id: string, goal: string): boolean => id === goal || this.#gates(id).some(({ on }) => this.#waits(on, goal))

  /** Closes the convoys that a closed bead was the last of. */
  #closed(id: string): void {
    for (const convoy of this.things) {
      if (convoy.type !== 'convoy' || convoy.status === 'closed' || convoy.labels.includes('owned')) continue
      const { total, closed } = this.progress(convoy.id)
      if (!this.members(convoy.id).includes(id) || closed < total) continue
      convoy.reason = 'every bead of the convoy is closed'
      this.close(convoy.id)
    }
  }
}
