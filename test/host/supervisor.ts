import { systemClock } from '../../src/core/clock.ts'
import { Deadlines } from '../../src/core/deadlines.ts'
import { connectToHosts } from '../../src/host/client/host-client.ts'
import { launch } from './world.ts'

/** A supervisor to be killed: starts a session that counts, and prints its pid. */
const home = process.argv[2] ?? ''
const host = await connectToHosts({ home, launch, clock: systemClock, deadlines: new Deadlines() })
const script = 'i=0; while [ $i -lt 500 ]; do i=$((i+1)); echo tick $i; sleep 0.02; done'
const env = { PATH: process.env.PATH ?? '' }
const started = await host.start({ key: 'a', argv: ['sh', '-c', script], cwd: '/', env, cols: 80, rows: 24 })
for await (const _ of host.follow('a', 0, AbortSignal.timeout(500))) break
process.stdout.write(`${JSON.stringify(started)}\n`)
setInterval(() => {}, 1_000_000)
