import type { FollowOptions } from '../../src/client/follow.ts'
import { conversationOf, type Message } from './entries.ts'
import type { FollowText, Line, Reach } from './page.ts'

/** Shows the conversation of a session as it grows, until the session is closed. */
export async function followConversation(reach: Reach, { show, following }: FollowText): Promise<void> {
  const { city, subject: id } = reach
  const query = { format: 'structured' as const }
  const messages = new Map<string, Message>()
  const options = untilClosed(reach, following)
  for await (const { event, data } of city.follow('GET ~/session/{id}/stream', { params: { id }, query }, options)) {
    if (event !== 'structured') continue
    if (data.operation !== 'upsert') messages.clear()
    for (const message of data.structured_messages) messages.set(message.id, message)
    const remarks = (data.history.diagnostics ?? []).flatMap(({ message: text }): Line[] =>
      text ? [{ text, tone: 'quiet' }] : [],
    )
    show([...remarks, ...conversationOf([...messages.values()]).lines])
  }
}

/** Options for following a session's stream; it does not reopen after the session is closed. */
export function untilClosed({ city, subject: id }: Reach, following: FollowOptions): FollowOptions {
  const closed = new AbortController()
  const { signal, onStateChange } = following
  const isClosed = async (): Promise<boolean> => {
    const { state } = await city.call('GET ~/session/{id}', { params: { id }, signal })
    return state === ''
  }
  const onDisconnected = async (): Promise<void> => {
    if (await isClosed().catch(() => false)) closed.abort()
    else onStateChange?.('disconnected')
  }
  return {
    ...following,
    signal: AbortSignal.any([signal, closed.signal]),
    onStateChange: (state) => (state === 'connected' ? onStateChange?.(state) : void onDisconnected()),
  }
}
