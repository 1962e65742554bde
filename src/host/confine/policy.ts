import { RESOURCES, type Resource } from '../process/index.ts'

/** Permissions of a sandboxed program; unlisted access is denied. Every path is absolute, and has no link in it. */
export interface Policy {
  /** Files and folders that it may read and run, with all that is in them. */
  readonly read: readonly string[]
  /** Folders whose names it may read, and nothing that is in them by that. */
  readonly list?: readonly string[]
  /** Files and folders that it may also change. */
  readonly write: readonly string[]
  /**
   * `session`: it reaches what it listens on itself and the ports of this machine that are listed. `open`: every
   * address but those of link-local services, which hand out keys of this machine. `none`: it makes no sockets, and
   * needs no one to ask, since what would be asked about is refused.
   */
  readonly network: 'session' | 'open' | 'none'
  /** Ports on loopback that it may connect to. */
  readonly ports: readonly number[]
  /** The resources that all other programs are to have first where the machine is short of them. */
  readonly yields: readonly Resource[]
}

const NETWORKS: readonly unknown[] = ['session', 'open', 'none'] satisfies Policy['network'][]

/** Takes what was sent for a policy; throws when it is none. A library for schemas would take longer to load than all that is done with it. */
export function toPolicy(value: unknown): Policy {
  if (isPolicy(value)) return value
  throw new Error('the rules to confine it by are none')
}

function isPolicy(value: unknown): value is Policy {
  if (typeof value !== 'object' || value === null) return false
  const { read, list = [], write, network, ports, yields }: Partial<Record<keyof Policy, unknown>> = value
  const places = [read, list, write].every((each) => isListOf(each, isText))
  return places && NETWORKS.includes(network) && isListOf(ports, isPort) && isListOf(yields, isResource)
}

const isListOf = (value: unknown, isOne: (each: unknown) => boolean): boolean =>
  Array.isArray(value) && value.every(isOne)
const isResource = (each: unknown): boolean => RESOURCES.some((name) => name === each)
const isText = (each: unknown): boolean => typeof each === 'string'
const isPort = (each: unknown): boolean => Number.isInteger(each) && Number(each) >= 1 && Number(each) <= 65_535
