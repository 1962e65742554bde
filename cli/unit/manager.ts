import { existsSync, lstatSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { failure } from '../io/exit.ts'
import type { Io } from '../io/io.ts'
import type { Launch } from './launch.ts'
import { LABEL, launchdAgent } from './launchd.ts'
import { systemdUnit } from './systemd.ts'

/** Service manager that starts programs at login: systemd or launchd. */
export interface Manager {
  /** The unit of the supervisor. */
  readonly file: string
  /** File that makes the system start it at login, if there is a separate one. */
  readonly link?: string
  text(launch: Launch): string
  /** Sentences on what to run when the unit was written. */
  readonly afterInstall: readonly string[]
  /** A sentence on what to run when the unit was removed. */
  readonly afterUninstall: string
}

/** The manager of this system; undefined when gc writes no units for it. */
export function findManager({ env }: Pick<Io, 'env'>): Manager | undefined {
  const home = env.HOME || homedir()
  if (process.platform === 'linux') return systemd(env.XDG_CONFIG_HOME || join(home, '.config'), env.USER)
  if (process.platform === 'darwin') return launchd(home)
  return undefined
}

export function requireManager(io: Pick<Io, 'env'>): Manager {
  const manager = findManager(io)
  if (!manager) throw failure('units are written for systemd and launchd; let this system run `gc serve` at login')
  return manager
}

function systemd(config: string, user: string | undefined): Manager {
  const folder = join(config, 'systemd', 'user')
  return {
    file: join(folder, 'gc.service'),
    link: join(folder, 'default.target.wants', 'gc.service'),
    text: systemdUnit,
    afterInstall: [
      'Start it with `systemctl --user daemon-reload && systemctl --user enable --now gc`.',
      ...(isLingering(user)
        ? []
        : ['It stops when you log out; `loginctl enable-linger` starts it with the machine and keeps it running.']),
    ],
    afterUninstall: 'Let systemd forget it with `systemctl --user daemon-reload`.',
  }
}

function launchd(home: string): Manager {
  const file = join(home, 'Library', 'LaunchAgents', `${LABEL}.plist`)
  return {
    file,
    text: launchdAgent,
    afterInstall: [`Start it with \`launchctl bootstrap gui/$(id -u) '${file.replaceAll("'", "'\\''")}'\`.`],
    afterUninstall: `Let launchd forget it with \`launchctl bootout gui/$(id -u)/${LABEL}\`.`,
  }
}

/** True if systemd runs the units of a user who is logged out. */
const isLingering = (user: string | undefined): boolean => !!user && existsSync(join('/var/lib/systemd/linger', user))

/** Existing files of a unit; a link may be dangling. */
export function installedFiles({ file, link }: Manager): string[] {
  const files = [file, ...(link === undefined ? [] : [link])]
  return files.filter((path) => lstatSync(path, { throwIfNoEntry: false }) !== undefined)
}

/** True if the system starts the supervisor at login; undefined when no unit is there. */
export function isEnabled(manager: Manager): boolean | undefined {
  const files = installedFiles(manager)
  if (!files.includes(manager.file)) return undefined
  return manager.link === undefined || files.includes(manager.link)
}
