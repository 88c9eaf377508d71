import test, { type ExecutionContext } from 'ava'
import { allDatabases, sqliteDatabases } from '../../support/databases.ts'
import { openStripeSite } from '../../support/stripe-site.ts'
import { buy, createMailbox, createVisitor, logIn, type Visitor } from '../../support/visitor.ts'

const home = 'ann@example.com'
const work = 'ann@work.example'
const plans = {
  pro: { group: 'membership', prices: [{ id: 'price_month', trial_days: 14 }] },
  book: { prices: [{ id: 'price_book', amount: 1900, currency: 'EUR' }] },
}

/** A site on which Ann bought with her second address, and is logged in with her first. */
async function openTwo(t: ExecutionContext, databases = sqliteDatabases) {
  const database = await databases()
  t.teardown(() => database.close())
  const mailbox = createMailbox()
  const site = await openStripeSite(t, {
    ...mailbox.options,
    'membership.database.url': await database.url(),
    'membership.providers.stripe.plans': plans,
  })
  const { m } = site
  const bought = await buy(site, work, { card: '4242424242424242#ann' })
  await m.users.create({ email: home, verified: true, name: 'Ann' })
  const ann = await logIn(site, mailbox, home)
  await m.runDueJobs()
  mailbox.sent.length = 0
  const idOf = async (email: string) => (await m.users.findByEmail(email))!.id
  const ask = async (email = work, visitor = ann) => {
    const answer = await visitor.send('/membership/account/merge', { email })
    await m.runDueJobs()
    return answer
  }
  /** Presses the button of the newest link that was sent there. */
  const press = async (email: string, visitor: Visitor = ann) => {
    const path = mailbox.link(email)
    const answer = await visitor.send(path)
    await m.runDueJobs()
    return { ...answer, path }
  }
  const kinds = () => mailbox.sent.map(({ kind, to }) => `${kind} ${to}`)
  return {
    ...site,
    mailbox,
    ann,
    bought,
    idOf,
    ask,
    press,
    kinds,
    keep: await idOf(home),
    goes: await idOf(work),
  }
}

for (const databases of allDatabases) {
  const name = databases.name.replace('Databases', '')
  test(`${name}: a member merges two accounts after both addresses confirm, and either can undo it`, async (t) => {
    const { m, ann, bought, ask, press, mailbox, kinds, idOf, keep, goes, site } = await openTwo(t, databases)
    t.is((await ask()).status, 202)
    t.deepEqual(kinds(), [`merge-own ${home}`], 'the other address hears nothing before her own has said so')
    t.regex((await ann.get(mailbox.link(home))).text, /ann@work\.example/)
    t.deepEqual((await press(home)).json, { status: 'asked' })
    t.deepEqual(kinds(), [`merge-own ${home}`, `merge-other ${work}`])
    t.is(await idOf(work), goes, 'nothing yet')
    const page = await ann.get(mailbox.link(work), { 'accept-language': 'de' })
    t.regex(
      page.text,
      /ann@work\.example mit ann@example\.com zusammenführen\?[\s\S]*1 Mitgliedschaft, 1 Zahlung und 0 gewährte Zugänge/,
    )
    const confirmed = await press(work)
    t.deepEqual(confirmed.json, { status: 'merged' }, confirmed.text)
    t.is(await idOf(work), keep)
    t.is((await m.users.findById(keep))!.subscriptions()[0]?.id, bought.id)
    t.deepEqual(kinds().slice(2).sort(), [`merged ${home}`, `merged ${work}`], 'both are told')
    t.is((await bought.visitor.get('/membership/account/export')).status, 401, 'its sessions end')
    t.is((await ann.get('/membership/account/export')).status, 200)
    t.deepEqual((await ann.send(confirmed.path)).json, { status: 'merged' }, 'pressed twice')
    t.deepEqual(
      (await m.operator.audit.list({ member: keep })).map(({ action, by }) => [action, by]),
      [['merge', 'the member']],
    )

    const back = mailbox.link(work)
    t.regex((await createVisitor(site).get(back)).text, /ann@work\.example/)
    const taken = await createVisitor(site).send(back)
    t.deepEqual(taken.json, { email: home, other_email: work })
    t.deepEqual([await idOf(home), await idOf(work)], [keep, goes])
    t.is((await m.users.findById(goes))!.subscriptions()[0]?.id, bought.id)
    t.is((await ann.get('/membership/account/export')).status, 401)
    for (const path of [back, mailbox.link(home)])
      t.is((await createVisitor(site).send(path)).status, 410, 'once, by whichever of the two')
    const again = await logIn({ m, site }, mailbox, home)
    t.is(
      (await again.send(confirmed.path)).status,
      410,
      'what was taken back is not confirmed by a kept link',
    )
    t.is(await idOf(work), goes)
  })
}

test('accounts are merged only if one session proved both addresses', async (t) => {
  const { m, site, mailbox, ask, press, kinds, idOf, goes, bought, ann } = await openTwo(t)
  await m.users.create({ email: 'mallory@example.com', verified: true })
  const mallory = await logIn({ m, site }, mailbox, 'mallory@example.com')
  mailbox.sent.length = 0
  // Mallory asks for a stranger's address. The stranger opens what was sent to it.
  await ask(work, mallory)
  t.deepEqual((await press('mallory@example.com', mallory)).json, { status: 'asked' })
  const link = mailbox.link(work)
  for (const [who, visitor] of [
    ['the stranger', bought.visitor],
    ['nobody', createVisitor(site)],
    ['another member', ann],
  ] as const) {
    const page = await visitor.get(link, { accept: 'text/html' })
    t.true([302, 303].includes(page.status), `${who}: ${page.status}`)
    t.is(new URL(page.location!, site).pathname, '/membership/login')
    t.is((await visitor.send(link)).json.code, 'ERR_LOGIN_REQUIRED', who)
  }
  t.is((await mallory.send(mailbox.link('mallory@example.com'))).json.status, 'asked', 'pressed twice')
  t.is(mailbox.of(work).length, 1, 'and sent once')
  const token = mailbox.link('mallory@example.com').split('/').at(-1)!
  t.is((await mallory.send(`/membership/account/merge-back/${token}`)).status, 410)
  t.is((await mallory.send(`/membership/account/email/${token}`)).status, 410)
  t.is(await idOf(work), goes)

  // Whoever came by Ann's session alone lets no address of their own into her account.
  mailbox.sent.length = 0
  await ask('mallory@example.com', ann)
  t.deepEqual(kinds(), [`merge-own ${home}`])
  t.is((await createVisitor(site).send(mailbox.link(home))).json.code, 'ERR_LOGIN_REQUIRED')
})

test('a merge request reveals no member, and finds accounts only by a proven address', async (t) => {
  const opened = await openTwo(t)
  const { m, mailbox, ask, press, kinds, ann, site } = opened
  await m.users.create({ email: 'typed@example.com' })
  await m.users.create({ email: 'leaving@example.com', verified: true })
  const answers = []
  for (const email of ['nobody@example.com', 'typed@example.com', work]) {
    mailbox.sent.length = 0
    const asked = await ask(email)
    const confirmed = await press(home)
    answers.push([asked.status, asked.text, confirmed.status, confirmed.text])
    t.deepEqual(kinds(), [`merge-own ${home}`, ...(email === work ? [`merge-other ${work}`] : [])], email)
  }
  t.deepEqual(answers[0], answers[1])
  t.deepEqual(answers[0], answers[2])
  t.is((await ask('no address')).json.code, 'ERR_FORM')
  t.is((await ask(work, createVisitor(site))).json.code, 'ERR_LOGIN_REQUIRED')
  const { visitor: guest } = await buy(opened, 'guest@example.com', {
    proved: false,
    path: '/membership/subscribe/pro',
  })
  t.is((await ask(work, guest)).json.code, 'ERR_UNVERIFIED')
  t.is((await ann.get('/membership/account/merge/x')).status, 410)
})

test('an account cannot be merged with itself', async (t) => {
  const { ask } = await openTwo(t)
  t.is((await ask(home)).json.code, 'ERR_FORM')
})

/** Ann asks, and her own address confirms; then the link that was sent to the other. */
async function askBoth(
  { ask, press, mailbox }: Awaited<ReturnType<typeof openTwo>>,
  visitor: Visitor,
): Promise<string> {
  await ask(work, visitor)
  await press(home, visitor)
  const mail = mailbox.of(work, 'merge-other').at(-1)!
  return new URL(/https?:\S+\/merge\/\S+/.exec(mail.text)![0]).pathname
}

test('a merge link expires after an hour, with another request, and with a logout everywhere', async (t) => {
  const opened = await openTwo(t)
  const { m, site, fake, mailbox, idOf, goes, ann } = opened
  const late = await askBoth(opened, ann)
  await fake.advance({ ms: 61 * 60_000 })
  t.is((await ann.send(late)).status, 410)
  const first = await askBoth(opened, ann)
  const second = await askBoth(opened, ann)
  t.is((await ann.send(first)).status, 410, 'there is a newer one')
  await ann.send('/membership/logout', { everywhere: '1' })
  const again = await logIn({ m, site }, mailbox, home)
  t.is((await again.send(second)).status, 410)
  t.is(await idOf(work), goes)
})

test('a merge link ends with a new address, waits while the earlier owner may answer, and opens nothing after a deletion', async (t) => {
  const opened = await openTwo(t)
  const { m, site, fake, mailbox, keep, goes, ann } = opened
  const before = await askBoth(opened, ann)
  await m.users.setEmail(goes, 'other@work.example')
  t.is((await ann.send(before)).status, 410)
  await m.users.setEmail(goes, work)
  await m.users.verify(goes)
  const soon = await askBoth(opened, ann)
  t.is((await ann.send(soon)).json.code, 'ERR_ACTION_REFUSED')
  await fake.advance({ days: 8 })
  const visitor = await logIn({ m, site }, mailbox, home)
  const leaving = await askBoth(opened, visitor)
  await m.users.delete(goes)
  await m.runDueJobs()
  t.true([410, 409].includes((await visitor.send(leaving)).status))
  t.is((await m.users.findById(keep))!.subscriptions().length, 0)
  const rows = await m.storage.read((db) => db.selectFrom('merge_wishes').select('other_id'))
  t.false(
    rows.some(({ other_id }) => other_id === goes),
    'and nothing is kept of it',
  )
})

test('of two members who want the same account one gets it; a link older than thirty days undoes nothing', async (t) => {
  const { m, site, fake, mailbox, ask, press, idOf, keep, ann } = await openTwo(t)
  await m.users.create({ email: 'eve@example.com', verified: true })
  const eve = await logIn({ m, site }, mailbox, 'eve@example.com')
  await ask()
  await press(home)
  const ofAnn = mailbox.link(work)
  await ask(work, eve)
  await press('eve@example.com', eve)
  const ofEve = mailbox.link(work)
  const answers = await Promise.all([ann.send(ofAnn), ann.send(ofAnn), eve.send(ofEve)])
  t.deepEqual(
    answers.slice(0, 2).map(({ status }) => status),
    [200, 200],
  )
  t.true([410, 409].includes(answers[2]!.status), answers[2]!.text)
  t.is(await idOf(work), keep)
  await m.runDueJobs()
  t.is((await m.operator.audit.list()).length, 1)
  const back = mailbox.link(home)
  await fake.advance({ days: 31 })
  t.is((await createVisitor(site).send(back)).status, 410)
  t.is(await idOf(work), keep)
})

test('an earlier link does not undo a newer merge by an operator', async (t) => {
  const { m, site, mailbox, ask, press, idOf, keep, goes } = await openTwo(t)
  await ask()
  await press(home)
  await press(work)
  const back = mailbox.link(work)
  await m.users.unmerge({ merged: goes, by: 'support' })
  t.is((await createVisitor(site).send(back)).status, 410, 'it is taken back already')
  await m.users.merge({ keep, merge: goes, by: 'support', write: true })
  t.is((await createVisitor(site).get(back)).status, 410)
  t.is((await createVisitor(site).send(back)).status, 410)
  t.is(await idOf(work), keep)
})

test('an earlier trial of either account counts', async (t) => {
  const { m, fake, bought, ask, press, ann } = await openTwo(t)
  t.true(bought.user.subscriptions()[0]?.on_trial)
  const offered = async () => (await ann.send('/membership/subscribe/pro', { price: 'price_month' })).json
  await bought.visitor.send(`/membership/cancel/${bought.id}`, { when: 'now' })
  await m.runDueJobs()
  await fake.deliver({ settle: true })
  const due = async () => {
    const { url } = await offered()
    return fake.objects.list('checkout.session').find((checkout) => checkout.url === url)?.amount_total
  }
  await ask()
  await press(home)
  await press(work)
  t.is(await due(), 900)
})
