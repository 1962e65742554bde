import { describe, expect, test } from 'bun:test'
import { formatDiagnostic } from '../../../src/config/files/diagnostics.ts'
import type { LandConfig } from '../../../src/config/land/config.ts'
import { composeFolder } from '../../../src/config/offline/city-composition.ts'
import { explainFolder } from '../../../src/config/offline/explain.ts'
import { lintFolder } from '../../../src/config/offline/lint.ts'
import { cityFiles } from '../city-files.ts'

const RIG = '[[rigs]]\nname = "shop"\npath = "/srv/shop"\n'

/** Composition of a city whose only rig has these lines below its block. */
function composed(below: string, rest = '') {
  using city = cityFiles({ 'city.toml': `${RIG}${below}\n${rest}` })
  const { config, errors, warnings } = composeFolder(city.path, city.pathOf('.home'))
  return {
    land: config.rigs[0]?.land,
    errors: errors.map(formatDiagnostic),
    warnings: warnings.map(formatDiagnostic),
  }
}

const landOf = (keys: string): LandConfig | undefined => composed(`[rigs.land]\n${keys}`).land

/** The errors in a table of these keys, without where it stands. */
const errorsOf = (keys: string): string[] =>
  composed(`[rigs.land]\nmode = "push"\n${keys}`).errors.map((error) => error.replace(/^city.toml:\d+: /, ''))

describe('landing of a rig', () => {
  test('is undeclared, and so off, for a rig without a table', () => {
    expect(composed('')).toEqual({ land: undefined, errors: [], warnings: [] })
  })

  test('has defaults for every key but the mode', () => {
    const { protectedPaths = [], ...land } = landOf('mode = "push"\ncheck = ["npm", "test"]') ?? {}
    expect(land).toEqual({
      ...{ mode: 'push', remote: 'origin', check: ['npm', 'test'], checkTimeout: 1_200_000, batch: 8 },
      ...{ confirmRed: true, checkEarly: true, strategy: 'squash', parallel: 1, generated: [], hold: {}, tries: 3 },
      ...{ turnTimeout: 1_800_000, deleteBranch: false, sign: false, pr: { labels: [], draft: false } },
    })
    expect(protectedPaths).toContain('.github/**')
  })

  test('takes every key', () => {
    const keys = `mode = "pr"
target = "release/2"
remote = "upstream"
check = "npm test"
check_timeout = "90s"
batch = 16
confirm_red = false
check_early = false
strategy = "merge"
parallel = 2
generated = [{ glob = "package-lock.json", command = "npm install --package-lock-only" }]
protected_paths = ["Makefile"]
hold = ["large:2000"]
tries = 1
turn_timeout = "1h"
delete_branch = true
sign = true
pr = { labels = ["gc"], draft = true }
auto = { check = "green", max_lines = 200, paths = ["docs/**"] }
forge = { kind = "forgejo", url = "https://git.example.com/", repository = "acme/shop" }`
    expect(landOf(keys)).toEqual({
      ...{ mode: 'pr', target: 'release/2', remote: 'upstream', check: ['npm', 'test'], checkTimeout: 90_000 },
      ...{
        batch: 16,
        confirmRed: false,
        checkEarly: false,
        strategy: 'merge',
        parallel: 2,
        protectedPaths: ['Makefile'],
      },
      generated: [{ glob: 'package-lock.json', command: ['npm', 'install', '--package-lock-only'] }],
      ...{ hold: { large: 2000 }, tries: 1, turnTimeout: 3_600_000, deleteBranch: true, sign: true },
      pr: { labels: ['gc'], draft: true },
      auto: { check: 'green', maxLines: 200, paths: ['docs/**'] },
      forge: { kind: 'gitea', url: 'https://git.example.com', repository: 'acme/shop' },
    })
  })

  test.each([
    ['check = ["npm", "ci", "&&", "npm", "test"]', '"&&" to npm: a list is run without a shell; write ["sh", "-c"'],
    ['check = "sh -c \'npm ci\'"', 'has quotes: write it as a list'],
    ['check = [""]', 'must begin with a program'],
    ['check_timeout = "25h"', '"25h" must be a duration from 1s to 24h, such as 20m'],
    ['check_timeout = "soon"', '"soon" must be a duration from 1s to 24h'],
    ['turn_timeout = "30s"', '"30s" must be a duration from 1m to 7d'],
    ['batch = 65', 'must be 64 or less, not 65'],
    ['parallel = 0', 'must be 1 or more, not 0'],
    ['strategy = "rebase"', 'must be squash or merge, not "rebase"'],
    ['target = "--upload-pack=x"', 'is not a name that git takes for a branch'],
    ['target = "a..b"', 'is not a name that git takes for a branch'],
    ['remote = "https://example.com/x"', 'is not the name of a remote'],
    ['protected_paths = ["../x"]', '"../x" must be a path from the top of the repository'],
    ['hold = ["large:0"]', '"large:0" is not a rule: write "large:<lines>" with 1 to 9999999 lines'],
    ['generated = [{ glob = "", command = ["a"] }]', 'is required: the files, such as package-lock.json'],
    ['generated = [{ glob = "x" }]', 'is required: what makes them again'],
    ['pr = { labels = ["a\\nb"] }', 'must have 1 to 50 characters on one line'],
    ['auto = { max_lines = 5 }', 'is required: check = "green"'],
    ['auto = { check = "green" }', 'needs a check of the rig: write check = ["npm", "test"] into [rigs.land]'],
    ['forge = { kind = "gitlab", url = "https://a.b", repository = "a/b" }', 'must be github or gitea or forgejo'],
    ['forge = { kind = "gitea", url = "http://git.example.com", repository = "a/b" }', 'must begin with https://'],
    ['forge = { kind = "gitea", url = "https://a.b", repository = "../b" }', 'must be <owner>/<name>'],
    ['forge = { kind = "gitea", url = "https://a.b" }', 'is required: "<owner>/<name>"'],
  ])('rejects %s once, with its bounds or the fix', (keys, expected) => {
    expect(errorsOf(keys)).toEqual([expect.stringContaining(expected)])
  })

  test('never quotes a password in the address of a forge', () => {
    const [error = ''] = errorsOf('forge = { kind = "gitea", url = "https://me:hunter2@a.b", repository = "a/b" }')
    expect(error).toContain('must not hold a login; `gc rig token add` keeps the token')
    expect(error).not.toContain('hunter2')
  })

  test('warns of a table without a mode, and that an unknown key has no effect', () => {
    const { land, warnings } = composed('[rigs.land]\nchekc = ["x"]\n')
    expect(land?.mode).toBe('off')
    expect(warnings).toEqual([
      expect.stringContaining('[rigs.land] mode: is missing, so that nothing lands'),
      'city.toml:5: [rigs.land] chekc: is not a key of this section; did you mean "check"?',
    ])
  })

  test('is changed key by key by a patch', () => {
    const patch = '[[patches.rigs]]\nname = "shop"\n[patches.rigs.land]\nbatch = 2\npr = { draft = true }\n'
    const table = '[rigs.land]\nmode = "push"\ncheck = ["x"]\nbatch = 4\n[rigs.land.pr]\nlabels = ["gc"]\n'
    expect(composed(table, patch).land).toMatchObject({
      ...{ mode: 'push', check: ['x'], batch: 2 },
      pr: { labels: ['gc'], draft: true },
    })
  })

  test('is explained key by key, and linted for a missing check', () => {
    using city = cityFiles({
      'city.toml': `${RIG}[rigs.land]\nmode = "push"\npr = { draft = true }\n`,
    })
    const { fields } = explainFolder(city.path, city.pathOf('.home'))
    const land = fields.filter(({ key }) => key.startsWith('land'))
    expect(land.map(({ key, value, line, section }) => [key, value, line, section])).toEqual([
      ['land.mode', 'push', 5, '[rigs.land]'],
      ['land.pr.draft', true, 6, '[rigs.land.pr]'],
    ])
    const [linted] = lintFolder(city.path, city.pathOf('.home'), () => ({ errors: [], warnings: [] }))
    expect(linted?.warnings).toEqual([
      expect.stringContaining('[rigs.land] check: is missing, so that branches land unchecked'),
    ])
  })
})
