import { isForbiddenAddress } from '../../core/public-addresses.ts'
import type { CountedDenial } from './denials.ts'

/** The permission that would prevent a denial. */
export type RequiredPermission =
  | { readonly kind: 'ports'; readonly ports: readonly number[] }
  | { readonly kind: 'hosts'; readonly hosts: readonly string[] }
  | { readonly kind: 'network' }
  | { readonly kind: 'write'; readonly path: string }

/** Undefined where no permission would help. */
export function requiredPermission({
  call,
  target,
  hosts,
}: Pick<CountedDenial, 'call' | 'target' | 'hosts'>): RequiredPermission | undefined {
  if (hosts !== undefined) return hosts.length > 0 ? { kind: 'hosts', hosts } : undefined
  if (target.startsWith('/')) return { kind: 'write', path: target }
  if (call !== 'connect') return undefined
  const [, address = '', port = ''] = ADDRESS.exec(target) ?? []
  if (address === '') return undefined
  if (LOOPBACK.test(address)) return { kind: 'ports', ports: [Number(port)] }
  return isForbiddenAddress(address) ? undefined : { kind: 'network' }
}

/** Address of a connection in reports: `127.0.0.1:5432` and `[0:0:0:0:0:0:0:1]:5432`. */
const ADDRESS = /^\[?([0-9a-f:.]+?)\]?:(\d+)$/
const LOOPBACK = /^127\.|^0:0:0:0:0:0:0:1$/
