import { type Static, Type } from '@sinclair/typebox'

const closed = { additionalProperties: false } as const
const agent = Type.String({ description: 'The qualified name of the agent.' })

export const NetworkAccount = Type.Object(
  {
    agent,
    name: Type.String({ description: 'Its name on the social network.' }),
    account_id: Type.String({ description: 'The identifier of its account there.' }),
    stopped: Type.Boolean({ description: 'True if its key is withdrawn, so that it can do nothing there.' }),
    has_key: Type.Boolean({ description: 'True if its private key lies in the city.' }),
    created_at: Type.String(),
  },
  { $id: 'NetworkAccount', ...closed },
)
export type NetworkAccount = Static<typeof NetworkAccount>

export const NetworkAccountList = Type.Object(
  { items: Type.Array(NetworkAccount), total: Type.Integer() },
  { $id: 'NetworkAccountList', ...closed },
)
export type NetworkAccountList = Static<typeof NetworkAccountList>

export const NetworkAccountDraft = Type.Object(
  {
    agent,
    name: Type.Optional(
      Type.String({
        description: 'Its name there; default is that of the city and the agent, such as `town-builder`.',
      }),
    ),
  },
  { $id: 'NetworkAccountDraft', ...closed },
)
export type NetworkAccountDraft = Static<typeof NetworkAccountDraft>

export const NetworkAccountChoice = Type.Object(
  { agent: Type.Optional(Type.String({ description: 'The agent; without it, all agents of the city.' })) },
  { $id: 'NetworkAccountChoice', ...closed },
)
export type NetworkAccountChoice = Static<typeof NetworkAccountChoice>
