import { accessSync, constants, existsSync } from 'node:fs'
import { dirname } from 'node:path'
import type { CityConfig } from '../../config/city/index.ts'
import { type CountedDenial, readDenials } from '../../host/confine/index.ts'
import type { SessionRow } from '../../work/sessions/index.ts'
import { type Around, allowingLine, pathLine } from './allowing-line.ts'
import { type Confinable, type ConfinementPlace, privateFolder } from './confinement.ts'
import { type OutputDenial, saidRefusals, saidUnresolved } from './output-denials.ts'

interface RefusalsOptions {
  readonly place: Pick<ConfinementPlace, 'path' | 'home'>
  readonly config: { readonly current: Pick<CityConfig, 'rigs'> }
  /** As whose session one is confined. */
  confinable(row: SessionRow): Confinable | undefined
}

/** The longest path or address in a sentence. */
const MAX_SHOWN = 120

/** Says what confined sessions were refused when they fail, with the line that would allow it. */
export class Refusals {
  constructor(private readonly options: RefusalsOptions) {}

  /** Denials of a session's last run, as a sentence; undefined if there are none. */
  sentence(row: SessionRow, output: string | undefined): string | undefined {
    if (row.confined === null || row.confined === 'off') return undefined
    const { place, config } = this.options
    const confinable = this.options.confinable(row)
    const around = { gcHome: place.home, city: place.path, rigs: config.current.rigs, rig: confinable?.dir }
    const table = `the confine table of ${confinable?.declared ?? row.template}`
    const since = row.wokeAt ?? 0
    const denials = readDenials(privateFolder(place.path, row.id)).filter(({ lastAt }) => Date.parse(lastAt) >= since)
    if (denials.length > 0) return `${recorded(denials, { around, table })} (gc session denials ${row.id})`
    const said = saidRefusals(output ?? '', row.workDir).find(isOpenToGc)
    if (said) return unproven(said, { around, table })
    return row.confined === 'default' ? unresolved(saidUnresolved(output ?? ''), table) : undefined
  }
}

interface Telling {
  around: Around
  table: string
}

/** The newest denial of those that a line would allow, or of all. */
function recorded(denials: readonly CountedDenial[], { around, table }: Telling): string {
  const told = denials
    .toSorted((a, b) => Date.parse(b.lastAt) - Date.parse(a.lastAt))
    .map((denial) => ({ ...denial, line: shown(allowingLine(denial, around)) }))
  const newest = told.find(({ line }) => line !== undefined) ?? told[0]
  const what = `its confinement refused it ${newest?.call} ${newest?.target.slice(0, MAX_SHOWN)}`.trim()
  return newest?.line === undefined ? what : `${what}: ${newest.line} in ${table} allows it`
}

/** A line, unless it is too long for a sentence. */
const shown = (line: string | undefined): string | undefined => (line && line.length <= MAX_SHOWN ? line : undefined)

/** The kernel does not report which files it kept closed: that it was because of the confinement is a guess. */
function unproven({ path, access }: OutputDenial, { around, table }: Telling): string | undefined {
  if (path.length > MAX_SHOWN) return undefined
  const line = shown(pathLine(path, access, around))
  const said = `it said "permission denied" of ${path}, perhaps for its confinement`
  return line === undefined ? said : `${said}: ${line} in ${table} allows it`
}

/** Names are looked up by the proxy of a session, and by no one else. */
const unresolved = (host: string | undefined, table: string): string | undefined =>
  host === undefined || host.length > MAX_SHOWN
    ? undefined
    : `it could not look up ${host}: confined programs reach hosts by HTTPS_PROXY, which this one did not; mode = "network" in ${table} lets it`

/** Paths that gc itself cannot open are closed to the session in every sandbox. */
function isOpenToGc({ path, access }: OutputDenial): boolean {
  const place = existsSync(path) ? path : dirname(path)
  try {
    accessSync(place, access === 'read' ? constants.R_OK : constants.W_OK)
    return true
  } catch {
    return false
  }
}
