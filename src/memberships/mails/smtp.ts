import { createHash } from 'node:crypto'
import { oneLine } from '../../core/dto/index.ts'
import { MembershipError } from '../../core/errors.ts'
import { loadFromSite } from '../../core/package-folder.ts'
import { isUrl } from '../../core/url.ts'
import type { Transport } from './mail.ts'
import { toRecipient } from './safe.ts'

/** The mail server by which mails leave, and how. */
export interface SmtpOptions {
  /** `smtps://user:password@mail.example.com` speaks TLS from the start, `smtp://…:587` begins it by STARTTLS. Characters
   *  that mean something in an address are percent-encoded. */
  readonly url: string
  /** The sender: `hello@neap.example`, or with a name; the mail server has to allow it. */
  readonly from: string | { readonly name: string; readonly address: string }
  /** The address for answers, when it is not `from`. */
  readonly replyTo?: string
  /** Certificates of a mail server that is signed by nobody public, as PEM. */
  readonly ca?: string
  /**
   * True if a mail server of another machine may be spoken to in the open when it offers no STARTTLS: false unless
   * given, since a login link that is read on its way logs its reader in.
   */
  readonly allowPlain?: boolean
}

/**
 * A transport by SMTP, with the package `nodemailer`, which is loaded with the first mail. What the server refuses for now
 * (4xx), and whatever is wrong with the connection or the login, is tried again later; a recipient or a mail that it refuses
 * for good (5xx) is given up and logged.
 * @throws ERR_CONFIG for an address that is none
 */
export const smtp = ({ url, from, replyTo, ca, allowPlain = false }: SmtpOptions): Transport => {
  const server = serverOf(url)
  const sender = typeof from === 'string' ? { name: '', address: from } : from
  if (!/^[^\s@<>]+@[^\s@<>]+$/.test(sender.address))
    throw config('`from` of smtp() is no e-mail address.', 'Give one such as hello@example.com.')
  const domain = sender.address.slice(sender.address.lastIndexOf('@') + 1)
  let mailer: Promise<Mailer> | null = null
  const open = (): Promise<Mailer> => {
    mailer ??= load().then(({ createTransport }) =>
      createTransport({
        ...server,
        requireTLS: !allowPlain && !server.secure && !isLoopback(server.host),
        ...(ca === undefined ? {} : { tls: { ca } }),
        ...patience,
      }),
    )
    return mailer
  }

  return async ({ id, to, subject, text, html, headers }) => {
    const mail = {
      from: { name: oneLine(sender.name), address: sender.address },
      to: { name: '', address: toRecipient(to) },
      ...(replyTo === undefined ? {} : { replyTo }),
      subject: oneLine(subject),
      text,
      html,
      messageId: `<${createHash('sha256').update(id).digest('hex').slice(0, 32)}@${domain}>`,
      headers: { 'Auto-Submitted': 'auto-generated', ...plain(headers) },
      disableFileAccess: true,
      disableUrlAccess: true,
    }
    try {
      await (await open()).sendMail(mail)
    } catch (error) {
      throw isFinal(error) ? refused(error) : error
    }
  }
}

interface Mailer {
  sendMail(mail: object): Promise<unknown>
}

// Less than the minute after which a mail counts as not handed over, so that none is sent twice at once.
const patience = {
  connectionTimeout: 15_000,
  greetingTimeout: 15_000,
  socketTimeout: 40_000,
  dnsTimeout: 10_000,
}

const load = async (): Promise<{ createTransport(options: object): Mailer }> => {
  try {
    return loadFromSite('nodemailer') as { createTransport(options: object): Mailer }
  } catch (cause) {
    throw new MembershipError('ERR_CONFIG', 'smtp() needs the package nodemailer, which is not installed.', {
      action: 'npm install nodemailer',
      cause,
    })
  }
}

const serverOf = (url: string) => {
  const given = isUrl(url) ? new URL(url) : null
  if (given === null || !/^smtps?:$/.test(given.protocol) || given.hostname === '')
    throw config(
      '`url` of smtp() is no address of a mail server.',
      'Give one such as smtps://user:password@mail.example.com.',
    )
  const secure = given.protocol === 'smtps:'
  const user = decodeURIComponent(given.username)
  return {
    host: given.hostname,
    port: given.port === '' ? (secure ? 465 : 587) : Number(given.port),
    secure,
    ...(user === '' ? {} : { auth: { user, pass: decodeURIComponent(given.password) } }),
  }
}

const isLoopback = (host: string): boolean => /^(localhost|127(\.\d+){3}|\[::1\])$/.test(host)

// A line break would begin a header of its own.
const plain = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, oneLine(value, 2000)]))

/** Refused for good are this recipient or this mail alone (https://www.rfc-editor.org/rfc/rfc5321#section-4.2.1). A 5xx to
 *  the login or to the sender is about the site's settings: those are mended, and the mails go out then. */
const isFinal = (error: unknown): boolean => {
  const { responseCode = 0, command = '' } = error as { responseCode?: number; command?: string }
  return responseCode >= 500 && /^(RCPT|DATA)/.test(command)
}

const refused = (cause: unknown): MembershipError =>
  new MembershipError(
    'ERR_UNDELIVERABLE',
    `The mail server refused the mail for good: ${oneLine(String((cause as Error).message), 300)}`,
    { action: 'Look at what it says. membership outbox shows the mail, and can send it again.', cause },
  )

const config = (message: string, action: string): MembershipError =>
  new MembershipError('ERR_CONFIG', message, { action })
