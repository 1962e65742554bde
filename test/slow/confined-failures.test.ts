import { expect, test } from 'bun:test'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { confinedTown } from '../binary/confined-town.ts'
import { eventually } from '../support/until.ts'

test('a bead over which confined sessions fail by what they were refused is parked with the line that would allow it', async () => {
  const script = 'gc hook --claim --json > /dev/null; chmod 700 "@/shared" || exit 1; touch done; sleep 600'
  await using it = await confinedTown(
    `[[agent]]\nname = "tidy"\nconfine = "default"\nmax_active_sessions = 1\nstart_command = '''${script}'''\n`,
    (path) => mkdirSync(join(path, '../shared')),
  )
  const { body } = await it.call('POST ~/beads', { body: { title: 'tidy up', metadata: { 'gc.routed_to': 'tidy' } } })
  const parked = async () => (await it.call('GET ~/attention')).body.items
  const items = await eventually('the bead is parked', 90_000, parked, (all) =>
    all.some(({ kind }: { kind: string }) => kind === 'parked'),
  )
  const shared = join(it.world.folder.path, 'shared')
  expect(items).toEqual([
    expect.objectContaining({
      bead_id: body.id,
      asks: expect.stringContaining(
        `its confinement refused it fchmodat ${shared}: write = ["${shared}"] in the confine table of agent tidy (city.toml:`,
      ),
    }),
  ])
}, 120_000)
