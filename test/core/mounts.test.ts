import { expect, test } from 'bun:test'
import { boundPaths, parseMounts } from '../../src/core/mounts.ts'

const mounts = parseMounts(
  [
    '27 1 254:0 / / rw,relatime - ext4 /dev/vda rw',
    '30 27 254:0 /home /mnt/homes rw - ext4 /dev/vda rw',
    '31 27 254:0 /home/ann/.gc/run /mnt/a\\040run rw - ext4 /dev/vda rw',
    '32 27 0:40 / /home/ann/data rw - tmpfs tmpfs rw',
    '33 27 0:40 /inner /mnt/data rw - tmpfs tmpfs rw',
  ].join('\n'),
)

test('a path has the names of mounts of it, of a folder around it and of a part of it', () => {
  expect(boundPaths('/home/ann/.gc', mounts)).toEqual(['/home/ann/.gc', '/mnt/homes/ann/.gc', '/mnt/a run'])
  expect(boundPaths('/mnt/homes/ann', mounts)).toEqual(['/home/ann', '/mnt/homes/ann', '/mnt/a run'])
  expect(boundPaths('/home/ann/data/inner/x', mounts)).toEqual(['/home/ann/data/inner/x', '/mnt/data/x'])
  expect(boundPaths('/srv', mounts)).toEqual(['/srv'])
})
