import { runSessionHost } from '../../src/supervisor/session-host.ts'

process.exitCode = await runSessionHost(process.env, (line) => process.stdout.write(`${line}\n`))
