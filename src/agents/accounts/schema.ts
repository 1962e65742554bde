import { type Static, Type } from '@sinclair/typebox'
import { listOf } from '../../http/schema.ts'

const closed = { additionalProperties: false } as const

const name = Type.String({ minLength: 1, maxLength: 64, description: 'The name of the account.' })
const provider = Type.String({ minLength: 1, description: 'The provider whose program it logs in.' })
const home = Type.Optional(
  Type.String({ description: 'The folder of its login and settings; absent for the program’s own.' }),
)
const env_file = Type.Optional(
  Type.String({ description: 'A file of variables such as an API key, mode 0600. Only its path is ever shown.' }),
)
const stands_in_for = Type.Optional(
  Type.Array(Type.String(), {
    description: 'Providers whose work it takes when none of their own accounts has quota left.',
  }),
)

export const Account = Type.Object(
  {
    name: Type.String({
      description:
        'The account; for a login that none declares the provider, or `agent:` and the agent that has its own.',
    }),
    provider: Type.String({ description: 'The provider whose program it logs in; empty when that is not known.' }),
    declared: Type.Boolean({ description: 'True if `$GC_HOME/accounts.toml` declares it.' }),
    home,
    env_file,
    stands_in_for,
    state: Type.Union([Type.Literal('ok'), Type.Literal('limited'), Type.Literal('dead'), Type.Literal('broken')], {
      description:
        '`limited`: its usage limit is reached; `dead`: its login is not accepted; `broken`: its `env_file` cannot be used.',
    }),
    reason: Type.Optional(Type.String({ description: 'Output of its program, or the problem.' })),
    since: Type.Optional(Type.String({ format: 'date-time', description: 'Since when it is limited or dead.' })),
    until: Type.Optional(Type.String({ format: 'date-time', description: 'End of its limit.' })),
    stated: Type.Optional(Type.Boolean({ description: 'True if its program stated that time; else it was guessed.' })),
    sessions: Type.Integer({ description: 'The programs of this city that run on it.' }),
  },
  { $id: 'Account', ...closed },
)
export type Account = Static<typeof Account>

export const AccountList = listOf(Account, 'AccountList')
export type AccountList = Static<typeof AccountList>

export const AccountAdd = Type.Object(
  { name, provider, home, env_file, stands_in_for },
  { $id: 'AccountAddInputBody', ...closed },
)
export type AccountAdd = Static<typeof AccountAdd>

export const AccountCheck = Type.Object(
  {
    lift: Type.Optional(
      Type.Boolean({
        description: 'Ends its limit as well, as after buying more: the next session shows whether that is so.',
      }),
    ),
  },
  { $id: 'AccountCheckInputBody', ...closed },
)
export type AccountCheck = Static<typeof AccountCheck>
