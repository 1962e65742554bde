import { describe, expect, test } from 'bun:test'
import { checkAlias, instanceName, instanceNamed, poolSessionName, sanitize } from '../../../src/work/sessions/names.ts'

describe('names', () => {
  test('that people choose are validated', () => {
    expect(checkAlias(' rig/boss ')).toBe('rig/boss')
    expect(checkAlias('  ')).toBe('')
    for (const bad of ['s-1', 'human', 'gc-12', '-x', 'a//b', 'ä', 'x'.repeat(65)]) {
      expect(() => checkAlias(bad)).toThrow('invalid: ')
    }
  })

  test('of instances come from the slot or the name pool', () => {
    const pool = { qualified: 'demo/worker', dir: 'demo', maxActive: 3, namepool: ['ada', 'bob'] }
    expect([1, 2, 3].map((slot) => instanceName(pool, slot))).toEqual(['demo/ada', 'demo/bob', 'demo/worker-3'])
    expect(instanceName({ qualified: 'mayor', maxActive: 1, namepool: [] }, 1)).toBe('mayor')
    const packed = { qualified: 'demo/crew.worker', dir: 'demo', binding: 'crew', maxActive: 3, namepool: ['ada'] }
    expect([1, 2].map((slot) => instanceName(packed, slot))).toEqual(['demo/crew.ada', 'demo/crew.worker-2'])
    const meant = ['demo/crew.ada', 'demo/crew.worker-1', 'demo/crew.worker-3', 'demo/crew.worker-4', 'demo/ada']
    expect(meant.map((name) => instanceNamed(packed, name))).toEqual([
      ...['demo/crew.ada', 'demo/crew.ada', 'demo/crew.worker-3', undefined, undefined],
    ])
    expect(poolSessionName('demo/worker', 'mc-7')).toBe('worker-mc-7')
    expect(sanitize('demo/worker.fast')).toBe('demo--worker__fast')
  })
})
