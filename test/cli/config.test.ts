import { describe, expect, test } from 'bun:test'
import { cityFiles } from '../config/city-files.ts'
import { gc } from './shell.ts'

const CITY = '[workspace]\nprovider = "claude"\n[[agent]]\nname = "a"\nenv = { TOKEN = "secret" }\n'
/** Nothing listens on the discard port of this machine. */
const nobody = { GC_URL: 'http://127.0.0.1:9' }

describe('gc config explain', () => {
  test('shows where each field is declared, without a supervisor and without values that may be secret', async () => {
    using city = cityFiles({ 'city.toml': CITY, 'notes/x.md': '' })
    const { status, out } = await gc(['config', 'explain', '--agent', 'a'], {
      env: nobody,
      cwd: city.pathOf('notes'),
    })
    expect(status).toBe(0)
    expect(out).toContain('provider  "claude"')
    expect(out).toContain('city.toml:2 [workspace]')
    expect(out).toContain('city.toml:5 [[agent]]')
    expect(out).not.toContain('secret')
  })

  test('prints the fields as JSON, of the city that is named by its folder', async () => {
    using city = cityFiles({ 'city.toml': CITY })
    const args = ['--city', city.path, 'config', 'explain', '--agent', 'a', '--json']
    const { out } = await gc(args, { env: nobody })
    expect(out).not.toContain('secret')
    expect(JSON.parse(out).fields[1]).toEqual({
      ...{ kind: 'agent', name: 'a', key: 'provider', value: 'claude' },
      ...{ layer: 'city', file: 'city.toml', line: 2, section: '[workspace]' },
    })
  })

  test('fails with what is wrong with the files', async () => {
    using city = cityFiles({ 'city.toml': '[daemon]\nmax_restarts = "x"\n' })
    const broken = await gc(['config', 'explain'], { env: nobody, cwd: city.path })
    expect(broken.status).toBe(1)
    expect(broken.err).toContain('city.toml:2: [daemon] max_restarts: must be a whole number')
  })

  test('fails for a name that nothing has, and lists the names there are', async () => {
    using city = cityFiles({ 'city.toml': CITY })
    for (const json of [[], ['--json']]) {
      const unknown = await gc(['config', 'explain', '--agent', 'x', ...json], { env: nobody, cwd: city.path })
      expect([unknown.status, unknown.out]).toEqual([1, ''])
      expect(unknown.err).toContain('declared: a')
    }
  })
})
