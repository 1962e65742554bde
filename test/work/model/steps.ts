import type { Bead } from '../../../src/work/beads/schema.ts'
import type { Message } from '../../../src/work/mail/schema.ts'
import type { MailWorld } from '../mail/world.ts'
import { human } from '../world.ts'
import type { Dice } from './dice.ts'
import type { Model, Refused, Thing } from './model.ts'

/** One operation: what it is called, how the city does it, and how the model does, which may read the city's answer. */
export interface Step {
  called: string
  real: () => Promise<unknown>
  model: (answer: unknown) => Refused
}

export const RECIPIENTS = ['human', 'clerk', 'mayor']

const TYPES = ['task', 'bug', 'epic', 'gate']
const STATUSES = ['open', 'in_progress', 'closed', 'tombstone']
const EDGES = ['blocks', 'blocks', 'waits-for', 'tracks', 'relates-to', 'parent-child']
const LABELS = ['red', 'green', 'owned', 'order-tracking']
const NOWHERE = 'mi-9999'

/** Deals the operations of a run. */
export class Steps {
  constructor(
    private readonly world: MailWorld,
    private readonly model: Model,
    private readonly dice: Dice,
    /** The session that sends some of the mail, and where mail for it goes. */
    private readonly sender: { id: string; name: string; route: string },
  ) {}

  next(): Step {
    const { dice } = this
    const deal = dice.pick([
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
      () => this.#letter(),
      () => this.#letter(),
      () => this.#handle(),
      () => this.#handle(),
      () => this.#wait(),
    ])
    return deal()
  }

  #any(fits: (thing: Thing) => boolean = () => true): string {
    const ids = this.model.things.filter((thing) => thing.type !== 'session' && fits(thing)).map(({ id }) => id)
    return ids.length === 0 || this.dice.once(40) ? NOWHERE : this.dice.pick(ids)
  }

  /** What is in a convoy that is under way. */
  #travelling(): string[] {
    const convoys = this.model.things.filter(({ type, status }) => type === 'convoy' && status !== 'closed')
    return convoys.flatMap(({ id }) => this.model.members(id))
  }

  #create(): Step {
    const { dice, world } = this
    const deferUntil = dice.once(6) ? world.clock.now() + 60_000 * dice.pick([1, 5]) : undefined
    const body = {
      title: `work ${this.model.things.length}`,
      type: dice.pick(TYPES),
      ...(dice.once(3) && { rig: dice.pick(['press', 'saw']) }),
      ...(dice.once(2) && { priority: dice.pick([0, 1, 2, 3]) }),
      ...(dice.once(5) && { parent: this.#any() }),
      labels: dice.some(LABELS, 2),
      ...(deferUntil !== undefined && { defer_until: new Date(deferUntil).toISOString() }),
    }
    return {
      called: `create ${JSON.stringify(body)}`,
      real: () => world.beads.create(body),
      model: (answer) => {
        if (body.parent && !this.model.find(body.parent)) return 'invalid-request'
        this.#keep(answer as Bead, { ...body, deferUntil })
        return undefined
      },
    }
  }

  #keep({ id }: { id: string }, more: Partial<Thing>): void {
    const { title = '', type = 'task', labels = [], assignee = '', rig = '', parent, priority, deferUntil, mail } = more
    const at = this.world.clock.now()
    const rest = { rig, title, type, priority, assignee, parent, labels: [...labels], deferUntil, reason: undefined }
    this.model.things.push({ id, status: 'open', at, ...rest, ...(mail && { mail }) })
  }

  #update(): Step {
    const { dice } = this
    const id = this.#any()
    const isPlain = TYPES.includes(this.model.find(id)?.type ?? '')
    const change = {
      ...(dice.once(2) && { status: dice.pick(STATUSES) }),
      ...(isPlain && dice.once(4) && { type: dice.pick(TYPES) }),
      ...(dice.once(4) && { priority: dice.pick([0, 1, 2, 3]) }),
      ...(dice.once(4) && { assignee: dice.pick(RECIPIENTS) }),
      ...(dice.once(5) && { parent: dice.once(3) ? '' : this.#any() }),
      ...(dice.once(3) && { labels: dice.some(LABELS, 2) }),
      ...(dice.once(4) && { remove_labels: dice.some(LABELS, 2) }),
    }
    return {
      called: `update ${id} ${JSON.stringify(change)}`,
      real: () => this.world.beads.update(human, id, change),
      model: () => this.model.update(id, change),
    }
  }

  #bead(): Step {
    const { beads, repository, store } = this.world
    const verb = this.dice.pick(['close', 'close', 'close', 'reopen', 'remove'] as const)
    const travels = this.dice.once(2) ? this.#travelling() : []
    const id = this.#any(({ status, id }) => {
      return (status === 'closed') === (verb === 'reopen') && (travels.length === 0 || travels.includes(id))
    })
    const real = {
      close: () => beads.close(human, id),
      reopen: () => beads.reopen(human, id),
      remove: () => store.write((tx) => repository.remove(tx, id)),
    }
    return { called: `${verb} ${id}`, real: real[verb], model: () => this.model[verb](id) }
  }

  #edge(): Step {
    const { beads } = this.world
    const [of, on, type] = [this.#any(), this.#any(), this.dice.pick(EDGES)]
    if (this.dice.once(4)) {
      const only = this.dice.once(2) ? type : undefined
      return {
        called: `undepend ${of} ${on} ${only}`,
        real: () => beads.undepend(human, of, on, only),
        model: () => this.model.undepend(of, on, only),
      }
    }
    return {
      called: `depend ${of} ${on} ${type}`,
      real: () => beads.depend(human, of, { depends_on_id: on, type }),
      model: () => this.model.depend(of, on, type),
    }
  }

  #convoy(): Step {
    const { dice, model, world } = this
    const verb = dice.pick(['create', 'add', 'add', 'remove', 'close'] as const)
    const id = this.#any(({ type }) => type === 'convoy' || dice.once(30))
    const members = verb === 'remove' && !dice.once(6) ? model.members(id) : model.things.map((thing) => thing.id)
    const items = members.length > 0 ? dice.some(members, 3) : []
    if (verb === 'create') return this.#newConvoy(items)
    const real = {
      add: () => world.convoys.addItems(id, items),
      remove: () => world.convoys.removeItems(id, items),
      close: () => world.convoys.close(human, id),
    }
    const same = {
      add: () => model.convoyAdd(id, items),
      remove: () => model.convoyRemove(id, items),
      close: () => model.convoyClose(id),
    }
    return { called: `convoy ${verb} ${id} ${items}`, real: real[verb], model: same[verb] }
  }

  #newConvoy(given: string[]): Step {
    const items = this.dice.once(12) ? [...given, NOWHERE] : given
    const title = `convoy ${this.model.things.length}`
    return {
      called: `convoy create ${items}`,
      real: () => this.world.convoys.create(human, { title, items }),
      model: (answer) => {
        if (items.includes(NOWHERE)) return 'bead-not-found'
        const made = answer as Bead
        this.#keep(made, { title, type: 'convoy' })
        return this.model.convoyAdd(made.id, items)
      },
    }
  }

  #letter(): Step {
    const { dice, world, sender } = this
    const caller = dice.once(3) ? world.caller(sender.id) : human
    const from = caller === human ? 'human' : sender.name
    const to = dice.pick([...RECIPIENTS, 'nobody', sender.id])
    const route = to === sender.id ? sender.route : to
    const id = this.#any(({ mail }) => mail !== undefined)
    if (dice.once(3)) return this.#reply(id, from, caller)
    return {
      called: `mail ${from} to ${to}`,
      real: () => world.mail.send(caller, { to, subject: 'hello', body: 'how are you?' }),
      model: (answer) => {
        if (to === 'nobody') return 'invalid-request'
        this.#post(answer as Message, { from, subject: 'hello', route, answers: undefined })
        return undefined
      },
    }
  }

  #reply(id: string, from: string, caller: Parameters<MailWorld['mail']['reply']>[0]): Step {
    return {
      called: `reply ${from} to ${id}`,
      real: () => this.world.mail.reply(caller, id, { body: 'well' }),
      model: (answer) => {
        const answered = this.model.answered(id)
        if (!answered) return 'mail-not-found'
        const said = answer as Message
        const route = answered.mail?.from === 'human' ? 'human' : this.sender.route
        const subject = answered.title.startsWith('Re: ') ? answered.title : `Re: ${answered.title}`
        this.#post(said, { from, subject, route, answers: id })
        return said.thread_id === answered.mail?.thread ? undefined : `the thread of ${id}`
      },
    }
  }

  #post(
    message: Message,
    { from, subject, route, answers }: { from: string; subject: string; route: string; answers: string | undefined },
  ): void {
    const thread = message.thread_id ?? ''
    const labels = [`thread:${thread}`, ...(answers ? [`reply-to:${answers}`] : [])]
    const mail = { thread, from, read: false }
    this.#keep(message, { title: subject, type: 'message', assignee: route, labels, mail })
  }

  #handle(): Step {
    const { model, world, dice } = this
    const id = this.#any(({ mail }) => mail !== undefined || dice.once(30))
    const does = dice.pick(['read', 'read', 'markUnread', 'archive', 'delete', 'unarchive'] as const)
    const same = {
      read: () => model.mark(id, true),
      markUnread: () => model.mark(id, false),
      archive: () => model.archive(id),
      delete: () => model.archive(id),
      unarchive: () => model.unarchive(id),
    }
    const real =
      does === 'unarchive' ? () => world.mail.patch(human, id, { archived: false }) : () => world.mail[does](id)
    return { called: `mail ${does} ${id}`, real, model: same[does] }
  }

  #wait(): Step {
    return {
      called: 'a minute passes',
      real: () => this.world.clock.advance(60_000),
      model: () => undefined,
    }
  }
}
