import { toPlainValue } from '../../core/toml/index.ts'
import { type FieldReader, requiredString, string, type ValuesOf } from '../declare/index.ts'

/** A value as it was written, for a part of gc that reads it later. */
const plain = (key: string): FieldReader<unknown> => ({
  key,
  read(section) {
    const node = section.node(key)
    return node && toPlainValue(node)
  },
})

/** `[upstreams.<name>]`: where a provider's program finds its model. */
export const UPSTREAM = {
  description: string('description'),
  baseUrl: string('base_url'),
  apiKey: string('api_key'),
  authToken: string('auth_token'),
  baseUrlEnv: string('base_url_env'),
  apiKeyEnv: string('api_key_env'),
  authTokenEnv: string('auth_token_env'),
  env: plain('env'),
}
export type UpstreamFields = ValuesOf<typeof UPSTREAM>

/** `[runtimes.<name>]`: a program of a pack that runs sessions. */
export const RUNTIME = { command: requiredString('command'), protocol: plain('protocol') }
export type RuntimeFields = ValuesOf<typeof RUNTIME>
