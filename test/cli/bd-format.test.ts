import { describe, expect, test } from 'bun:test'
import { countDependents, toIssue, toListed, toShown } from '../../cli/bd/issue.ts'
import { Printer } from '../../cli/bd/print.ts'
import type { Bead } from '../../src/work/beads/schema.ts'
import { recorder } from './shell.ts'

const at = '2026-01-05T09:00:00Z'
const wall: Bead = {
  id: 'mp-1',
  title: 'Build a wall',
  status: 'open',
  issue_type: 'task',
  created_at: at,
  updated_at: at,
  priority: 1,
  description: 'of stone',
}
const roof: Bead = {
  ...wall,
  id: 'mp-2',
  title: 'Put the roof on',
  dependencies: [{ issue_id: 'mp-2', depends_on_id: 'mp-1', type: 'blocks' }],
}

const printed = (value: object, env: Record<string, string> = {}): string => {
  const { io, output } = recorder({ env })
  new Printer(io, true).value(value)
  return output.out
}

describe('a bead as bd prints it', () => {
  test('always has a priority, and no empty fields', () => {
    const { priority: _, ...plain } = wall
    expect(toIssue({ ...plain, description: '', labels: [], metadata: {} })).toEqual({
      id: 'mp-1',
      title: 'Build a wall',
      status: 'open',
      priority: 2,
      issue_type: 'task',
      created_at: at,
      updated_at: at,
    })
  })

  test('has the time and the reason of its closing', () => {
    const closed = { ...wall, status: 'closed', metadata: { close_reason: 'done', other: 'x' } }
    expect(toIssue(closed)).toMatchObject({ closed_at: at, close_reason: 'done', metadata: { other: 'x' } })
  })

  test('has its dependencies and their counts in a list', () => {
    const counts = countDependents([wall, roof])
    expect(toListed(wall, counts.get('mp-1') ?? 0, 2)).toMatchObject({
      comment_count: 2,
      dependency_count: 0,
      dependent_count: 1,
    })
    expect(toListed(roof, counts.get('mp-2') ?? 0, 0)).toMatchObject({
      dependency_count: 1,
      dependent_count: 0,
      dependencies: [{ issue_id: 'mp-2', depends_on_id: 'mp-1', type: 'blocks', created_at: at, metadata: '{}' }],
    })
  })

  test('has the beads it depends on, and its dependents, when shown alone', () => {
    const depends_on = [
      { id: 'mp-1', type: 'blocks', bead: wall },
      { id: 'mp-9', type: 'blocks' },
    ]
    const comment = { id: 'c', issue_id: roof.id, author: 'ada', text: 'leaks', created_at: at }
    const shown = toShown(roof, { depends_on, dependents: [] }, [comment])
    expect(shown.dependencies).toEqual([{ ...toIssue(wall), dependency_type: 'blocks' }])
    expect(shown).toMatchObject({ comment_count: 1, comments: [comment] })
    expect(shown).not.toHaveProperty('dependents')
    expect(toShown(roof, { depends_on, dependents: [] }, [])).not.toHaveProperty('comments')
  })
})

describe('the two JSON formats of bd', () => {
  test('flat: an object has the schema version among its sorted keys; a list has none', () => {
    expect(printed({ count: 2 })).toBe('{\n  "count": 2,\n  "schema_version": 1\n}\n')
    expect(Object.keys(JSON.parse(printed({ title: 'x', id: 'mp-1' })))).toEqual(['id', 'schema_version', 'title'])
    expect(printed([])).toBe('[]\n')
    expect(printed([{ b: 1, a: [{ d: 1, c: 2 }] }])).toBe(
      `${JSON.stringify([{ a: [{ c: 2, d: 1 }], b: 1 }], null, 2)}\n`,
    )
  })

  test('envelope: every value is in `data`', () => {
    const env = { BD_JSON_ENVELOPE: '1' }
    expect(JSON.parse(printed({ count: 2 }, env))).toEqual({ data: { count: 2 }, schema_version: 1 })
    expect(JSON.parse(printed([1], env))).toEqual({ data: [1], schema_version: 1 })
  })
})
