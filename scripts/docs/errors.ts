import { type CatalogueEntry, ERRORS } from '../../src/core/error-catalogue.ts'
import { table } from './markdown.ts'

const HEADING = '## Error codes\n'

/** The page on troubleshooting with its tables of codes as the catalogue has them. */
export function withErrorTables(page: string): string {
  const start = page.indexOf(HEADING)
  if (start < 0) throw new Error(`docs/troubleshooting.md has no heading "${HEADING.trim()}"`)
  const end = page.indexOf('\n## ', start + HEADING.length)
  return page.slice(0, start) + errorTables() + (end < 0 ? '' : page.slice(end))
}

const entries: readonly (readonly [string, CatalogueEntry])[] = Object.entries(ERRORS)

/** Codes of the operating system begin with `e` and have no dash. */
const isSystem = (code: string): boolean => /^e[a-z]+$/.test(code)
const isNetwork = (code: string): boolean => /^[A-Z]/.test(code)

function errorTables(): string {
  const api = entries.filter(([, { status }]) => status !== undefined)
  const others = entries.filter(([, { status }]) => status === undefined)
  const rows = (of: typeof entries) => of.map(([code, { sentence, fix }]) => [`\`${code}\``, sentence, fix])
  return `${HEADING}
The message of an error names the case. The tables name the kind of problem and the usual fix.

### Over HTTP

Commands and the dashboard print the same codes, with \`type\` \`api\`. A response without a code prints as \`status-<number>\`.

${table(
  ['Code', 'Status', 'Problem', 'Fix'],
  api.map(([code, { status, sentence, fix }]) => [`\`${code}\``, String(status), sentence, fix]),
)}

### Of commands

${table(['Code', 'Problem', 'Fix'], rows(others.filter(([code]) => !isSystem(code) && !isNetwork(code))))}

### Of the operating system

${table(['Code', 'Problem', 'Fix'], rows(others.filter(([code]) => isSystem(code))))}

### Of the network of agents

${table(['Code', 'Problem', 'Fix'], rows(others.filter(([code]) => isNetwork(code))))}
`
}
