import { readFileSync } from 'node:fs'
import Module from 'node:module'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { createOutbox } from '../../../src/core/jobs/outbox.ts'
import { openStorage } from '../../../src/core/storage/index.ts'
import { smtp } from '../../../src/memberships/mails/smtp.ts'
import { openMails, samples } from './support.ts'

const folder = join(import.meta.dirname, '..', '..', 'fixtures', 'smtp')
const cert = readFileSync(join(folder, 'certificate.pem'), 'utf8')
const key = readFileSync(join(folder, 'key.pem'), 'utf8')

interface Arrived {
  readonly from: string
  readonly to: readonly string[]
  readonly raw: string
  readonly secure: boolean
  readonly user: unknown
}

/** A mail server on loopback that keeps what arrives. */
async function openServer(t: ExecutionContext, options: Partial<SMTPServerOptions> = {}) {
  const arrived: Arrived[] = []
  const server = new SMTPServer({
    cert,
    key,
    logger: false,
    authOptional: true,
    onAuth: ({ username, password }, _session, done) =>
      password === 'p@ss word'
        ? done(null, { user: username })
        : done(Object.assign(new Error('no such login'), { responseCode: 535 })),
    onData: (stream, session, done) => {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope
        arrived.push({
          from: mailFrom === false ? '' : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
          raw: Buffer.concat(chunks).toString(),
          secure: session.secure,
          user: session.user,
        })
        done()
      })
    },
    ...options,
  })
  server.on('error', () => undefined)
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  t.teardown(() => new Promise<void>((closed) => server.close(closed)))
  const { port } = server.server.address() as AddressInfo
  return { arrived, at: (login = '') => `smtp://${login}127.0.0.1:${port}` }
}

const mail = {
  ...openMails().compose('welcome', { to: 'ann@example.com', data: samples.welcome }),
  id: 'mail:1',
}
const from = { name: 'Neap', address: 'hello@neap.example' }
function head(raw: string): string {
  return raw.split('\r\n\r\n')[0]!.replace(/\r\n[ \t]+/g, ' ')
}

test('a mail arrives over STARTTLS with a login, complete, and always with the same message id', async (t) => {
  const { arrived, at } = await openServer(t)
  const transport = smtp({ url: at('neap:p%40ss%20word@'), from, ca: cert, replyTo: 'help@neap.example' })
  const headers = {
    'List-Unsubscribe': '<https://neap.example/membership/unsubscribe/abc>',
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
  }
  await transport({ ...mail, headers })
  await transport({ ...mail, headers })
  t.is(arrived.length, 2)
  t.like(arrived[0], { from: 'hello@neap.example', to: ['ann@example.com'], secure: true, user: 'neap' })
  const lines = head(arrived[0]!.raw)
  t.regex(lines, /^From: Neap <hello@neap\.example>$/m)
  t.regex(lines, /^Reply-To: help@neap\.example$/m)
  t.regex(lines, /^Subject: Welcome to Neap$/m)
  t.regex(lines, /^Auto-Submitted: auto-generated$/m)
  t.regex(lines, /^List-Unsubscribe: <https:\/\/neap\.example\/membership\/unsubscribe\/abc>$/m)
  t.regex(lines, /^List-Unsubscribe-Post: List-Unsubscribe=One-Click$/m)
  const ids = arrived.map(({ raw }) => /^Message-ID: (<\S+@neap\.example>)\r?$/im.exec(raw)?.[1])
  t.truthy(ids[0])
  t.is(ids[0], ids[1])
  t.regex(arrived[0]!.raw, /Your membership has started/)
})

test('no mail data can inject a header or a recipient', async (t) => {
  const { arrived, at } = await openServer(t)
  const transport = smtp({ url: at(), from, ca: cert })
  const evil = 'Hi\r\nBcc: eve@example.com\r\n\r\nbuy this'
  await transport({ ...mail, subject: evil, headers: { 'List-Unsubscribe': `<x>${evil}` } })
  t.deepEqual(arrived[0]!.to, ['ann@example.com'])
  t.notRegex(head(arrived[0]!.raw), /^Bcc:/im)
  for (const to of [
    'ann@example.com\r\nRCPT TO:<eve@example.com>',
    'ann@example.com, eve@example.com',
    'A <eve@x.y>',
  ])
    await t.throwsAsync(transport({ ...mail, to }), { code: 'ERR_FORM' })
  t.is(arrived.length, 1)
})

test('a remote server without STARTTLS gets no mail and no password', async (t) => {
  const seen: string[] = []
  const { at } = await openServer(t, {
    disabledCommands: ['STARTTLS'],
    onAuth: (_auth, _session, done) => {
      seen.push('a password')
      done(null, { user: 'x' })
    },
  })
  // A name of this machine that does not say so.
  const elsewhere = at('neap:secret@').replace('127.0.0.1', '0.0.0.0')
  await t.throwsAsync(smtp({ url: elsewhere, from })(mail), { message: /STARTTLS|TLS/i })
  t.deepEqual(seen, [])
})

test('a refused login and a 4xx are retried; a 5xx for the recipient is given up and reported', async (t) => {
  const answers = new Map<string, number>()
  const { arrived, at } = await openServer(t, {
    onRcptTo: ({ address }, _session, done) => {
      const responseCode = answers.get(address)
      done(responseCode === undefined ? null : Object.assign(new Error('mailbox trouble'), { responseCode }))
    },
  })
  let login = 'neap:wrong@'
  let now = Date.parse('2026-01-01T00:00:00Z')
  const log: string[] = []
  const storage = await openStorage({
    url: 'sqlite::memory:',
    synchronous: 'normal',
    pool: 1,
    now: () => new Date(now),
  })
  t.teardown(() => storage.close())
  const outbox = createOutbox({
    storage,
    now: () => new Date(now),
    log: (line, details) => log.push(`${line} ${JSON.stringify(details)}`),
    retries: 10,
    handlers: {
      mail: async ({ payload }) => {
        await smtp({ url: at(login), from, ca: cert })({ ...mail, to: String(payload) })
      },
    },
  })
  const work = async () => {
    await outbox.deliverDue()
    now += 3_600_000
    return (await outbox.list()).map(({ status, attempts }) => `${status} ${attempts}`)
  }
  await storage.commit(outbox.steps([{ id: '1', lane: '1', kind: 'mail', payload: 'ann@example.com' }]))
  t.deepEqual(await work(), ['waiting 1'], 'the login is refused')
  login = 'neap:p%40ss%20word@'
  answers.set('ann@example.com', 451)
  t.deepEqual(await work(), ['waiting 2'], 'try again later')
  answers.clear()
  t.deepEqual(await work(), [])
  t.is(arrived.length, 1)

  answers.set('gone@example.com', 550)
  await storage.commit(outbox.steps([{ id: '2', lane: '2', kind: 'mail', payload: 'gone@example.com' }]))
  t.deepEqual(await work(), ['dead 1'])
  const said = log.find((line) => line.startsWith('a message was given up')) ?? ''
  t.regex(said, /refused the mail for good/)
  t.notRegex(said, /gone@example\.com/, 'nobody’s address stands in the log')
})

test('an invalid address of a server or sender is reported at once', (t) => {
  t.throws(() => smtp({ url: 'mail.example.com', from }), { code: 'ERR_CONFIG' })
  t.throws(() => smtp({ url: 'smtps://mail.example.com', from: 'Neap' }), { code: 'ERR_CONFIG' })
})

test('without nodemailer, the start says what to install', (t) => {
  const resolve = resolver._resolveFilename
  resolver._resolveFilename = (name, ...rest) => {
    if (name === 'nodemailer') throw Object.assign(new Error('Cannot find it'), { code: 'MODULE_NOT_FOUND' })
    return resolve(name, ...rest)
  }
  try {
    const error = t.throws(() => smtp({ url: 'smtps://mail.example.com', from }), { code: 'ERR_CONFIG' })
    t.regex(String(error?.message), /needs the package nodemailer, which is not installed/)
    t.like(error, { action: 'npm install nodemailer' })
  } finally {
    resolver._resolveFilename = resolve
  }
  t.is(typeof smtp({ url: 'smtps://mail.example.com', from }), 'function')
})

/** Node's own resolution of `require`. */
const resolver = Module as unknown as { _resolveFilename: (name: string, ...rest: unknown[]) => string }
