declare module 'oidc-provider' {
  import type { RequestListener } from 'node:http'

  /** As much of the OpenID provider as tests use. */
  // biome-ignore lint/style/noDefaultExport: it has one
  export default class Provider {
    constructor(issuer: string, configuration: Record<string, unknown>)
    callback(): RequestListener
  }
}
