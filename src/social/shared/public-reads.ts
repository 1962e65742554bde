import type { Store } from '../../core/store/store.ts'

/** Whether everybody may read a network whose settings do not say: one that was created with public reads. */
export function readsPublicly(store: Store): boolean {
  const row = store
    .prepare<{ value: number }, []>("SELECT value FROM network_defaults WHERE name = 'public_reads'")
    .get()
  return row?.value === 1
}
