export { FragmentFolders } from './fragment-folders.ts'
export { FUNCTION_NAMES } from './functions.ts'
export { PromptRenderer } from './prompt-renderer.ts'
export { type PromptTemplate, usedFragments } from './prompt-template.ts'
export { renderCommand, renderStrictly } from './render-command.ts'
export { type PromptRequest, type RenderedPrompt, renderPrompt } from './render-prompt.ts'
export {
  commandFields,
  type PromptSubject,
  promptFields,
  type SubjectProvider,
  type TemplateFields,
  toData,
} from './subject.ts'
