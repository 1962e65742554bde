import { readFileSync } from 'node:fs'

let bootName: string | undefined

/** Identifies this run of the machine. No process of an earlier one is left. */
export function bootId(): string {
  bootName ??=
    process.platform === 'linux'
      ? readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim().slice(0, 8)
      : Bun.spawnSync(['sysctl', '-n', 'kern.bootsessionuuid']).stdout.toString().trim().slice(0, 8).toLowerCase()
  return bootName
}
