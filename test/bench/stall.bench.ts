import { join } from 'node:path'
import { tempFolder } from '../support/folder.ts'
import { bareServer } from './support/bare.ts'
import { at, cpu, late, say, Table, whole } from './support/figures.ts'
import { helper } from './support/helper.ts'
import { STATED } from './support/history.ts'
import { poll } from './support/load.ts'
import { Town } from './support/town.ts'
import { Wire } from './support/wire.ts'
import { write } from './support/writer.ts'

/**
 * Time the server keeps anyone waiting while others write: what asks every millisecond for the least there is, and how
 * late the answers are, beside a bare server that is asked the same way. Once on this disk and once on one that takes 8
 * ms longer for each sync. `bun test/bench/stall.bench.ts [writes a second]`.
 */

const RATE = Number(process.argv[2] ?? 1000)
const SECONDS = 15
const DISK_MS = 8

/** Compiles what is preloaded; undefined where there is no C compiler, or nothing is preloaded. */
async function slowDisk(to: string): Promise<string | undefined> {
  if (process.platform !== 'linux' || !Bun.which('cc')) return undefined
  const source = join(import.meta.dir, 'support/slow-disk.c')
  const built = Bun.spawn(['cc', '-shared', '-fPIC', '-O2', '-o', to, source, '-ldl'], { stderr: 'inherit' })
  return (await built.exited) === 0 ? to : undefined
}

async function measure(name: string, env: Record<string, string>, bare: string, table: Table): Promise<void> {
  await using town = await Town.open(env)
  await town.aged({ wide: { size: STATED } })
  const city = '/v0/city/wide'
  await using _ = helper(import.meta.path, 'write', town.url + city, String(RATE))
  await Bun.sleep(2000)
  const wire = await Wire.open(town.url)
  const head = async () => Number((await wire.json('GET', `${city}/events?limit=1`)).items[0]?.seq ?? 0)
  const [before, started, busy] = [await head(), performance.now(), cpu(town.pid)]
  const samples = await poll(wire, '/health', SECONDS)
  const lasted = (performance.now() - started) / 1000
  const share = (cpu(town.pid) - busy) / lasted / 10
  const rate = ((await head()) - before) / lasted
  wire.close()
  const control = await Wire.open(bare)
  const than = await poll(control, '/', SECONDS)
  control.close()
  say(`${name}: ${whole(rate)} events/s, ${share.toFixed(0)} % of a core; a bare server meanwhile: ${late(than)}`)
  const p999 = at(samples, 0.999)
  table.row(`an answer at ${RATE} writes/s, ${name}`, late(samples), 'p99.9 < 50 ms', p999 < 50)
}

async function main(): Promise<void> {
  using folder = tempFolder()
  const table = new Table()
  const shim = await slowDisk(folder.at('slow-disk.so'))
  await using bare = await bareServer('{"status":"ok"}')
  await measure('this disk', {}, bare.url, table)
  const slow = `a disk of ${DISK_MS} ms more`
  if (shim) await measure(slow, { LD_PRELOAD: shim, DISK_MS: String(DISK_MS) }, bare.url, table)
  else table.row(`an answer at ${RATE} writes/s, ${slow}`, 'not measured: no C compiler, or not Linux')
  table.print(
    `the loop of the server while it writes to ${whole(STATED.beads)} beads and ${whole(STATED.events)} events (each figure has the way there and back in it)`,
  )
}

if (process.argv[2] === 'write') await write(process.argv[3] ?? '', Number(process.argv[4]))
else await main()
