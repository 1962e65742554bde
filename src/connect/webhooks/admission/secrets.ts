import type { WebhookVerifyConfig } from '../../../config/webhooks/index.ts'
import { operatorFault } from './rejection.ts'

/** The environment that the supervisor was started with. */
export type Environment = Readonly<Record<string, string | undefined>>

/** The secret of a webhook: what its variable holds, or the one of that name where it holds a JSON object of several. */
export function secretOf({ secretEnv = '', secretKey }: WebhookVerifyConfig, env: Environment): string {
  const value = variable(secretEnv, env)
  if (secretKey === undefined || !value.trimStart().startsWith('{')) return value
  const secret = parse(value, secretEnv)[secretKey]
  if (typeof secret === 'string' && secret !== '') return secret
  throw operatorFault(`the variable ${secretEnv} has no secret "${secretKey}"; set it and start \`gc serve\` again`)
}

/** Value of a variable; a webhook without its secret accepts nothing. */
export function variable(name: string, env: Environment): string {
  const value = env[name]
  if (value) return value
  throw operatorFault(`the variable ${name} is not set; set it and start \`gc serve\` again`)
}

function parse(value: string, name: string): Record<string, unknown> {
  try {
    return JSON.parse(value)
  } catch {
    throw operatorFault(
      `the variable ${name} begins like a JSON object and is none; set it and start \`gc serve\` again`,
    )
  }
}
