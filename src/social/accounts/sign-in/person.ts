/** Who an identity provider says somebody is. */
export interface Person {
  /** The provider: `operator`, `oidc:<issuer>`. */
  provider: string
  /** The provider's identifier of this person, which never changes. */
  subject: string
  name?: string
}
