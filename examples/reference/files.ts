import { codeOf, type Examples, equal } from './site.ts'

/** Examples of `m.files`. */
export const files: Examples = {
  async url({ m, ann }) {
    const link = m.files.url(ann, 'site.ts', { gate: 'pro', minutes: 10 })
    equal((await m.fetch(new Request(link))).status, 200)
    equal(await codeOf(() => m.files.url(ann, '../secret.txt', { gate: 'pro' })), 'ERR_USAGE')
  },

  async revoke({ m, ann }) {
    const link = m.files.url(ann, 'site.ts', { gate: 'pro' })
    await m.files.revoke(ann)
    equal((await m.fetch(new Request(link))).status, 410)
  },
}

/** Examples of `m.feeds`. */
export const feeds: Examples = {
  async url({ m, ann, bob }) {
    const read = async (address: string) => (await m.fetch(new Request(address))).text()
    equal(await read(await m.feeds.url(ann, '/podcast.xml')), '<rss>closed episode</rss>')
    equal(await read(await m.feeds.url(bob, '/podcast.xml')), '<rss></rss>')
  },

  async list({ m, ann }) {
    await m.feeds.url(ann, '/podcast.xml')
    const [feed] = await m.feeds.list(ann)
    equal(feed?.path, '/podcast.xml')
  },

  async revoke({ m, ann }) {
    const address = await m.feeds.url(ann, '/podcast.xml')
    await m.feeds.revoke(ann, '/podcast.xml')
    equal((await m.fetch(new Request(address))).status, 404)
  },
}
