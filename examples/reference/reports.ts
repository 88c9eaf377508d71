import { codeOf, type Examples, equal, type Given } from './site.ts'

const addStudio = (m: Given['m']) => m.reports.partners.add({ name: 'Studio', email: 'studio@example.com' })
const addAgency = (m: Given['m']) => m.reports.partners.add({ name: 'Agency', email: 'agency@example.com' })

/** Sends a request to the partner API, with a key of the partner. */
const askAs = async (m: Given['m'], partner: string, path: string, body: string): Promise<void> => {
  const { key } = await m.reports.keys.issue(partner)
  await m.fetch(
    new Request(`https://example.com/reports${path}`, {
      method: 'POST',
      headers: { 'X-API-KEY': key, 'content-type': 'text/plain' },
      body,
    }),
  )
}

/** The studio adds a website. */
const addWebsite = async (m: Given['m'], url: string): Promise<void> =>
  askAs(m, (await addStudio(m)).id, `?url=${encodeURIComponent(url)}`, '')

/** The studio sends a list of one website. */
const sendList = async (m: Given['m']): Promise<void> =>
  askAs(m, (await addStudio(m)).id, '/imports', 'studio.example\n')

/** The agency asks for the studio's website, and proves that it has the host. */
const requestStudio = async (m: Given['m'], txt: Given['txt']): Promise<void> => {
  await m.reports.crawl.run()
  await m.reports.operator.relink('studio.example', (await addStudio(m)).id, { write: true })
  await askAs(m, (await addAgency(m)).id, '/relink-requests?url=http%3A%2F%2Fstudio.example%2F', '')
  const [request] = await m.reports.operator.relinkRequests()
  txt.set('studio.example', `membership-index=${request?.secret}`)
}

/** Examples of `m.reports`. */
export const index: Examples = {
  koa({ m, app }) {
    app.use(m.reports.koa()) // not needed beside `m.koa()`, which brings it
    equal(app.middleware.length, 1)
  },

  async websites({ m }) {
    await m.reports.crawl.run()
    const { data } = await m.reports.websites({ status: 'listed', version: '4' })
    equal(
      data.map(({ host }) => host),
      ['studio.example'],
    )
  },

  async detect({ m }) {
    const { finding } = await m.reports.detect('http://studio.example/')
    equal(finding.kind, 'listed')
  },

  async imports({ m }) {
    await sendList(m)
    const [list] = await m.reports.imports('studio@example.com')
    equal(list?.total, 1)
  },

  async importOf({ m }) {
    await sendList(m)
    const [list] = await m.reports.imports()
    const { lines } = await m.reports.importOf(list?.id ?? '')
    equal(
      lines.map(({ text }) => text),
      ['studio.example'],
    )
  },
}

/** Examples of `m.reports.partners`. */
export const partners: Examples = {
  async check({ m }) {
    const partner = { name: ' Studio ', email: 'Studio@Example.com' }
    equal(await m.reports.partners.check(partner), { name: 'Studio', email: 'studio@example.com' })
  },

  async add({ m }) {
    const { id, status } = await m.reports.partners.add({ name: 'Studio', email: 'studio@example.com' })
    equal([id.startsWith('prt_'), status], [true, 'active'])
  },

  async get({ m }) {
    const studio = await addStudio(m)
    equal((await m.reports.partners.get('studio@example.com')).id, studio.id)
  },

  async list({ m }) {
    const studio = await addStudio(m)
    await m.reports.keys.issue(studio.id)
    const [partner] = await m.reports.partners.list()
    equal([partner?.name, partner?.keys, partner?.websites], ['Studio', 1, 0])
  },

  async setStatus({ m }) {
    const { key } = await m.reports.keys.issue((await addStudio(m)).id)
    await m.reports.partners.setStatus('studio@example.com', 'suspended', 'operator:eve')
    equal(await codeOf(() => m.reports.keys.authenticate(key)), 'ERR_API_KEY')
  },
}

/** Examples of `m.reports.keys`. */
export const keys: Examples = {
  async issue({ m }) {
    const studio = await addStudio(m)
    const { key, entry } = await m.reports.keys.issue(studio.id, { label: 'live', scopes: ['read'] })
    equal([key.startsWith('mk_'), entry.scopes], [true, ['read']])
  },

  async list({ m }) {
    const studio = await addStudio(m)
    await m.reports.keys.issue(studio.id, { label: 'live' })
    const [entry] = await m.reports.keys.list('studio@example.com')
    equal(entry?.label, 'live')
  },

  async get({ m }) {
    const { entry } = await m.reports.keys.issue((await addStudio(m)).id)
    equal((await m.reports.keys.get(entry.id)).id, entry.id)
  },

  async find({ m }) {
    const { key, entry } = await m.reports.keys.issue((await addStudio(m)).id)
    equal((await m.reports.keys.find(key)).id, entry.id)
  },

  async revoke({ m }) {
    const { key, entry } = await m.reports.keys.issue((await addStudio(m)).id)
    await m.reports.keys.revoke(entry.id, 'operator:eve')
    equal(await codeOf(() => m.reports.keys.authenticate(key)), 'ERR_API_KEY')
  },

  async rotate({ m }) {
    const { entry } = await m.reports.keys.issue((await addStudio(m)).id)
    const { oldKeyUntil } = await m.reports.keys.rotate(entry.id)
    equal(oldKeyUntil.slice(0, 10), '2026-01-16') // tomorrow
  },

  async authenticate({ m }) {
    const studio = await addStudio(m)
    const { key } = await m.reports.keys.issue(studio.id)
    equal((await m.reports.keys.authenticate(key)).partnerId, studio.id)
  },
}

/** Examples of `m.reports.operator`. */
export const operator: Examples = {
  async get({ m }) {
    await m.reports.crawl.run()
    const { row } = await m.reports.operator.get('studio.example')
    equal(row.url, 'http://studio.example/')
  },

  async accept({ m }) {
    await addWebsite(m, 'http://plain.example/')
    const { data } = await m.reports.operator.accept('http://plain.example/', 'operator:eve')
    equal(data.status, 'listed')
  },

  async exclude({ m }) {
    await m.reports.crawl.run()
    const result = await m.reports.operator.exclude('studio.example', 'the owner asked')
    equal(result, { pattern: 'studio.example', websites: 1 })
  },

  async restore({ m }) {
    await m.reports.crawl.run()
    await m.reports.operator.exclude('studio.example', 'the owner asked')
    const result = await m.reports.operator.restore('studio.example')
    equal(result, { pattern: 'studio.example', websites: 1 })
  },

  async exclusions({ m }) {
    await m.reports.operator.exclude('studio.example', 'the owner asked')
    const [rule] = await m.reports.operator.exclusions()
    equal([rule?.pattern, rule?.reason], ['studio.example', 'the owner asked'])
  },

  async merge({ m }) {
    await m.reports.crawl.run()
    await addWebsite(m, 'http://old.example/')
    await m.reports.operator.merge({ keep: 'studio.example', merge: 'old.example', write: true })
    equal(await codeOf(() => m.reports.operator.get('old.example')), 'ERR_NOT_FOUND')
  },

  async retry({ m }) {
    await m.reports.crawl.run()
    equal(await m.reports.operator.retry('listed'), 1)
  },

  async reviews({ m }) {
    equal(await m.reports.operator.reviews(), [])
  },

  async crawlStatus({ m }) {
    await m.reports.crawl.run()
    equal((await m.reports.operator.crawlStatus()).websites, { listed: 1 })
  },

  async relink({ m }) {
    await m.reports.crawl.run()
    const studio = await addStudio(m)
    const { counts } = await m.reports.operator.relink('studio.example', studio.id, { write: true })
    equal(counts.linked, 1)
  },

  async undo({ m }) {
    await m.reports.crawl.run()
    const studio = await addStudio(m)
    const { batch } = await m.reports.operator.relink('studio.example', studio.id, { write: true })
    equal(await m.reports.operator.undo(batch ?? ''), { restored: 1, kept: [] })
  },

  async batches({ m }) {
    await m.reports.crawl.run()
    const studio = await addStudio(m)
    await m.reports.operator.relink('studio.example', studio.id, { write: true })
    const [batch] = await m.reports.operator.batches(10)
    equal([batch?.websites, batch?.undone_at], [1, null])
  },

  async relinkRequests({ m, txt }) {
    await requestStudio(m, txt)
    const [request] = await m.reports.operator.relinkRequests()
    equal([request?.host, request?.status], ['studio.example', 'unproven'])
  },

  async confirmRelink({ m, txt }) {
    await requestStudio(m, txt)
    const [request] = await m.reports.operator.relinkRequests()
    const { status } = await m.reports.operator.confirmRelink(request?.id ?? '', 'operator:eve')
    equal(status, 'proven') // it is linked in fourteen days, unless its partner objects
  },

  async declineRelink({ m, txt }) {
    await requestStudio(m, txt)
    const [request] = await m.reports.operator.relinkRequests()
    const { status } = await m.reports.operator.declineRelink(request?.id ?? '', 'not yours', 'operator:eve')
    equal(status, 'declined')
  },

  async workOnRelinkRequests({ m, fake, txt }) {
    await requestStudio(m, txt)
    const [request] = await m.reports.operator.relinkRequests()
    await m.reports.operator.confirmRelink(request?.id ?? '', 'operator:eve')
    await fake.advance({ days: 15 })
    await m.reports.operator.workOnRelinkRequests()
    const [closed] = await m.reports.operator.relinkRequests({ isOpen: false })
    equal(closed?.status, 'linked')
  },
}

/** Examples of `m.reports.audit`. */
export const audit: Examples = {
  async list({ m }) {
    const studio = await addStudio(m)
    const [record] = await m.reports.audit.list({ subject: studio.id })
    equal([record?.actor, record?.action], ['operator', 'partner-add'])
  },
}

/** Examples of `m.reports.crawl`. */
export const crawl: Examples = {
  async run({ m }) {
    const { visited, listed } = await m.reports.crawl.run({ limit: 100 })
    equal([visited, listed], [2, 1])
  },

  async status({ m }) {
    await m.reports.crawl.run()
    equal((await m.reports.crawl.status()).due, 0)
  },

  async retry({ m }) {
    await m.reports.crawl.run()
    equal(await m.reports.crawl.retry('studio.example'), 1)
  },

  async history({ m }) {
    await m.reports.crawl.run()
    const [hour] = await m.reports.crawl.history(24)
    equal([hour?.visited, hour?.listed], [2, 1])
  },
}
