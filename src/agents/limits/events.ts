import { Type } from '@sinclair/typebox'
import { defineEvent } from '../../core/events/index.ts'

const login = Type.String({ description: 'The account, or the provider whose own login it is.' })
const provider = Type.String()
const closed = { additionalProperties: false } as const

const Reached = Type.Object(
  {
    login,
    provider,
    until: Type.String({ format: 'date-time', description: 'Nothing is started on it before.' }),
    stated: Type.Boolean({ description: 'True if its program stated that time.' }),
    reason: Type.String({ description: 'Output of its program.' }),
  },
  { $id: 'LoginLimitReached', ...closed },
)
const Failed = Type.Object({ login, provider, reason: Type.String() }, { $id: 'LoginFailed', ...closed })
const Restored = Type.Object({ login, provider }, { $id: 'LoginRestored', ...closed })

export const LimitReached = defineEvent('login.limited', Reached, 'A login reached its usage limit.')
export const LoginFailed = defineEvent('login.failed', Failed, 'A login is no longer accepted.')
export const LoginRestored = defineEvent('login.restored', Restored, 'A login is usable again.')
