import { describe, expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { Glob } from 'bun'
import { READ, SET } from '../../scripts/docs/environment.ts'
import { CITY_KEYS } from '../../scripts/docs/keys/city.ts'
import { SUPERVISOR_KEYS, TUI_KEYS } from '../../scripts/docs/keys/files.ts'
import type { Keys } from '../../scripts/docs/keys/key.ts'
import { SHARED_KEYS } from '../../scripts/docs/keys/shared.ts'
import { declareCity } from '../../src/config/compose/layers/city-file.ts'
import { declarePack } from '../../src/config/compose/layers/pack-file.ts'
import { readSupervisorToml } from '../../src/config/confinement/default-mode.ts'
import { declareFields } from '../../src/config/declare/declaration.ts'
import { openFile } from '../../src/config/declare/open-file.ts'
import type { SectionReader } from '../../src/config/declare/section-reader.ts'
import { Diagnostics, formatDiagnostic } from '../../src/config/files/diagnostics.ts'
import { ORDER } from '../../src/config/orders/fields.ts'
import { parseToml } from '../../src/core/toml/index.ts'
import { readSettings } from '../../tui/settings/settings.ts'
import { tempFolder } from '../support/folder.ts'

/** A file with the examples of sections, as the reference shows them. */
const fileOf = (sections: Readonly<Record<string, Keys>>, isOf: (header: string) => boolean): string =>
  Object.entries(sections)
    .filter(([header]) => isOf(header))
    .sort(([one], [other]) => one.split('.').length - other.split('.').length)
    .map(([header, keys]) => {
      const lines = Object.entries(keys).map(([key, { example }]) => `${key} = ${example}`)
      return [header.replaceAll('<name>', 'x'), ...lines].join('\n')
    })
    .join('\n')

/** What is wrong with a file, by the code that reads it. */
function problemsOf(text: string, read: (top: SectionReader) => unknown): string[] {
  const diagnostics = new Diagnostics()
  const layer = { name: 'examples', isEditable: false }
  const toml = { table: parseToml(text) }
  const reader = openFile({ layer, diagnostics, file: 'a.toml', toml, unknownKeys: 'error', kind: 'examples' })
  read(reader)
  reader.finish()
  return diagnostics.list('error').map(formatDiagnostic)
}

const OF_PACKS = /^\[+(?:pack|pack\.requires|global|runtimes\.<name>|commands|doctor)\]/
const OF_OTHERS = /^\[+(?:order|order\.params\.<name>|site|rig)\]/
/** Sections whose header is written within another block, or that stand for several. */
const WITHIN = /^\[+(?:agent\.confine|rigs\.overrides\.pool|rigs\.overrides)\]/

describe('the examples of the configuration reference', () => {
  test('are right where they are written', () => {
    const city = fileOf(
      { ...CITY_KEYS, ...SHARED_KEYS },
      (header) => ![OF_PACKS, OF_OTHERS, WITHIN].some((each) => each.test(header)),
    )
    const readCity = (top: SectionReader) => {
      top.strings('include')
      declareCity(top)
    }
    expect(problemsOf(city, readCity)).toEqual([])
    const pack = fileOf(SHARED_KEYS, (header) => OF_PACKS.test(header))
    expect(problemsOf(pack, (top) => declarePack(top, { name: '', version: undefined, folder: '' }, true))).toEqual([])
    const order = fileOf(SHARED_KEYS, (header) => header.startsWith('[order'))
    expect(
      problemsOf(order.replace(/\[\[orders[\s\S]*$/, ''), (top) => declareFields(top.child('order'), ORDER)),
    ).toEqual([])
  })

  test('of the supervisor and the dashboard are right as well', () => {
    using home = tempFolder()
    writeFileSync(
      home.at('supervisor.toml'),
      fileOf(SUPERVISOR_KEYS, () => true),
    )
    expect(readSupervisorToml(home.path)).toMatchObject({ listen: { port: 8400 }, warnings: [] })
    expect(
      readSettings(
        fileOf(TUI_KEYS, () => true),
        {},
      ).problems,
    ).toEqual([])
  })
})

/** Names that the build fills in, that only processes of gc pass to each other, or that are not of the environment. */
const INTERNAL =
  /^GC_(?:VERSION|COMMIT|DATE|TARGET|PUBLIC_KEY|INDEX|NOTICES|COMMANDS|ROWS|HOST_BUILD|PROCESS_ID|WORKFLOW_ID|GIT_USERNAME|GIT_PASSWORD|PROVIDER_SESSION_ID|BEAD|WEBHOOK_ARG_|HOOK_EVENT_NAME|MANAGED_SESSION_HOOK)$/

test('every variable of the sources is in the reference, and every one of the reference in the sources', () => {
  const files = [...new Glob('{src,client,cli,tui}/**/*.{ts,tsx}').scanSync('.')]
  const found = new Set(
    files.flatMap(
      (path) => readFileSync(path, 'utf8').match(/\b(?:GC_[A-Z_]+|NO_COLOR|NO_MOUSE|BD_JSON_ENVELOPE)\b/g) ?? [],
    ),
  )
  const listed = [...Object.keys(READ), ...SET.flatMap(([, variables]) => Object.keys(variables))]
  expect([...found].filter((name) => !INTERNAL.test(name) && !listed.includes(name))).toEqual([])
  expect(listed.filter((name) => !found.has(name))).toEqual([])
})
