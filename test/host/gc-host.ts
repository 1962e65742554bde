import { resolve } from 'node:path'
import { runSessionHost } from '../../src/supervisor/session-host.ts'

const GC = [process.execPath, resolve(import.meta.dir, '../../cli/main.ts')]
process.exitCode = await runSessionHost(GC, process.env, (line) => process.stdout.write(`${line}\n`))
