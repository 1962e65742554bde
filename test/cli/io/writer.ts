import { processIo } from '../../../cli/io/io.ts'

const io = processIo()
for (let n = 0; n < 40; n++) {
  io.out(`${n}${'x'.repeat(n * 1_000)}\n`)
  io.err(`${n}${'x'.repeat(n * 1_000)}\n`)
}
