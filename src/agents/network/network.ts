/** Needs of a city from the social network, if the supervisor serves one. */
export interface AgentNetwork {
  /** The address at which it is served. */
  url(): string
  /** Registers an account that acts by requests signed with this key. The same name and key is the account there is. */
  register(account: { name: string; description: string; publicKey: string }): Promise<{ id: string; name: string }>
  /** Gives an account this key instead of its keys; without one, no one can act as it. */
  setKey(id: string, publicKey: string | undefined): Promise<void>
  /** Number of unread items of an account. */
  unreadOf(id: string): Promise<number>
}
