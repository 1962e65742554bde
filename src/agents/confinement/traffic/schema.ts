import { type Static, Type } from '@sinclair/typebox'
import { listOf } from '../../../http/schema.ts'

const Count = (description: string) => Type.Integer({ minimum: 0, description })

/** Ours: what a session exchanged with one host through its proxy. */
export const SessionHostTraffic = Type.Object(
  {
    host: Type.String({
      description: 'With its port, unless that is 443 or 80; `*` stands for all hosts beyond the first two hundred.',
    }),
    connections: Count('Connections to it, also those of requests for a provider whose key gc keeps.'),
    denied: Count('Connections that were refused.'),
    sent_bytes: Count('From the session to the host.'),
    received_bytes: Count('From the host to the session.'),
    first_at: Type.String({ description: 'RFC 3339.' }),
    last_at: Type.String({ description: 'Time of the last connection, refusal or exchange, RFC 3339.' }),
  },
  { $id: 'SessionHostTraffic', additionalProperties: false },
)
export type SessionHostTraffic = Static<typeof SessionHostTraffic>

export const SessionTrafficList = listOf(SessionHostTraffic, 'SessionTrafficList')
export type SessionTrafficList = Static<typeof SessionTrafficList>
