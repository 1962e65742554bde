import type { Output } from '../../src/client/operations.ts'
import type { Cell, Reach } from './page.ts'

export type Unconfined = Output<'GET ~/unconfined-sessions'>['items'][number]

/** The running sessions that nothing confines in a city that confines others. */
export const readUnconfined = async ({ city, signal }: Reach): Promise<readonly Unconfined[]> =>
  (await city.call('GET ~/unconfined-sessions', { ...(signal && { signal }) })).items

/** Marks what is not confined; what is has nothing, as that is how it should be. */
export const unconfinedCell = (isUnconfined: boolean): Cell => (isUnconfined ? { text: 'no', tone: 'bad' } : {})
