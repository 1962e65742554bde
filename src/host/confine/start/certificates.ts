import { isAbsolute } from 'node:path'

/** Variables that add trusted certificates to those of the system: files and folders of certificates. */
export const CERTIFICATE_VARIABLES = [
  ...['SSL_CERT_FILE', 'SSL_CERT_DIR', 'NODE_EXTRA_CA_CERTS', 'CURL_CA_BUNDLE', 'REQUESTS_CA_BUNDLE', 'PIP_CERT'],
  ...['GIT_SSL_CAINFO', 'CARGO_HTTP_CAINFO', 'NIX_SSL_CERT_FILE', 'DENO_CERT', 'AWS_CA_BUNDLE'],
]

/** The files and folders with the certificates that an environment names. */
export const certificatePlaces = (env: Readonly<Record<string, string | undefined>>): string[] => [
  ...new Set(CERTIFICATE_VARIABLES.flatMap((name) => env[name]?.split(':') ?? []).filter((path) => isAbsolute(path))),
]
