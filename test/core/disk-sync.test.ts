import { expect, test } from 'bun:test'
import { diskSync } from '../../src/core/store/disk-sync.ts'

/** A disk whose syncs take so long, and which ones the loop waited for. */
function openDisk() {
  const disk = { ms: 0.1, waited: [] as boolean[] }
  let time = 0
  const take = (isWaited: boolean) => {
    time += disk.ms
    disk.waited.push(isWaited)
  }
  const sync = diskSync({ later: async () => take(false), now: () => take(true), clock: () => time })
  const times = async (count: number, ms: number, isAlone = true): Promise<boolean[]> => {
    Object.assign(disk, { ms, waited: [] })
    for (let n = 0; n < count; n++) await sync(7, isAlone)
    return disk.waited
  }
  return { times }
}

test('the loop waits for a disk once it has been quick, and no longer when it is slow', async () => {
  const { times } = openDisk()
  const first = await times(100, 0.2)
  expect(first[0]).toBe(false)
  expect(first.at(-1)).toBe(true)
  const slow = await times(100, 8)
  expect(slow.filter((isWaited) => isWaited)).toEqual([true])
  expect((await times(10, 0.2)).includes(true)).toBe(false)
  expect((await times(100, 0.2)).at(-1)).toBe(true)
})

test('the loop never waits for a disk that has always been slow', async () => {
  const { times } = openDisk()
  expect((await times(1_000, 2)).includes(true)).toBe(false)
})

test('the loop waits for no disk while more should be written', async () => {
  const { times } = openDisk()
  expect((await times(100, 0.2)).at(-1)).toBe(true)
  expect((await times(100, 0.2, false)).includes(true)).toBe(false)
})

test('a sync that fails rejects, whether the loop waited for it or not', async () => {
  const broken = new Error('EIO')
  for (const ms of [0.1, 5]) {
    let time = 0
    let isBroken = false
    const run = () => {
      time += ms
      if (isBroken) throw broken
    }
    const sync = diskSync({ later: async () => run(), now: run, clock: () => time })
    for (let n = 0; n < 100; n++) await sync(7, true)
    isBroken = true
    await expect(sync(7, true)).rejects.toThrow('EIO')
  }
})
