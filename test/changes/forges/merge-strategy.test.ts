import { describe, expect, test } from 'bun:test'
import { landingMode, packHolder } from '../../../src/changes/forges/index.ts'

describe('the merge strategy of a bead', () => {
  test.each([
    ['push', undefined, 'push'],
    ['push', 'direct', 'push'],
    ['push', 'mr', 'pr'],
    ['push', 'pr', 'pr'],
    ['push', 'local', 'off'],
    ['pr', 'direct', 'pr'],
    ['pr', 'anything', 'pr'],
    ['local', 'mr', 'local'],
    ['local', 'local', 'local'],
    ['off', 'mr', 'off'],
  ] as const)('in a rig that lands by %s makes of %s %s', (mode, strategy, expected) => {
    expect(landingMode(mode, strategy)).toBe(expected)
  })
})

describe('a branch', () => {
  const REFINERY = 'shop/gastown.refinery'
  const bead = {
    status: 'open',
    assignee: REFINERY,
    metadata: { branch: 'polecat/mp-7', 'gc.routed_to': REFINERY },
  } as const
  const holder = (changes: object, branch = 'polecat/mp-7') =>
    packHolder({ ...bead, ...changes }, { branch, makers: ['shop/polecat', 'shop--polecat-1', null] })

  test('is held by whom its bead was handed to, until that is closed', () => {
    expect(holder({})).toBe(REFINERY)
    expect(holder({ assignee: undefined })).toBe(REFINERY)
    expect(holder({ status: 'in_progress' })).toBe(REFINERY)
    expect(holder({ status: 'closed' })).toBeUndefined()
  })

  test('is not held by its maker, by no one, or through a bead of another branch', () => {
    expect(
      holder({ assignee: 'shop--polecat-1', metadata: { ...bead.metadata, 'gc.routed_to': 'shop/polecat' } }),
    ).toBeUndefined()
    expect(holder({ assignee: '', metadata: { branch: 'polecat/mp-7' } })).toBeUndefined()
    expect(holder({}, 'polecat/mp-8')).toBeUndefined()
    expect(packHolder(undefined, { branch: 'x', makers: [] })).toBeUndefined()
  })
})
