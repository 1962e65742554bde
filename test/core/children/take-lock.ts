import { errorMessage } from '../../../src/core/errors.ts'
import { Lock } from '../../../src/core/lock.ts'

const [, , path = '', then] = process.argv
try {
  Lock.acquire(path, 'a child')
  process.stdout.write('taken\n')
  if (then === 'hold') for await (const _ of Bun.stdin.stream());
} catch (error) {
  process.stdout.write(`${errorMessage(error)}\n`)
}
