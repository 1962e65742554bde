import { describe, expect, test } from 'bun:test'
import { existsSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { compose } from '../../../src/config/compose/compose.ts'
import { formatDiagnostic } from '../../../src/config/files/diagnostics.ts'
import { FileSnapshot } from '../../../src/config/files/file-snapshot.ts'
import { BUILTIN_FILES } from '../../../src/config/packs/builtin/files.ts'
import { openPackFolders } from '../../../src/config/packs/builtin-folders.ts'
import { parseToml, toPlainValue } from '../../../src/core/toml/parse.ts'
import { gc } from '../../cli/shell.ts'
import { commandLines, findUnknownCommands } from '../../support/command-lines.ts'
import { tempFolder } from '../../support/folder.ts'
import { packToml } from '../../support/pack-repository.ts'
import { cityFiles } from '../city-files.ts'

const names = (folder: string, pattern: RegExp) =>
  BUILTIN_FILES.flatMap(([path]) =>
    path.startsWith(folder) ? (pattern.exec(path.slice(folder.length))?.[1] ?? []) : [],
  )

describe('the packs of gc', () => {
  test('have the names that other packs build on', () => {
    expect(names('core/formulas/', /^(.+)\.toml$/)).toEqual([
      ...['mol-do-work', 'mol-polecat-base', 'mol-polecat-commit', 'mol-polecat-report', 'mol-prompt-synth'],
      ...['mol-review-quorum', 'mol-scoped-work'],
    ])
    expect(names('core/skills/', /^(.+)\/SKILL\.md$/)).toEqual([
      ...['gc-agents', 'gc-city', 'gc-dashboard', 'gc-dispatch', 'gc-mail', 'gc-rigs', 'gc-work'],
    ])
    expect(names('core/orders/', /^(.+)\.toml$/)).toHaveLength(15)
    expect(names('core/agents/', /^(.+)\/agent\.toml$/)).toEqual(['control-dispatcher'])
    expect(names('core/assets/prompts/', /^(.+)$/)).toContain('pool-worker.template.md')
  })

  test('are folders on the disk of the machine, written once, with scripts that can be run', () => {
    using folder = tempFolder()
    const { builtins } = openPackFolders(folder.path)
    for (const [path, text] of BUILTIN_FILES) expect(readFileSync(join(builtins, path), 'utf8')).toBe(text)
    expect(statSync(join(builtins, 'dolt/commands/health/run.sh')).mode & 0o111).not.toBe(0)
    rmSync(join(builtins, 'bd'), { recursive: true })
    openPackFolders(folder.path)
    expect(existsSync(join(builtins, 'bd'))).toBe(false)
  })

  test('are files that can be read: TOML, JSON, and skills that say when to use them', () => {
    for (const [path, text] of BUILTIN_FILES) {
      if (path.endsWith('.toml')) expect(() => parseToml(text)).not.toThrow()
      if (path.endsWith('.json')) expect(() => JSON.parse(text)).not.toThrow()
      if (path.endsWith('SKILL.md')) expect(text).toMatch(/^---\nname: gc-[a-z]+\ndescription: .{40,400}\n---\n/)
    }
  })

  test('have orders that start nothing on their own, each with its reason', () => {
    for (const [path, text] of BUILTIN_FILES.filter(([path]) => path.startsWith('core/orders/'))) {
      expect([path, toPlainValue(parseToml(text))]).toEqual([
        path,
        {
          order: {
            description: expect.stringMatching(/^[A-Zgb].{30,}\.$/),
            trigger: 'manual',
            exec: 'true',
            enabled: false,
          },
        },
      ])
    }
  })

  test('have steps that name each other and no others', () => {
    const formulas = new Map(
      BUILTIN_FILES.filter(([path]) => path.startsWith('core/formulas/')).map(([path, text]) => {
        const plain = toPlainValue(parseToml(text)) as { steps: { id: string; needs?: string[] }[]; extends?: string[] }
        return [path.slice('core/formulas/'.length, -'.toml'.length), plain]
      }),
    )
    for (const [name, { steps, extends: bases = [] }] of formulas) {
      const all = [...bases.flatMap((base) => formulas.get(base)?.steps ?? []), ...steps]
      const ids = new Set(all.map(({ id }) => id))
      for (const { id, needs = [] } of all) {
        for (const need of needs)
          expect(`${name}: ${id} needs ${ids.has(need) ? need : 'nothing'}`).toBe(`${name}: ${id} needs ${need}`)
      }
    }
  })

  test('compose without a warning, under the sources and at the commits that existing cities name', () => {
    using home = tempFolder()
    const repository = 'https://github.com/gastownhall/gascity'
    using city = cityFiles({
      'city.toml': '[[rigs]]\nname = "shop"\npath = "."\n',
      'pack.toml': packToml(
        'town',
        ['core', `${repository}/tree/main/internal/bootstrap/packs/core`, `sha:${'f'.repeat(40)}`],
        ['bd', `${repository}.git//examples/bd`, `sha:${'f'.repeat(40)}`],
      ),
    })
    const composed = compose(new FileSnapshot(city.path), { folders: openPackFolders(home.path) })
    expect([...composed.errors, ...composed.warnings].map(formatDiagnostic)).toEqual([])
    expect(composed.config.agents.map(({ qualified, maxActive }) => [qualified, maxActive])).toEqual([
      ['bd.dog', 0],
      ['core.control-dispatcher', 0],
      ['shop/core.control-dispatcher', 0],
    ])
  })

  test('have the prompt of agents that no one wrote one for', async () => {
    using home = tempFolder()
    using city = cityFiles({ 'city.toml': '[workspace]\nprovider = "claude"\n', 'pack.toml': packToml('town') })
    const { config } = compose(new FileSnapshot(city.path), { folders: openPackFolders(home.path) })
    const [implied] = config.agents
    expect([implied?.qualified, implied?.prompt?.text]).toEqual([
      'claude',
      expect.stringContaining('# You are a worker'),
    ])
    const general = await gc(['prime'], { env: { GC_URL: 'http://127.0.0.1:9' } })
    expect(general.out).toStartWith('# You are a worker')
    expect(general.out).not.toContain('{{')
  })

  test('tell agents only of commands and options that there are', async () => {
    const lists = BUILTIN_FILES.map(async ([path, text]) => {
      if (!/\.(md|toml)$/.test(path) || path.startsWith('dolt/')) return []
      return (await findUnknownCommands(commandLines(text))).map((problem) => `${path}: ${problem}`)
    })
    const unknown = (await Promise.all(lists)).flat()
    expect(unknown).toEqual([])
  })
})
