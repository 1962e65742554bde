import { TOKEN_PREFIXES } from '../core/text/index.ts'
import { hostOptions, runHost } from '../host/server/index.ts'

/**
 * Runs a session host as its environment asks, with the secrets of this program redacted; answers with its exit code.
 * `gc` starts this program again.
 */
export const runSessionHost = (
  gc: readonly string[],
  env: Record<string, string | undefined>,
  say: (line: string) => void,
): Promise<number> => runHost({ ...hostOptions(env), gc, secretPrefixes: TOKEN_PREFIXES, say })
