import test, { type ExecutionContext } from 'ava'
import type { MembershipOptions } from '../../../src/index.ts'
import { kirbyPage } from '../../support/web.ts'
import { added, bodyOf, dayMs, openIndex, type Partner, refused } from './support.ts'

interface Request {
  readonly data: {
    readonly id: string
    readonly role: string
    readonly status: string
    readonly reason: string | null
    readonly object_until: string | null
    readonly report_id: string | null
    readonly proofs: {
      readonly dns: { readonly name: string; readonly value: string }
      readonly file: { readonly url: string; readonly content: string }
    } | null
    readonly last_check: { readonly dns: string; readonly file: string } | null
  }
}
interface Notices {
  readonly data: { kind: string; url: string; details: Record<string, string | null> }[]
  readonly links: { next: string }
}

const site = 'http://harbour.example/'
const path = '/reports/relink-requests'

/** Ann has a website; Bob asks for it. */
async function openTwo(t: ExecutionContext, options: MembershipOptions = {}) {
  const index = await openIndex(t, { 'harbour.example': { '/': kirbyPage('The harbour') } }, options)
  const [ann, bob] = [await index.partner('ann'), await index.partner('bob')]
  const websiteId = await added(t, ann, site)
  const asked = await bob.ask('POST', `${path}?url=${encodeURIComponent(site)}`)
  t.is(asked.status, 201, await asked.clone().text())
  const { data: request } = await bodyOf<Request>(asked)
  const { operator } = index.m.reports
  return {
    ...index,
    ann,
    bob,
    websiteId,
    request,
    operator,
    proveByDns: () => index.web.txt.set('harbour.example', [['v=spf1 -all'], [request.proofs!.dns.value]]),
    look: async () => (await bodyOf<Request>(await bob.ask('PATCH', `${path}/${request.id}`))).data,
    read: async (partner: Partner) =>
      (await bodyOf<Request>(await partner.ask('GET', `${path}/${request.id}`))).data,
    ownerOf: async () => (await operator.get(websiteId)).row.partner_id,
    noticesOf: async (partner: Partner) =>
      (await bodyOf<Notices>(await partner.ask('GET', '/reports/notices'))).data,
    /** A day after day, with the job's work. */
    days: async (count: number) => {
      for (let day = 0; day < count; day++) {
        index.clock.move(dayMs)
        await operator.workOnRelinkRequests()
      }
    },
  }
}

test.serial('a request says what to publish, and a repetition returns the same one', async (t) => {
  const { bob, ann, request, read } = await openTwo(t)
  t.like(request, { role: 'claimant', status: 'unproven', report_id: null })
  t.is(request.proofs!.dns.name, 'harbour.example')
  t.regex(
    request.proofs!.file.url,
    /^http:\/\/harbour\.example\/\.well-known\/membership-index\/[\w-]{20,}\.txt$/,
  )
  t.not(request.proofs!.file.url.includes(request.proofs!.file.content.split('=')[1]!), true)
  const again = await bob.ask('POST', `${path}?url=${encodeURIComponent(site)}`)
  t.is(again.status, 200)
  t.is((await bodyOf<Request>(again)).data.id, request.id)
  // Nobody is told before something is proven.
  await refused(t, await ann.ask('GET', `${path}/${request.id}`), 404, 'ERR_NOT_FOUND')
  await refused(t, await ann.ask('POST', `${path}?url=${encodeURIComponent(site)}`), 400, 'ERR_PARAMETER')
  await refused(t, await bob.ask('POST', `${path}?url=http://none.example/`), 404, 'ERR_NOT_FOUND')
  t.is((await read(bob)).status, 'unproven')
})

test.serial(
  'neither a meta tag, nor a page that echoes its address, nor a redirect proves a host',
  async (t) => {
    const { web, look, request } = await openTwo(t)
    const { file } = request.proofs!
    const { pathname } = new URL(file.url)
    web.hosts['harbour.example']!['/'] = kirbyPage(
      'x',
      `<meta name="membership-index" content="${file.content}">`,
    )
    t.is((await look()).status, 'unproven')
    web.hosts['harbour.example']![pathname] = `Not found: ${file.url} ${file.content}`
    t.is((await look()).status, 'unproven')
    web.hosts['elsewhere.example'] = { '/proof.txt': file.content }
    web.hosts['harbour.example']![pathname] = (_, response) =>
      response.writeHead(302, { location: 'http://elsewhere.example/proof.txt' }).end()
    t.is((await look()).status, 'unproven')
    web.hosts['harbour.example']![pathname] = `${file.content}\n`
    t.like(await look(), { status: 'proven', last_check: { dns: 'not-found', file: 'found' } })
  },
)

test.serial('without the operator nothing is relinked, however long it is proven', async (t) => {
  const { ann, days, look, ownerOf, proveByDns, read, bob } = await openTwo(t)
  proveByDns()
  t.is((await look()).status, 'proven')
  await days(30)
  t.is(await ownerOf(), ann.id)
  t.is((await read(bob)).status, 'proven')
})

test.serial(
  'a confirmed request runs after fourteen days, both partners are notified, and one command undoes it',
  async (t) => {
    const { ann, bob, clock, days, look, ownerOf, proveByDns, read, request, operator, noticesOf } =
      await openTwo(t)
    proveByDns()
    await look()
    const until = (await read(ann)).object_until!
    t.true(Date.parse(until) - clock.now().getTime() >= 14 * dayMs)
    const confirmed = await operator.confirmRelink(request.id, 'operator:eve')
    t.is(confirmed.status, 'proven')
    clock.move(3_660_000)
    t.like((await noticesOf(ann))[0], {
      kind: 'relink-requested',
      details: { request: request.id, object_until: until },
    })
    t.like(await read(ann), { role: 'holder', proofs: null })
    await days(13)
    t.is(await ownerOf(), ann.id)
    await days(3)
    t.is(await ownerOf(), bob.id)
    t.is((await read(bob)).status, 'linked')
    clock.move(3_660_000)
    t.deepEqual(
      (await noticesOf(ann)).map(({ kind }) => kind),
      ['relink-requested', 'unlinked'],
    )
    t.deepEqual(
      (await noticesOf(bob)).map(({ kind }) => kind),
      ['relinked'],
    )
    const [row] = await operator.relinkRequests({ isOpen: false })
    await operator.undo(row!.batch!)
    t.is(await ownerOf(), ann.id)
    t.is((await read(bob)).status, 'undone')
  },
)

test.serial(
  'an objection leaves the decision to the operator, who must overrule it explicitly',
  async (t) => {
    const { ann, bob, days, look, ownerOf, proveByDns, read, request, operator } = await openTwo(t, {
      'membership.reports.relink_automatically': true,
    })
    proveByDns()
    await look()
    const objected = await ann.ask('POST', `${path}/${request.id}/objection?reason=It%20is%20ours`)
    t.is(objected.status, 200)
    await days(20)
    t.is(await ownerOf(), ann.id)
    t.like(await read(bob), { status: 'objected', reason: 'It is ours' })
    await t.throwsAsync(operator.confirmRelink(request.id, 'operator:eve'), {
      message: /objected: It is ours/,
    })
    await operator.confirmRelink(request.id, 'operator:eve', { despiteObjection: true })
    t.is(await ownerOf(), bob.id)
  },
)

test.serial('an unopposed request needs no operator if the configuration allows it', async (t) => {
  const { bob, days, look, ownerOf, proveByDns, ann } = await openTwo(t, {
    'membership.reports.relink_automatically': true,
  })
  proveByDns()
  await look()
  await days(13)
  t.is(await ownerOf(), ann.id)
  await days(3)
  t.is(await ownerOf(), bob.id)
})

test.serial('a removed proof ends the request', async (t) => {
  const { ann, days, look, ownerOf, proveByDns, read, bob, web } = await openTwo(t, {
    'membership.reports.relink_automatically': true,
  })
  proveByDns()
  await look()
  web.txt.clear()
  await days(20)
  t.is(await ownerOf(), ann.id)
  t.is((await read(bob)).status, 'lapsed')
})

test.serial('a new partner of the website is notified again', async (t) => {
  const { bob, days, look, ownerOf, operator, partner, proveByDns, read, request } = await openTwo(t)
  proveByDns()
  await look()
  await operator.confirmRelink(request.id, 'operator:eve')
  const carl = await partner('carl')
  await operator.relink(site, carl.id, { write: true })
  await days(16)
  t.is(await ownerOf(), carl.id)
  t.is((await read(carl)).role, 'holder')
  t.is((await read(bob)).status, 'proven')
})

test.serial('an unproven request expires; a declined one gives the reason', async (t) => {
  const { bob, days, read, operator } = await openTwo(t)
  await days(8)
  t.is((await read(bob)).status, 'expired')
  const next = await bodyOf<Request>(await bob.ask('POST', `${path}?url=${encodeURIComponent(site)}`))
  await operator.declineRelink(next.data.id, 'no', 'operator:eve')
  const declined = await bodyOf<Request>(await bob.ask('GET', `${path}/${next.data.id}`))
  t.like(declined.data, { status: 'declined', reason: 'no' })
  await refused(t, await bob.ask('PATCH', `${path}/${next.data.id}`), 400, 'ERR_PARAMETER')
})
