import { hostOptions, runHost } from '../../src/host/server/main.ts'

process.exitCode = await runHost({
  ...hostOptions(process.env),
  say: (line) => process.stdout.write(`${line}\n`),
})
