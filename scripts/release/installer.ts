import template from './install.sh' with { type: 'text' }

/** Inputs of an installer. */
export interface InstallerInputs {
  readonly version: string
  readonly publicKey: string | undefined
  /** The address of the release files; empty if it must be given when gc is installed. */
  readonly url: string
  /** The SHA-256 of the gzipped program of each platform. */
  readonly checksums: ReadonlyMap<string, string>
}

const URL_TEXT = /^https?:\/\/[\w.:/~%-]+$/

/** The installer of a release, with its checksums. */
export function installer({ version, publicKey = '', url, checksums }: InstallerInputs): string {
  if (url !== '' && !URL_TEXT.test(url)) throw new Error(`${url} is not an address of http or https`)
  const cases = [...checksums].map(([target, checksum]) => `    ${target}) echo ${checksum} ;;`)
  return template
    .replaceAll('@VERSION@', version)
    .replace('@PUBLIC_KEY@', publicKey)
    .replace('@URL@', url)
    .replace('@CHECKSUMS@', cases.join('\n'))
}
