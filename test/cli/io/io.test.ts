import { expect, test } from 'bun:test'
import { openSync } from 'node:fs'
import { join } from 'node:path'
import { isatty } from 'node:tty'
import { isTerminal } from '../../../cli/io/hangup.ts'
import { formattingJson, type Io, processIo } from '../../../cli/io/io.ts'
import { tempFolder } from '../../support/folder.ts'

const WRITER = join(import.meta.dir, 'writer.ts')

test('terminals are recognized as node:tty recognizes them', async () => {
  await using folder = tempFolder()
  const descriptors = [openSync('/dev/ptmx', 'r+'), openSync('/dev/null', 'r'), openSync(folder.at('file'), 'w')]
  expect(descriptors.map(isTerminal)).toEqual([true, false, false])
  expect(descriptors.map(isTerminal)).toEqual(descriptors.map((each) => isatty(each)))
})

test('output arrives whole and in order, whatever its length and however slowly it is read', async () => {
  const child = Bun.spawn([process.execPath, WRITER], { stdio: ['ignore', 'pipe', 'pipe'] })
  await Bun.sleep(200)
  const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text()])
  const wanted = Array.from({ length: 40 }, (_, n) => `${n}${'x'.repeat(n * 1_000)}\n`).join('')
  expect(out).toBe(wanted)
  expect(err).toBe(wanted)
})

test('an Io with another format of JSON reads what waits only when it is asked for', () => {
  let isRead = false
  const io: Io = {
    ...processIo(),
    get width() {
      isRead = true
      return 80
    },
  }
  const formatting = formattingJson(io, () => 'formatted')
  expect([isRead, formatting.formatJson?.({}), formatting.cwd]).toEqual([false, 'formatted', process.cwd()])
  expect([formatting.width, isRead]).toEqual([80, true])
})
