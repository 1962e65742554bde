import {
  ATTENTION_KINDS,
  type CatalogueEntry,
  DOCTOR_CHECKS,
  ERRORS,
  IMPORT_PROBLEMS,
  REQUEST_FAILURES,
} from '../../src/core/error-catalogue.ts'
import { table } from './markdown.ts'

const HEADING = '## Error codes\n'
const NEXT = '\n## Report a problem\n'

/** The page on troubleshooting with the tables of the catalogue. */
export function withCatalogueTables(page: string): string {
  const start = page.indexOf(HEADING)
  if (start < 0) throw new Error(`docs/troubleshooting.md has no heading "${HEADING.trim()}"`)
  const end = page.indexOf(NEXT, start)
  return page.slice(0, start) + errorTables() + (end < 0 ? '' : page.slice(end))
}

type Entries = readonly (readonly [string, CatalogueEntry])[]

const entries: Entries = Object.entries(ERRORS)

/** A table of codes with their problem and fix. */
const codes = (name: string, of: Entries): string =>
  table(
    [name, 'Problem', 'Fix'],
    of.map(([code, { sentence, fix }]) => [`\`${code}\``, sentence, fix]),
  )

/** Codes of the operating system begin with `e` and have no dash. */
const isSystem = (code: string): boolean => /^e[a-z]+$/.test(code)
const isNetwork = (code: string): boolean => /^[A-Z]/.test(code)

function errorTables(): string {
  const api = entries.filter(([, { status }]) => status !== undefined)
  const others = entries.filter(([, { status }]) => status === undefined)
  return `${HEADING}
The message of an error names the case. The tables name the kind of problem and the usual fix.

### Over HTTP

Commands and the dashboard print the same codes, with \`type\` \`api\`. A response without a code prints as \`status-<number>\`.

${table(
  ['Code', 'Status', 'Problem', 'Fix'],
  api.map(([code, { status, sentence, fix }]) => [`\`${code}\``, String(status), sentence, fix]),
)}

### Of commands

${codes(
  'Code',
  others.filter(([code]) => !isSystem(code) && !isNetwork(code)),
)}

### Of accepted requests

A request with status 202 ends with an event. \`request.failed\` holds one of these codes as \`error_code\`.

${codes('Code', Object.entries(REQUEST_FAILURES))}

### Of imports

\`gc import check\` reports these codes.

${codes('Code', Object.entries(IMPORT_PROBLEMS))}

### Of the operating system

${codes(
  'Code',
  others.filter(([code]) => isSystem(code)),
)}

### Of the network of agents

${codes(
  'Code',
  others.filter(([code]) => isNetwork(code)),
)}

## Attention items

\`gc attention\` and the dashboard list items of these kinds. Each item names its own case and fix. \`gc attention mute <kind>\` hides a
kind.

${codes('Kind', Object.entries(ATTENTION_KINDS))}

## Doctor checks

\`gc doctor\` looks for these problems, in this order. Each result names its own case and fix.

${codes('Check', Object.entries(DOCTOR_CHECKS))}
`
}
