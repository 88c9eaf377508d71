import test from 'ava'
import { type MailData, type MailKind, mailName } from '../../../src/memberships/mails/index.ts'
import { englishIn } from '../../support/english.ts'
import { kinds, openMails, paragraphsOf, samples, siteWith } from './support.ts'

const mails = openMails()
function write<K extends MailKind>(kind: K, language: string, data: Partial<MailData[K]> = {}) {
  return mails.compose(kind, {
    to: 'ann@example.com',
    name: 'Ann',
    language,
    data: { ...samples[kind], ...data },
  })
}

/** Subject and paragraphs of the text. */
function said<K extends MailKind>(kind: K, language: string, data: Partial<MailData[K]> = {}) {
  const { subject, text } = write(kind, language, data)
  return [subject, ...paragraphsOf(text)]
}
const end = 'Yours, Neap https://neap.example'
const ende = 'Freundliche Grüße Neap https://neap.example'

test('every kind of mail has a display name in each language', (t) => {
  t.is(mailName('renewal-ahead', 'de'), 'Verlängert sich bald')
  t.is(mailName('renewal-ahead', 'fr'), 'Renews soon')
  const nameless = kinds.filter(
    (kind) => mailName(kind, 'de') === mailName(kind, 'en') && kind !== 'cancellation',
  )
  t.deepEqual(nameless, [])
})

test('a login link explains its effect, its validity, and what to do if nobody requested it', (t) => {
  const { url } = samples['magic-link']
  t.deepEqual(said('magic-link', 'en'), [
    'Log in to Neap',
    'Hello Ann,',
    'This link logs you in to Neap.',
    'It works once, within 15 minutes.',
    'If you didn’t ask for this, ignore this mail. Nothing happens without the link.',
    `Log in: ${url}`,
    end,
  ])
  t.deepEqual(said('magic-link', 'de', { isSignup: true, minutes: 1 }), [
    'Bestätigen Sie Ihre Adresse für Neap',
    'Guten Tag Ann,',
    'Dieser Link bestätigt Ihre Adresse und legt Ihr Konto bei Neap an.',
    'Er gilt einmal und 1 Minute lang.',
    'Wenn Sie ihn nicht angefordert haben, beachten Sie diese E-Mail nicht weiter. Ohne den Link geschieht nichts.',
    `Adresse bestätigen: ${url}`,
    ende,
  ])
  t.is(said('magic-link', 'en', { isSignup: true })[0], 'Confirm your address for Neap')
  t.is(said('magic-link', 'de')[0], 'Anmeldung bei Neap')
  t.is(said('magic-link', 'en', { minutes: 1440 })[3], 'It works once, within 24 hours.')
  t.is(said('magic-link', 'de', { minutes: 30 * 1440 })[3], 'Er gilt einmal und 30 Tage lang.')
  t.is(said('magic-link', 'en', { minutes: 90 })[3], 'It works once, within 90 minutes.')
})

test('a welcome names the plan and leads to the account', (t) => {
  t.deepEqual(said('welcome', 'en'), [
    'Welcome to Neap',
    'Hello Ann,',
    'Thank you for joining. Your membership has started: Pro, yearly.',
    'Your account shows your membership, when it renews and every payment.',
    'Open my account: https://neap.example/account',
    end,
  ])
  t.is(said('welcome', 'de')[2], 'Schön, dass Sie dabei sind. Ihre Mitgliedschaft hat begonnen: Pro, yearly.')
  t.regex(
    said('welcome', 'en', { trial_until: '2026-12-20T00:00:00.000Z' })[3] ?? '',
    /your trial ends on .+ continues at its full price/i,
  )
  t.regex(
    said('welcome', 'de', { trial_until: '2026-12-20T00:00:00.000Z' })[3] ?? '',
    /Ihre Probezeit endet am .+ zum vollen Preis/,
  )
})

test('a gift keeps the line breaks of its message, in the text and in the HTML', (t) => {
  const message = `Dear Ben,\r\nhappy birthday! <b>Ann</b>\r\n\r\n${'word '.repeat(20)}\nYours`
  const { text, html } = write('gift', 'en', { message })
  t.true(text.includes('\n\nDear Ben,\nhappy birthday! <b>Ann</b>\n\nword word'))
  t.regex(text, /word\nword( word)*\nYours\n\n/, 'a long line is wrapped, and the next begins a line')
  t.true(html.includes('>Dear Ben,<br>happy birthday! &lt;b&gt;Ann&lt;/b&gt;</p>'))
  t.regex(html, /word word<br>Yours<\/p>/)
})

test('a receipt states what was paid, when and for what, and when it renews', (t) => {
  t.deepEqual(said('receipt', 'en'), [
    'Receipt: Pro, yearly',
    'Hello Ann,',
    'You paid €50 on 21 November 2026 for Pro, yearly. Thank you.',
    'Your membership renews on 21 November 2027.',
    'What: Pro, yearly Total paid: €50',
    'See the invoice: https://pay.example/invoice/7',
    end,
  ])
  t.deepEqual(said('receipt', 'de'), [
    'Zahlungsbeleg: Pro, yearly',
    'Guten Tag Ann,',
    'Sie haben am 21. November 2026 50 € für Pro, yearly bezahlt. Vielen Dank.',
    'Ihre Mitgliedschaft verlängert sich am 21. November 2027.',
    'Was: Pro, yearly Insgesamt bezahlt: 50 €',
    'Zur Rechnung: https://pay.example/invoice/7',
    ende,
  ])
})

test('a receipt of a one-time purchase without an invoice has neither a renewal nor a button', (t) => {
  const { text, html } = write('receipt', 'en', { renews_at: null, invoice_url: null })
  t.deepEqual(paragraphsOf(text), [
    'Hello Ann,',
    'You paid €50 on 21 November 2026 for Pro, yearly. Thank you.',
    'What: Pro, yearly Total paid: €50',
    end,
  ])
  t.notRegex(html, /class="button"/)
  t.notRegex(html, /does not work/)
})

test('a pause names its days, and a membership that continues its next payment, in both languages', (t) => {
  const paused = { pauses_on: '2026-12-20T00:00:00.000Z', paused_until: '2027-02-20T00:00:00.000Z' }
  t.deepEqual(said('changed', 'de', paused).slice(0, 3), [
    'Pausiert: Pro, yearly',
    'Guten Tag Ann,',
    'Ihre Mitgliedschaft pausiert ab dem 20. Dezember 2026: Pro, yearly. Von da an bis zum 20. Februar 2027 wird nichts abgebucht. Dann geht sie weiter, und die Zahlungen auch.',
  ])
  t.is(
    said('changed', 'en', { paused_until: paused.paused_until })[2],
    'Your membership is paused until 20 February 2027: Pro, yearly. Then it continues, and so do the payments.',
  )
  t.deepEqual(said('changed', 'en', { is_kept: true }).slice(0, 5), [
    'Your membership continues: Pro, yearly',
    'Hello Ann,',
    'Your membership continues: Pro, yearly.',
    'It costs €50 per year.',
    'The next payment is on 20 December 2026.',
  ])
  t.is(said('changed', 'de', { is_kept: true })[2], 'Ihre Mitgliedschaft geht weiter: Pro, yearly.')
})

test('a failed payment states how long access lasts and where to pay', (t) => {
  t.deepEqual(said('payment-failed', 'en'), [
    'Your payment failed: Pro, monthly',
    'Hello Ann,',
    'Your payment of €5.50 for Pro, monthly didn’t go through.',
    'You keep access until 1 December 2026 at the latest. It ends sooner if the payment is given up and the membership ends.',
    'Please pay with the link below. You can use another card there.',
    'Pay €5.50: https://pay.example/pay/7',
    end,
  ])
  t.deepEqual(said('payment-failed', 'de', { pay_url: null, access_until: null }), [
    'Ihre Zahlung ist fehlgeschlagen: Pro, monthly',
    'Guten Tag Ann,',
    'Ihre Zahlung von 5,50 € für Pro, monthly ist fehlgeschlagen.',
    'Bitte prüfen Sie die Karte in Ihrem Konto.',
    'Zu meinem Konto: https://neap.example/account',
    ende,
  ])
})

test('a cancellation states the end of the paid time, or that it ended', (t) => {
  t.deepEqual(said('cancellation', 'en'), [
    'Cancelled: Pro, yearly',
    'Hello Ann,',
    'Your membership is cancelled: Pro, yearly. It is paid until 20 December 2026, and you keep access until then.',
    'Changed your mind? You can undo the cancellation.',
    'Keep my membership: https://neap.example/account/resume',
    end,
  ])
  t.deepEqual(said('cancellation', 'de', { paid_until: null, resume_url: null }), [
    'Beendet: Pro, yearly',
    'Guten Tag Ann,',
    'Ihre Mitgliedschaft ist gekündigt und beendet: Pro, yearly. Dafür wird nichts mehr abgebucht.',
    'Zu meinem Konto: https://neap.example/account',
    ende,
  ])
  t.is(
    said('cancellation', 'de')[2],
    'Ihre Mitgliedschaft ist gekündigt: Pro, yearly. Sie ist bis zum 20. Dezember 2026 bezahlt, und so lange behalten Sie den Zugang.',
  )
})

test('each kind of end has its own text, in both languages', (t) => {
  const ends = [
    [
      'trial',
      '2026-12-20T00:00:00.000Z',
      /during the trial.*You won’t be charged/,
      /in der Probezeit.*nichts abgebucht/,
    ],
    [
      'trial',
      null,
      /trial is cancelled and has ended.*won’t be charged/,
      /Probezeit ist gekündigt und beendet/,
    ],
    [null, '2026-12-20T00:00:00.000Z', /paid until 20 December 2026/, /bis zum 20\. Dezember 2026 bezahlt/],
    [null, null, /cancelled and has ended/, /gekündigt und beendet/],
    ['unpaid', null, /last payment failed/, /letzte Zahlung ist fehlgeschlagen/],
    [
      'unpaid',
      '2026-12-20T00:00:00.000Z',
      /failed payment stays due/,
      /fehlgeschlagene Zahlung bleibt offen/,
    ],
    ['refunded', null, /refunded your last payment/, /letzte Zahlung erstattet/],
    ['disputed', null, /bank took the last payment back/, /Bank hat die letzte Zahlung zurückgeholt/],
  ] as const
  for (const [reason, paid_until, english, german] of ends) {
    t.regex(said('cancellation', 'en', { reason, paid_until })[2]!, english)
    t.regex(said('cancellation', 'de', { reason, paid_until })[2]!, german)
  }
  t.is(
    new Set(ends.map(([reason, until]) => said('cancellation', 'en', { reason, paid_until: until })[2])).size,
    ends.length,
  )
})

test('the last mail says that the account is deleted, and contains no link', (t) => {
  t.deepEqual(said('account-deleted', 'en'), [
    'Your account at Neap is deleted',
    'Hello Ann,',
    'As you asked, we deleted your account at Neap and your data in it. We cancelled any memberships that were still running.',
    'We keep payment records that the law requires, without your name.',
    end,
  ])
  t.is(said('account-deleted', 'de')[0], 'Ihr Konto bei Neap ist gelöscht')
})

test('money has its currency’s digits, in the format of the member’s country', (t) => {
  const paid = (amount: number, currency: string, language: string) =>
    said('receipt', language, { amount, currency })[2]!.replace('Pro, yearly', 'it')
  t.is(paid(5000, 'JPY', 'en'), 'You paid JP¥5,000 on 21 November 2026 for it. Thank you.')
  t.is(paid(5500, 'KWD', 'en'), 'You paid KWD 5.500 on 21 November 2026 for it. Thank you.')
  t.is(paid(550, 'USD', 'en-US'), 'You paid $5.50 on November 21, 2026 for it. Thank you.')
  t.is(paid(5000, 'JPY', 'de'), 'Sie haben am 21. November 2026 5.000 ¥ für it bezahlt. Vielen Dank.')
  t.is(paid(5550, 'KWD', 'de'), 'Sie haben am 21. November 2026 5,550 KWD für it bezahlt. Vielen Dank.')
  t.is(paid(550, 'EUR', 'de-AT'), 'Sie haben am 21. November 2026 € 5,50 für it bezahlt. Vielen Dank.')
  t.is(paid(100, 'XQZ', 'en'), 'You paid XQZ 1 on 21 November 2026 for it. Thank you.')
})

test('January has its Austrian name for Austrians, with the texts of de.yml', (t) => {
  const mail = write('receipt', 'de-AT', { paid_at: '2027-01-05T00:00:00.000Z' })
  t.is(mail.language, 'de')
  t.regex(mail.text, /am 5\. Jänner 2027/)
})

test('a day is in UTC, whatever the server’s time zone', (t) => {
  t.regex(write('receipt', 'en', { paid_at: '2026-12-31T23:59:59.999Z' }).text, /31 December 2026/)
})

test('every mail in both languages is complete: the same text in plain and HTML, no placeholder left', (t) => {
  for (const kind of kinds)
    for (const language of ['en', 'de']) {
      const mail = write(kind, language)
      t.is(mail.kind, kind)
      if (language === 'de') t.deepEqual(englishIn(mail.subject + mail.html), [], kind)
      else t.true(englishIn(mail.html).length > 0, 'or nothing would be found')
      t.is(mail.language, language)
      t.is(mail.to, 'ann@example.com')
      t.notRegex(
        mail.subject + mail.text + mail.html.replace(/<style>[\s\S]*<\/style>/, ''),
        /[{}]|undefined/,
      )
      t.true(mail.html.startsWith('<!doctype html>'))
      t.true(mail.html.includes(`<html lang="${language}" dir="ltr">`))
      const visible = mail.html
        .replace(/<[^>]+>/g, ' ')
        .replaceAll('&amp;', '&')
        .replace(/\s+/g, ' ')
      for (const paragraph of paragraphsOf(mail.text).slice(1, -1))
        t.true(visible.includes(paragraph.replace(/^.*: (https?:)/, '$1')), paragraph)
      t.is(
        mail.html.includes('class="button"'),
        !['account-deleted', 'operator-alert', 'refund', 'declaration'].includes(kind),
      )
    }
})

test('no mail to a German reader contains English text of ours', (t) => {
  const later = '2026-12-20T00:00:00.000Z'
  const said = [
    write('magic-link', 'de', { isSignup: true }),
    write('welcome', 'de', { ordered: { at: later, text: 'Ich verlange es.', facts: [] } }),
    write('payment-failed', 'de', { retry_at: later, access_until: null, is_closed: true }),
    write('payment-failed', 'de', { pay_url: null }),
    ...(['day', 'week', 'month', 'year'] as const).flatMap((interval) =>
      [1, 3].map((interval_count) =>
        write('renewal-ahead', 'de', { cost: { amount: 7005, currency: 'CHF', interval, interval_count } }),
      ),
    ),
    write('refund', 'de', { amount: 5000, has_closed: true }),
    write('account-deleted', 'de', {
      stores: [
        { store: 'Roku', url: null },
        { store: 'App Store', url: 'https://apps.apple.com/account/subscriptions' },
      ],
    }),
    write('refund', 'de', { amount: 5000, has_closed: true, state: 'pending' }),
    write('refund', 'de', { amount: 5000, is_open: true, state: 'failed' }),
    write('granted', 'de', { from: later, until: null }),
    write('switching', 'de', { isSoldNow: false }),
    write('switching', 'de', { isBack: true }),
    ...([null, 'trial', 'unpaid', 'refunded', 'disputed'] as const).map((reason) =>
      write('cancellation', 'de', { reason, paid_until: null, resume_url: null }),
    ),
    write('declaration', 'de', { kind: 'withdrawal', nature: null }),
    write('declaration', 'de', { nature: 'ordinary', ends_on: '2026-12-31' }),
    write('operator-alert', 'de', { isOver: true }),
  ]
  for (const { subject, html, kind } of said) t.deepEqual(englishIn(subject + html), [], kind)
  t.regex(said.map(({ text }) => text).join(), /70,05\sCHF alle 3\sMonate/)
  const takenBack = said
    .filter(({ text }) => /Kündigung\s+lässt\s+sich/.test(text))
    .map(({ subject }) => subject)
  t.true(takenBack.length > 0 && takenBack.every((subject) => /Kündigung/.test(subject)), takenBack.join())
})

test('text lines are short, and an address stands alone on its line', (t) => {
  const url = `https://neap.example/membership/login/${'a1-'.repeat(60)}?redirect=%2Fa%20b&x=1`
  const { text } = write('magic-link', 'de', { url })
  const lines = text.split('\n')
  t.true(lines.includes(url))
  t.deepEqual(
    lines.filter((line) => line.length > 72),
    [url],
  )
  t.notRegex(text, /\n{3}|[ \t]\n/)
  t.regex(text, /[^\n]\n$/)
})

test('a site’s own Eta layout wins over the package’s', (t) => {
  const root = siteWith(t, { 'layout.eta': '<p><%= it.greeting %></p>' })
  const mail = openMails({ root }).compose('welcome', {
    to: 'a@b.example',
    name: 'B & C',
    data: samples.welcome,
  })
  t.is(mail.html.trim(), '<p>Hello B &amp; C,</p>')
  t.regex(mail.text, /^Hello B & C,\n/)
})
