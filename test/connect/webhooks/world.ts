import { createHmac } from 'node:crypto'
import { toResponse } from '../../../src/connect/webhooks/answer.ts'
import type { Caller } from '../../../src/http/caller.ts'
import { scriptedTown } from '../../support/city.ts'

export const human: Caller = { kind: 'human' }

export const SECRET = 'It’s a secret to everybody'

/** Environment of every world's supervisor. */
const ENV = { HOOK_SECRET: SECRET, BEARER: 'bearer-1', MANY: '{"first":"one","second":"two"}' }

/** A delivery from this machine, unless it says otherwise. */
export interface Sent {
  webhook?: string
  body?: string | Uint8Array
  headers?: Record<string, string>
  method?: string
  peer?: string
  isPublic?: boolean
  isReadOnly?: boolean
}

const room = (conversation_id: string) => ({
  ...{ scope_id: 'mill', provider: 'chat', account_id: 'default', conversation_id, kind: 'dm' as const },
})

/** A city with webhooks, in which a conversation `room/general` is answered by somebody. */
export async function webhookWorld(
  toml: string,
  { env = {}, prepare = () => {} }: { env?: Record<string, string>; prepare?(path: string): void } = {},
) {
  const town = scriptedTown(toml)
  prepare(town.path)
  const open = () => town.open({ env: { ...ENV, ...env } })
  let city = await open()
  const bind = (conversation_id: string) =>
    city.externalMessages.bindings.bind(human, { conversation: room(conversation_id), session_id: 'mi-1' })
  await bind('general')
  let { head } = city.log
  return {
    ...{ town, bind, clock: town.clock },
    get city() {
      return city
    },
    async restart() {
      await city.close({ endSessions: false })
      city = await open()
      head = city.log.head
    },
    /** Delivers, and returns what the sender sees. */
    async deliver({ webhook = 'hook', body = '{}', headers = {}, method = 'POST', ...how }: Sent = {}) {
      const init = method === 'GET' ? { headers } : { method, headers, body }
      const request = new Request(`http://127.0.0.1:8372/v0/city/mill/hook/${webhook}`, init)
      const hook = { request, peer: '127.0.0.1', isPublic: false, isReadOnly: false, ...how }
      const response = toResponse(await city.webhooks.receive(webhook, hook))
      const text = await response.text()
      const read: Record<string, unknown> = text === '' ? {} : JSON.parse(text)
      return { status: response.status, body: read, text, headers: response.headers }
    },
    /** Events of webhooks since the last call. */
    recorded() {
      const events = city.log.after(head, 1000).filter(({ actor }) => actor === 'webhook:hook')
      head = city.log.head
      return events.map(({ type, actor, subject, message, payload }) => ({ type, actor, subject, message, payload }))
    },
    /** The messages that came to the conversation. */
    messages: () => (city.externalMessages.transcripts.list(room('general')).items ?? []).map(({ Text }) => Text),
    [Symbol.asyncDispose]: () => town[Symbol.asyncDispose](),
  }
}

/** A webhook called `hook` by these lines of `[webhook.verify]`, whose deliveries become messages. */
export const hook = (verify: string, { top = '', rule = '' } = {}): string => `
[[webhook]]
name = "hook"
${top}
[webhook.verify]
${verify}
[[webhook.rule]]
target = "conversation"
args = { provider = "chat", conversation_id = "general", text = "{{text}}" }
${rule}
`

export const GITHUB = 'scheme = "github-hmac-sha256"\nsecret_env = "HOOK_SECRET"'

export const sha256 = (body: string, secret = SECRET): string => createHmac('sha256', secret).update(body).digest('hex')

/** A delivery as GitHub signs it. */
export const fromGitHub = (payload: unknown, headers: Record<string, string> = {}) => {
  const body = JSON.stringify(payload)
  return { body, headers: { 'x-hub-signature-256': `sha256=${sha256(body)}`, ...headers } }
}
