import { expect, test } from 'bun:test'
import { statSync } from 'node:fs'
import { Lock } from '../../src/core/lock.ts'
import { tempFolder } from '../support/folder.ts'

const takeInChild = (path: string, hold: boolean) =>
  Bun.spawn([process.execPath, `${import.meta.dir}/children/take-lock.ts`, path, hold ? 'hold' : 'leave'], {
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'inherit',
    timeout: 15_000,
  })

const firstLine = async (stream: ReadableStream<Uint8Array>): Promise<string> => {
  const reader = stream.getReader()
  const { value } = await reader.read()
  reader.releaseLock()
  return new TextDecoder().decode(value).trim()
}

test('acquiring a held lock throws an error that names the holder', () => {
  using folder = tempFolder()
  const lock = Lock.acquire(folder.at('city', 'lock'), 'gc serve of alpha')
  const message = `${folder.at('city', 'lock')} is held by gc serve of alpha (pid ${process.pid}); stop that first`
  expect(() => Lock.acquire(folder.at('city', 'lock'), 'another')).toThrow(message)
  lock.release()
  lock.release()
  Lock.acquire(folder.at('city', 'lock'), 'another').release()
})

test('another process cannot acquire the lock until it is released', async () => {
  using folder = tempFolder()
  const lock = Lock.acquire(folder.at('lock'), 'gc serve')
  expect(statSync(folder.at('lock')).mode & 0o077).toBe(0)
  Bun.gc(true)
  const rejected = takeInChild(folder.at('lock'), false)
  expect(await firstLine(rejected.stdout)).toContain(`is held by gc serve (pid ${process.pid}); stop that first`)
  lock.release()
  const taken = takeInChild(folder.at('lock'), false)
  expect(await firstLine(taken.stdout)).toBe('taken')
  expect(await taken.exited).toBe(0)
})

test('killing the holder releases the lock', async () => {
  using folder = tempFolder()
  const child = takeInChild(folder.at('lock'), true)
  expect(await firstLine(child.stdout)).toBe('taken')
  expect(() => Lock.acquire(folder.at('lock'), 'second')).toThrow(`is held by a child (pid ${child.pid})`)
  child.kill('SIGKILL')
  await child.exited
  Lock.acquire(folder.at('lock'), 'second').release()
})
