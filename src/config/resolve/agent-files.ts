import type { AgentFields } from '../declare/agent.ts'
import { type Declaration, locationOf } from '../declare/declaration.ts'
import type { LayerContext } from '../layers/layer.ts'

/** The text of an agent's prompt. */
export function readPrompt(
  declaration: Declaration<AgentFields>,
  file: string,
  { files, diagnostics }: LayerContext,
): string | undefined {
  const text = files.city.text(file)
  if (text === undefined) diagnostics.error(locationOf(declaration, 'promptFile'), `there is no file ${file}`)
  return text
}

/** The names that a pool gives to its sessions: as listed, or the lines of a file. */
export function readNamepool(
  declaration: Declaration<AgentFields>,
  declared: NonNullable<Partial<AgentFields>['namepool']>,
  { files, diagnostics }: LayerContext,
): readonly string[] {
  if (!('file' in declared)) return declared
  const text = files.city.text(declared.file)
  if (text === undefined) diagnostics.error(locationOf(declaration, 'namepool'), `there is no file ${declared.file}`)
  const lines = (text ?? '').split(/\r?\n/).map((line) => line.trim())
  return lines.filter((line) => line !== '' && !line.startsWith('#'))
}
