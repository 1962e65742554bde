import type { AgentFields } from '../declare/agent.ts'
import { type Declaration, locationOf } from '../declare/declaration.ts'
import type { LayerContext } from '../layers/layer.ts'
import type { PromptTemplate } from '../prompts/prompt-template.ts'
import type { AgentScope } from './agent-scope.ts'

/** An agent's prompt, with all that it can call and what is put behind it; without its file it is empty. */
export function readPrompt(
  declaration: Declaration<AgentFields>,
  file: string,
  { files, diagnostics, fragments, workspace, packsAround }: AgentScope,
): PromptTemplate {
  const text = files.city.text(file)
  const { injectFragments = [], appendFragments = [], dir } = declaration.values
  const around = packsAround.rig(dir).folders
  const own = declaration.block.pack?.folder
  if (text === undefined) {
    diagnostics.warning(locationOf(declaration, 'promptFile'), `there is no file ${file}, so the prompt is empty`)
  }
  return {
    file,
    text: text ?? '',
    fragments: fragments.around(file, own === undefined || around.includes(own) ? around : [...around, own]),
    append: [...new Set([...workspace.globalFragments, ...injectFragments, ...appendFragments])],
  }
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
