import { EditLock } from '../../../../src/config/files/edit-lock.ts'
import { FileSnapshot } from '../../../../src/config/files/file-snapshot.ts'
import { writeDrafts } from '../../../../src/config/files/write-files.ts'

/** Adds a line to city.toml for each name: `edit.ts <city> hold <name>…` has the lock until its input ends, and then adds. */
const [, , path = '', then = '', ...names] = process.argv
for (const name of names) {
  using lock = await EditLock.acquire(path)
  if (then === 'hold') {
    process.stdout.write('taken\n')
    for await (const _ of Bun.stdin.stream());
  }
  const { city } = new FileSnapshot(path)
  const draft = `${city.text('city.toml') ?? ''}# ${name}\n`
  if (!(await writeDrafts(lock, new Map([['city.toml', draft]]), (file) => city.text(file)))) process.exitCode = 1
}
