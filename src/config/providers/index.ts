export { splitCommand } from './command-words.ts'
export {
  buildLaunch,
  effectiveOptions,
  type Launch,
  protocolLaunch,
  renderShellCommand,
  type Transport,
} from './launch.ts'
export { beacon, composePrompt, fenceText } from './prompt.ts'
export { type ProviderProgram, programOf, requireProvider, resolveProvider } from './resolve.ts'
