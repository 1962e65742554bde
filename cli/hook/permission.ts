import { program } from '../context/version.ts'

/** Prints the decision on a tool call; nothing where the program is to decide itself. */
export async function decidePermission(name: string, call: string): Promise<string> {
  const { permissionAnswer } = await import('../../src/programs/protocol/index.ts')
  const answer = permissionAnswer(name, call, program)
  return answer === undefined ? '' : `${answer}\n`
}
