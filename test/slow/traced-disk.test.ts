import { expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { tempFolder } from '../support/folder.ts'
import { TracedDisk } from './traced-disk.ts'

const hex = (text: string): string =>
  [...Buffer.from(text)].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('')

test('a sync that began earlier and ends later takes back no name that another has kept', () => {
  using folder = tempFolder()
  const disk = new TracedDisk(folder.path)
  const create = (name: string) =>
    `2 openat(AT_FDCWD, "${hex(folder.at(name))}", O_WRONLY|O_CREAT, 0600) = 9\n2 close(9) = 0\n`
  disk.apply(
    [
      `1 openat(AT_FDCWD, "${hex(folder.path)}", O_RDONLY) = 5\n`,
      `2 openat(AT_FDCWD, "${hex(folder.path)}", O_RDONLY) = 6\n`,
      ...[create('first'), '1 fsync(5 <unfinished ...>\n', create('second'), '2 fsync(6) = 0\n'],
      '1 <... fsync resumed>) = 0\n',
    ].join(''),
  )
  disk.cut(() => 0)
  expect(readdirSync(folder.path).sort()).toEqual(['first', 'second'])
})

test('a sync that began earlier and ends later keeps no byte that was written after both began', () => {
  using folder = tempFolder()
  const disk = new TracedDisk(folder.path)
  disk.apply(
    [
      `1 openat(AT_FDCWD, "${hex(folder.path)}", O_RDONLY) = 5\n`,
      `1 openat(AT_FDCWD, "${hex(folder.at('file'))}", O_WRONLY|O_CREAT, 0600) = 6\n1 fsync(5) = 0\n`,
      `1 write(6, "${hex('a')}", 1) = 1\n1 fsync(6 <unfinished ...>\n`,
      `2 write(6, "${hex('b')}", 1) = 1\n2 fsync(6) = 0\n2 write(6, "${hex('c')}", 1) = 1\n`,
      '1 <... fsync resumed>) = 0\n',
    ].join(''),
  )
  disk.cut(() => 0)
  expect(readFileSync(folder.at('file'), 'utf8')).toBe('ab')
})

test('a process has the open files of its parent, and opens others under the same numbers', () => {
  using folder = tempFolder()
  const disk = new TracedDisk(folder.path)
  const open = (thread: number, name: string, as: number) =>
    `${thread} openat(AT_FDCWD, "${hex(folder.at(name))}", O_WRONLY|O_CREAT, 0600) = ${as}\n`
  const written = (thread: number, to: number, text: string) =>
    `${thread} write(${to}, "${hex(text)}", ${text.length}) = ${text.length}\n${thread} fdatasync(${to}) = 0\n`
  disk.apply(
    [
      `1 openat(AT_FDCWD, "${hex(folder.path)}", O_RDONLY) = 5\n`,
      ...[open(1, 'shared', 6), '1 vfork( <unfinished ...>\n', written(2, 6, 'child'), '2 close(6) = 0\n'],
      ...[open(2, 'own', 6), '1 <... vfork resumed>) = 2\n', written(2, 6, 'mine'), written(1, 6, ' parent')],
      '1 clone3({flags=CLONE_VM|CLONE_FILES|CLONE_THREAD}, 88) = 3\n',
      ...[written(3, 6, ' thread'), '3 fsync(5) = 0\n'],
    ].join(''),
  )
  disk.cut(() => 0)
  const read = (name: string) => readFileSync(folder.at(name), 'utf8')
  expect([read('shared'), read('own')]).toEqual(['child parent thread', 'mine'])
})
