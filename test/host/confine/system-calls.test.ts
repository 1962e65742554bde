import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Architecture, namesOfCalls } from '../../../src/host/confine/system-calls.ts'

const COLUMN: Record<Architecture, number> = { x64: 1, arm64: 2 }

/** The numbers of an architecture as the kernel's own headers have them. */
function kernelCalls(arch: Architecture): Map<number, string> {
  const lines = readFileSync(join(import.meta.dir, 'kernel-calls.txt'), 'utf8').split('\n')
  const calls = lines.filter((line) => line !== '' && !line.startsWith('#')).map((line) => line.split(' '))
  return new Map(
    calls.flatMap((words): [number, string][] => {
      const number = words[COLUMN[arch]] ?? '-'
      return number === '-' ? [] : [[Number(number), words[0] ?? '']]
    }),
  )
}

test.each(['x64', 'arm64'] as const)('the calls that filters judge on %s have the numbers of the kernel', (arch) => {
  const sorted = (calls: Map<number, string>) => [...calls].sort(([a], [b]) => a - b)
  expect(sorted(namesOfCalls(arch))).toEqual(sorted(kernelCalls(arch)))
})
