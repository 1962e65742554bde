import type { DeclaredBlock } from '../declare/index.ts'

export const SERVICE_KINDS = ['workflow', 'proxy_process'] as const
export type ServiceKind = (typeof SERVICE_KINDS)[number]

/** `[[service]]`: an address under `svc/` of the city. */
export interface ServiceConfig {
  /** Unique in the city. */
  readonly name: string
  readonly kind: ServiceKind
  /** Why it does not run: what is wrong in its declaration, with file and line. */
  readonly broken?: string
  /** `direct` is reached from other machines, through the public listener. */
  readonly publishMode: 'private' | 'direct'
  readonly visibility: 'private' | 'public' | 'tenant'
  readonly hostname: string
  /** Whether others than this machine may open WebSockets to it. */
  readonly allowWebsockets: boolean
  /** Where it keeps its state, from the city's folder. */
  readonly stateRoot: string
  /** What gc itself answers with: only of a workflow. */
  readonly contract?: string
  /** What runs: only of a process. */
  readonly command: readonly string[]
  /** What answers 2xx once the process is ready; without one it is ready when its socket accepts. */
  readonly healthPath?: string
  /** How long it may leave a request without a sign, in milliseconds. */
  readonly responseTimeout: number
  /** The folder that its command runs in: that of its pack, or the city's. */
  readonly folder: string
  /** The pack that declares it, if it is not the city's own. */
  readonly pack?: string
  readonly block: DeclaredBlock
}
