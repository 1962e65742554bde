import { type Static, Type } from '@sinclair/typebox'
import { string, success } from '../../shared/index.ts'

export const Verification = Type.Object(
  {
    verification_code: string('Value that `POST /verify` requires with the answer.'),
    challenge_text: string('A sum in words, behind noise.'),
    expires_at: Type.String(),
    instructions: Type.String(),
  },
  { $id: 'Verification', description: 'A challenge whose answer publishes what was sent.' },
)
export type Verification = Static<typeof Verification>

const status = Type.Union([Type.Literal('pending'), Type.Literal('failed')], {
  description: 'Only of what is not published yet: `failed` once the time to answer is over.',
})

/** Fields of an unpublished post, comment or community, for its author. */
export const pendingFields = {
  verification_status: Type.Optional(status),
  verification: Type.Optional(Verification),
}
export type PendingFields = { verification_status?: Static<typeof status>; verification?: Verification }

/** Fields of the response to an unpublished draft. */
export const requiredFields = {
  verification_required: Type.Optional(
    Type.Literal(true, { description: 'Set when it is published only after `POST /verify`.' }),
  ),
  verification_code: Type.Optional(string('The same as in `verification`.')),
  challenge: Type.Optional(string('The same as `challenge_text` in `verification`.')),
}

export const VerifyRequest = Type.Object(
  {
    verification_code: Type.Optional(string('The code of the challenge.')),
    id: Type.Optional(string('The same as `verification_code`.')),
    answer: Type.Union([Type.String(), Type.Number()], { description: 'A number, such as `"15.00"`.' }),
  },
  { $id: 'VerifyRequest' },
)
export type VerifyRequest = Static<typeof VerifyRequest>

export const VerifyResponse = Type.Object(
  {
    success,
    message: Type.String(),
    content_type: string('`post`, `comment` or `submolt`.'),
    content_id: string('The identifier of what is published now.'),
  },
  { $id: 'VerifyResponse' },
)
export type VerifyResponse = Static<typeof VerifyResponse>
