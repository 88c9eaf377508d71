import { Secret, TOTP } from 'otpauth'
import type { MembershipOptions } from '../../src/index.ts'
import { createOperators, type Role } from '../../src/office/operators.ts'
import { openStripeSite } from './stripe-site.ts'
import { createMailbox, logIn, type Visitor } from './visitor.ts'

/** A site with an office. */
export async function openOfficeSite(
  t: Parameters<typeof openStripeSite>[0],
  options: MembershipOptions = {},
  fakeOptions: Parameters<typeof openStripeSite>[2] = {},
) {
  const mailbox = createMailbox()
  const settings = { 'membership.office.enabled': true, ...mailbox.options, ...options }
  const opened = await openStripeSite(t, settings, fakeOptions)
  const { m, fake, site } = opened
  const operators = createOperators({ storage: m.storage, now: () => fake.now() })

  /** Lets somebody in by the whole way: account, link, second factor. */
  const enter = async (email: string, role: Role = 'operator') => {
    await operators.add({ email, role, by: 'test' })
    if ((await m.users.findByEmail(email)) === null) await m.users.create({ email })
    const visitor = await logIn({ m, site }, mailbox, email)
    const authenticator = await enrol(visitor, fake.now)
    return { visitor, ...authenticator }
  }
  return { ...opened, mailbox, operators, enter }
}
export type OfficeSite = Awaited<ReturnType<typeof openOfficeSite>>

const html = { accept: 'text/html' }

/** Sets up the second factor of whoever is logged in. */
export async function enrol(visitor: Visitor, now: () => Date) {
  const page = await visitor.get('/membership/office/enter')
  const typed = /class="o-secret">([^<]+)</.exec(page.text)?.[1] ?? ''
  const sealed = /name="sealed" value="([^"]+)"/.exec(page.text)?.[1] ?? ''
  const totp = new TOTP({ secret: Secret.fromBase32(typed.replaceAll(' ', '')) })
  const code = (stepsLater = 0) => totp.generate({ timestamp: now().getTime() + stepsLater * 30_000 })
  const answer = await visitor.send('/membership/office/enrol', { sealed, code: code() }, html)
  const codes = [...answer.text.matchAll(/<code>([A-Z2-9]{5}-[A-Z2-9]{5})<\/code>/g)].map(([, item]) => item!)
  return { answer, code, codes, sealed }
}

/** Opens the page that says what would happen, and confirms it. */
export async function confirm(visitor: Visitor, path: string, more: Record<string, string> = {}) {
  const page = await visitor.get(path)
  const fields = Object.fromEntries(
    [...page.text.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)">/g)]
      .map(([, name, value]) => [
        name!,
        value!
          .replaceAll('&lt;', '<')
          .replaceAll('&gt;', '>')
          .replaceAll('&#39;', "'")
          .replaceAll('&quot;', '"')
          .replaceAll('&amp;', '&'),
      ])
      .filter(([name]) => name !== 'token' && name !== 'q'),
  ) as Record<string, string>
  const send = () => visitor.send(path.split('?')[0]!, { ...fields, ...more }, html)
  return { page, fields, send, answer: await send() }
}
