/** A bead of the model; a message has `mail`. */
export interface ModelBead {
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
type Change = Partial<ModelBead> & { remove_labels?: string[] }
/** The code of the error of an operation; undefined when it succeeds. */
export type ErrorResult = string | undefined

const GATING_TYPES = ['blocks', 'waits-for', 'conditional-blocks']
const UNWORKABLE_TYPES = ['gate', 'convoy', 'message', 'session']

const oldestFirst = (a: ModelBead, b: ModelBead): number => a.at - b.at || (a.id < b.id ? -1 : 1)

/** The beads, convoys and mail of a city, implemented with plain lists and loops, to compare a city with. */
export class Model {
  beads: ModelBead[] = []
  #edges: Edge[] = []

  find = (id: string): ModelBead | undefined => this.beads.find((bead) => bead.id === id)

  update(id: string, change: Change): ErrorResult {
    const bead = this.find(id)
    if (!bead) return 'bead-not-found'
    if (change.parent && change.parent !== bead.parent && this.#isInvalidParent(change.parent, id))
      return 'invalid-request'
    const wasClosed = bead.status === 'closed'
    const { labels = [], remove_labels: gone = [], ...rest } = change
    Object.assign(bead, rest, change.parent === '' && { parent: undefined })
    if (bead.status === 'tombstone') bead.status = 'closed'
    bead.labels = [...new Set([...bead.labels, ...labels])].filter((label) => !gone.includes(label))
    if (!wasClosed && bead.status === 'closed') this.#onClosed(id)
    return undefined
  }

  close = (id: string): ErrorResult => this.update(id, { status: 'closed' })

  reopen(id: string): ErrorResult {
    const { status = 'closed' } = this.find(id) ?? {}
    return status === 'closed' ? this.update(id, { status: 'open' }) : 'conflict-wrong-state'
  }

  remove(id: string): ErrorResult {
    const missing = this.#checkExist([id])
    this.beads = this.beads.filter((bead) => bead.id !== id)
    this.#edges = this.#edges.filter((edge) => edge.of !== id)
    return missing
  }

  depend(of: string, on: string, type: string): ErrorResult {
    const loop = of === on || (GATING_TYPES.includes(type) && this.#waitsFor(on, of)) ? 'invalid-request' : undefined
    const wrong = this.#checkExist([of, on]) ?? loop
    if (wrong) return wrong
    const beside = (edge: Edge) => type === 'parent-child' || edge.type === 'parent-child'
    this.#edges = this.#edges.filter((edge) => edge.of !== of || edge.on !== on || (edge.type !== type && beside(edge)))
    this.#edges.push({ of, on, type })
    return undefined
  }

  undepend(of: string, on: string, type?: string): ErrorResult {
    this.#edges = this.#edges.filter((edge) => !(edge.of === of && edge.on === on && (!type || edge.type === type)))
    return this.#checkExist([of])
  }

  convoyAdd(id: string, items: string[]): ErrorResult {
    const wrong =
      this.#checkConvoy(id) ?? this.#checkExist(items) ?? (items.includes(id) ? 'invalid-request' : undefined)
    if (!wrong) for (const item of items) this.depend(id, item, 'tracks')
    return wrong
  }

  convoyRemove(id: string, items: string[]): ErrorResult {
    const stranger = items.some((item) => !this.members(id).includes(item)) ? 'invalid-request' : undefined
    const wrong = this.#checkConvoy(id) ?? this.#checkExist(items) ?? stranger
    for (const item of wrong ? [] : items) {
      this.undepend(id, item, 'tracks')
      if (this.find(item)?.parent === id) this.update(item, { parent: '' })
    }
    return wrong
  }

  convoyClose = (id: string): ErrorResult => this.#checkConvoy(id) ?? this.close(id)

  mark(id: string, read: boolean): ErrorResult {
    const mail = this.#openMail(id)
    if (mail) mail.read = read
    return mail ? undefined : 'mail-not-found'
  }

  archive(id: string): ErrorResult {
    if (this.#openMail(id)) return this.close(id)
    return this.find(id) && !this.find(id)?.mail ? 'mail-not-found' : undefined
  }

  unarchive(id: string): ErrorResult {
    if (this.#openMail(id)) return undefined
    return this.find(id)?.mail ? this.reopen(id) : 'mail-not-found'
  }

  /** The message that a reply is for; undefined when it cannot be replied to. */
  findOpenMessage = (id: string): ModelBead | undefined => this.#openMail(id) && this.find(id)

  list = (matches: (bead: ModelBead) => boolean): ModelBead[] =>
    this.beads.filter(matches).sort((a, b) => oldestFirst(b, a))

  /** Ready work: most urgent first, then oldest. */
  ready(now: number): string[] {
    return this.beads
      .filter(({ id, status }) => status === 'open' && !this.#isBlocked(id))
      .filter(({ type, labels }) => !UNWORKABLE_TYPES.includes(type) && !labels.includes('order-tracking'))
      .filter(({ deferUntil }) => deferUntil === undefined || deferUntil <= now)
      .sort((a, b) => (a.priority ?? 2) - (b.priority ?? 2) || oldestFirst(a, b))
      .map(({ id }) => id)
  }

  /** True if a bead is blocked; undefined when nothing could block it. */
  isBlocked = (id: string): boolean | undefined => (this.#gates(id).length > 0 ? this.#isBlocked(id) : undefined)

  edges = (id: string): string[] =>
    this.#edges.flatMap(({ of, on, type }) => (of === id ? [`${type} ${on}`] : [])).sort()

  /** The ids of a convoy's members: missing ones first, then the oldest. */
  members(id: string): string[] {
    const tracked = this.edges(id).flatMap((edge) => (edge.startsWith('tracks ') ? [edge.slice(7)] : []))
    const there = this.beads.filter((bead) => bead.parent === id || tracked.includes(bead.id)).sort(oldestFirst)
    return [...tracked.filter((on) => !this.find(on)).sort(), ...there.map((bead) => bead.id)]
  }

  progress(id: string): { total: number; closed: number } {
    const members = this.members(id)
    return {
      total: members.length,
      closed: members.filter((member) => this.find(member)?.status === 'closed').length,
    }
  }

  /** The mail of a recipient, or of everyone, newest first. */
  inbox(recipient: string | undefined, unread: boolean): ModelBead[] {
    return this.list(({ id, assignee, mail }) => {
      const theirs = recipient === undefined || assignee === recipient
      return theirs && this.#openMail(id) !== undefined && !(unread && mail?.read)
    })
  }

  /** The newest message of each thread with mail for a recipient, the newest thread first. */
  threads(recipient: string | undefined): string[] {
    const theirs = this.inbox(recipient, false).map(({ mail }) => mail?.thread)
    const all = this.inbox(undefined, false).filter(({ mail }) => theirs.includes(mail?.thread))
    const isFirst = (one: ModelBead, at: number) =>
      all.findIndex(({ mail }) => mail?.thread === one.mail?.thread) === at
    return all.filter(isFirst).map(({ id }) => id)
  }

  #openMail(id: string): ModelBead['mail'] {
    const bead = this.find(id)
    return bead?.status !== 'closed' && bead?.type === 'message' ? bead.mail : undefined
  }

  #checkConvoy(id: string): ErrorResult {
    const { type = '' } = this.find(id) ?? {}
    return type === 'convoy' ? undefined : type === '' ? 'convoy-not-found' : 'invalid-request'
  }

  #checkExist = (items: string[]): ErrorResult =>
    items.every((item) => this.find(item)) ? undefined : 'bead-not-found'

  #gates = (id: string): Edge[] => this.#edges.filter(({ of, type }) => of === id && GATING_TYPES.includes(type))

  #isBlocked = (id: string): boolean => this.#gates(id).some(({ on }) => this.find(on)?.status !== 'closed')

  /** True if a parent does not exist, or is itself a part of the bead. */
  #isInvalidParent(parent: string, id: string): boolean {
    let at = this.find(parent)
    if (!at) return true
    while (at && at.id !== id) at = at.parent === undefined ? undefined : this.find(at.parent)
    return at !== undefined
  }

  #waitsFor = (id: string, goal: string): boolean =>
    id === goal || this.#gates(id).some(({ on }) => this.#waitsFor(on, goal))

  /** Closes the convoys that a closed bead was the last open member of. */
  #onClosed(id: string): void {
    for (const convoy of this.beads) {
      if (convoy.type !== 'convoy' || convoy.status === 'closed' || convoy.labels.includes('owned')) continue
      const { total, closed } = this.progress(convoy.id)
      if (!this.members(convoy.id).includes(id) || closed < total) continue
      convoy.reason = 'every bead of the convoy is closed'
      this.close(convoy.id)
    }
  }
}
