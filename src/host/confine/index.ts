export { type CountedDenial, DenialFiles, readDenials } from './denials.ts'
export { outerProxies } from './network/outer-proxy.ts'
export { PROXY_PASSWORD_PREFIX } from './network/session-proxy.ts'
export { outerSession } from './outer.ts'
export { requiredPermission } from './required-permission.ts'
export { CERTIFICATE_VARIABLES, certificatePlaces } from './start/certificates.ts'
export { type ConfineTool, confineTool } from './start/confined-tool.ts'
export { Confiner } from './start/confiner.ts'
export { REGISTRIES } from './start/default-hosts.ts'
export { stateVariables } from './start/private-folders.ts'
export {
  checkSize,
  resolveProgram,
  type SessionOrigin,
  type SessionParts,
  type Spawned,
  type SpawnParts,
  spawnTerminal,
  toSpawnError,
} from './start/spawn.ts'
