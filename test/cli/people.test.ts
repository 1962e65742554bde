import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { shareTown, type Town } from './town.ts'

let town: Town
shareTown((opened) => {
  town = opened
})

describe('gc people', () => {
  test('adds, lists and removes people, whose token gc then uses', async () => {
    expect((await town.gc(['people', 'list'])).out).toBe('No one else has a token; gc people add creates one.\n')
    const { out } = await town.gc(['people', 'add', 'ann', '--grant', 'answer,land'])
    const [said, token = ''] = out.trim().split('\n')
    expect(said).toBe('ann reads everything, answers questions, lands changes. The token is shown this once:')
    expect(token).toMatch(/^gcp_[0-9a-f]{64}$/)
    expect((await town.gc(['people', 'list'])).out).toMatch(/ann +answer, land +/)
    const as = { env: { GC_TOKEN: token } }
    expect((await town.gc(['city', 'list'], as)).out).toContain('town')
    expect((await town.gc(['people', 'list'], as)).err).toContain('ann may not do "List people with a token"')
    expect((await town.gc(['bead', 'create', 'x'], as)).err).toContain('ann may not do "Create a bead"')
    expect((await town.gc(['people', 'remove', 'ann'])).out).toBe('The token of ann is revoked.\n')
    expect((await town.gc(['city', 'list'], as)).err).toContain('invalid or expired token')
    const files = readdirSync(town.home).filter((name) => name.startsWith('supervisor.db'))
    for (const name of files) expect(readFileSync(join(town.home, name), 'latin1')).not.toContain(token)
    expect(town.reports.join('\n')).not.toContain(token)
  })

  test('names what is wrong with a name or a grant', async () => {
    const errorOf = async (...args: string[]) => (await town.gc(['people', ...args])).err
    expect(await errorOf('add', 'bea', '--grant', 'answer,merge')).toBe(
      'gc: there is no grant merge; give some of answer, review, land\n',
    )
    expect(await errorOf('add', 'a/b')).toContain('name')
    expect(await errorOf('add', 'operator')).toContain('choose another name')
    expect(await errorOf('remove', 'nobody')).toContain('there is no person nobody')
  })
})
