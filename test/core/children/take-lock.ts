import { sentence } from '../../../src/core/errors.ts'
import { Lock } from '../../../src/core/lock.ts'

const [, , path = '', then] = process.argv
try {
  Lock.take(path, 'a child')
  process.stdout.write('taken\n')
  if (then === 'hold') for await (const _ of Bun.stdin.stream());
} catch (thrown) {
  process.stdout.write(`${sentence(thrown)}\n`)
}
