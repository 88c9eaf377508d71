import { createHash } from 'node:crypto'
import { oneLine } from '../../core/dto/index.ts'
import { MembershipError } from '../../core/errors.ts'
import { isInstalled, loadFromSite } from '../../core/package-folder.ts'
import { isUrl } from '../../core/url.ts'
import type { Transport } from './mail.ts'
import { toRecipient } from './safe.ts'

/** The mail server, and how to use it. */
export interface SmtpOptions {
  /**
   * `smtps://user:password@mail.example.com` uses TLS from the start; `smtp://…:587` uses STARTTLS. Percent-encode
   * characters with a meaning in an address.
   */
  readonly url: string
  /** The sender: `hello@neap.example`, with or without a name. The mail server has to allow it. */
  readonly from: string | { readonly name: string; readonly address: string }
  /** The address for answers, if it is not `from`. */
  readonly replyTo?: string
  /** The mail server's private certificates, as PEM. */
  readonly ca?: string
  /**
   * Allows an unencrypted connection to another machine's mail server that offers no STARTTLS. Default: false, because
   * anybody who reads a login link on the way can log in.
   */
  readonly allowPlain?: boolean
}

/**
 * A transport by SMTP. It uses the package `nodemailer`, loaded with the first mail. A temporary refusal (4xx), and any
 * failure of the connection or the login, is retried later. A recipient or a mail refused for good (5xx) is given up
 * and logged.
 * @throws ERR_CONFIG for an invalid address, and without the package
 */
export function smtp({ url, from, replyTo, ca, allowPlain = false }: SmtpOptions): Transport {
  const server = serverOf(url)
  const sender = typeof from === 'string' ? { name: '', address: from } : from
  if (!/^[^\s@<>]+@[^\s@<>]+$/.test(sender.address))
    throw config('`from` of smtp() is no e-mail address.', 'Give one such as hello@example.com.')
  if (!isInstalled('nodemailer')) throw missing()
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

// Shorter than the minute after which a mail counts as not handed over, so that no mail is sent twice at once.
const patience = {
  connectionTimeout: 15_000,
  greetingTimeout: 15_000,
  socketTimeout: 40_000,
  dnsTimeout: 10_000,
}

async function load(): Promise<{ createTransport(options: object): Mailer }> {
  try {
    return loadFromSite('nodemailer') as { createTransport(options: object): Mailer }
  } catch (cause) {
    throw missing(cause)
  }
}

function missing(cause?: unknown): MembershipError {
  return new MembershipError('ERR_CONFIG', 'smtp() needs the package nodemailer, which is not installed.', {
    action: 'npm install nodemailer',
    cause,
  })
}

function serverOf(url: string) {
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

function isLoopback(host: string): boolean {
  return /^(localhost|127(\.\d+){3}|\[::1\])$/.test(host)
}

// A line break would begin another header.
function plain(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, oneLine(value, 2000)]))
}

/**
 * True if this recipient or this mail was refused for good (https://www.rfc-editor.org/rfc/rfc5321#section-4.2.1). A
 * 5xx to the login or the sender concerns the site's settings; once they are corrected, the mails are sent.
 */
function isFinal(error: unknown): boolean {
  const { responseCode = 0, command = '' } = error as { responseCode?: number; command?: string }
  return responseCode >= 500 && /^(RCPT|DATA)/.test(command)
}

function refused(cause: unknown): MembershipError {
  return new MembershipError(
    'ERR_UNDELIVERABLE',
    `The mail server refused the mail for good: ${oneLine(String((cause as Error).message), 300)}`,
    { action: 'Look at what it says. membership outbox shows the mail, and can send it again.', cause },
  )
}

function config(message: string, action: string): MembershipError {
  return new MembershipError('ERR_CONFIG', message, { action })
}
