import { chmodSync, copyFileSync, existsSync, mkdirSync, symlinkSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { run, runWell } from './release-build.ts'

const APPLETS = [
  'cat',
  'chmod',
  'cut',
  'date',
  'grep',
  'gzip',
  'httpd',
  'ls',
  'mkdir',
  'mktemp',
  'mv',
  'rm',
  'sed',
  'sh',
]
const MORE = ['sha256sum', 'sleep', 'uname', 'wget']

/** Fills a root file system with busybox, git and the C library, and nothing else: no Node, no configuration, empty homes. */
export async function emptyMachine(root: string): Promise<void> {
  for (const folder of ['bin', 'proc', 'dev', 'tmp', 'root', 'release', 'usr/share/git-core/templates'])
    mkdirSync(join(root, folder), { recursive: true })
  chmodSync(join(root, 'tmp'), 0o1777)
  for (const program of ['busybox', 'git']) {
    const path = Bun.which(program)
    if (!path) throw new Error(`${program} is not installed`)
    copyFileSync(path, join(root, 'bin', program))
    for (const line of (await runWell(['ldd', path], '/')).split('\n'))
      copyLibrary(root, /(\/\S+) \(0x/.exec(line)?.[1])
  }
  for (const name of ['libpthread.so.0', 'libdl.so.2', 'libm.so.6']) {
    const libc = /=> (\/\S+)\/libc\.so\.6/.exec(await runWell(['ldd', Bun.which('git') ?? ''], '/'))?.[1] ?? ''
    copyLibrary(root, join(libc, name))
  }
  for (const applet of [...APPLETS, ...MORE]) symlinkSync('busybox', join(root, 'bin', applet))
}

function copyLibrary(root: string, path: string | undefined): void {
  if (path === undefined || existsSync(join(root, path))) return
  mkdirSync(join(root, dirname(path)), { recursive: true })
  copyFileSync(path, join(root, dirname(path), basename(path)))
}

/** Runs a script there, in namespaces of its own: its only network is loopback, and its processes end with it. */
export function onMachine(root: string, script: string) {
  const inside = `mount -t proc proc "$0/proc" && mount --rbind /dev "$0/dev" && ip link set lo up &&
    exec chroot "$0" /bin/busybox env -i HOME=/root PATH=/bin sh -ec "$1"`
  return run(['unshare', '-rmnpf', 'sh', '-c', inside, root, script], '/')
}
