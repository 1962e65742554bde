export { splitCommand } from './command-words.ts'
export { type DeclaredProviders, PROMPT_MODES, type Provider, type ProviderConfig } from './config.ts'
export { resolveProviders } from './declared.ts'
export { addProvider, changeProvider, type ProviderBase, type ProviderKeys, removeProvider } from './edit.ts'
export { PROVIDER } from './fields.ts'
export { RUNTIME, type RuntimeFields, UPSTREAM, type UpstreamFields } from './kept.ts'
export {
  buildLaunch,
  effectiveOptions,
  type Launch,
  protocolLaunch,
  renderShellCommand,
  type Transport,
} from './launch.ts'
export { PROVIDER_PATCH, type ProviderPatchFields, patchProvider } from './patch.ts'
export { beacon, composePrompt, fenceText } from './prompt.ts'
export { type ProviderProgram, programOf, providerChain, requireProvider, resolveProvider } from './resolve.ts'
