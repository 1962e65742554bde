import type { Actor } from '../../core/actor.ts'
import type { CityContext } from '../../core/city-context.ts'
import { toTimestamp } from '../../core/clock.ts'
import { AppError } from '../../core/errors.ts'
import type { Tx } from '../../core/store/index.ts'
import type { MatchedRule } from './rules.ts'

/** A run of an order that was started. */
export interface StartedOrder {
  readonly order: string
  readonly scopedName: string
  readonly rig?: string
  readonly trackingId: string
}

/** Functions of orders that webhooks need. */
export interface OrderStarter {
  /**
   * Starts a run of the order of that name, in a rig or the city; what `alongside` writes is on disk with the run or
   * neither is. Throws an AppError below 500 for an order that cannot be started so.
   */
  start(request: {
    readonly order: string
    readonly rig: string | undefined
    readonly vars: Readonly<Record<string, string>>
    readonly actor: Actor
    alongside(tx: Tx, started: StartedOrder): void
  }): Promise<StartedOrder>
  /** Reason an order of that name cannot be started so; undefined when it can. */
  problemOf(order: string, rig: string | undefined): string | undefined
}

/** A message of a conversation outside, as adapters post it. */
export interface ConversationMessage {
  readonly provider_message_id: string
  readonly conversation: {
    readonly scope_id: string
    readonly provider: string
    readonly account_id: string
    readonly conversation_id: string
    readonly parent_conversation_id?: string
    readonly kind: 'dm' | 'room' | 'thread'
  }
  readonly actor: { readonly id: string; readonly display_name: string; readonly is_bot: boolean }
  readonly text: string
  readonly received_at: string
  readonly reply_to_message_id?: string
}

/** Functions of external messages that webhooks need. */
export interface ConversationInbox {
  /** Throws an AppError for a message that cannot be taken. */
  check(message: ConversationMessage): unknown
  /** Takes a message in with a write; false when no one answers its conversation. */
  receive(tx: Tx, message: ConversationMessage): boolean
}

/** A delivery that something is to follow from. */
export interface Dispatch {
  readonly webhook: string
  /** The rig of the webhook. */
  readonly rig: string | undefined
  readonly matched: MatchedRule
  /** Identity of the delivery. */
  readonly id: string
  readonly actor: Actor
  /** Part of the write in which it follows; what it throws keeps it from following. */
  alongside(tx: Tx, started?: StartedOrder): void
}

/** Effects of deliveries: a run of an order, or a message in a conversation. */
export class Targets {
  constructor(
    private readonly context: CityContext,
    private readonly options: {
      /** The name of the city: what conversations belong to unless a rule says otherwise. */
      city: string
      orders: OrderStarter
      conversations: ConversationInbox
    },
  ) {}

  async dispatch(dispatch: Dispatch): Promise<void> {
    const { rule, args } = dispatch.matched
    if (rule.target === 'conversation') return this.#deliver(dispatch)
    await this.options.orders.start({
      ...{ order: rule.order ?? '', rig: rule.rig ?? dispatch.rig, vars: args, actor: dispatch.actor },
      alongside: dispatch.alongside,
    })
  }

  async #deliver({ webhook, matched, id, actor, alongside }: Dispatch): Promise<void> {
    const { store, clock } = this.context
    const { city, conversations } = this.options
    const message = toMessage({ city, webhook, id, now: clock.now() }, matched.args)
    conversations.check(message)
    await store.write((tx) => {
      alongside(tx)
      if (conversations.receive(tx, message)) return
      const { provider, conversation_id } = message.conversation
      throw new AppError(
        'validation-failed',
        `no session answers the conversation ${provider}/${conversation_id}; bind one with \`gc extmsg bind\``,
      )
    }, actor)
  }
}

const KINDS = ['dm', 'room', 'thread'] as const

/** The message that the arguments of a rule make. */
function toMessage(
  { city, webhook, id, now }: { city: string; webhook: string; id: string; now: number },
  args: MatchedRule['args'],
): ConversationMessage {
  const { kind: given = 'dm', parent_conversation_id = '', reply_to = '' } = args
  const kind = KINDS.find((each) => each === given)
  if (!kind) throw new AppError('validation-failed', `kind must be dm, room or thread, not "${given}"`)
  return {
    provider_message_id: args.message_id || id,
    conversation: {
      ...{
        scope_id: args.scope_id || city,
        provider: args.provider ?? '',
        account_id: args.account_id || 'default',
      },
      ...{ conversation_id: args.conversation_id ?? '', kind },
      ...(parent_conversation_id !== '' && { parent_conversation_id }),
    },
    actor: { id: args.actor_id || webhook, display_name: args.actor ?? '', is_bot: false },
    ...{ text: args.text ?? '', received_at: toTimestamp(now) },
    ...(reply_to !== '' && { reply_to_message_id: reply_to }),
  }
}
