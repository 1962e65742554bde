export { AcceptanceRecorder, acceptedDialogs, trustsRig } from './accepted-dialogs.ts'
export { CommandConfinement, withoutSecrets } from './command-confinement.ts'
export { ConfinedShell, type ShellDenial } from './confined-shell.ts'
export {
  type Confinable,
  type ConfinementPlace,
  type ConfinementRules,
  confinableOf,
  confinementOf,
  obstacleToConfinement,
  privateFolder,
} from './confinement.ts'
export { packOf, requireOwnAddress } from './foreign-address.ts'
export { openConfinement } from './open-confinement.ts'
export { PrivateFolders } from './private-folders.ts'
export { firstRunFiles, loginFile, storedKeys } from './private-home.ts'
export { keepKeys } from './provider-keys.ts'
export { proxyRules } from './proxy-rules.ts'
export { Refusals } from './refusals.ts'
export { worktreeParts } from './rig-repository.ts'
export { RigTrust } from './rig-trust.ts'
export { confinementRoutes } from './routes.ts'
export type { Denial, DenialList } from './schema.ts'
export { shareRoutes } from './shares/routes.ts'
export { Shares } from './shares/shares.ts'
export type { TokenDemand } from './token-demand.ts'
export { trafficRoutes } from './traffic/routes.ts'
export { Traffic } from './traffic/traffic.ts'
export { modeOfStart } from './unconfined.ts'
export { type UnsharedLogin, unsharedLogin } from './unshared-login.ts'
export { isOwnFolder } from './work-place.ts'
