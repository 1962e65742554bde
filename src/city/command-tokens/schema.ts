import { type Static, Type } from '@sinclair/typebox'

export const CommandToken = Type.Object(
  {
    GC_URL: Type.String({ description: 'Address of the supervisor.' }),
    GC_TOKEN: Type.String({ description: 'Good until the stream ends.' }),
  },
  { $id: 'CommandToken', additionalProperties: false },
)
export type CommandToken = Static<typeof CommandToken>
