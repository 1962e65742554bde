import { join } from 'node:path'
import { Lock } from '../core/lock.ts'
import type { Home } from './home.ts'

/** Keeps the network of a home to one process at a time. */
export function lockNetwork(home: Home, resources: AsyncDisposableStack): void {
  const lock = Lock.acquire(join(home.path, 'social.lock'), 'a gc serve that runs its network')
  resources.defer(() => lock.release())
}
