import { type Static, Type } from '@sinclair/typebox'
import { GRANTS } from '../../http/needs.ts'

const closed = { additionalProperties: false } as const

const Grant = Type.Union(
  GRANTS.map((grant) => Type.Literal(grant)),
  { description: '`answer` questions of sessions, `review` changes, `land` changes.' },
)

const Name = Type.String({
  pattern: '^[A-Za-z][A-Za-z0-9._-]{0,63}$',
  description: 'Letters, digits, `.`, `_` and `-`, beginning with a letter; names that differ only in case are one.',
})

export const PersonAdd = Type.Object(
  {
    name: Name,
    grants: Type.Optional(
      Type.Array(Grant, { maxItems: GRANTS.length, description: 'Grants of the person besides reading.' }),
    ),
  },
  { $id: 'PersonAddRequest', ...closed },
)
export type PersonAdd = Static<typeof PersonAdd>

const person = {
  name: Type.String(),
  grants: Type.Array(Type.String(), { description: 'Grants of the person besides reading.' }),
  added_at: Type.String({ format: 'date-time' }),
}

export const Person = Type.Object(person, { $id: 'Person', ...closed })
export type Person = Static<typeof Person>

export const PersonAdded = Type.Object(
  { ...person, token: Type.String({ description: 'Shown once: only its hash is stored.' }) },
  { $id: 'PersonAddResponse', ...closed },
)
export type PersonAdded = Static<typeof PersonAdded>

export const PersonList = Type.Object(
  { items: Type.Array(Person), total: Type.Integer() },
  { $id: 'PersonListResponse', ...closed },
)
export type PersonList = Static<typeof PersonList>
