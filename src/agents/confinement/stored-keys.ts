import { readFileSync } from 'node:fs'
import { asObject, type JsonRecord, parseJson } from '../../programs/entries/json.ts'
import { LOGINS, type LoginPlace } from './login-file.ts'
import { OPENCODE_PROVIDERS } from './opencode-providers.ts'

/** The keys of APIs that people gave to the program of a provider, each by the variable that could have it instead. */
export function storedKeys(provider: string | undefined, place: LoginPlace): Record<string, string> {
  const [keysIn, link] = [STORED[provider ?? ''], LOGINS[provider ?? '']?.(place)]
  return keysIn && link ? keysIn(readJson(link.to)) : {}
}

const STORED: Readonly<Record<string, (stored: JsonRecord) => Record<string, string>>> = {
  // With a subscription the file has a key as well, which its program does not use.
  codex: ({ OPENAI_API_KEY: key, tokens }): Record<string, string> =>
    typeof key === 'string' && !tokens ? { OPENAI_API_KEY: key } : {},
  opencode: (stored) =>
    Object.fromEntries(
      OPENCODE_PROVIDERS.flatMap(({ id, keys: [{ variable }] }) => {
        const { type, key } = asObject(stored[id])
        return type === 'api' && typeof key === 'string' ? [[variable, key]] : []
      }),
    ),
}

/** A file that is not there, or that nobody may read, has no keys. */
function readJson(path: string): JsonRecord {
  try {
    return asObject(parseJson(readFileSync(path, 'utf8')))
  } catch {
    return {}
  }
}
