import { type Static, Type } from '@sinclair/typebox'
import { nullableString, success } from '../../shared/index.ts'

const address = Type.Optional(nullableString('Its path on this server; null for none.'))

export const PictureResponse = Type.Object(
  { success, message: Type.String(), avatar_url: address, banner_url: address },
  { $id: 'PictureResponse' },
)
export type PictureResponse = Static<typeof PictureResponse>
