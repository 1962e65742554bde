import { expect, test } from 'bun:test'
import { landedOn, Yard } from '../changes/forges/yard.ts'

test.each(['github', 'gitea'] as const)(
  'at %s, a crash at any point loses, repeats and invents nothing',
  async (dialect) => {
    for (let point = 1, crashed = true; crashed; point++) {
      using yard = new Yard(dialect)
      const ran = await yard.runThroughCrash(point)
      crashed = ran.crashed
      expect([point, ran.end]).toEqual([point, { kind: 'landed', commit: yard.server.tip() }])
      expect([landedOn(yard), yard.server.pulls.size]).toEqual([{ commits: 1, files: 'a' }, 1])
    }
  },
  120_000,
)
