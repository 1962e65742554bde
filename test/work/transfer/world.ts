import { human, openWork } from '../world.ts'

/** A city with what imports and exports of it need. */
export async function openTransfer() {
  const world = await openWork()
  const { transfer, beads } = world
  return {
    ...world,
    file: async () => new Response(transfer.export()).text(),
    put: (text: string, { signal } = new AbortController()) =>
      transfer.import(human, new TextEncoder().encode(text), signal),
    all: () => beads.list({ all: true, limit: 1000 }).value.items,
  }
}
