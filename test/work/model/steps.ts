import type { Bead, Message } from '../../../src/work/schema.ts'
import { human, type Work } from '../world.ts'
import type { ErrorResult, Model, ModelBead } from './model.ts'
import type { SeededRandom } from './random.ts'

/** One operation on the city and on the model, which may read the response of the city. */
export interface Step {
  description: string
  runInCity: () => Promise<unknown>
  runInModel: (answer: unknown) => ErrorResult
}

export const RECIPIENTS = ['human', 'clerk', 'mayor']
/** Names of sessions. */
const ASSIGNEES = ['ada', 'mayor', '']

const TYPES = ['task', 'bug', 'epic', 'gate']
const STATUSES = ['open', 'in_progress', 'closed', 'tombstone']
const EDGES = ['blocks', 'blocks', 'waits-for', 'tracks', 'relates-to', 'parent-child']
const LABELS = ['red', 'green', 'owned', 'order-tracking']
const NOWHERE = 'mi-9999'

/** Generates random operations. */
export class StepGenerator {
  constructor(
    private readonly world: Work,
    private readonly model: Model,
    private readonly random: SeededRandom,
    /** The session that sends some of the mail, and where mail for it goes. */
    private readonly sender: { id: string; name: string; route: string },
  ) {}

  next(): Step {
    const { random } = this
    const next = random.pick([
      () => this.#create(),
      () => this.#create(),
      () => this.#update(),
      () => this.#update(),
      () => this.#bead(),
      () => this.#bead(),
      () => this.#edge(),
      () => this.#edge(),
      () => this.#convoy(),
      () => this.#convoy(),
      () => this.#mailStep(),
      () => this.#mailStep(),
      () => this.#markStep(),
      () => this.#markStep(),
      () => this.#waitStep(),
    ])
    return next()
  }

  #anyBead(fits: (thing: ModelBead) => boolean = () => true): string {
    const ids = this.model.beads.filter((thing) => thing.type !== 'session' && fits(thing)).map(({ id }) => id)
    return ids.length === 0 || this.random.oneIn(40) ? NOWHERE : this.random.pick(ids)
  }

  /** The members of open convoys. */
  #openConvoyMembers(): string[] {
    const convoys = this.model.beads.filter(({ type, status }) => type === 'convoy' && status !== 'closed')
    return convoys.flatMap(({ id }) => this.model.members(id))
  }

  #create(): Step {
    const { random, world } = this
    const deferUntil = random.oneIn(6) ? world.clock.now() + 60_000 * random.pick([1, 5]) : undefined
    const body = {
      title: `work ${this.model.beads.length}`,
      type: random.pick(TYPES),
      ...(random.oneIn(3) && { rig: random.pick(['press', 'saw']) }),
      ...(random.oneIn(2) && { priority: random.pick([0, 1, 2, 3]) }),
      ...(random.oneIn(5) && { parent: this.#anyBead() }),
      labels: random.sample(LABELS, 2),
      ...(deferUntil !== undefined && { defer_until: new Date(deferUntil).toISOString() }),
    }
    return {
      description: `create ${JSON.stringify(body)}`,
      runInCity: () => world.beads.create(human, body),
      runInModel: (answer) => {
        if (body.parent && !this.model.find(body.parent)) return 'invalid-request'
        this.#addToModel(answer as Bead, { ...body, deferUntil })
        return undefined
      },
    }
  }

  #addToModel({ id }: { id: string }, more: Partial<ModelBead>): void {
    const { title = '', type = 'task', labels = [], assignee = '', rig = '', parent, priority, deferUntil, mail } = more
    const at = this.world.clock.now()
    const rest = { rig, title, type, priority, assignee, parent, labels: [...labels], deferUntil, reason: undefined }
    this.model.beads.push({ id, status: 'open', at, ...rest, ...(mail && { mail }) })
  }

  #update(): Step {
    const { random } = this
    const id = this.#anyBead()
    const isPlain = TYPES.includes(this.model.find(id)?.type ?? '')
    const change = {
      ...(random.oneIn(2) && { status: random.pick(STATUSES) }),
      ...(isPlain && random.oneIn(4) && { type: random.pick(TYPES) }),
      ...(random.oneIn(4) && { priority: random.pick([0, 1, 2, 3]) }),
      ...(random.oneIn(4) && { assignee: random.pick(ASSIGNEES) }),
      ...(random.oneIn(5) && { parent: random.oneIn(3) ? '' : this.#anyBead() }),
      ...(random.oneIn(3) && { labels: random.sample(LABELS, 2) }),
      ...(random.oneIn(4) && { remove_labels: random.sample(LABELS, 2) }),
    }
    return {
      description: `update ${id} ${JSON.stringify(change)}`,
      runInCity: () => this.world.beads.update(human, id, change),
      runInModel: () => this.model.update(id, change),
    }
  }

  #bead(): Step {
    const { beads, beadRepository, store } = this.world
    const verb = this.random.pick(['close', 'close', 'close', 'reopen', 'remove'] as const)
    const travels = this.random.oneIn(2) ? this.#openConvoyMembers() : []
    const id = this.#anyBead(({ status, id }) => {
      return (status === 'closed') === (verb === 'reopen') && (travels.length === 0 || travels.includes(id))
    })
    const real = {
      close: () => beads.close(human, id),
      reopen: () => beads.reopen(human, id),
      remove: () => store.write((tx) => beadRepository.remove(tx, id)),
    }
    return { description: `${verb} ${id}`, runInCity: real[verb], runInModel: () => this.model[verb](id) }
  }

  #edge(): Step {
    const { beads } = this.world
    const [of, on, type] = [this.#anyBead(), this.#anyBead(), this.random.pick(EDGES)]
    if (this.random.oneIn(4)) {
      const only = this.random.oneIn(2) ? type : undefined
      return {
        description: `undepend ${of} ${on} ${only}`,
        runInCity: () => beads.undepend(human, of, on, only),
        runInModel: () => this.model.undepend(of, on, only),
      }
    }
    return {
      description: `depend ${of} ${on} ${type}`,
      runInCity: () => beads.depend(human, of, { depends_on_id: on, type }),
      runInModel: () => this.model.depend(of, on, type),
    }
  }

  #convoy(): Step {
    const { random, model, world } = this
    const verb = random.pick(['create', 'add', 'add', 'remove', 'close'] as const)
    const id = this.#anyBead(({ type }) => type === 'convoy' || random.oneIn(30))
    const members = verb === 'remove' && !random.oneIn(6) ? model.members(id) : model.beads.map((thing) => thing.id)
    const items = members.length > 0 ? random.sample(members, 3) : []
    if (verb === 'create') return this.#newConvoy(items)
    const real = {
      add: () => world.convoys.addItems(human, id, items),
      remove: () => world.convoys.removeItems(human, id, items),
      close: () => world.convoys.close(human, id),
    }
    const inModel = {
      add: () => model.convoyAdd(id, items),
      remove: () => model.convoyRemove(id, items),
      close: () => model.convoyClose(id),
    }
    return { description: `convoy ${verb} ${id} ${items}`, runInCity: real[verb], runInModel: inModel[verb] }
  }

  #newConvoy(existing: string[]): Step {
    const items = this.random.oneIn(12) ? [...existing, NOWHERE] : existing
    const title = `convoy ${this.model.beads.length}`
    return {
      description: `convoy create ${items}`,
      runInCity: () => this.world.convoys.create(human, { title, items }),
      runInModel: (answer) => {
        if (items.includes(NOWHERE)) return 'bead-not-found'
        const created = answer as Bead
        this.#addToModel(created, { title, type: 'convoy' })
        return this.model.convoyAdd(created.id, items)
      },
    }
  }

  #mailStep(): Step {
    const { random, world, sender } = this
    const caller = random.oneIn(3) ? world.caller(sender.id) : human
    const from = caller === human ? 'human' : sender.name
    const to = random.pick([...RECIPIENTS, 'nobody', sender.id])
    const route = to === sender.id ? sender.route : to
    const id = this.#anyBead(({ mail }) => mail !== undefined)
    if (random.oneIn(3)) return this.#reply(id, from, caller)
    return {
      description: `mail ${from} to ${to}`,
      runInCity: () => world.mail.send(caller, { to, subject: 'hello', body: 'how are you?' }),
      runInModel: (answer) => {
        if (to === 'nobody') return 'invalid-request'
        this.#addMessage(answer as Message, { from, subject: 'hello', route, answers: undefined })
        return undefined
      },
    }
  }

  #reply(id: string, from: string, caller: Parameters<Work['mail']['reply']>[0]): Step {
    return {
      description: `reply ${from} to ${id}`,
      runInCity: () => this.world.mail.reply(caller, id, { body: 'well' }),
      runInModel: (answer) => {
        const answered = this.model.findOpenMessage(id)
        if (!answered) return 'mail-not-found'
        const reply = answer as Message
        const route = answered.mail?.from === 'human' ? 'human' : this.sender.route
        const subject = answered.title.startsWith('Re: ') ? answered.title : `Re: ${answered.title}`
        this.#addMessage(reply, { from, subject, route, answers: id })
        return reply.thread_id === answered.mail?.thread ? undefined : `the thread of ${id}`
      },
    }
  }

  #addMessage(
    message: Message,
    { from, subject, route, answers }: { from: string; subject: string; route: string; answers: string | undefined },
  ): void {
    const thread = message.thread_id ?? ''
    const labels = [`thread:${thread}`, ...(answers ? [`reply-to:${answers}`] : [])]
    const mail = { thread, from, read: false }
    this.#addToModel(message, { title: subject, type: 'message', assignee: route, labels, mail })
  }

  #markStep(): Step {
    const { model, world, random } = this
    const id = this.#anyBead(({ mail }) => mail !== undefined || random.oneIn(30))
    const operation = random.pick(['read', 'read', 'markUnread', 'archive', 'delete', 'unarchive'] as const)
    const inModel = {
      read: () => model.mark(id, true),
      markUnread: () => model.mark(id, false),
      archive: () => model.archive(id),
      delete: () => model.archive(id),
      unarchive: () => model.unarchive(id),
    }
    const real =
      operation === 'unarchive'
        ? () => world.mail.patch(human, id, { archived: false })
        : () => world.mail[operation](human, id)
    return { description: `mail ${operation} ${id}`, runInCity: real, runInModel: inModel[operation] }
  }

  #waitStep(): Step {
    return {
      description: 'a minute passes',
      runInCity: () => this.world.clock.advance(60_000),
      runInModel: () => undefined,
    }
  }
}
