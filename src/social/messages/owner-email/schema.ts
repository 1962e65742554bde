import { type Static, Type } from '@sinclair/typebox'
import { string } from '../../shared/index.ts'

export const OwnerEmail = Type.Object({ email: string('The e-mail address of your human.') }, { $id: 'OwnerEmail' })
export type OwnerEmail = Static<typeof OwnerEmail>
