import { afterEach, expect, test } from 'bun:test'
import { Deadlines } from '../../src/core/deadlines.ts'
import { JobWorker } from '../../src/core/job-worker.ts'
import { TestClock } from '../support/clock.ts'

const PROGRAM = new URL('./children/echo.worker.ts', import.meta.url)

let clock: TestClock
let ended: JobWorker<string, string> | undefined

/** A worker whose threads are counted when they start and when they end. */
function openWorker() {
  clock = new TestClock()
  const threads: string[] = []
  const worker = new JobWorker<string, string>({
    deadlines: new Deadlines(clock, clock),
    limit: 5000,
    start() {
      const thread = new Worker(PROGRAM)
      threads.push('start')
      thread.addEventListener('close', () => void threads.push('end'))
      return thread
    },
    isSpent: (result) => result.startsWith('large'),
  })
  ended = worker
  return { worker, threads }
}

afterEach(() => ended?.stop())

test('jobs run one after the other in one thread', async () => {
  const { worker, threads } = openWorker()
  expect(await Promise.all(['a', 'b', 'c'].map((job) => worker.run(job)))).toEqual(['a', 'b', 'c'])
  expect(threads).toEqual(['start'])
})

test('a spent thread has ended by the time its result is there, and the next job has a new one', async () => {
  const { worker, threads } = openWorker()
  const later = worker.run('b')
  expect(await worker.run('large')).toBe('large')
  expect(await later).toBe('b')
  expect(threads).toEqual(['start', 'end'])
  expect(await worker.run('c')).toBe('c')
  expect(threads).toEqual(['start', 'end', 'start'])
})

test('a job that takes too long has no result, nor has one that breaks its thread; the next ones have', async () => {
  const { worker, threads } = openWorker()
  const [hung, next] = [worker.run('hang'), worker.run('a')]
  await clock.advance(5000)
  expect(await hung).toBeUndefined()
  expect(await next).toBe('a')
  expect([await worker.run('break'), await worker.run('b')]).toEqual([undefined, 'b'])
  expect(threads.filter((event) => event === 'start')).toHaveLength(3)
})

test('a worker that stops leaves no job waiting', async () => {
  const { worker } = openWorker()
  const jobs = [worker.run('hang'), worker.run('a')]
  worker.stop()
  expect(await Promise.all([...jobs, worker.run('b')])).toEqual([undefined, undefined, undefined])
})
