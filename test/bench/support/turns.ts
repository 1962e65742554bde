import { closeSync, openSync, readSync } from 'node:fs'

/** Processor time of each turn of this process's event loop during an operation, in milliseconds. */
export async function turnsDuring(work: () => Promise<unknown>): Promise<number[]> {
  const file = openSync(`/proc/self/task/${process.pid}/schedstat`, 'r')
  const buffer = Buffer.alloc(100)
  const used = () => Number(buffer.toString('latin1', 0, readSync(file, buffer, 0, 100, 0)).split(' ')[0]) / 1e6
  const turns: number[] = []
  let isOver = false
  let before = used()
  const working = work().finally(() => {
    isOver = true
  })
  while (!isOver) {
    await new Promise((resolve) => setImmediate(resolve))
    const now = used()
    turns.push(now - before)
    before = now
  }
  await working
  closeSync(file)
  return turns
}
