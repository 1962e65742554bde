import type { Env } from '../../src/client/home.ts'
import type { AskedCall } from '../../src/programs/protocol/index.ts'
import { program } from '../context/version.ts'

/** Timeout of the supervisor, after which the program asks. */
const DECISION_MS = 5_000

/**
 * Prints the decision on a tool call; nothing where the program is to decide itself. A command runs the gc of a path, and
 * rules decide on what the program is about to ask.
 */
export async function decidePermission(name: string, call: string, env: Env, path?: string): Promise<string> {
  const { askedCall, permissionAnswer } = await import('../../src/programs/protocol/permission.ts')
  const answer = permissionAnswer(name, call, path === undefined ? program : [path])
  if (answer !== undefined) return `${answer}\n`
  const asked = askedCall(name, call)
  const output = asked && (await isAllowed(asked, env)) ? asked.allow : asked?.otherwise
  return output === undefined ? '' : `${output}\n`
}

/** Whether rules allow a call to this session. */
async function isAllowed({ kind, paths, line, allow }: AskedCall, env: Env): Promise<boolean> {
  const { GC_SESSION_ID: id, GC_CITY_NAME: city } = env
  if (!id || !city) return false
  const [{ Client }, { resolveAccess }] = await Promise.all([
    import('../../src/client/client.ts'),
    import('../../src/client/home.ts'),
  ])
  try {
    const client = new Client(resolveAccess(env), AbortSignal.timeout(DECISION_MS)).city(city)
    const isAsked = allow === undefined
    const body = { kind, paths: [...paths], ...(line !== undefined && { line }), ...(isAsked && { asks: true }) }
    const { decision } = await client.call('POST ~/session/{id}/tool-call', { params: { id }, body })
    return decision === 'allow'
  } catch {
    return false
  }
}
