import { createTransport } from 'nodemailer'

/** The mail server that sends for the network. */
export interface SmtpSettings {
  readonly host: string
  readonly port: number
  /** Whether the connection is encrypted from its beginning; otherwise as soon as the server offers it. */
  readonly secure: boolean
  /** The address that mail comes from. */
  readonly from: string
  readonly user: string | undefined
  readonly password: string | undefined
}

export interface Mail {
  readonly to: string
  readonly subject: string
  readonly text: string
}

/** Milliseconds that each step of sending may take. */
const TIMEOUT = 10_000

/** Sends one mail over a connection of its own. */
export async function sendMail({ from, host, port, secure, user, password }: SmtpSettings, mail: Mail): Promise<void> {
  const transport = createTransport({
    ...{ host, port, secure, connectionTimeout: TIMEOUT, greetingTimeout: TIMEOUT, socketTimeout: TIMEOUT },
    ...{ disableFileAccess: true, disableUrlAccess: true },
    // A password never goes over a connection that is not encrypted.
    requireTLS: password !== undefined && !secure,
    ...(user !== undefined && password !== undefined && { auth: { user, pass: password } }),
  })
  try {
    await transport.sendMail({ from, ...mail })
  } finally {
    transport.close()
  }
}
