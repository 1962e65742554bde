import type { DeclaredBlock } from '../declare/index.ts'

export const SERVICE_KINDS = ['workflow', 'proxy_process'] as const
export type ServiceKind = (typeof SERVICE_KINDS)[number]

/** `[[service]]`: an address under `svc/` of the city. */
export interface ServiceConfig {
  /** Unique in the city. */
  readonly name: string
  readonly kind: ServiceKind
  /** Reason it does not run: what is wrong in its declaration, with file and line. */
  readonly broken?: string
  /** `direct` is reached from other machines, through the public listener. */
  readonly publishMode: 'private' | 'direct'
  readonly visibility: 'private' | 'public' | 'tenant'
  readonly hostname: string
  /** True if others than this machine may open WebSockets to it. */
  readonly allowWebsockets: boolean
  /** Folder of its state, relative to the city. */
  readonly stateRoot: string
  /** Contract that gc itself serves: only of a workflow. */
  readonly contract?: string
  /** Command to run: only of a process. */
  readonly command: readonly string[]
  /** Path that returns 2xx once the process is ready; without one, an accepting socket means ready. */
  readonly healthPath?: string
  /** Maximum time it may leave a request without a sign, in milliseconds. */
  readonly responseTimeout: number
  /** The folder that its command runs in: that of its pack, or the city's. */
  readonly folder: string
  /** The pack that declares it, if it is not the city's own. */
  readonly pack?: string
  readonly block: DeclaredBlock
}
