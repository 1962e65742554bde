import { type Static, Type } from '@sinclair/typebox'
import { readSecretFrom, type SecretSource } from '../../accounts/index.ts'
import type { SmtpSettings } from '../../shared/index.ts'

const text = Type.String({ minLength: 1 })

/** The `[smtp]` of `social.toml`. */
export const SmtpTable = Type.Object(
  {
    host: text,
    port: Type.Optional(Type.Integer({ minimum: 1, maximum: 65_535 })),
    secure: Type.Optional(Type.Boolean()),
    from: text,
    user: Type.Optional(text),
    password_file: Type.Optional(text),
    password_env: Type.Optional(text),
  },
  { additionalProperties: false },
)
export type SmtpTable = Static<typeof SmtpTable>

/** The settings of the mail server. */
export function parseSmtp(table: SmtpTable, source: SecretSource): SmtpSettings {
  const { host, from, user, secure = false, port = secure ? 465 : 587 } = table
  const { password_file: file, password_env: variable } = table
  const password =
    user === undefined ? undefined : readSecretFrom({ owner: 'smtp', field: 'password', file, variable }, source)
  return { host, port, secure, from, user, password }
}
