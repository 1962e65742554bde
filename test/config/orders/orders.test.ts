import { describe, expect, test } from 'bun:test'
import { compose } from '../../../src/config/compose/compose.ts'
import { formatDiagnostic } from '../../../src/config/files/diagnostics.ts'
import { FileSnapshot } from '../../../src/config/files/file-snapshot.ts'
import { cityFiles } from '../city-files.ts'

const PACK = (name: string) => `[pack]\nname = "${name}"\nschema = 2\n`
const order = (...lines: string[]) => ['[order]', ...lines, ''].join('\n')
const TRUE = 'exec = "true"'
const MANUAL = order('trigger = "manual"', TRUE)
const IMPORT = (binding: string, rig = '') => `[${rig}imports.${binding}]\nsource = "packs/${binding}"\n`

/** The orders that the files of a city come to, and what is said of them. */
function ordersOf(files: Readonly<Record<string, string>>) {
  const city = cityFiles({ 'city.toml': '[workspace]\ntimezone = "UTC"\n', ...files })
  const { config, errors, warnings, allWarnings } = compose(new FileSnapshot(city.path))
  const inCity = (sentence: string) => sentence.replaceAll(`${city.path}/`, '')
  return {
    ...config.orders,
    names: config.orders.all.map(({ scopedName }) => scopedName),
    byName: new Map(config.orders.all.map((each) => [each.scopedName, each])),
    errors,
    warnings: warnings.map(formatDiagnostic).map(inCity),
    allWarnings: allWarnings.map(formatDiagnostic).map(inCity),
    path: city.path,
    pathOf: city.pathOf,
    [Symbol.dispose]: () => city[Symbol.dispose](),
  }
}

describe('an order file', () => {
  test('declares a command with its trigger, and everything else has a default', () => {
    using city = ordersOf({
      'orders/sweep.toml': order('trigger = "cooldown"', 'interval = "1h30m"', 'exec = "./sweep"'),
    })
    expect(city.all).toEqual([
      {
        ...{
          name: 'sweep',
          scopedName: 'sweep',
          description: '',
          layer: city.path,
          file: city.pathOf('orders/sweep.toml'),
        },
        action: { kind: 'exec', command: './sweep', env: {} },
        trigger: { kind: 'cooldown', interval: 5_400_000 },
        ...{ timeout: 300_000, params: {}, idempotent: false, noWorkGate: false, enabled: true },
        declared: { trigger: 'cooldown', interval: '1h30m', exec: './sweep' },
      },
    ])
    expect(city.warnings).toEqual([])
  })

  test('declares a formula for a pool, with all that an order can have', () => {
    using city = ordersOf({
      'orders/review.toml': `${order(
        'description = "what waits"',
        ...['trigger = "webhook"', 'formula = "review"', 'pool = "worker"', 'timeout = "1m"'],
        ...['idempotent = true', 'no_work_gate = true', 'skip_aliases = ["inspect"]'],
      )}[order.params.pr]\nrequired = true\n[order.params.note]\n`,
    })
    expect(city.byName.get('review')).toMatchObject({
      ...{ description: 'what waits', action: { kind: 'formula', formula: 'review', pool: 'worker' } },
      ...{ trigger: { kind: 'webhook' }, timeout: 60_000, idempotent: true, noWorkGate: true },
      params: { pr: { required: true }, note: { required: false } },
    })
  })

  test('runs a formula for 30 seconds unless it says otherwise, and never longer than the city allows', () => {
    using city = ordersOf({
      'city.toml': '[orders]\nmax_timeout = "2m"\n',
      'orders/a.toml': order('trigger = "manual"', 'formula = "review"'),
      'orders/b.toml': MANUAL,
      'orders/c.toml': order(
        'trigger = "condition"',
        'check = "true"',
        'check_timeout = "5m"',
        TRUE,
        'timeout = "90s"',
      ),
    })
    expect(city.all.map(({ timeout }) => timeout)).toEqual([30_000, 120_000, 90_000])
    expect(city.byName.get('c')?.trigger).toEqual({ kind: 'condition', check: 'true', timeout: 300_000 })
  })

  test('names its trigger by the old key gate as well', () => {
    using city = ordersOf({ 'orders/a.toml': order('gate = "event"', 'on = "bead.closed"', TRUE) })
    expect(city.byName.get('a')?.trigger).toEqual({ kind: 'event', on: 'bead.closed' })
  })

  test('is read in its own zone, else in that of the city', () => {
    using city = ordersOf({
      'city.toml': '[workspace]\ntimezone = "Asia/Tokyo"\n',
      'orders/a.toml': order('trigger = "cron"', 'schedule = "15 3 * * *"', 'tz = "Europe/Berlin"', TRUE),
      'orders/b.toml': order('trigger = "cron"', 'schedule = "0-5 8-17/2 * JAN-MAR MON,wed"', TRUE),
    })
    expect(city.all.map(({ trigger }) => trigger)).toEqual([
      { kind: 'cron', schedule: '15 3 * * *', zone: 'Europe/Berlin' },
      { kind: 'cron', schedule: '0-5 8-17/2 * JAN-MAR MON,wed', zone: 'Asia/Tokyo' },
    ])
  })

  test('may hold keys that gc does not know, which only a check of the files reports', () => {
    using city = ordersOf({ 'orders/a.toml': order('trigger = "manual"', TRUE, 'colour = "red"') })
    expect(city.names).toEqual(['a'])
    expect(city.warnings).toEqual([])
    expect(city.allWarnings).toEqual(['orders/a.toml:4: [order] colour: is not a key of this section'])
  })
})

describe('a broken order file is left out with its file, line and reason, and the others stay', () => {
  const BROKEN: readonly [what: string, text: string, sentence: string][] = [
    ['no TOML', '[order\n', '1: is not TOML'],
    ['no table', 'trigger = "manual"\n', '1: has no [order] table'],
    ['a list as its table', '[[order]]\ntrigger = "manual"\n', 'order: must be a table: [order]'],
    ['neither exec nor formula', order('trigger = "manual"'), '1: [order] exec: or formula is required'],
    ['both', order('trigger = "manual"', TRUE, 'formula = "f"'), '4: [order] formula: stands beside exec'],
    ['a number as its command', order('trigger = "manual"', 'exec = 1'), '3: [order] exec: must be a string in quotes'],
    ['a list as its formula', order('trigger = "manual"', 'formula = []'), '3: [order] formula: must be a string'],
    [
      'a description that is none',
      order('trigger = "manual"', TRUE, 'description = 1'),
      '4: [order] description: must be',
    ],
    ['no trigger', order(TRUE), '1: [order] trigger: is required'],
    ['an unknown trigger', order('trigger = "cool"', TRUE), '2: [order] trigger: must be cooldown or cron or'],
    ['an unknown gate', order('gate = "x"', TRUE), '2: [order] gate: must be cooldown or cron or'],
    ['an unknown scope', order('trigger = "manual"', TRUE, 'scope = "town"'), '4: [order] scope: must be city or rig'],
    ['no interval', order('trigger = "cooldown"', TRUE), '1: [order] interval: is required with trigger = "cooldown"'],
    [
      'an interval of words',
      order('trigger = "cooldown"', 'interval = "daily"', TRUE),
      '3: [order] interval: "daily" is not a duration',
    ],
    [
      'no time between',
      order('trigger = "cooldown"', 'interval = "0s"', TRUE),
      '3: [order] interval: "0s" must be longer than 0',
    ],
    [
      'an unused interval of words',
      order('trigger = "manual"', 'interval = "x"', TRUE),
      '3: [order] interval: "x" is not a duration',
    ],
    ['no schedule', order('trigger = "cron"', TRUE), '1: [order] schedule: is required with trigger = "cron"'],
    [
      'four fields',
      order('trigger = "cron"', 'schedule = "* * * *"', TRUE),
      '3: [order] schedule: "* * * *" is not a cron schedule: it must have 5 fields, not 4',
    ],
    ['six fields', order('trigger = "cron"', 'schedule = "* * * * * *"', TRUE), 'it must have 5 fields, not 6'],
    [
      'steps of nothing',
      order('trigger = "cron"', 'schedule = "*/0 * * * *"', TRUE),
      '3: [order] schedule: "*/0 * * * *" is not a cron schedule: illegal stepping: 0',
    ],
    [
      'a minute that does not exist',
      order('trigger = "cron"', 'schedule = "60 * * * *"', TRUE),
      'Invalid value for minute: 60',
    ],
    [
      'an unknown zone',
      order('trigger = "cron"', 'schedule = "* * * * *"', 'tz = "Mars/Base"', TRUE),
      '4: [order] tz: "Mars/Base" is not a time zone',
    ],
    [
      'an unknown zone that is not used',
      order('trigger = "manual"', 'tz = "Nowhere"', TRUE),
      '3: [order] tz: "Nowhere" is not a time zone',
    ],
    ['no check', order('trigger = "condition"', TRUE), '1: [order] check: is required with trigger = "condition"'],
    [
      'no time for the check',
      order('trigger = "condition"', 'check = "true"', 'check_timeout = "0s"', TRUE),
      '4: [order] check_timeout: "0s" must be longer than 0',
    ],
    ['no event', order('trigger = "event"', TRUE), '1: [order] on: is required with trigger = "event"'],
    [
      'a pool for a command',
      order('trigger = "manual"', TRUE, 'pool = "worker"'),
      '4: [order] pool: is for formula orders',
    ],
    [
      'a timeout of words',
      order('trigger = "manual"', TRUE, 'timeout = "soon"'),
      '4: [order] timeout: "soon" is not a duration',
    ],
    [
      'enabled in quotes',
      order('trigger = "manual"', TRUE, 'enabled = "yes"'),
      '4: [order] enabled: must be true or false',
    ],
    [
      'idempotent as a number',
      order('trigger = "manual"', TRUE, 'idempotent = 1'),
      '4: [order] idempotent: must be true or false',
    ],
    [
      'no_work_gate as a number',
      order('trigger = "manual"', TRUE, 'no_work_gate = 1'),
      '4: [order] no_work_gate: must be true or false',
    ],
    [
      'variables for a formula',
      order('trigger = "manual"', 'formula = "f"', 'env = { A = "1" }'),
      '4: [order] env: is for exec orders',
    ],
    [
      'variables in a list',
      order('trigger = "manual"', TRUE, 'env = ["A=1"]'),
      '4: [order] env: must be a table of strings',
    ],
    [
      'a variable without a name',
      order('trigger = "manual"', TRUE, 'env = { "" = "1" }'),
      '4: [order] env: "" is not a name',
    ],
    [
      'a variable with =',
      order('trigger = "manual"', TRUE, 'env = { "A=B" = "1" }'),
      '4: [order] env: "A=B" is not a name',
    ],
    [
      'a variable of gc',
      order('trigger = "manual"', TRUE, 'env = { GC_CITY = "x" }'),
      '4: [order] env: "GC_CITY" is set by gc',
    ],
    [
      'a variable of beads',
      order('trigger = "manual"', TRUE, 'env = { BEADS_DIR = "x" }'),
      '4: [order] env: "BEADS_DIR" is set by gc',
    ],
    [
      'the folder of the pack',
      order('trigger = "manual"', TRUE, 'env = { PACK_DIR = "x" }'),
      '4: [order] env: "PACK_DIR" is set by gc',
    ],
    [
      'a webhook without params',
      order('trigger = "webhook"', TRUE),
      '1: [order] params: is required with trigger = "webhook"',
    ],
    [
      'a param that is required in words',
      `${order('trigger = "webhook"', TRUE)}[order.params.x]\nrequired = "yes"\n`,
      '5: [order.params.x] required: must be true or false',
    ],
    ['params in a list', order('trigger = "webhook"', TRUE, 'params = ["x"]'), '4: [order] params: must be a table'],
    [
      'one alias',
      order('trigger = "manual"', TRUE, 'skip_aliases = "a"'),
      '4: [order] skip_aliases: must be a list of strings',
    ],
  ]
  for (const [what, text, sentence] of BROKEN) {
    test(what, () => {
      using city = ordersOf({ 'orders/bad.toml': text, 'orders/good.toml': MANUAL })
      expect(city.names).toEqual(['good'])
      expect(city.errors).toEqual([])
      expect(city.warnings).toHaveLength(1)
      expect(city.warnings[0]).toStartWith('orders/bad.toml:')
      expect(city.warnings[0]).toContain(sentence)
    })
  }

  test('a name that no scoped name could hold', () => {
    using city = ordersOf({ 'orders/a:rig:b.toml': MANUAL, 'orders/good.toml': MANUAL })
    expect(city.names).toEqual(['good'])
    expect(city.warnings[0]).toContain('orders/a:rig:b.toml:1: the name of an order must start with a letter or digit')
  })

  test('a folder, which is the older place of an order', () => {
    using city = ordersOf({
      'orders/old/order.toml': MANUAL,
      'orders/good.toml': MANUAL,
      'formulas/orders/older/order.toml': MANUAL,
    })
    expect(city.names).toEqual(['good'])
    expect(city.warnings).toEqual([
      'formulas/orders/older/order.toml:1: is an older place of an order, which is not read: move it to orders/older.toml',
      'orders/old/order.toml:1: is an older place of an order, which is not read: move it to orders/old.toml',
    ])
  })

  test('a file that is a folder', () => {
    using city = ordersOf({ 'orders/odd.toml/x': '', 'orders/good.toml': MANUAL })
    expect(city.names).toEqual(['good'])
    expect(city.errors).toEqual([])
  })
})

describe('the orders of a city and its packs', () => {
  const files = {
    'pack.toml': `${PACK('town')}${IMPORT('tools')}`,
    'packs/tools/pack.toml': PACK('tools'),
  }

  test('are those of its packs, then its own; a higher file of a name stands alone', () => {
    using city = ordersOf({
      ...files,
      'packs/tools/orders/b.toml': order('trigger = "manual"', 'exec = "pack"', 'description = "of the pack"'),
      'packs/tools/orders/z.toml': MANUAL,
      'orders/a.toml': MANUAL,
      'orders/b.toml': order('trigger = "manual"', 'exec = "city"'),
    })
    expect(city.names).toEqual(['b', 'z', 'a'])
    expect(city.byName.get('b')).toMatchObject({ description: '', action: { command: 'city' }, layer: city.path })
    expect(city.byName.get('b')?.pack).toEqual({ name: 'town', folder: city.path })
    const tools = { name: 'tools', folder: city.pathOf('packs/tools'), binding: 'tools' }
    expect(city.byName.get('z')).toMatchObject({ layer: tools.folder, pack: tools })
  })

  test('are there for the city and for each rig that imports the pack, and once with the scope of the city', () => {
    using city = ordersOf({
      ...files,
      'city.toml': ['west', 'east']
        .map(
          (rig) =>
            `[[rigs]]\nname = "${rig}"\npath = "../${rig}"\n${IMPORT('tools', 'rigs.')}${IMPORT('extra', 'rigs.')}`,
        )
        .join(''),
      'packs/tools/orders/tick.toml': MANUAL,
      'packs/tools/orders/once.toml': order('trigger = "manual"', TRUE, 'scope = "city"'),
      'packs/extra/pack.toml': PACK('extra'),
      'packs/extra/orders/each.toml': order('trigger = "manual"', TRUE, 'scope = "rig"'),
      'packs/extra/orders/town.toml': order('trigger = "manual"', TRUE, 'scope = "city"'),
    })
    expect([...city.names].sort()).toEqual(
      ['once', 'tick', 'town', ...['east', 'west'].flatMap((rig) => [`each:rig:${rig}`, `tick:rig:${rig}`])].sort(),
    )
    expect(city.byName.get('tick:rig:east')).toMatchObject({ name: 'tick', rig: 'east' })
    expect(city.warnings).toEqual([])
  })

  test('do not have one that is for rigs only, and say so', () => {
    using city = ordersOf({ 'orders/a.toml': order('trigger = "manual"', TRUE, 'scope = "rig"') })
    expect(city.names).toEqual([])
    expect(city.warnings).toEqual([
      'orders/a.toml:4: [order] scope: scope = "rig" makes no order of the city: import its pack in a rig',
    ])
  })

  test('have those beside the formulas of a rig', () => {
    using city = ordersOf({
      'city.toml': '[[rigs]]\nname = "shop"\npath = "../shop"\nformulas_dir = "rigs/shop/formulas"\n',
      'rigs/shop/orders/a.toml': MANUAL,
    })
    expect(city.names).toEqual(['a:rig:shop'])
    expect(city.byName.get('a:rig:shop')?.layer).toBe(city.pathOf('rigs/shop'))
  })

  test('lack those that are disabled in their file, and those that the city skips by name or alias', () => {
    using city = ordersOf({
      'city.toml': '[orders]\nskip = ["b", "old-c", "nobody"]\n',
      'orders/a.toml': order('trigger = "manual"', TRUE, 'enabled = false', 'description = "not now"'),
      'orders/b.toml': MANUAL,
      'orders/c.toml': order('trigger = "manual"', TRUE, 'skip_aliases = ["old-c"]'),
      'orders/d.toml': MANUAL,
    })
    expect(city.names).toEqual(['d'])
    expect(city.absent.map(({ name, reason, description }) => [name, reason, description])).toEqual([
      ['a', 'disabled', 'not now'],
      ['b', 'skipped', ''],
      ['c', 'skipped', ''],
    ])
    expect(city.warnings).toEqual([])
  })
})

describe('an override', () => {
  const override = (...lines: string[]) => `[[orders.overrides]]\n${lines.join('\n')}\n`
  const RIG = `[[rigs]]\nname = "shop"\npath = "../shop"\n${IMPORT('tools', 'rigs.')}`
  const files = (city: string) => ({
    'city.toml': `${RIG}${city}`,
    'pack.toml': `${PACK('town')}${IMPORT('tools')}`,
    'packs/tools/pack.toml': PACK('tools'),
    'packs/tools/orders/tidy.toml': order(
      'trigger = "cooldown"',
      'interval = "5m"',
      TRUE,
      'env = { A = "1", B = "2" }',
    ),
  })

  test('changes what it says of the city’s instance, and leaves the rest', () => {
    using city = ordersOf(
      files(override('name = "tidy"', 'interval = "2m"', 'env = { B = "3", C = "4" }', 'enabled = false')),
    )
    expect(city.byName.get('tidy')).toMatchObject({
      ...{ enabled: false, trigger: { kind: 'cooldown', interval: 120_000 } },
      action: { kind: 'exec', env: { A: '1', B: '3', C: '4' } },
      declared: { interval: '2m' },
    })
    expect(city.byName.get('tidy:rig:shop')).toMatchObject({ enabled: true, trigger: { interval: 300_000 } })
  })

  test('can be for one rig or for every instance, and later ones win', () => {
    using city = ordersOf(
      files(
        override('name = "tidy"', 'rig = "*"', 'timeout = "1m"') +
          override('name = "tidy"', 'rig = "shop"', 'timeout = "2m"'),
      ),
    )
    expect(city.all.map(({ scopedName, timeout }) => [scopedName, timeout])).toEqual([
      ['tidy', 60_000],
      ['tidy:rig:shop', 120_000],
    ])
  })

  test('can change the trigger by its old name as well', () => {
    using city = ordersOf(files(override('name = "tidy"', 'gate = "cron"', 'schedule = "0 3 * * *"')))
    expect(city.byName.get('tidy')?.trigger).toMatchObject({ kind: 'cron', schedule: '0 3 * * *' })
  })

  test('that makes no order of it leaves the order out, and says where', () => {
    using city = ordersOf(files(override('name = "tidy"', 'trigger = "event"')))
    expect(city.names).toEqual(['tidy:rig:shop'])
    expect(city.warnings).toEqual(['packs/tools/orders/tidy.toml:1: [order] on: is required with trigger = "event"'])
  })

  test('with a wrong value is complained of at its own line', () => {
    using city = ordersOf(files(override('name = "tidy"', 'interval = "often"')))
    expect(city.names).toEqual(['tidy:rig:shop'])
    expect(city.warnings[0]).toStartWith('city.toml:8: [[orders.overrides]] interval: "often" is not a duration')
  })

  test('of an order that is not there changes nothing, and says so', () => {
    using city = ordersOf(
      files(override('name = "tidi"', 'enabled = false') + override('name = "tidy"', 'rig = "shed"')),
    )
    expect(city.names).toEqual(['tidy', 'tidy:rig:shop'])
    expect(city.warnings).toEqual([
      'city.toml:7: [[orders.overrides]] name: changes nothing: there is no order "tidi" in the city; correct its name or rig, or delete it',
      'city.toml:10: [[orders.overrides]] name: changes nothing: there is no order "tidy" in the rig "shed"; correct its name or rig, or delete it',
    ])
    expect(city.unmatchedOverrides.map(({ line }) => line)).toEqual([7, 10])
  })

  test('does not enable what its file disables', () => {
    using city = ordersOf({
      'city.toml': override('name = "a"', 'enabled = true'),
      'orders/a.toml': order('trigger = "manual"', TRUE, 'enabled = false'),
    })
    expect(city.names).toEqual([])
    expect(city.warnings).toEqual([
      'city.toml:2: [[orders.overrides]] name: changes nothing: orders/a.toml says enabled = false; an override does not undo that',
    ])
    expect(city.unmatchedOverrides).toEqual([])
  })

  test('in a fragment replaces all that city.toml says of orders', () => {
    using city = ordersOf({
      ...files(override('name = "tidy"', 'enabled = false')),
      'city.toml': `include = ["more.toml"]\n${RIG}${override('name = "tidy"', 'enabled = false')}`,
      'more.toml': override('name = "tidy"', 'interval = "1m"'),
    })
    expect(city.byName.get('tidy')).toMatchObject({ enabled: true, trigger: { interval: 60_000 } })
  })
})
