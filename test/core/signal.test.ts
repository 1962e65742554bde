import { expect, test } from 'bun:test'
import { Signal, unsubscriber } from '../../src/core/signal.ts'

test('a signal calls its listeners with what is emitted, in the order in which they came', () => {
  const signal = new Signal<[name: string, count: number]>()
  const calls: string[] = []
  signal.listen((name, count) => calls.push(`first ${name} ${count}`))
  signal.listen((name) => calls.push(`second ${name}`))
  signal.emit('oil', 2)
  expect(calls).toEqual(['first oil 2', 'second oil'])
})

test('a function that listens twice is called twice, and each subscription ends on its own', () => {
  const signal = new Signal()
  let calls = 0
  const count = () => void calls++
  const unsubscribe = signal.listen(count)
  signal.listen(count)
  signal.emit()
  unsubscribe()
  unsubscribe()
  signal.emit()
  expect(calls).toBe(3)
})

test('a listener that is removed while the signal is emitted is not called any more', () => {
  const signal = new Signal()
  const calls: string[] = []
  const stopFirst = signal.listen(() => {
    calls.push('first')
    stopFirst()
    stopSecond()
  })
  const stopSecond = signal.listen(() => calls.push('second'))
  signal.listen(() => calls.push('third'))
  signal.emit()
  signal.emit()
  expect(calls).toEqual(['first', 'third', 'third'])
})

test('a listener that is added while the signal is emitted is called from the next time on', () => {
  const signal = new Signal()
  const calls: number[] = []
  const listen = (depth: number) => {
    signal.listen(() => {
      calls.push(depth)
      if (calls.length < 4) listen(depth + 1)
    })
  }
  listen(0)
  signal.emit()
  expect(calls).toEqual([0])
  signal.emit()
  expect(calls).toEqual([0, 0, 1])
})

test('a signal that is emitted by its own listener calls those who listen by then', () => {
  const signal = new Signal<[depth: number]>()
  const calls: string[] = []
  signal.listen((depth) => {
    calls.push(`first ${depth}`)
    if (depth > 0) return
    signal.listen(() => calls.push('new'))
    signal.emit(1)
  })
  signal.listen((depth) => calls.push(`second ${depth}`))
  signal.emit(0)
  expect(calls).toEqual(['first 0', 'first 1', 'second 1', 'new', 'second 0'])
})

test('a listener that throws ends the emission with its error', () => {
  const signal = new Signal()
  let called = false
  signal.listen(() => {
    throw new Error('disk full')
  })
  signal.listen(() => {
    called = true
  })
  expect(() => signal.emit()).toThrow('disk full')
  expect(called).toBe(false)
})

test('a signal knows whether it has listeners', () => {
  const signal = new Signal()
  expect(signal.hasListeners).toBe(false)
  const unsubscribe = signal.listen(() => {})
  expect(signal.hasListeners).toBe(true)
  unsubscribe()
  expect(signal.hasListeners).toBe(false)
  signal.listen(() => {})
  signal.clear()
  expect(signal.hasListeners).toBe(false)
})

test('an unsubscriber ends several subscriptions', () => {
  const [left, right] = [new Signal(), new Signal()]
  let calls = 0
  const count = () => void calls++
  const unsubscribe = unsubscriber(left.listen(count), right.listen(count))
  left.emit()
  unsubscribe()
  left.emit()
  right.emit()
  expect(calls).toBe(1)
})
