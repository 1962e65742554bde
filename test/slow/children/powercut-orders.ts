import { mkdirSync, writeFileSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { openCity } from '../../../src/city/city.ts'
import { Deadlines } from '../../../src/core/deadlines.ts'
import { actorOf } from '../../../src/http/actor-of.ts'
import { writeOrders } from '../../orchestration/orders/dispatch/world.ts'
import { TestClock } from '../../support/clock.ts'
import { ScriptedHost } from '../../support/scripted-host.ts'
import { human } from '../../work/world.ts'

/** Orders are asked for, start after events, and end in a loop; each line reports what is on disk, or was started. */
const [, , file = '', run = '0'] = process.argv
const path = join(dirname(file), 'city')
const home = join(dirname(file), 'home')
mkdirSync(path, { recursive: true })
mkdirSync(home, { recursive: true })
writeFileSync(join(path, 'city.toml'), '[workspace]\nname = "mill"\nprefix = "mi"\n')
writeOrders(path, {
  orders: {
    job: 'trigger = "manual"\nexec = "job"',
    react: 'trigger = "event"\non = "bead.created"\nexec = "react"',
    make: 'trigger = "cooldown"\ninterval = "1s"\nformula = "once"\nno_work_gate = true',
  },
  formulas: { once: 'formula = "once"\nphase = "vapor"\ndescription = "Once"\n[[steps]]\nid = "one"\ntitle = "One"\n' },
})

const say = (line: string) => void writeSync(1, `${line}\n`)
const report = (error: unknown) => void process.stderr.write(`${error}\n`)
const clock = new TestClock(Date.UTC(2026, 0, 1) + Number(run) * 600_000)
const deadlines = new Deadlines(clock, clock, report)
class TellingHost extends ScriptedHost {
  override async start(spec: Parameters<ScriptedHost['start']>[0]) {
    say(`start ${spec.key.split('/')[1]}`)
    return super.start(spec)
  }
}
const host = new TellingHost(clock)
const city = await openCity({
  ...{
    name: 'mill',
    path,
    home,
    bin: 'gc',
    version: '0.0.0',
    env: process.env,
    tokenRequirement: { canBeRequired: false, demand: () => false },
    defaultConfine: 'off',
    url: () => 'http://127.0.0.1:1',
  },
  ...{ host, clock, deadlines, tokenMirror: { issued: () => {}, ended: () => {} }, report, phase: () => {} },
})
const { orderDispatcher: dispatcher, orderLibrary: library, beads } = city
const job = library.find('job')
if (!job) throw new Error('there is no order job')

async function ask(): Promise<never> {
  for (;;) {
    if (!job) throw new Error('there is no order job')
    const { trackingId } = await dispatcher.run(job, { vars: { a: 'b' }, cause: 'run', actor: actorOf(human) })
    say(`run ${trackingId}`)
    say(`bead ${(await beads.create(human, { title: 'work' })).id}`)
  }
}

async function end(): Promise<never> {
  for (;;) {
    for (const key of host.running) {
      await host.exit(key, 0, ['x'.repeat(1000)])
      const id = key.split('/')[1] ?? ''
      if (dispatcher.runs.find(id)?.state === 'done') say(`done ${id}`)
    }
    await clock.advance(200)
  }
}

await Promise.all([ask(), ask(), ask(), ask(), end()])
