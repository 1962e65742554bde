/** Identity of a person according to an identity provider. */
export interface Person {
  /** The provider: `operator`, `oidc:<issuer>`. */
  provider: string
  /** The provider's identifier of this person, which never changes. */
  subject: string
  name?: string
}
