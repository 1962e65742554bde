import { expect, test } from 'bun:test'
import { type Service, startServices } from '../../src/core/service.ts'

/** A service that notes its steps; with an error it cannot start. */
function service(steps: string[], name: string, error?: Error): Service {
  return {
    async start() {
      await Promise.resolve()
      steps.push(`start ${name}`)
      if (error) throw error
    },
    async stop() {
      await Promise.resolve()
      steps.push(`stop ${name}`)
    },
  }
}

test('services start one after the other and stop in the reverse order', async () => {
  const steps: string[] = []
  const resources = new AsyncDisposableStack()
  await startServices([service(steps, 'a'), service(steps, 'b')], resources)
  await startServices([service(steps, 'c')], resources)
  expect(steps).toEqual(['start a', 'start b', 'start c'])
  await resources.disposeAsync()
  expect(steps.slice(3)).toEqual(['stop c', 'stop b', 'stop a'])
})

test('a service that cannot start is stopped with those before it, and none after it starts', async () => {
  const steps: string[] = []
  const open = async () => {
    await using resources = new AsyncDisposableStack()
    await startServices(
      [service(steps, 'a'), service(steps, 'b', new Error('port in use')), service(steps, 'c')],
      resources,
    )
  }
  expect(await open().catch((error) => error.message)).toBe('port in use')
  expect(steps).toEqual(['start a', 'start b', 'stop b', 'stop a'])
})

test('a service may do no more than start, or no more than stop', async () => {
  const steps: string[] = []
  const resources = new AsyncDisposableStack()
  await startServices([{ start: () => void steps.push('start') }, { stop: () => void steps.push('stop') }], resources)
  expect(steps).toEqual(['start'])
  await resources.disposeAsync()
  expect(steps).toEqual(['start', 'stop'])
})

test('a service that fails to stop keeps none from stopping', async () => {
  const steps: string[] = []
  const resources = new AsyncDisposableStack()
  const failing: Service = {
    stop() {
      throw new Error('disk full')
    },
  }
  await startServices([service(steps, 'a'), failing, service(steps, 'b')], resources)
  expect(await resources.disposeAsync().catch((error) => error.message)).toBe('disk full')
  expect(steps.slice(2)).toEqual(['stop b', 'stop a'])
})

test('services that start without waiting let nothing run in between', async () => {
  const steps: string[] = []
  await using resources = new AsyncDisposableStack()
  const started = startServices(
    [{ start: () => void steps.push('a') }, { start: () => void steps.push('b') }],
    resources,
  )
  steps.push('after')
  await started
  expect(steps).toEqual(['a', 'b', 'after'])
})
