import { TOKEN_PREFIX } from '../../core/text/index.ts'
import { DeclaredSecrets } from '../files/index.ts'
import { composeFolder } from './city-composition.ts'

interface Reader {
  /** The environment of the command. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** The folder of the city. */
  readonly path: string
  readonly home: string
}

/** True if a command was started by a session or another program of gc, not by a person. */
const isOfProgram = ({ GC_SESSION_ID, GC_TOKEN }: Reader['env']): boolean =>
  Boolean(GC_SESSION_ID) || (Boolean(GC_TOKEN) && !GC_TOKEN?.startsWith(TOKEN_PREFIX.operator))

/** Data of a city's files, redacted for the caller: programs see no secrets. */
export function toVisible<Result>(result: Result, { env, path, home }: Reader): Result {
  if (!isOfProgram(env)) return result
  const { files } = composeFolder(path, home)
  return new DeclaredSecrets(() => files).blank(result)
}
