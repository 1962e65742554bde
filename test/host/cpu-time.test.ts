import { expect, test } from 'bun:test'
import { cpuTimeOf, parseCpuTime, parsePsTimes } from '../../src/host/process/cpu-time.ts'
import { ProcessTable } from '../../src/host/process/process-table.ts'
import { eventually } from '../support/until.ts'

test('the processor time of a session includes that of its children, also of those that ended', async () => {
  const table = new ProcessTable()
  const script = 'sh -c "i=0; while [ \\$i -lt 200000 ]; do i=\\$((i+1)); done"; read line'
  await using child = Bun.spawn(['sh', '-c', script], { stdin: 'pipe' })
  const used = () => cpuTimeOf(table, child.pid)
  await eventually('it has used the processor', 10_000, used, (ms) => ms >= 50)
  child.kill()
  await child.exited
  expect(await cpuTimeOf(table, child.pid)).toBe(0)
})

test('processor time is read from /proc and from ps', () => {
  const rest = '0 0 0 0 0 0 0 0 0 0'
  expect(parseCpuTime(`10 (a (b) c) S 1 10 10 0 -1 0 1 2 3 4 100 20 3 4 ${rest}`)).toBe(1270)
  expect(parsePsTimes('  0:01.50\n 1:02:03\n2-00:00:01.25\n')).toBe(1500 + 3_723_000 + 172_801_250)
  expect(parsePsTimes('')).toBe(0)
})
