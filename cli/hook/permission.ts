import { program } from '../context/version.ts'

/** Prints the decision on a tool call; nothing where the program is to decide itself. A command runs the gc of a path. */
export async function decidePermission(name: string, call: string, path?: string): Promise<string> {
  const { permissionAnswer } = await import('../../src/programs/protocol/index.ts')
  const answer = permissionAnswer(name, call, path === undefined ? program : [path])
  return answer === undefined ? '' : `${answer}\n`
}
